package io.widerow.ingest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.github.luben.zstd.Zstd;
import io.widerow.faults.Await;
import io.widerow.faults.FaultRecords;
import io.widerow.faults.HealthyClient;
import io.widerow.faults.Http2Flood;
import io.widerow.faults.RawHttp;
import io.widerow.faults.ServeProcess;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.SocketException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Goal: whatever clients do, the daemon stays up, its memory stays bounded, and a well-behaved
/// client is served at the same time and loses nothing acknowledged. Method: the daemon as a
/// process, with the heap that the launcher gives it; attackers on raw sockets; a [HealthyClient]
/// all the time. Each attack prints a row of `bench-results/faults.md`.
@Timeout(value = 20, unit = TimeUnit.MINUTES)
@Tag("process")
class HostileClientsTest {
  private static final int WARM_REQUESTS = 200; // a second of them
  private static final long GROWTH_BYTES_MAX = 400L << 20;
  private static final int BODY_BYTES_MAX = 4_000_000;

  @TempDir private Path directory = Path.of(".");
  private final HttpClient http =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private ServeProcess daemon;
  private HealthyClient healthy;
  private String name = "";
  private HealthyClient.Figures quiet = new HealthyClient.Figures(0, 0, 0, 0);
  private long residentBefore;

  /// The size of an attack, as a multiple of the short one.
  int scale() {
    return 1;
  }

  /// The daemon's heap.
  int heapMebibytes() {
    return 256;
  }

  /// Further options of its JVM.
  List<String> jvm() {
    return List.of();
  }

  /// Configuration for the attacks, besides that which makes them short.
  List<String> settings() {
    return List.of("body-bytes-max=" + BODY_BYTES_MAX, "credit-bytes=64000000");
  }

  @BeforeEach
  void start(TestInfo test) throws IOException {
    name = test.getTestMethod().orElseThrow().getName();
    List<String> options = new ArrayList<>(jvm());
    options.addAll(List.of("-Xmx" + heapMebibytes() + "m", "-XX:+ExitOnOutOfMemoryError"));
    daemon =
        ServeProcess.startWith(
            options,
            directory.resolve("d"),
            Stream.concat(Stream.of("header-seconds=2", "stall-seconds=3"), settings().stream())
                .flatMap(each -> Stream.of("--set", each))
                .toArray(String[]::new));
    healthy = new HealthyClient(daemon.port(), "healthy");
    Await.until(() -> healthy.requests() >= WARM_REQUESTS, "the daemon is compiled");
    quiet = healthy.figures();
    residentBefore = daemon.memoryBytes("VmHWM");
  }

  @AfterEach
  void verify() throws Exception {
    try (ServeProcess last = daemon;
        HealthyClient client = healthy) {
      assertTrue(last.isAlive(), () -> name + " ended the daemon: " + told(last));
      HealthyClient.Figures during = healthy.figures();
      client.verify();
      long grown = daemon.memoryBytes("VmHWM") - residentBefore;
      System.out.printf(
          "| %s | x%d | %s | %s | %d MiB | %d MiB |%n",
          name, scale(), quiet, during, residentBefore >> 20, grown >> 20);
      assertTrue(grown < GROWTH_BYTES_MAX, name + " made it grow by " + grown);
      assertEquals(0, last.stop(20), last.output());
      FaultRecords.add(
          FaultRecords.Table.ATTACKS,
          name.replaceAll("([A-Z])", " $1").toLowerCase(Locale.ROOT),
          "x" + scale(),
          heapMebibytes(),
          during.p50Micros() / 1_000,
          during.p99Micros() / 1_000,
          during.requests(),
          during.failed(),
          grown >> 20);
    } finally {
      http.close();
    }
  }

  private static String told(ServeProcess daemon) {
    try {
      return daemon.output();
    } catch (IOException unread) {
      return unread.toString();
    }
  }

  /// Runs attackers at the same time, and waits for them.
  private <T> List<T> attack(int attackers, Callable<T> attacker)
      throws InterruptedException, ExecutionException {
    List<T> results = new ArrayList<>();
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<T>> all = new ArrayList<>();
      for (int i = 0; i < attackers; i++) {
        all.add(threads.submit(attacker));
      }
      for (Future<T> each : all) {
        results.add(each.get());
      }
    }
    return results;
  }

  /// The daemon's answer to an attacker; empty when it has no connection left.
  private String told(Attacker attacker) throws IOException {
    try (RawHttp raw = new RawHttp(daemon.port())) {
      attacker.send(raw);
      return raw.untilClosed();
    } catch (SocketException refused) {
      return "";
    }
  }

  private HttpResponse<String> post(String query, byte[] body, String... headers)
      throws IOException, InterruptedException {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(
                URI.create("http://127.0.0.1:%d/v1/events?%s".formatted(daemon.port(), query)))
            .POST(BodyPublishers.ofByteArray(body));
    return http.send(request.headers(headers).build(), BodyHandlers.ofString());
  }

  private String get(String path) throws IOException, InterruptedException {
    URI uri = URI.create("http://127.0.0.1:" + daemon.port() + path);
    return http.send(HttpRequest.newBuilder(uri).build(), BodyHandlers.ofString()).body();
  }

  @Test
  void headersThatNeverEnd() throws Exception {
    List<String> told =
        attack(
            100 * scale(),
            () ->
                told(raw -> {
                  raw.send("GET /ready HTTP/1.1\r\nhost: 127.0.0.1\r\nx: ");
                  raw.sendUntilEnded(slowly(), 4_000);
                }));
    for (String each : told) {
      assertTrue(each.isBlank() || each.startsWith("HTTP/1.1 408"), each);
    }
    assertTrue(get("/metrics").contains("widerow_connections_slow_total"), "is counted");
  }

  /// Sends a byte after a while.
  private static byte[] slowly() {
    Await.pauseNanos(50_000_000);
    return new byte[] {'a'};
  }

  @Test
  void bodiesThatCrawl() throws Exception {
    List<String> told =
        attack(
            100 * scale(),
            () ->
                told(raw -> {
                  raw.send(RawHttp.post("crawl") + "content-length: 1000000\r\n\r\n");
                  while (raw.sendUntilEnded(new byte[] {'a'}, 1) == 1) {
                    Await.pauseNanos(200_000_000);
                  }
                }));
    for (String each : told) {
      assertTrue(each.isBlank() || each.startsWith("HTTP/1.1 503"), each); // or without credit
    }
    assertFalse(get("/v1/query?type=crawl").contains("crawl"), "nothing of them is stored");
  }

  @Test
  void bodiesThatNeverEnd() throws Exception {
    byte[] chunk =
        "10000\r\n%s\r\n".formatted("a".repeat(0x10000)).getBytes(StandardCharsets.US_ASCII);
    List<Long> sent =
        attack(
            8 * scale(),
            () -> {
              try (RawHttp raw = new RawHttp(daemon.port())) {
                raw.send(RawHttp.post("endless") + "transfer-encoding: chunked\r\n\r\n");
                long bytes = raw.sendUntilEnded(chunk, 1L << 32);
                int status = raw.status();
                assertTrue(status == 413 || status == 503 || status == 0, "status " + status);
                return bytes;
              }
            });
    for (long bytes : sent) {
      assertTrue(bytes < 3L * BODY_BYTES_MAX + (80 << 20), bytes + " bytes were accepted");
    }
  }

  @Test
  void requestsThatLie() throws Exception {
    String post = RawHttp.post("lie");
    String smuggled = RawHttp.post("smuggled") + "content-length: 4\r\n\r\nevil";
    List<String> lies =
        List.of(
            post + "content-length: 999999999999999999\r\n\r\nx",
            post + "content-length: 99999999999999999999999\r\n\r\nx",
            post + "content-length: -1\r\n\r\nx",
            post + "content-length: 0x10\r\n\r\nx",
            post + "content-length: 4, 5\r\n\r\nevil" + smuggled,
            post + "content-length: 4\r\ncontent-length: 5\r\n\r\nevil" + smuggled,
            post + "content-length: 4\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n" + smuggled,
            post + "transfer-encoding: chunked\r\ncontent-length: 4\r\n\r\n0\r\n\r\n" + smuggled,
            post + "transfer-encoding: xchunked\r\n\r\n0\r\n\r\n" + smuggled,
            post + "transfer-encoding: chunked, identity\r\n\r\n0\r\n\r\n" + smuggled,
            post + "transfer-encoding:\u000bchunked\r\n\r\n0\r\n\r\n" + smuggled,
            post + "transfer-encoding : chunked\r\n\r\n0\r\n\r\n" + smuggled,
            post + "x: a\r\n content-length: 4\r\n\r\n", // may be unfolded, RFC 9112
            post + "content-length\r\n : 4\r\n\r\nevil" + smuggled,
            post + "transfer-encoding: chunked\r\n\r\nffffffffffffffff\r\n" + smuggled,
            post + "transfer-encoding: chunked\r\n\r\n-1\r\n" + smuggled,
            post + "x: " + "a".repeat(100_000) + "\r\ncontent-length: 4\r\n\r\nevil",
            "GET /" + "a".repeat(100_000) + " HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n",
            "\0\0\0\0\r\n\r\n",
            "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + "\0".repeat(100));
    for (int round = 0; round < scale(); round++) {
      for (String lie : lies) {
        try (RawHttp raw = new RawHttp(daemon.port())) {
          raw.send(lie).end();
          String told = raw.untilClosed();
          assertFalse(told.matches("(?s).*\"accepted\":[1-9].*"), () -> lie + " gets " + told);
        }
      }
    }
    String stored = get("/v1/query?type=*&limit=1000000");
    assertFalse(stored.contains("smuggled") || stored.contains("evil"), "a smuggled request");
  }

  /// All connections of the daemon are held without a request.
  @Test
  void connectionsThatAskNothing() throws Exception {
    List<RawHttp> held = new ArrayList<>();
    for (int i = 0; i < 1_500; i++) { // more than `connections-max`
      held.add(new RawHttp(daemon.port()));
      held.getLast()
          .sendUnlessReset(i % 2 == 0 ? "" : "GET /ready HTTP/1.1\r\nhost: 127.0.0.1\r\nx: ");
      if (i % 50 == 0) {
        assertTrue(get("/ready").contains("ready"), "others are answered");
      }
    }
    assertFalse(get("/metrics").contains("widerow_connections_evicted_total 0.0"), "is counted");
    for (RawHttp each : held) {
      each.close();
    }
  }

  /// Each flood on several connections at once, again and again.
  private void flood(Http2Flood... floods) throws Exception {
    for (Http2Flood flood : floods) {
      List<Boolean> ended = attack(4, () -> flood.isEndedAlways(daemon.port(), 25 * scale()));
      assertEquals(List.of(true, true, true, true), ended, flood + " goes on");
      assertTrue(daemon.output().length() < 1 << 20, "the log is flooded");
    }
    assertTrue(get("/ready").contains("ready"), "others are answered");
  }

  @Test
  void pingFloods() throws Exception {
    flood(Http2Flood.PING, Http2Flood.PING_ACK);
  }

  @Test
  void settingsFloods() throws Exception {
    flood(Http2Flood.SETTINGS);
  }

  @Test
  void frameFloods() throws Exception {
    flood(
        Http2Flood.PRIORITY,
        Http2Flood.WINDOW_UPDATE_OF_1,
        Http2Flood.EMPTY_DATA,
        Http2Flood.CONTINUATION,
        Http2Flood.UNKNOWN);
  }

  @Test
  void streamsThatTheDaemonResets() throws Exception {
    flood(
        Http2Flood.WINDOW_UPDATE_OF_0,
        Http2Flood.WINDOW_UPDATE_OF_0_FOR_A_CLOSED_STREAM,
        Http2Flood.DATA_AFTER_THE_END,
        Http2Flood.HEADERS_WITHOUT_A_NAME);
  }

  @Test
  void streamsThatClientsReset() throws Exception {
    flood(Http2Flood.RAPID_RESET);
  }

  /// The library logs each connection whose preface is wrong.
  @Test
  void linesInTheLog() throws Exception {
    String wrong = "PRI * HTTP/2.0\r\n\r\nXX\r\n\r\n";
    for (int i = 0; i < 1_000 * scale(); i++) {
      String _ = told(raw -> raw.send(wrong));
    }
    long lines = daemon.output().lines().filter(line -> line.contains("preface")).count();
    assertTrue(lines < 20 + 20L * scale(), lines + " lines in the log");
  }

  @Test
  void bombs() throws Exception {
    byte[] zeros = new byte[1 << 20];
    ByteArrayOutputStream packed = new ByteArrayOutputStream();
    try (GZIPOutputStream gzip = new GZIPOutputStream(packed)) {
      for (int i = 0; i < 1_000; i++) {
        gzip.write(zeros);
      }
    }
    byte[] gzip = packed.toByteArray();
    byte[] zstd = Zstd.compress(new byte[200 << 20]);
    List<Integer> told =
        attack(
            20 * scale(),
            () -> {
              int first =
                  post("type=bomb", gzip, "content-type", Http.TEXT, "content-encoding", "gzip")
                      .statusCode();
              int second =
                  post("type=bomb", zstd, "content-type", Http.TEXT, "content-encoding", "zstd")
                      .statusCode();
              return Math.max(first, second) == 503 ? 413 : Math.max(first, second);
            });
    told.forEach(status -> assertEquals(413, status));
  }

  @Test
  void textThatIsNone() throws Exception {
    List<String> lines =
        List.of(
            "{\"type\":\"t\",\"body\":\"\u00ff\u00fe\u00c0\u00af\u00ed\u00a0\u0080\"}",
            "{\"type\":\"t\",\"a\":" + "[".repeat(1_000_000),
            "{\"a\":".repeat(100_000),
            "{\"type\":\"t\",\"n\":" + "9".repeat(1_000_000) + "}",
            "{\"type\":\"t\",\"n\":1e999999999}",
            "{\"type\":\"t\",\"n\":\"" + "\\u0041".repeat(100_000) + "\"}",
            "{\"type\":\"t\",\"a\":1" + ",\"a\":1".repeat(100_000) + "}",
            "{\"type\":\"" + "../".repeat(60) + "etc/passwd\",\"a\":1}",
            "{\"type\":\"t\u0000\",\"a\":1}",
            "{\"type\":\"\u00c0\u0080\",\"a\":1}");
    for (int round = 0; round < scale(); round++) {
      for (String line : lines) {
        byte[] body =
            ("{\"type\":\"good\",\"a\":1}\n" + line + "\n").getBytes(StandardCharsets.ISO_8859_1);
        HttpResponse<String> told = post("", body, "content-type", Http.NDJSON);
        assertEquals(200, told.statusCode(), () -> line.substring(0, 40) + told.body());
      }
    }
    long good = get("/v1/query?type=good").lines().filter(l -> l.contains("\"id\"")).count();
    assertEquals((long) lines.size() * scale(), good);
  }

  @Test
  void typesAndNamesWithoutEnd() throws Exception {
    int types = 5_000 * scale(); // 100,000 in the long form
    for (int from = 0; from < types; from += 1_000) {
      StringBuilder body = new StringBuilder();
      for (int i = from; i < from + 1_000; i++) {
        body.append("{\"type\":\"t%d\",\"n%d\":1,\"m%d\":\"x\"}\n".formatted(i, i, i));
      }
      int status =
          post("", body.toString().getBytes(StandardCharsets.UTF_8), "content-type", Http.NDJSON)
              .statusCode();
      assertTrue(status == 200 || status == 503, "status " + status);
    }
    assertTrue(get("/v1/query?type=t17").contains("\"n17\":1"), "one of many is found");
  }

  /// Stores enough lines to keep a query busy.
  private void fill(int types, int batches) throws Exception {
    byte[] body = new byte[0];
    for (int i = 0; i < batches; i++) {
      StringBuilder lines = new StringBuilder();
      for (int line = 0; line < 4_000; line++) {
        lines.append("{\"ts\":").append(1_700_000_000_000L + i * 4_000L + line);
        lines.append(",\"type\":\"fill").append(line % types).append("\",\"body\":\"line ");
        lines.append(line * 7919L % 100_003).append(" of a log that somebody keeps, batch ");
        lines.append(i).append("\",\"took\":").append(line % 977).append("}\n");
      }
      body = lines.toString().getBytes(StandardCharsets.UTF_8);
      int status = post("", body, "content-type", Http.NDJSON).statusCode();
      i -= status == 503 ? 1 : 0;
      assertTrue(status == 200 || status == 503, "status " + status);
    }
  }

  @Test
  void readersThatTakeNothing() throws Exception {
    fill(4, 24);
    List<RawHttp> readers = new ArrayList<>();
    for (int i = 0; i < 40; i++) {
      readers.add(new RawHttp(daemon.port()));
      readers.getLast().send("GET /v1/query?type=fill* HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n");
    }
    int taken = 0;
    for (RawHttp reader : readers) {
      int status = reader.status();
      assertTrue(
          status == 200 || status == 503, "status " + status); // there are places for some only
      taken += status == 200 ? 1 : 0;
    }
    assertTrue(
        taken > 0 && (taken == 40 || heapMebibytes() < 256), taken + " queries were accepted");
    int wanted = taken;
    Await.until(() -> ended() >= wanted, wanted + " queries have ended");
    for (RawHttp reader : readers) {
      reader.close();
    }
    assertTrue(get("/v1/query?type=fill1&limit=1").contains("\"token\""), "others are answered");
  }

  /// Queries that ended because their readers stalled, or for lack of memory.
  private int ended() throws IOException, InterruptedException {
    return get("/metrics")
        .lines()
        .filter(line -> line.matches("widerow_query_(stalled|refused) .*"))
        .mapToInt(line -> (int) Double.parseDouble(line.substring(line.indexOf(' '))))
        .sum();
  }

  @Test
  void queriesThatReadEverything() throws Exception {
    fill(50, 20 * scale());
    List<String> told =
        attack(
            30,
            () -> {
              String last = "";
              for (int i = 0; i < scale(); i++) {
                last = get("/v1/query?type=fill*&where=body%20~%20'x.*y.*z'%20or%20took=978");
              }
              return last;
            });
    for (String each : told) {
      assertTrue(
          each.isEmpty() || each.contains("bytes of memory") || each.contains("too many queries"),
          each);
    }
  }

  @FunctionalInterface
  private interface Attacker {
    void send(RawHttp raw) throws IOException;
  }
}
