package io.widerow.loadgen.compare;

import io.widerow.loadgen.format.Quantity;
import io.widerow.loadgen.run.ProcessReading;
import io.widerow.loadgen.wire.HttpText;
import io.widerow.loadgen.wire.TimedQuery;
import io.widerow.loadgen.workload.CounterSeries;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.InetSocketAddress;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/// Stores that get the same samples by remote write, and evaluate the same expressions in turn.
///
/// - Threads: one.
public final class SeriesContest implements AutoCloseable {
  private static final int BODY_SAMPLES = 10_000; // as Prometheus sends them when it lags behind
  private static final long REST_NANOS_MAX = 300 * Quantity.SECOND;

  private final Span span;
  private final PrintWriter live;
  private final Map<SeriesStore, ServerProcess> servers = new EnumMap<>(SeriesStore.class);
  private final Map<SeriesStore, InetSocketAddress> addresses = new EnumMap<>(SeriesStore.class);
  private final Map<SeriesStore, Path> directories = new EnumMap<>(SeriesStore.class);
  private final List<Line> lines = new ArrayList<>();

  /// The samples.
  ///
  /// @param fromMillis the time of the first of each series
  public record Span(int series, long fromMillis, long everyMillis, long scrapes) {
    long lastMillis() {
      return fromMillis + (scrapes - 1) * everyMillis;
    }

    long samples() {
      return series * scrapes;
    }
  }

  /// An expression, at steps up to the end of the samples.
  ///
  /// @param stepMillis 0 for an instant query at the end
  public record Question(String label, String expression, long overMillis, long stepMillis) {
    private String path(Span of, String parameters) {
      String query = "query=" + HttpText.encoded(expression) + parameters;
      long last = of.lastMillis() / 1_000;
      return stepMillis == 0
          ? "/api/v1/query?%s&time=%d".formatted(query, last)
          : "/api/v1/query_range?%s&start=%d&end=%d&step=%d"
              .formatted(query, last - overMillis / 1_000, last, stepMillis / 1_000);
    }
  }

  /// A figure of each store.
  public record Line(String label, Map<SeriesStore, Double> figures) {}

  public SeriesContest(Span span, PrintWriter live) {
    this.span = span;
    this.live = live;
  }

  /// The figures so far.
  public List<Line> lines() {
    return List.copyOf(lines);
  }

  /// Starts a store, sends it the samples and waits until it rests.
  public void enter(SeriesStore store, CompareOptions options, Path work)
      throws IOException, InterruptedException {
    InetSocketAddress address = ServerProcess.freeAddress();
    Path data = work.resolve(store.name().toLowerCase(Locale.ROOT));
    ServerProcess server = store.start(options, data, address);
    servers.put(store, server);
    addresses.put(store, address);
    directories.put(store, data);
    ProcessReading before = ProcessReading.of(server.pids());
    send(address);
    ProcessReading sent = ProcessReading.of(server.pids());
    store.flush(address);
    boolean rests = ContestRun.rest(server, REST_NANOS_MAX);
    ProcessReading after = ProcessReading.of(server.pids());
    double samples = span.samples();
    double seconds = (sent.atNanos() - before.atNanos()) / (double) Quantity.SECOND;
    note("samples/s by remote write", store, samples / seconds);
    note(
        "CPU of a sample until it rests, us",
        store,
        (after.cpuNanos() - before.cpuNanos()) / (double) Quantity.MICRO / samples);
    note("resident MiB", store, after.residentBytes() / (double) (1 << 20));
    if (!rests) {
      live.println(store + " did not come to rest");
    }
  }

  private void send(InetSocketAddress address) throws IOException, InterruptedException {
    CounterSeries counters = new CounterSeries(span.series);
    int each = Math.max(1, BODY_SAMPLES / span.series);
    try (HttpClient client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build()) {
      for (long scrape = 0; scrape < span.scrapes; scrape += each) {
        int count = (int) Math.min(each, span.scrapes - scrape);
        long from = span.fromMillis + scrape * span.everyMillis;
        HttpRequest request =
            HttpRequest.newBuilder(HttpText.uri(address, "/api/v1/write"))
                .header("content-type", "application/x-protobuf")
                .header("content-encoding", "snappy")
                .header("x-prometheus-remote-write-version", "0.1.0")
                .POST(
                    HttpRequest.BodyPublishers.ofByteArray(
                        counters.next(from, span.everyMillis, count)))
                .build();
        HttpResponse<String> response = client.send(request, HttpResponse.BodyHandlers.ofString());
        if (response.statusCode() / 100 != 2) {
          throw new IOException(
              "%s answered %d: %s"
                  .formatted(request.uri(), response.statusCode(), response.body().strip()));
        }
      }
    }
  }

  /// Asks a question in turn.
  ///
  /// @param times that count
  /// @param warmups that do not
  public void ask(Question question, int times, int warmups)
      throws IOException, InterruptedException {
    Map<SeriesStore, double[]> wall = new EnumMap<>(SeriesStore.class);
    Map<SeriesStore, double[]> cpu = new EnumMap<>(SeriesStore.class);
    for (SeriesStore store : servers.keySet()) {
      wall.put(store, new double[times]);
      cpu.put(store, new double[times]);
    }
    for (int round = -warmups; round < times; round++) {
      for (var each : servers.entrySet()) {
        SeriesStore store = each.getKey();
        ServerProcess server = each.getValue();
        String path = question.path(span, store.parameters);
        ProcessReading before = ProcessReading.of(server.pids());
        TimedQuery.Answer answer = TimedQuery.run(of(addresses, store), path);
        ProcessReading after = ProcessReading.of(server.pids());
        if (round == -warmups) {
          note(question.label + ": bytes of the response", store, (double) answer.bytes());
        }
        if (round >= 0) {
          of(wall, store)[round] = answer.nanos() / (double) Quantity.MILLI;
          of(cpu, store)[round] = (after.cpuNanos() - before.cpuNanos()) / (double) Quantity.MILLI;
        }
      }
    }
    for (SeriesStore store : servers.keySet()) {
      note(question.label + ": ms", store, PairedRatio.median(of(wall, store)));
    }
    for (SeriesStore store : servers.keySet()) { // ticks are 10 ms, so the mean
      double sum = 0;
      for (double one : of(cpu, store)) {
        sum += one;
      }
      note(question.label + ": CPU ms", store, sum / times);
    }
  }

  /// Stops all stores and weighs what they leave: VictoriaMetrics has a third of its samples in
  /// memory only while it runs.
  public void weigh() throws IOException, InterruptedException {
    for (var each : servers.entrySet()) {
      each.getValue().stop();
      long bytes = each.getKey().dataBytes(of(directories, each.getKey()));
      note("bytes a sample, after a stop", each.getKey(), bytes / (double) span.samples());
    }
  }

  private static <T> T of(Map<SeriesStore, T> all, SeriesStore store) {
    T own = all.get(store);
    if (own == null) {
      throw new IllegalStateException(store + " was not entered");
    }
    return own;
  }

  private void note(String label, SeriesStore store, double figure) {
    live.println(String.format(Locale.ROOT, "%-60s %-12s %,.2f", label, store, figure));
    live.flush();
    for (Line line : lines) {
      if (line.label.equals(label)) {
        line.figures.put(store, figure);
        return;
      }
    }
    Map<SeriesStore, Double> figures = new EnumMap<>(SeriesStore.class);
    figures.put(store, figure);
    lines.add(new Line(label, figures));
  }

  @Override
  public void close() {
    servers.values().forEach(ServerProcess::close);
  }
}
