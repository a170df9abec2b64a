package io.widerow.loadgen.compare;

import io.widerow.loadgen.format.Quantity;
import io.widerow.loadgen.run.CostWatcher;
import io.widerow.loadgen.run.ProcessReading;
import io.widerow.loadgen.run.ScrapeRun;
import io.widerow.loadgen.wire.HttpText;
import io.widerow.loadgen.wire.TimedQuery;
import io.widerow.loadgen.workload.Scrapes;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/// The figures of a daemon that takes scrapes: its open rows after 16 samples of each name, the
/// restart with a full journal, a clean stop, then hours of samples and questions about them. A
/// question that the daemon refuses to answer in full has no time.
///
/// - Threads: one.
public final class ManyTypes {
  private static final int FEW_SAMPLES = 16; // of a name in an hour, see the page on protocols
  private static final int JOURNAL_SAMPLES = 400_000;
  private static final long REST_NANOS_MAX = 300 * Quantity.SECOND;
  private static final int TIMES = 25;
  private static final int TIMES_LONG = 3;
  private static final Pattern TOTAL = Pattern.compile("(?m)^Total +\\d+ +(\\d+)");

  private final Contestant contestant;
  private final Scrapes scrapes;
  private final boolean apart;
  private final int connections;
  private final int batch;
  private final PrintWriter live;
  private final Map<String, Double> figures = new LinkedHashMap<>();
  private final InetSocketAddress address;

  /// Which hours the samples are of.
  ///
  /// @param from the start of the first hour
  /// @param hours whole hours
  /// @param everyNanos time between samples of a series
  public record Span(Instant from, int hours, long everyNanos) {
    long fromNanos() {
      return from.getEpochSecond() * Quantity.SECOND;
    }

    int scrapes() {
      return (int) (hours * 3_600L * Quantity.SECOND / everyNanos);
    }
  }

  /// @param apart whether each name is a type
  /// @param batch samples a request
  /// @param live is told each figure when it is known
  public ManyTypes(
      Contestant contestant,
      Scrapes scrapes,
      boolean apart,
      int connections,
      int batch,
      PrintWriter live)
      throws IOException {
    this.contestant = contestant;
    this.scrapes = scrapes;
    this.apart = apart;
    this.connections = connections;
    this.batch = batch;
    this.live = live;
    this.address = ServerProcess.freeAddress();
  }

  /// Measures everything.
  ///
  /// @param work an empty directory
  public Map<String, Double> measure(Span span, Path work)
      throws IOException, InterruptedException {
    openRows(span, work.resolve("few"));
    restarts(span, work.resolve("restarts"));
    hours(span, work.resolve("hours"));
    return new LinkedHashMap<>(figures);
  }

  private void put(String name, double value) {
    figures.put(name, value);
    live.println(String.format(Locale.ROOT, "%-60s %,.2f", name, value));
    live.flush();
  }

  private ServerProcess start(Path data) throws IOException, InterruptedException {
    return contestant.startReady(data, address);
  }

  private long send(Scrapes what, long fromNanos, int count, long everyNanos)
      throws IOException, InterruptedException {
    return new ScrapeRun(contestant.endpoint(address), what, connections, batch)
        .send(fromNanos, count, everyNanos);
  }

  // What a name costs that has a few samples in an hour.

  private void openRows(Span span, Path data) throws IOException, InterruptedException {
    int count = Math.ceilDiv(FEW_SAMPLES, scrapes.seriesPerName());
    long hour = 3_600 * Quantity.SECOND;
    try (ServerProcess server = start(data)) {
      // Classes and buffers are there before anything is counted.
      send(new Scrapes(1, 4 * batch, false), span.fromNanos(), 4, Quantity.SECOND);
      double heapBefore = liveHeapBytes(server);
      double residentBefore = ProcessReading.of(server.pid()).residentBytes();
      double filledBefore = status("openRowBytes");
      long samples = send(scrapes, span.fromNanos(), count, hour / count);
      double resident = ProcessReading.of(server.pid()).residentBytes() - residentBefore;
      double heap = liveHeapBytes(server) - heapBefore;
      double names = scrapes.names();
      put("open rows: samples a name", samples / names);
      put("open rows: bytes a name, by the store", (status("openRowBytes") - filledBefore) / names);
      put("open rows: live heap a name, bytes", heap / names);
      put("open rows: resident growth a name, bytes", resident / names);
      long began = System.nanoTime();
      server.stop();
      put("open rows: clean stop, ms", (System.nanoTime() - began) / (double) Quantity.MILLI);
    }
  }

  // Sealing and replay of the same samples.

  private void restarts(Span span, Path data) throws IOException, InterruptedException {
    int count = Math.ceilDiv(JOURNAL_SAMPLES, scrapes.series());
    long lastNanos = span.fromNanos() + span.scrapes() * span.everyNanos();
    long fromNanos = lastNanos - count * span.everyNanos();
    long began = System.nanoTime();
    ServerProcess server = start(data);
    try {
      put("empty start: ready after, ms", (System.nanoTime() - began) / (double) Quantity.MILLI);
      double cpuEmpty = ProcessReading.of(server.pid()).cpuNanos();
      put("empty start: CPU, ms", cpuEmpty / Quantity.MILLI);
      long samples = send(scrapes, fromNanos, count, span.everyNanos());
      put("kill: samples in the journal", status("openEvents"));
      server.kill();
      server.close();
      began = System.nanoTime();
      server = start(data);
      put("kill: ready after, ms", (System.nanoTime() - began) / (double) Quantity.MILLI);
      put(
          "kill: CPU beyond that of an empty start, us a sample",
          (ProcessReading.of(server.pid()).cpuNanos() - cpuEmpty) / Quantity.MICRO / samples);
      send(scrapes, fromNanos - count * span.everyNanos(), count, span.everyNanos());
      put("stop: samples to seal", status("openEvents"));
      began = System.nanoTime();
      server.stop();
      put("stop: sealed after, ms", (System.nanoTime() - began) / (double) Quantity.MILLI);
    } finally {
      server.close();
    }
  }

  // Hours of samples.

  private void hours(Span span, Path data) throws IOException, InterruptedException {
    ServerProcess server = start(data);
    try {
      load(span, data, server);
      ask(span, server);
      server.stop();
      server.close();
      long began = System.nanoTime();
      server = start(data);
      put("clean start: ready after, ms", (System.nanoTime() - began) / (double) Quantity.MILLI);
      put("clean start: live heap, MiB", liveHeapBytes(server) / (1 << 20));
    } finally {
      server.close();
    }
  }

  private void load(Span span, Path data, ServerProcess server)
      throws IOException, InterruptedException {
    double cpuBefore = ProcessReading.of(server.pid()).cpuNanos();
    long began = System.nanoTime();
    long samples = send(scrapes, span.fromNanos(), span.scrapes(), span.everyNanos());
    double seconds = (System.nanoTime() - began) / (double) Quantity.SECOND;
    double cpu = ProcessReading.of(server.pid()).cpuNanos() - cpuBefore;
    put("hours: samples", (double) samples);
    put("hours: samples/s", samples / seconds);
    put("hours: CPU until acknowledged, us a sample", cpu / Quantity.MICRO / samples);
    put("hours: segments before merging", status("segments"));
    put("hours: bytes a sample in them", status("segmentBytes") / status("segmentEvents"));
    put("hours: manifest before merging, KiB", manifestBytes(data) / 1_024.0);
    put("hours: at rest", ContestRun.rest(server, REST_NANOS_MAX) ? 1 : 0);
    ProcessReading rested = ProcessReading.of(server.pid());
    put(
        "hours: CPU with sealing and merging, us a sample",
        (rested.cpuNanos() - cpuBefore) / Quantity.MICRO / samples);
    put("hours: peak resident, MiB", rested.residentBytesPeak() / (double) (1 << 20));
    put("hours: live heap, MiB", liveHeapBytes(server) / (1 << 20));
    put("hours: segments at rest", status("segments"));
    put("hours: bytes a sample at rest", status("segmentBytes") / status("segmentEvents"));
    put("hours: manifest at rest, KiB", manifestBytes(data) / 1_024.0);
    put("hours: times sealed", status("sealed"));
  }

  // Questions.

  private void ask(Span span, ServerProcess server) throws IOException {
    String csv = "/v1/query?format=csv";
    String name = scrapes.name(scrapes.names() / 2);
    String one =
        apart
            ? "&type=" + name
            : "&type=sample&where=" + HttpText.encoded("metric = \"" + name + "\"");
    String hour = "&from=" + span.from() + "&to=" + span.from().plusSeconds(3_600);
    String minute = "&from=" + span.from() + "&to=" + span.from().plusSeconds(60);
    long perHour = scrapes.series() * (3_600 * Quantity.SECOND / span.everyNanos());
    time(server, "one name, an hour", csv + one + hour, TIMES, perHour / scrapes.names() + 1);
    time(server, "one name, latest 100", csv + one + "&order=desc&limit=100", TIMES, 101);
    time(server, "all, latest 100", csv + "&order=desc&limit=100", TIMES, 101);
    time(server, "all, a minute", csv + minute, TIMES, perHour / 60 + 1);
    time(server, "all, an hour", csv + hour, TIMES_LONG, perHour + 1);
    time(server, "all, count", csv + "&stats=count", TIMES_LONG, 2);
    time(server, "the list of types", "/v1/types", TIMES, apart ? scrapes.names() : 1);
  }

  private void time(ServerProcess server, String what, String path, int times, long lines)
      throws IOException {
    double[] millis = new double[times];
    double cpuBefore = ProcessReading.of(server.pid()).cpuNanos();
    try (TimedQuery query = TimedQuery.open(address)) {
      for (int i = 0; i < times; i++) {
        TimedQuery.Answer answer = query.get(path, false);
        // A response that ends early says why in its last line; then there is no time.
        boolean whole = answer.lines() >= lines;
        millis[i] = whole ? answer.nanos() / (double) Quantity.MILLI : Double.NaN;
      }
    }
    double cpu = ProcessReading.of(server.pid()).cpuNanos() - cpuBefore;
    double median = PairedRatio.median(millis);
    put("query: " + what + ", ms", median);
    put("query: " + what + ", ms of CPU", cpu / Quantity.MILLI / times);
  }

  // What the daemon and its process tell.

  private double status(String member) throws IOException {
    try (TimedQuery query = TimedQuery.open(address)) {
      String body = query.get("/v1/status", true).body();
      Matcher matcher = Pattern.compile("\"" + member + "\":(-?\\d+)").matcher(body);
      return matcher.find() ? Double.parseDouble(matcher.group(1)) : Double.NaN;
    }
  }

  private static long manifestBytes(Path data) throws IOException {
    try (Stream<Path> files = Files.list(data)) {
      return files
          .filter(file -> file.getFileName().toString().startsWith("manifest"))
          .mapToLong(CostWatcher::bytesBelow)
          .sum();
    }
  }

  /// Bytes of all objects that are reachable, after a collection.
  private static double liveHeapBytes(ServerProcess server)
      throws IOException, InterruptedException {
    Path java = Path.of(ProcessHandle.current().info().command().orElseThrow());
    List<String> command =
        List.of(java.resolveSibling("jcmd").toString(), server.pid() + "", "GC.class_histogram");
    Process jcmd = new ProcessBuilder(command).redirectErrorStream(true).start();
    String text = new String(jcmd.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    Matcher total = TOTAL.matcher(text);
    if (!jcmd.waitFor(1, TimeUnit.MINUTES) || !total.find()) {
      throw new IOException("jcmd says " + Arrays.toString(text.lines().limit(5).toArray()));
    }
    return Double.parseDouble(total.group(1));
  }
}
