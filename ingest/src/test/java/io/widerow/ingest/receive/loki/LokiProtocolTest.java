package io.widerow.ingest.receive.loki;

import static io.widerow.ingest.decode.ProtobufBytes.join;
import static io.widerow.ingest.decode.ProtobufBytes.message;
import static io.widerow.ingest.receive.loki.LokiMessages.entry;
import static io.widerow.ingest.receive.loki.LokiMessages.snappy;
import static io.widerow.ingest.receive.loki.LokiMessages.stream;
import static io.widerow.ingest.receive.loki.LokiMessages.utf8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.faults.Await;
import io.widerow.faults.RawHttp;
import io.widerow.ingest.Http;
import io.widerow.ingest.MemoryDaemon;
import io.widerow.ingest.MemoryStore;
import io.widerow.ingest.TokenDaemon;
import io.widerow.ingest.http.IntakeRequest;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.zip.Deflater;
import java.util.zip.DeflaterOutputStream;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Goal: the answers are Loki's, and a repeat is stored once. Method: a daemon with a store in
/// memory; requests from a writer of Loki's messages, a case for each row of the table of answers.
@Timeout(300)
class LokiProtocolTest {
  private static final String PUSH = "/loki/api/v1/push";
  private static final String PROTOBUF = "application/x-protobuf";
  private static final String JSON = "application/json";
  private static final String SECRET = "secret-of-agent-0123456789abcdef";
  private static final int BODY_BYTES_MAX = 100_000;
  private static final int CREDIT_BYTES = 4 * BODY_BYTES_MAX;
  private static final int LINE_BYTES = 60_000;
  private static final long NANOS = 1_700_000_000_123_456_789L;
  private static final long MILLISECONDS = 1_700_000_000_123_000_000L;
  private static final byte[] ONE = stream("{app=\"x\"}", entry(NANOS, "l"));
  private static final String ONE_JSON =
      "{\"streams\":[{\"stream\":{\"app\":\"x\"},\"values\":[[\"" + NANOS + "\",\"j\"]]}]}";

  @TempDir private Path directory = Path.of(".");

  @AutoClose
  private final MemoryDaemon it =
      new MemoryDaemon(
          1,
          Map.of(
              "body-bytes-max",
              Integer.toString(BODY_BYTES_MAX),
              "credit-bytes",
              Integer.toString(CREDIT_BYTES)));

  private final MemoryStore store = it.store;
  private final Http http = it.http;

  private HttpResponse<String> push(byte[] message, String... headers)
      throws IOException, InterruptedException {
    return http.post(PUSH, PROTOBUF, snappy(message), headers);
  }

  private List<String> bodies() {
    return store.committed.stream().map(MemoryStore.Stored::body).toList();
  }

  @Test
  void whatIsStoredIsAnsweredWithoutABody() throws IOException, InterruptedException {
    HttpResponse<String> answer = push(ONE);
    assertEquals(204, answer.statusCode(), answer.body());
    assertEquals("", answer.body());
    HttpResponse<String> json =
        http.post(
            PUSH + "?tenant=t", JSON, ONE_JSON, "x-scope-orgid", "fake", "sec-fetch-mode", "cors");
    assertEquals(204, json.statusCode(), json.body());
    assertEquals(List.of("l", "j"), bodies());
  }

  /// Times of whole milliseconds and seconds, and few entries: what small agents send.
  @Test
  void aRetriedPushIsStoredOnceWhateverItsSize() throws IOException, InterruptedException {
    for (long nanos : new long[] {MILLISECONDS, MILLISECONDS / 1_000_000_000 * 1_000_000_000}) {
      int before = store.committed.size();
      byte[] twins = stream("{app=\"x\"}", entry(nanos, "l"), entry(nanos, "l"));
      byte[] other = stream("{app=\"x\"}", entry(nanos, "other"));
      for (int i = 0; i < 3; i++) {
        assertEquals(204, push(twins).statusCode());
        assertEquals(204, push(other).statusCode());
      }
      assertEquals(before + 3, store.committed.size(), "equal lines of one push are kept");
    }
    byte[] arrival = stream("{app=\"x\"}", entry(0, "now"));
    for (int i = 0; i < 2; i++) {
      assertEquals(204, push(arrival).statusCode());
    }
    assertEquals(2, bodies().stream().filter("now"::equals).count(), "no time tells a retry");
  }

  @Test
  void aBadEntryAndABadStreamCostNoOther() throws IOException, InterruptedException {
    byte[] message =
        join(
            stream("{app=\"a\"}", entry(NANOS, "1"), entry(NANOS, "2")),
            stream("{app=", entry(NANOS, "3"), entry(NANOS, "4")),
            stream("{app=\"b\"}", entry(NANOS, "5")));
    for (int i = 0; i < 2; i++) { // the repeat is answered alike
      HttpResponse<String> answer = push(message);
      assertEquals(400, answer.statusCode());
      assertTrue(
          answer
              .body()
              .matches(
                  "2 of 5 entries are refused, the others are stored; the first is entry 3: "
                      + "labels at byte \\d+: a value in quotes is missing\n"),
          answer.body());
    }
    assertEquals(List.of("1", "2", "5"), bodies());
  }

  @Test
  void aBadEntryOfJsonCostsNoOther() throws IOException, InterruptedException {
    String good = "[\"1700000000123456789\",\"%s\"]";
    String json =
        ("{\"streams\":[{\"stream\":{\"app\":\"a\"},\"values\":[%s,[\"1\"],%s]},"
                + "{\"labels\":\"{app=\",\"entries\":[{\"ts\":\"1\",\"line\":\"bad\"}]},"
                + "{\"values\":[[\"1\",\"bad\"]]},{\"stream\":{},\"values\":[%s]},7,"
                + "{\"values\":{},\"stream\":{}}]}")
            .formatted(good.formatted("1"), good.formatted("2"), good.formatted("3"));
    HttpResponse<String> answer = http.post(PUSH, JSON, json);
    assertEquals(400, answer.statusCode());
    assertEquals(
        "5 of 8 entries are refused, the others are stored; the first is entry 2: "
            + "entry at byte 76: it has no line\n",
        answer.body());
    assertEquals(List.of("1", "2", "3"), bodies());
  }

  @Test
  void whenAllAreRefusedNoneIsStored() throws IOException, InterruptedException {
    HttpResponse<String> answer = push(stream("x", entry(NANOS, "l")));
    assertEquals(400, answer.statusCode());
    assertEquals(
        "1 of 1 entries are refused; the first is entry 1: labels at byte 4: { is missing\n",
        answer.body());
    assertTrue(answer.headers().firstValue("content-type").orElse("").startsWith("text/plain"));
    assertEquals(List.of(), store.committed);
  }

  @ParameterizedTest
  @CsvSource({
    "'{\"streams\":[}', not valid JSON at byte 12",
    "'{\"streams\":[', the JSON text ends too soon at byte 12",
    "'{\"streams\":{}}', the member streams is no array at byte 11",
    "'{\"stream\":[]}', the member streams is missing at byte 13",
    "'{\"streams\":[]} x', something follows the JSON object at byte 15",
    "[], not valid JSON at byte 0",
    "'', the JSON text ends too soon at byte 0"
  })
  void jsonThatIsNoRequestIsRefusedAsAWhole(String body, String why)
      throws IOException, InterruptedException {
    HttpResponse<String> answer = http.post(PUSH, JSON, body);
    assertEquals(400, answer.statusCode());
    assertEquals("no push request: " + why + "; nothing of it is stored\n", answer.body());
  }

  @Test
  void whatIsNoRequestIsRefusedAsAWhole() throws IOException, InterruptedException {
    HttpResponse<String> cut = push(join(ONE, new byte[] {0x0a, 9, 1}));
    assertEquals(400, cut.statusCode());
    assertEquals(
        "no push request: field 1: 9 bytes do not fit, at byte 33; nothing of it is stored\n",
        cut.body());
    assertEquals(400, http.post(PUSH, PROTOBUF, "no snappy").statusCode());
    assertEquals(400, http.post(PUSH, PROTOBUF, "").statusCode());
    assertEquals(415, push(ONE, "content-encoding", "br").statusCode());
    assertEquals(415, http.post(PUSH, JSON, ONE_JSON, "content-encoding", "br").statusCode());
    assertEquals(413, http.post(PUSH, PROTOBUF, new byte[200_000]).statusCode());
    byte[] bomb = {(byte) 0xff, (byte) 0xff, 0x7f, 0};
    assertEquals(400, http.post(PUSH, PROTOBUF, bomb).statusCode());
    byte[] large = snappy(stream("{}", entry(NANOS, new byte[99_990])));
    assertEquals(413, http.post(PUSH, PROTOBUF, large).statusCode());
    assertEquals(403, push(ONE, "origin", "http://e").statusCode());
    assertEquals(List.of(), store.committed);
  }

  @Test
  void anEmptyRequestIsASuccess() throws IOException, InterruptedException {
    for (String json :
        List.of(
            "{\"streams\":[]}",
            "{\"streams\":null}",
            "{\"streams\":[{\"stream\":{\"a\":\"b\"},\"values\":[]}]}",
            "{\"streams\":[{\"stream\":{\"a\":\"b\"}}]}",
            "{\"streams\":[{\"labels\":\"{}\",\"entries\":null}]}")) {
      HttpResponse<String> answer = http.post(PUSH, JSON, json);
      assertEquals(204, answer.statusCode(), json + answer.body());
    }
    assertEquals(204, push(new byte[0]).statusCode());
    assertEquals(204, push(stream("{a=\"b\"}")).statusCode());
    assertEquals(204, push(message(1, new byte[0])).statusCode());
    assertEquals(List.of(), store.committed);
  }

  private static byte[] packed(String coding, byte[] plain) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    try (OutputStream pack =
        switch (coding) {
          case "gzip" -> new GZIPOutputStream(out);
          case "deflate" -> new DeflaterOutputStream(out, new Deflater(6, true)); // as Go does
          default -> out;
        }) {
      pack.write(plain);
    }
    return out.toByteArray();
  }

  @ParameterizedTest
  @ValueSource(strings = {"snappy", "gzip", "deflate", "identity", ""})
  void codingsAreTakenOff(String coding) throws IOException, InterruptedException {
    String[] headers = coding.isEmpty() ? new String[0] : new String[] {"content-encoding", coding};
    HttpResponse<String> first =
        http.post("/api/prom/push", "text/x", packed(coding, snappy(ONE)), headers);
    assertEquals(204, first.statusCode(), first.body());
    HttpResponse<String> second =
        http.post(PUSH, JSON + "; charset=utf-8", packed(coding, utf8(ONE_JSON)), headers);
    assertEquals(204, second.statusCode(), second.body());
    assertEquals(List.of("l", "j"), bodies());
  }

  @Test
  void aBodyWithoutATypeIsProtobuf() throws IOException, InterruptedException {
    URI uri = URI.create("http://127.0.0.1:" + it.port() + PUSH);
    HttpRequest request =
        HttpRequest.newBuilder(uri).POST(BodyPublishers.ofByteArray(snappy(ONE))).build();
    try (HttpClient client = HttpClient.newHttpClient()) {
      assertEquals(204, client.send(request, BodyHandlers.ofString()).statusCode());
    }
    assertEquals(List.of("l"), bodies());
  }

  /// Of 5xx, loki4j repeats 503 only.
  @Test
  void onAFullDiskItIsToBeSentAgain() throws IOException, InterruptedException {
    store.full = true;
    HttpResponse<String> full = push(ONE);
    assertEquals(503, full.statusCode());
    assertTrue(full.body().contains("bytes are free"), full.body());
    assertTrue(full.headers().firstValueAsLong("retry-after").isPresent());
    store.full = false;
    assertEquals(204, push(ONE).statusCode());
    assertEquals(List.of("l"), bodies());
  }

  /// A body that is announced and does not come holds most of the credit.
  @Test
  void anOverloadIs429() throws IOException, InterruptedException {
    byte[] large = stream("{}", entry(NANOS, new byte[LINE_BYTES]));
    try (RawHttp raw = new RawHttp(it.port())) {
      raw.send(RawHttp.post("a") + "content-length: %d\r\n\r\nx".formatted(BODY_BYTES_MAX));
      awaitCredit(IntakeRequest.BYTES_PER_BODY_BYTE * BODY_BYTES_MAX);
      HttpResponse<String> answer = push(large);
      assertEquals(429, answer.statusCode(), answer.body());
      assertTrue(answer.body().startsWith("overloaded: "), answer.body());
      assertTrue(answer.headers().firstValueAsLong("retry-after").isPresent());
    }
    awaitCredit(0); // the daemon has seen it leave
    assertEquals(204, push(large).statusCode());
    assertEquals(1, store.committed.size());
  }

  private void awaitCredit(int bytes) throws IOException, InterruptedException {
    String gauge = "widerow_credit_used_bytes %s\n".formatted((double) bytes);
    Await.until(() -> http.get("/metrics").body().contains(gauge), gauge);
  }

  @Test
  void aTokenIsAsked() throws IOException, InterruptedException {
    String basic = Base64.getEncoder().encodeToString(utf8("tenant:" + SECRET));
    try (TokenDaemon guarded = new TokenDaemon(directory, SECRET)) {
      for (String path : List.of(PUSH, "/api/prom/push")) {
        HttpResponse<String> none = guarded.http.post(path, PROTOBUF, snappy(ONE));
        assertEquals(401, none.statusCode());
        assertTrue(none.headers().firstValue("content-type").orElse("").startsWith("text/plain"));
        assertTrue(none.headers().firstValue("www-authenticate").isPresent());
        HttpResponse<String> wrong =
            guarded.http.post(path, PROTOBUF, snappy(ONE), "authorization", "Bearer no");
        assertEquals(401, wrong.statusCode());
        assertEquals("needs a token\n", wrong.body());
      }
      assertEquals(0, guarded.store.committed.size());
      for (String header : List.of("Bearer " + SECRET, "Basic " + basic)) {
        HttpResponse<String> right =
            guarded.http.post(PUSH, PROTOBUF, snappy(ONE), "authorization", header);
        assertEquals(204, right.statusCode());
      }
      assertEquals(1, guarded.store.committed.size(), "the second is a repeat");
    }
  }

  @Test
  void aRepeatIsStoredOnceHoweverItIsPacked() throws IOException, InterruptedException {
    assertEquals(204, push(ONE).statusCode());
    assertEquals(204, push(ONE).statusCode());
    byte[] gzip = packed("gzip", snappy(ONE));
    assertEquals(204, http.post(PUSH, PROTOBUF, gzip, "content-encoding", "gzip").statusCode());
    assertEquals(List.of("l"), bodies());
    assertEquals(204, http.post(PUSH, JSON, ONE_JSON).statusCode());
    gzip = packed("gzip", utf8(ONE_JSON));
    assertEquals(204, http.post(PUSH, JSON, gzip, "content-encoding", "gzip").statusCode());
    assertEquals(List.of("l", "j"), bodies());
  }

  @Test
  void equalEntriesOfOnePushAreEachReal() throws IOException, InterruptedException {
    byte[] few = stream("{}", IntStream.range(0, 15).mapToObj(_ -> ms()).toArray(byte[][]::new));
    byte[] many = stream("{}", IntStream.range(0, 16).mapToObj(_ -> ms()).toArray(byte[][]::new));
    for (int i = 0; i < 2; i++) {
      assertEquals(204, push(few).statusCode());
    }
    assertEquals(15, store.committed.size());
    for (int i = 0; i < 2; i++) {
      assertEquals(204, push(many).statusCode());
    }
    assertEquals(31, store.committed.size());
    for (int i = 0; i < 2; i++) {
      assertEquals(204, push(few, "idempotency-key", "k").statusCode());
    }
    assertEquals(46, store.committed.size());
  }

  private static byte[] ms() {
    return entry(MILLISECONDS, "failed login");
  }
}
