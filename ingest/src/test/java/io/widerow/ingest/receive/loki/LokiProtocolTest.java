package io.widerow.ingest.receive.loki;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.ingest.Daemon;
import io.widerow.ingest.Http;
import io.widerow.ingest.MemoryStore;
import io.widerow.ingest.config.DaemonConfig;
import io.widerow.ingest.decode.Sha256;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.zip.DeflaterOutputStream;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Goal: entries that are pushed become events by the documented mapping, and the answers are
/// Loki's. Method: a daemon with a store in memory; requests from a writer of Loki's messages.
@Timeout(60)
class LokiProtocolTest {
  private static final String PUSH = "/loki/api/v1/push";
  private static final String PROTOBUF = "application/x-protobuf";
  private static final String JSON = "application/json";
  private static final String SECRET = "secret-of-agent-0123456789abcdef";
  private static final String CREDIT = "8000000";
  private static final int REQUESTS = 40;
  private static final int LINE_BYTES = 200_000;
  private static final long NANOS = 1_700_000_000_123_456_789L;

  @TempDir private Path directory = Path.of(".");

  private final MemoryStore store = new MemoryStore(1);
  private final Daemon daemon =
      Daemon.start(
          DaemonConfig.of(Map.of("http", "127.0.0.1:0", "lanes", "1", "body-bytes-max", "100000")),
          store);
  private final Http http = new Http(daemon);

  @AfterEach
  void stop() {
    http.close();
    daemon.close();
  }

  private static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static byte[] join(byte[]... parts) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    for (byte[] part : parts) {
      out.writeBytes(part);
    }
    return out.toByteArray();
  }

  private static byte[] varint(long value) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    long left = value;
    while ((left & ~0x7fL) != 0) {
      out.write((int) (left & 0x7f) | 0x80);
      left >>>= 7;
    }
    out.write((int) left);
    return out.toByteArray();
  }

  private static byte[] text(int field, byte[] value) {
    return join(varint(field << 3 | 2), varint(value.length), value);
  }

  private static byte[] number(int field, long value) {
    return join(varint(field << 3), varint(value));
  }

  private static byte[] entry(long nanos, byte[] line, String... metadata) {
    List<byte[]> parts = new ArrayList<>();
    byte[] time = join(number(1, nanos / 1_000_000_000), number(2, nanos % 1_000_000_000));
    parts.add(text(1, time));
    parts.add(text(2, line));
    for (int i = 0; i < metadata.length; i += 2) {
      parts.add(text(3, join(text(1, utf8(metadata[i])), text(2, utf8(metadata[i + 1])))));
    }
    return text(2, join(parts.toArray(byte[][]::new)));
  }

  private static byte[] stream(String labels, byte[]... entries) {
    return text(1, join(text(1, utf8(labels)), join(entries)));
  }

  /// A block of literals.
  private static byte[] snappy(byte[] plain) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    out.writeBytes(varint(plain.length));
    for (int at = 0; at < plain.length; at += 60) {
      int length = Math.min(60, plain.length - at);
      out.write(length - 1 << 2);
      out.write(plain, at, length);
    }
    return out.toByteArray();
  }

  private HttpResponse<String> push(byte[] message, String... headers)
      throws IOException, InterruptedException {
    return http.post(PUSH, PROTOBUF, snappy(message), headers);
  }

  private MemoryStore.Stored only() {
    assertEquals(1, store.committed.size(), store.committed.toString());
    return store.committed.getFirst();
  }

  @Test
  void anEntryBecomesAnEvent() throws IOException, InterruptedException {
    String labels = "{level=\"a\\n\\u00fc\\x41\", job = \"j\", app=\"shop\",type=\"t\"}";
    HttpResponse<String> answer =
        push(stream(labels, entry(NANOS, utf8("a line\n"), "trace", "4f", "app", "m")));
    assertEquals(204, answer.statusCode(), answer.body());
    assertEquals("", answer.body());
    assertEquals("shop", only().type());
    assertEquals(NANOS, only().timeNanos());
    assertEquals(
        Map.of(
            "level",
            "a\nüA",
            "job",
            "j",
            "app",
            "shop",
            "label.type",
            "t",
            "trace",
            "4f",
            "metadata.app",
            "m",
            "body",
            "a line\n"),
        only().attributes());
  }

  @Test
  void labelsMayFollowTheEntries() throws IOException, InterruptedException {
    byte[] late = text(1, join(entry(NANOS, utf8("x")), text(1, utf8("{service=\"s\"}"))));
    assertEquals(204, push(late).statusCode());
    assertEquals("s", only().type());
  }

  @Test
  void aLineThatIsNotUtf8IsKept() throws IOException, InterruptedException {
    byte[] line = {'a', (byte) 0xe9, 'b'};
    assertEquals(204, push(stream("{}", entry(NANOS, line))).statusCode());
    assertEquals("unknown_service", only().type());
    assertEquals(Map.of("body", "a\\xE9b", "widerow.escaped", 1L), only().attributes());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"streams\":[{\"stream\":{\"app\":\"x\"},\"values\":[[\"1700000000123456789\",\"l\","
            + "{\"m\":\"1\"}]]}]}",
        "{\"streams\":[{\"values\":[[1700000000123456789,\"l\",{\"m\":\"1\"}]],"
            + "\"stream\":{\"app\":\"x\"}}]}",
        "{\"streams\":[{\"labels\":\"{app=\\\"x\\\"}\",\"entries\":"
            + "[{\"ts\":\"2023-11-14T22:13:20.123456789Z\",\"line\":\"l\","
            + "\"structuredMetadata\":{\"m\":\"1\"}}]}]}"
      })
  void jsonBecomesTheSame(String json) throws IOException, InterruptedException {
    HttpResponse<String> answer = http.post(PUSH, JSON, json);
    assertEquals(204, answer.statusCode(), answer.body());
    assertEquals("x", only().type());
    assertEquals(NANOS, only().timeNanos());
    assertEquals(Map.of("app", "x", "body", "l", "m", "1"), only().attributes());
  }

  @Test
  void aBadEntryAndABadStreamCostNoOther() throws IOException, InterruptedException {
    byte[] badTime = text(2, text(1, number(2, 2_000_000_000)));
    byte[] message =
        join(
            stream("{app=\"a\"}", entry(NANOS, utf8("1")), badTime, entry(NANOS, utf8("2"))),
            stream("{app=", entry(NANOS, utf8("3")), entry(NANOS, utf8("4"))),
            stream("{app=\"b\"}", entry(NANOS, utf8("5"))));
    HttpResponse<String> answer = push(message);
    assertEquals(400, answer.statusCode());
    assertTrue(
        answer.body().startsWith("3 of 6 entries are refused; the first is entry 2: entry: field"),
        answer.body());
    assertTrue(answer.body().contains("at byte"), answer.body());
    assertEquals(List.of("1", "2", "5"), bodies());
  }

  private static byte[] packed(String coding, byte[] plain) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    try (OutputStream pack =
        switch (coding) {
          case "gzip" -> new GZIPOutputStream(out);
          case "deflate" -> new DeflaterOutputStream(out);
          default -> out;
        }) {
      pack.write(plain);
    }
    return out.toByteArray();
  }

  @ParameterizedTest
  @ValueSource(strings = {"snappy", "gzip", "deflate", ""})
  void codingsAreTakenOff(String coding) throws IOException, InterruptedException {
    String[] headers = coding.isEmpty() ? new String[0] : new String[] {"content-encoding", coding};
    byte[] block = snappy(stream("{app=\"x\"}", entry(NANOS, utf8("l"))));
    HttpResponse<String> first =
        http.post("/api/prom/push", "text/x", packed(coding, block), headers);
    assertEquals(204, first.statusCode(), first.body());
    byte[] json =
        utf8("{\"streams\":[{\"stream\":{},\"values\":[[\"1700000000123456789\",\"j\"]]}]}");
    HttpResponse<String> second = http.post(PUSH, JSON, packed(coding, json), headers);
    assertEquals(204, second.statusCode(), second.body());
    assertEquals(List.of("l", "j"), bodies());
  }

  @Test
  void aBodyWithoutATypeIsProtobuf() throws IOException, InterruptedException {
    byte[] block = snappy(stream("{app=\"x\"}", entry(NANOS, utf8("l"))));
    URI uri = URI.create("http://127.0.0.1:" + daemon.httpAddress().getPort() + PUSH);
    HttpRequest request =
        HttpRequest.newBuilder(uri).POST(BodyPublishers.ofByteArray(block)).build();
    try (HttpClient client = HttpClient.newHttpClient()) {
      assertEquals(204, client.send(request, BodyHandlers.ofString()).statusCode());
    }
    assertEquals("l", only().body());
  }

  private List<String> bodies() {
    return store.committed.stream().map(MemoryStore.Stored::body).toList();
  }

  @Test
  void aBadEntryOfJsonCostsNoOther() throws IOException, InterruptedException {
    String good = "[\"1700000000123456789\",\"%s\"]";
    String json =
        "{\"streams\":[{\"stream\":{\"app\":\"a\"},\"values\":[%s,[\"x\",\"bad\"],%s]},"
            + "{\"labels\":\"{app=\",\"entries\":[{\"ts\":\"1\",\"line\":\"bad\"}]},"
            + "{\"values\":[[\"1\",\"bad\"]]},{\"stream\":{},\"values\":[%s]}]}";
    HttpResponse<String> answer =
        http.post(
            PUSH,
            JSON,
            json.formatted(good.formatted("1"), good.formatted("2"), good.formatted("3")));
    assertEquals(400, answer.statusCode());
    assertEquals(
        "3 of 6 entries are refused; the first is entry 2: "
            + "the time of an entry must be whole nanoseconds, at byte 80\n",
        answer.body());
    assertEquals(List.of("1", "2", "3"), bodies());
  }

  @Test
  void aBadRequestIsToldWhere() throws IOException, InterruptedException {
    HttpResponse<String> answer = http.post(PUSH, JSON, "{\"streams\":[}");
    assertEquals(400, answer.statusCode());
    assertEquals(
        "push request: not valid JSON, at byte 12; nothing of it is stored\n", answer.body());
  }

  @Test
  void aTimeOfZeroIsThatOfArrival() throws IOException, InterruptedException {
    long before = TimeUnit.MILLISECONDS.toNanos(System.currentTimeMillis());
    assertEquals(204, push(stream("{app=\"x\"}", entry(0, utf8("l")))).statusCode());
    assertTrue(only().timeNanos() >= before, only().toString());
  }

  @Test
  void whatMaySucceedLaterIsToBeSentAgain() throws IOException, InterruptedException {
    byte[] message = stream("{app=\"x\"}", entry(NANOS, utf8("l")));
    store.full = true;
    HttpResponse<String> full = push(message);
    assertEquals(507, full.statusCode());
    assertTrue(full.headers().firstValue("retry-after").isPresent());
    store.full = false;
    assertEquals(204, push(message).statusCode());
    assertEquals("l", only().body());
  }

  @Test
  void anOverloadIs429() throws IOException, InterruptedException {
    Map<String, String> keys =
        Map.of(
            "http",
            "127.0.0.1:0",
            "lanes",
            "1",
            "credit-bytes",
            CREDIT,
            "body-bytes-max",
            "1000000");
    MemoryStore slow = new MemoryStore(1);
    slow.commits.drainPermits();
    try (Daemon busy = Daemon.start(DaemonConfig.of(keys), slow);
        HttpClient client = HttpClient.newHttpClient()) {
      List<CompletableFuture<HttpResponse<String>>> all = new ArrayList<>();
      for (int i = 0; i < REQUESTS; i++) {
        byte[] block = snappy(stream("{app=\"x\"}", entry(NANOS + i, new byte[LINE_BYTES])));
        URI uri = URI.create("http://127.0.0.1:" + busy.httpAddress().getPort() + PUSH);
        HttpRequest request =
            HttpRequest.newBuilder(uri).POST(BodyPublishers.ofByteArray(block)).build();
        all.add(client.sendAsync(request, BodyHandlers.ofString()));
      }
      while (all.stream().noneMatch(CompletableFuture::isDone)) {
        Thread.onSpinWait();
      }
      slow.commits.release(1_000);
      int stored = 0;
      for (CompletableFuture<HttpResponse<String>> each : all) {
        HttpResponse<String> answer = each.join();
        if (answer.statusCode() == 204) {
          stored++;
        } else {
          assertEquals(429, answer.statusCode(), answer.body());
          assertTrue(answer.headers().firstValueAsLong("retry-after").isPresent());
        }
      }
      assertTrue(stored > 0 && stored < REQUESTS, stored + " stored");
      assertEquals(stored, slow.committed.size());
    }
  }

  @Test
  void aTokenIsAsked() throws IOException, InterruptedException {
    Path file = directory.resolve("tokens");
    String digest = HexFormat.of().formatHex(Sha256.start().digest(utf8(SECRET)));
    Files.writeString(file, "agent " + digest + " ingest\n");
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
    Map<String, String> keys =
        Map.of("http", "127.0.0.1:0", "lanes", "1", "tokens", file.toString());
    byte[] block = snappy(stream("{app=\"x\"}", entry(NANOS, utf8("l"))));
    String basic = Base64.getEncoder().encodeToString(utf8("tenant:" + SECRET));
    MemoryStore guarded = new MemoryStore(1);
    try (Daemon other = Daemon.start(DaemonConfig.of(keys), guarded);
        Http client = new Http(other)) {
      HttpResponse<String> none = client.post(PUSH, PROTOBUF, block);
      assertEquals(401, none.statusCode());
      assertTrue(none.headers().firstValue("content-type").orElse("").startsWith("text/plain"));
      assertTrue(none.headers().firstValue("www-authenticate").isPresent());
      assertEquals(
          401, client.post(PUSH, PROTOBUF, block, "authorization", "Bearer no").statusCode());
      assertEquals(0, guarded.committed.size());
      for (String header : List.of("Bearer " + SECRET, "Basic " + basic)) {
        assertEquals(204, client.post(PUSH, PROTOBUF, block, "authorization", header).statusCode());
      }
      assertEquals(1, guarded.committed.size(), "the second is a repeat");
    }
  }

  @Test
  void whatIsNoRequestIsRefusedAsAWhole() throws IOException, InterruptedException {
    byte[] whole = stream("{app=\"x\"}", entry(NANOS, utf8("l")));
    assertEquals(400, push(join(whole, new byte[] {0x0a, 9, 1})).statusCode());
    assertEquals(400, http.post(PUSH, PROTOBUF, "no snappy").statusCode());
    assertEquals(400, http.post(PUSH, JSON, "{\"streams\":[").statusCode());
    assertEquals(415, push(whole, "content-encoding", "br").statusCode());
    assertEquals(413, http.post(PUSH, PROTOBUF, new byte[200_000]).statusCode());
    assertEquals(List.of(), store.committed);
  }

  @Test
  void aRepeatIsStoredOnce() throws IOException, InterruptedException {
    byte[] message = stream("{app=\"x\"}", entry(NANOS, utf8("l")));
    assertEquals(204, push(message).statusCode());
    assertEquals(204, push(message).statusCode());
    assertEquals("l", only().body());
  }

  @Test
  void theTypeCanBeAsked() throws IOException, InterruptedException {
    byte[] message = stream("{app=\"x\"}", entry(NANOS, utf8("l")));
    assertEquals(204, push(message, "widerow-type", "mine").statusCode());
    assertEquals("mine", only().type());
  }
}
