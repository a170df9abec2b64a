package io.widerow.ingest.receive.prometheus;

import static io.widerow.ingest.decode.ProtobufBytes.join;
import static io.widerow.ingest.decode.ProtobufBytes.message;
import static io.widerow.ingest.receive.prometheus.Messages.labels;
import static io.widerow.ingest.receive.prometheus.Messages.packed;
import static io.widerow.ingest.receive.prometheus.Messages.sample;
import static io.widerow.ingest.receive.prometheus.Messages.series;
import static io.widerow.ingest.receive.prometheus.Messages.seriesTwo;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.faults.Await;
import io.widerow.faults.ServeProcess;
import io.widerow.ingest.Daemon;
import io.widerow.ingest.Http;
import io.widerow.ingest.MemoryStore;
import io.widerow.ingest.TokenDaemon;
import io.widerow.ingest.TunedConfig;
import io.widerow.ingest.decode.ProtobufBytes;
import io.widerow.ingest.series.MetricDescription;
import io.widerow.query.MemoryView;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Goal: senders of remote write get the answers that their specifications ask for, repeats are
/// stored once, and descriptions of metrics outlive the daemon. Method: requests packed by
/// snappy-java, to a daemon with a store in memory, or to one that is killed.
@Timeout(300)
class PrometheusTest {
  private static final String PATH = "/api/v1/write";
  private static final String ONE = "application/x-protobuf";
  private static final String TWO = ONE + ";proto=io.prometheus.write.v2.Request";
  private static final String SECRET = "0f1e2d3c4b5a69788796a5b4c3d2e1f0";

  private final Path directory;
  private final MemoryStore store = new MemoryStore(1);
  private Daemon daemon;
  private Http http;

  PrometheusTest(@TempDir Path directory) {
    this.directory = directory;
    store.shown = new MemoryView(); // without events
    daemon = start(directory, store);
    http = new Http(daemon);
  }

  private static Daemon start(Path directory, MemoryStore store) {
    return Daemon.start(
        TunedConfig.of(
            Map.of(
                "data", directory.toString(),
                "http", "127.0.0.1:0",
                "lanes", "1",
                "body-bytes-max", "65536",
                "credit-bytes", "262144")),
        store);
  }

  @AfterEach
  void stop() {
    http.close();
    daemon.close();
  }

  private HttpResponse<String> send(String type, byte[] message, String... headers)
      throws IOException, InterruptedException {
    return http.post(PATH, type, packed(message), headers);
  }

  private static byte[] upOne(int value) {
    return series(labels("__name__", "up"), sample(value, 1_000));
  }

  /// A histogram, a good and a bad sample.
  private static byte[] mixedTwo() {
    Messages.Symbols symbols = new Messages.Symbols();
    byte[] name = symbols.labels("__name__", "m");
    byte[] exemplar = message(4, Messages.fraction(2, 1));
    byte[] good =
        join(
            seriesTwo(name, sample(1, 1_000), exemplar),
            seriesTwo(name, RemoteWriteTest.wholeHistogram(3)),
            seriesTwo(symbols.labels("a", "b"), sample(1, 1_000)),
            seriesTwo(symbols.labels("a", "b"), RemoteWriteTest.wholeHistogram(3)));
    return join(good, symbols.table());
  }

  private static String written(HttpResponse<String> answer) {
    return Stream.of("samples", "histograms", "exemplars")
        .map(what -> "x-prometheus-remote-write-%s-written".formatted(what))
        .map(name -> answer.headers().firstValue(name).orElse("-"))
        .toList()
        .toString();
  }

  @Test
  void allStoredIs204() throws IOException, InterruptedException {
    HttpResponse<String> one = send(ONE, upOne(1));
    assertEquals(204, one.statusCode());
    assertEquals("", one.body());
    assertEquals("[-, -, -]", written(one));
    Messages.Symbols symbols = new Messages.Symbols();
    byte[] two = seriesTwo(symbols.labels("__name__", "up"), sample(1, 1_000), sample(1, 2_000));
    HttpResponse<String> answer = send(TWO, join(symbols.table(), two));
    assertEquals(204, answer.statusCode());
    assertEquals("[2, 0, 0]", written(answer));
    assertEquals(204, send(ONE, new byte[0]).statusCode());
    assertEquals(3, store.committed.size());
  }

  @Test
  void someRefusedIs400AndTheOthersAreStored() throws IOException, InterruptedException {
    HttpResponse<String> one =
        send(ONE, join(upOne(1), series(labels("a", "b"), sample(1, 1), sample(2, 2)), upOne(2)));
    assertEquals(400, one.statusCode());
    assertEquals(
        "2 of 4 refused, the others are stored; the first: field 1: no label __name__,"
            + " at byte 34\n",
        one.body());
    assertEquals(2, store.committed.size());
    HttpResponse<String> two = send(TWO, mixedTwo());
    assertEquals(400, two.statusCode());
    assertTrue(two.body().startsWith("2 of 5 refused, the others are stored;"), two.body());
    assertEquals("[1, 1, 1]", written(two));
    assertEquals(5, store.committed.size());
    String metrics = http.get("/metrics").body();
    assertTrue(metrics.contains("widerow_prometheus_exemplars_left_out_total 0.0\n"), metrics);
  }

  @Test
  void allRefusedOrNoMessageIs400() throws IOException, InterruptedException {
    HttpResponse<String> refused = send(ONE, series(sample(1, 1)));
    assertEquals(400, refused.statusCode());
    assertTrue(refused.body().startsWith("1 of 1 refused; the first: field 1"), refused.body());
    assertEquals(400, send(ONE, new byte[] {10, 9}).statusCode());
    HttpResponse<String> two = send(TWO, upOne(1)); // the other message
    assertEquals(400, two.statusCode());
    assertEquals("[0, 0, 0]", written(two));
    HttpResponse<String> plain = http.post(PATH, ONE, upOne(1));
    assertEquals(400, plain.statusCode());
    assertTrue(plain.body().contains("snappy block"), plain.body());
    assertEquals(0, store.committed.size());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          application/x-protobuf                                       |          | 204
          application/x-protobuf                                       | snappy   | 204
          application/x-protobuf                                       | Snappy   | 204
          application/x-protobuf;proto=prometheus.WriteRequest         | snappy   | 204
          Application/X-Protobuf; proto="prometheus.WriteRequest"      | snappy   | 204
          application/x-protobuf;proto=io.prometheus.write.v2.Request  | snappy   | 400
          application/x-protobuf;proto=io.prometheus.write.v3.Request  | snappy   | 415
          application/x-protobuf;proto=                                | snappy   | 415
          application/json                                             | snappy   | 415
          text/plain                                                   |          | 415
          application/x-protobuf                                       | gzip     | 415
          application/x-protobuf                                       | identity | 415
          application/x-protobuf                                       | zstd     | 415
          """)
  void headersSayWhichMessage(String type, @Nullable String encoding, int status)
      throws IOException, InterruptedException {
    String[] headers =
        encoding == null ? new String[0] : new String[] {"content-encoding", encoding};
    HttpResponse<String> answer = send(type, upOne(1), headers);
    assertEquals(status, answer.statusCode(), answer.body());
    assertEquals(status == 204 ? 1 : 0, store.committed.size());
    assertTrue(status != 415 || answer.body().contains(", got "), answer.body());
  }

  @Test
  void aBodyThatIsTooLargeIs413() throws IOException, InterruptedException {
    byte[] large = series(labels("__name__", "up", "a", "v".repeat(70_000)), sample(1, 1));
    HttpResponse<String> answer = send(TWO, large);
    assertEquals(413, answer.statusCode());
    assertEquals("[0, 0, 0]", written(answer));
  }

  @Test
  void aFullDaemonAsksToTryAgain() throws IOException, InterruptedException {
    store.full = true;
    HttpResponse<String> full = send(TWO, mixedTwo());
    assertEquals(507, full.statusCode());
    assertTrue(full.headers().firstValueAsLong("retry-after").orElse(0) > 0);
    assertEquals("[0, 0, 0]", written(full));
    store.full = false;
    assertEquals(400, send(TWO, mixedTwo()).statusCode());
    store.failure = "told to fail";
    HttpResponse<String> failed = send(TWO, join(mixedTwo(), mixedTwo()));
    assertEquals(503, failed.statusCode());
    assertEquals("[0, 0, 0]", written(failed));
  }

  @Test
  void withoutCreditTheAnswerIs503() throws IOException, InterruptedException {
    store.commits.drainPermits();
    try (HttpClient client = HttpClient.newHttpClient()) {
      List<CompletableFuture<HttpResponse<String>>> sent = new ArrayList<>();
      while (sent.stream().noneMatch(CompletableFuture::isDone)) { // the others wait for a commit
        HttpRequest request =
            HttpRequest.newBuilder(
                    URI.create("http://127.0.0.1:" + daemon.httpAddress().getPort() + PATH))
                .header("content-type", TWO)
                .POST(HttpRequest.BodyPublishers.ofByteArray(packed(mixedTwo())))
                .build();
        sent.add(client.sendAsync(request, HttpResponse.BodyHandlers.ofString()));
        Await.pauseNanos(10_000_000);
      }
      HttpResponse<String> answer =
          sent.stream().filter(CompletableFuture::isDone).findFirst().orElseThrow().join();
      assertEquals(503, answer.statusCode());
      assertTrue(answer.headers().firstValueAsLong("retry-after").orElse(0) > 0);
      assertEquals("[0, 0, 0]", written(answer));
      store.commits.release(Integer.MAX_VALUE / 2);
      sent.forEach(CompletableFuture::join);
    } finally {
      store.commits.release(Integer.MAX_VALUE / 4);
    }
  }

  @Test
  void aWrongTokenIs401() throws IOException, InterruptedException {
    try (TokenDaemon guarded = new TokenDaemon(directory, SECRET)) {
      byte[] body = packed(upOne(1));
      HttpResponse<String> none = guarded.http.post(PATH, ONE, body);
      assertEquals(401, none.statusCode());
      assertEquals("needs a token\n", none.body());
      assertEquals("Bearer", none.headers().firstValue("www-authenticate").orElse(""));
      String basic =
          Base64.getEncoder().encodeToString(("me:" + SECRET).getBytes(StandardCharsets.US_ASCII));
      for (String good : List.of("Bearer " + SECRET, "Basic " + basic)) {
        assertEquals(204, guarded.http.post(PATH, ONE, body, "authorization", good).statusCode());
      }
      assertEquals(
          401, guarded.http.post(PATH, ONE, body, "authorization", "Bearer x").statusCode());
      HttpResponse<String> read = guarded.http.get("/api/v1/metadata");
      assertEquals(401, read.statusCode());
      assertTrue(read.body().startsWith("{\"status\":\"error\",\"errorType\":"), read.body());
      assertEquals(
          403,
          guarded.http.get("/api/v1/metadata", "authorization", "Bearer " + SECRET).statusCode());
      assertEquals(1, guarded.store.committed.size(), "the second was a repeat");
    }
  }

  @Test
  void aTypeThatIsAskedForKeepsTheName() throws IOException, InterruptedException {
    HttpResponse<String> answer = http.post(PATH + "?type=all", ONE, packed(upOne(1)));
    assertEquals(204, answer.statusCode());
    MemoryStore.Stored event = store.committed.getFirst();
    assertEquals("all", event.type());
    assertEquals("{__name__=up, value=1.0}", event.attributes().toString());
  }

  @Test
  void aRepeatOfAnySizeIsStoredOnceAndAnsweredAlike() throws IOException, InterruptedException {
    for (int i = 0; i < 3; i++) {
      assertEquals(204, send(ONE, upOne(1)).statusCode());
    }
    assertEquals(1, store.committed.size());
    assertEquals(204, send(ONE, upOne(2)).statusCode()); // another body
    assertEquals(2, store.committed.size());
    HttpResponse<String> first = send(TWO, mixedTwo());
    HttpResponse<String> again = send(TWO, mixedTwo());
    assertEquals(5, store.committed.size());
    assertEquals(first.body(), again.body());
    assertEquals("[1, 1, 1]", written(again));
    store.rejectFromNanos = 1_500_000_000L; // what the store refuses counts, too
    Messages.Symbols symbols = new Messages.Symbols();
    byte[] late = seriesTwo(symbols.labels("__name__", "up"), sample(1, 1_000), sample(1, 2_000));
    for (int i = 0; i < 2; i++) {
      HttpResponse<String> partly = send(TWO, join(symbols.table(), late));
      assertEquals(400, partly.statusCode());
      assertEquals("[1, 0, 0]", written(partly));
    }
    assertEquals(6, store.committed.size());
  }

  /// A message may have the series of both versions; each reads its own.
  @Test
  void theVersionAndTheTypeOfHeadersArePartOfWhatIsKnown()
      throws IOException, InterruptedException {
    Messages.Symbols symbols = new Messages.Symbols();
    byte[] two = seriesTwo(symbols.labels("__name__", "two"), sample(2, 1_000));
    byte[] both = join(upOne(1), two, symbols.table());
    for (int i = 0; i < 2; i++) {
      assertEquals(204, send(ONE, both).statusCode());
      assertEquals(204, send(TWO, both).statusCode());
      assertEquals(204, send(TWO, both, "widerow-type", "a").statusCode());
    }
    assertEquals(
        List.of("up", "two", "a"), store.committed.stream().map(MemoryStore.Stored::type).toList());
  }

  @Test
  void samplesThatGetTheirTimeHereAreNoRepeats() throws IOException, InterruptedException {
    byte[] timeless = series(labels("__name__", "up"), sample(1, Long.MAX_VALUE));
    assertEquals(204, send(ONE, timeless).statusCode());
    assertEquals(204, send(ONE, timeless).statusCode());
    assertEquals(2, store.committed.size());
  }

  @Test
  void descriptionsAreServedAsPrometheusDoes() throws IOException, InterruptedException {
    byte[] one =
        join(
            Messages.description(2, "up", "whether \"it\" is", ""),
            Messages.description(1, "hits_total", "of 5 \u20ac", "hits"),
            Messages.description(0, "up", "older", ""));
    assertEquals(204, send(ONE, one).statusCode());
    Messages.Symbols symbols = new Messages.Symbols();
    byte[] about = symbols.description(3, "of a call", "seconds");
    byte[] two =
        join(
            seriesTwo(symbols.labels("__name__", "lat_bucket", "le", "1"), about, sample(1, 1)),
            seriesTwo(symbols.labels("__name__", "lat_count"), about, sample(1, 1)));
    assertEquals(204, send(TWO, join(symbols.table(), two)).statusCode());
    String lat = "\"lat\":[{\"type\":\"histogram\",\"help\":\"of a call\",\"unit\":\"seconds\"}]";
    String hits =
        "\"hits_total\":[{\"type\":\"counter\",\"help\":\"of 5 \u20ac\"," + "\"unit\":\"hits\"}]";
    String newest = "{\"type\":\"unknown\",\"help\":\"older\",\"unit\":\"\"}";
    String gauge = "{\"type\":\"gauge\",\"help\":\"whether \\\"it\\\" is\",\"unit\":\"\"}";
    String all = "%s,%s,\"up\":[%s,%s]".formatted(hits, lat, newest, gauge);
    for (int i = 0; i < 2; i++) { // also after a restart
      assertData(all, "");
      assertData(lat, "?metric=lat");
      assertData("", "?metric=lat_bucket");
      assertData(hits + "," + lat, "?limit=2");
      assertData("", "?limit=0");
      assertData("\"up\":[" + newest + "]", "?limit_per_metric=1&metric=up");
      HttpResponse<String> posted =
          http.post("/api/v1/metadata", "application/x-www-form-urlencoded", "metric=lat");
      assertEquals(data(lat), posted.body());
      http.close();
      daemon.close();
      daemon = start(directory, store);
      http = new Http(daemon);
    }
    assertEquals(2, store.committed.size());
    HttpResponse<String> wrong = http.get("/api/v1/metadata?limit=x");
    assertEquals(400, wrong.statusCode());
    assertEquals(
        "{\"status\":\"error\",\"errorType\":\"bad_data\",\"error\":\"limit must be a number,"
            + " got x\"}\n",
        wrong.body());
    String form = "metric=" + "x".repeat(1_100_000);
    assertEquals(
        413, http.post("/api/v1/metadata", "application/x-www-form-urlencoded", form).statusCode());
  }

  private static String data(String members) {
    return "{\"status\":\"success\",\"data\":{" + members + "}}\n";
  }

  private void assertData(String members, String parameters)
      throws IOException, InterruptedException {
    HttpResponse<String> got = http.get("/api/v1/metadata" + parameters);
    assertEquals(200, got.statusCode());
    assertEquals(data(members), got.body());
  }

  @Test
  void aDescriptionWithoutANameIsRefused() throws IOException, InterruptedException {
    byte[] nameless = message(3, ProtobufBytes.number(1, 1), ProtobufBytes.text(4, "help"));
    byte[] good = Messages.description(1, "a", "b", "c");
    HttpResponse<String> answer = send(ONE, join(nameless, good));
    assertEquals(400, answer.statusCode());
    assertTrue(answer.body().contains("a description without a name, at byte 2"), answer.body());
    assertData("\"a\":[{\"type\":\"counter\",\"help\":\"b\",\"unit\":\"c\"}]", "");
  }

  @Test
  void aDescriptionThatCannotBeWrittenIsNotAcknowledged() throws IOException, InterruptedException {
    Path file = directory.resolve(MetadataFile.NAME);
    Files.createDirectories(file.resolve("in the way"));
    byte[] one = Messages.description(1, "a", "b", "c");
    HttpResponse<String> answer = send(ONE, one);
    assertEquals(503, answer.statusCode());
    assertTrue(answer.body().startsWith("the descriptions of metrics cannot be written"));
    Files.delete(file.resolve("in the way"));
    Files.delete(file);
    assertEquals(204, send(ONE, one).statusCode());
    assertTrue(Files.readString(file).contains("\na counter b c\nend 1\n"));
  }

  @Test
  void aDamagedFileIsMovedAside() throws IOException, InterruptedException {
    assertEquals(204, send(ONE, Messages.description(1, "a", "b", "c")).statusCode());
    Path file = directory.resolve(MetadataFile.NAME);
    byte[] bytes = Files.readAllBytes(file);
    for (int at = 0; at < bytes.length; at++) {
      byte[] changed = bytes.clone();
      changed[at] ^= 1;
      Files.write(file, changed);
      assertTrue(new MetadataTable(directory).copy("").isEmpty(), "byte " + at);
      assertFalse(Files.exists(file));
      assertEquals(changed.length, Files.size(directory.resolve(MetadataFile.NAME + ".unread")));
      Files.write(file, Arrays.copyOf(bytes, at)); // cut
      assertTrue(new MetadataTable(directory).copy("").isEmpty(), "cut at " + at);
    }
    Files.write(file, bytes);
    assertEquals(1, new MetadataTable(directory).copy("").size());
  }

  @Test
  void theTableIsBounded() throws IOException {
    MetadataTable table = new MetadataTable(directory);
    String help = "x".repeat(Descriptions.HELP_BYTES_MAX);
    for (int i = 0; i < 5; i++) {
      List<MetadataTable.Named> many = new ArrayList<>();
      for (int n = 0; n < 1_000; n++) {
        MetricDescription each = new MetricDescription(MetricDescription.Type.GAUGE, help, "v" + n);
        many.add(new MetadataTable.Named(((i * 1_000L + n) << 32) | 1, "m" + i + n / 2, each));
      }
      table.keep(many);
    }
    int kept = table.copy("").values().stream().mapToInt(List::size).sum();
    assertTrue(kept * (long) help.length() <= MetadataTable.HEAP_BYTES_MAX, kept + " kept");
    assertTrue(kept > 3_000, kept + " kept");
    assertTrue(table.copy("m00").isEmpty() && !table.copy("m4499").isEmpty());
    assertFalse(table.knows(1), "dropped samples are accepted again");
    assertEquals(table.copy(""), new MetadataTable(directory).copy(""));
    for (int i = 0; i < 6; i++) {
      MetricDescription each = new MetricDescription(MetricDescription.Type.INFO, "v" + i, "");
      table.keep(List.of(new MetadataTable.Named(7, "m4499", each)));
    }
    List<MetricDescription> newest = table.copy("m4499").getOrDefault("m4499", List.of());
    assertEquals(MetadataTable.PER_METRIC_MAX, newest.size());
    assertEquals("v5", newest.getFirst().help());
  }

  @Test
  @Tag("process")
  void aRepeatAfterAKillIsAnsweredAlike() throws IOException, InterruptedException {
    Path data = directory.resolve("d");
    byte[] body = packed(mixedTwo());
    byte[] described = packed(Messages.description(2, "n", "help", ""));
    String before;
    try (ServeProcess process = ServeProcess.start(data)) {
      HttpResponse<String> first = post(process, TWO, body);
      assertEquals(400, first.statusCode());
      assertEquals("[1, 1, 1]", written(first));
      before = first.body();
      assertEquals(204, post(process, ONE, described).statusCode());
      process.kill();
    }
    try (ServeProcess process = ServeProcess.start(data)) {
      HttpResponse<String> again = post(process, TWO, body);
      assertEquals(400, again.statusCode());
      assertEquals("[1, 1, 1]", written(again));
      assertEquals(before, again.body());
      List<String> events = process.get("/v1/query").body().lines().toList();
      assertEquals(3, events.stream().filter(line -> line.startsWith("{\"id\"")).count());
      assertEquals(
          data("\"n\":[{\"type\":\"gauge\",\"help\":\"help\",\"unit\":\"\"}]"),
          process.get("/api/v1/metadata").body());
    }
  }

  private static HttpResponse<String> post(ServeProcess process, String type, byte[] body)
      throws IOException, InterruptedException {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + process.port() + PATH))
            .header("content-type", type)
            .POST(HttpRequest.BodyPublishers.ofByteArray(body))
            .build();
    try (HttpClient client = HttpClient.newHttpClient()) {
      return client.send(request, HttpResponse.BodyHandlers.ofString());
    }
  }
}
