package io.widerow.ingest.receive.splunk;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.event.Rejection;
import io.widerow.ingest.Decoding;
import io.widerow.ingest.Http;
import io.widerow.ingest.MalformedTest;
import io.widerow.ingest.MemoryStore;
import io.widerow.ingest.TokenDaemon;
import io.widerow.ingest.decode.IncomingBatch;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.zip.GZIPOutputStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Goal: clients of Splunk's collector get its answers, and what they sent is stored unchanged.
/// Method: requests as its documentation and its clients have them, to a daemon with a store in
/// memory; a corpus of bad objects between good ones.
@Timeout(300)
class HecTest {
  private static final String FORM = "application/x-www-form-urlencoded"; // what clients send
  private static final String EVENTS = "/services/collector/event/1.0";
  private static final String SECRET = "0f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0";

  @TempDir private static Path directory = Path.of(".");

  @AutoClose private final TokenDaemon daemon = new TokenDaemon(directory, SECRET);
  private final MemoryStore store = daemon.store;
  private final Http http = daemon.http;

  private HttpResponse<String> send(String path, String body, String... headers)
      throws IOException, InterruptedException {
    String[] all = Arrays.copyOf(headers, headers.length + 2);
    all[headers.length] = "authorization";
    all[headers.length + 1] = "Splunk " + SECRET;
    return http.post(path, FORM, body, all);
  }

  @Test
  void eventsStandOneAfterTheOther() throws IOException, InterruptedException {
    String two =
        "{\"time\":\"1767323045.000\",\"host\":\"h\",\"source\":\"s\",\"sourcetype\":\"app\","
            + "\"index\":\"main\",\"event\":\"one\",\"fields\":{\"n\":1,\"host\":\"other\"}}"
            + "{\"time\":1767323045.123456789,\"event\":{\"message\":\"two\",\"a\":{\"b\":2.5},"
            + "\"list\":[1,2],\"type\":\"t\"}}";
    HttpResponse<String> answer = send(EVENTS, two);
    assertEquals(200, answer.statusCode());
    assertEquals("{\"text\":\"Success\",\"code\":0}\n", answer.body());
    assertEquals(
        "[Stored[type=app, timeNanos=1767323045000000000, ownId=null, attributes={body=one,"
            + " fields.host=other, host=h, index=main, n=1, source=s}], Stored[type=splunk,"
            + " timeNanos=1767323045123456789, ownId=null, attributes={a.b=2.5, body=two,"
            + " list=[1,2], type=t}]]",
        store.committed.toString());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          ''                                    | No data                       | 5  |
          {"event":null}                        | Event field is required       | 12 | 0
          {"host":"h"}                          | Event field is required       | 12 | 0
          {"event":""}                          | Event field cannot be blank   | 13 | 0
          {"event":{}}                          | Event field cannot be blank   | 13 | 0
          {"event":"a"}{"event":"b","time":1.}  | Invalid data format: a ...    | 6  | 1
          """)
  void whatIsNoEventHasItsCode(String body, String text, int code, @Nullable Integer event)
      throws IOException, InterruptedException {
    HttpResponse<String> got = send(EVENTS, body);
    String known = text.replace("...", "bad number at byte 35");
    String number = event == null ? "" : ",\"invalid-event-number\":" + event;
    assertEquals("{\"text\":\"%s\",\"code\":%d%s}\n".formatted(known, code, number), got.body());
    assertEquals(400, got.statusCode());
  }

  @Test
  void whatIsGoodAroundABadEventIsStored() throws IOException, InterruptedException {
    String three = "{\"event\":\"a\"} {\"event\":tru} {\"event\":\"c\"}";
    HttpResponse<String> answer = send(EVENTS, three);
    assertEquals(400, answer.statusCode());
    assertTrue(answer.body().endsWith("\"code\":6,\"invalid-event-number\":1}\n"), answer.body());
    assertEquals(2, store.committed.size());
  }

  @Test
  void aRepeatIsStoredOnceAndAnsweredAlike() throws IOException, InterruptedException {
    String one = "{\"time\":1767323045.123456789,\"event\":\"a\"}{\"event\":tru}";
    HttpResponse<String> first = send(EVENTS, one);
    assertEquals(first.body(), send(EVENTS, one).body());
    assertEquals(1, store.committed.size());
  }

  @Test
  void linesHaveWhatTheParametersSay() throws IOException, InterruptedException {
    String path =
        "/services/collector/raw?sourcetype=web&host=h1&source=f&index=i&time=1767323045.5";
    assertEquals(200, send(path, "one\r\n\ntwo").statusCode());
    assertEquals(
        "[Stored[type=web, timeNanos=1767323045500000000, ownId=null, attributes={body=one,"
            + " host=h1, index=i, source=f}], Stored[type=web, timeNanos=1767323045500000000,"
            + " ownId=null, attributes={body=two, host=h1, index=i, source=f}]]",
        store.committed.toString());
    assertEquals(200, send("/services/collector/raw?time=now", "x").statusCode());
    assertEquals("now", store.committed.getLast().attributes().get("sender_time"));
  }

  @Test
  void aChannelGetsNumbersAndAllOfThemAreTrue() throws IOException, InterruptedException {
    String first = send(EVENTS + "?channel=c", "{\"event\":\"a\"}").body();
    assertEquals("{\"text\":\"Success\",\"code\":0,\"ackId\":0}\n", first);
    String second = send(EVENTS, "{\"event\":\"a\"}", "x-splunk-request-channel", "c").body();
    assertEquals("{\"text\":\"Success\",\"code\":0,\"ackId\":1}\n", second);
    assertEquals(
        "{\"acks\":{\"0\":true,\"1\":true}}\n",
        send("/services/collector/ack?channel=c", "{\"acks\":[0,1]}").body());
    assertEquals(400, send("/services/collector/ack", "{\"acks\":[a]}").statusCode());
    assertEquals(400, send("/services/collector/ack", "").statusCode());
    assertEquals(200, http.get("/services/collector/health").statusCode());
  }

  @Test
  void tokensAreRefusedAsSplunkDoes() throws IOException, InterruptedException {
    HttpResponse<String> none = http.post(EVENTS, FORM, "{\"event\":\"a\"}");
    assertEquals(401, none.statusCode());
    assertEquals("{\"text\":\"Token is required\",\"code\":2}\n", none.body());
    HttpResponse<String> wrong =
        http.post(EVENTS, FORM, "{\"event\":\"a\"}", "authorization", "Splunk x");
    assertEquals(403, wrong.statusCode());
    assertEquals("{\"text\":\"Invalid token\",\"code\":4}\n", wrong.body());
    assertEquals(0, store.committed.size());
  }

  @Test
  void aBodyMayBePackedAndNotTooLarge() throws IOException, InterruptedException {
    ByteArrayOutputStream packed = new ByteArrayOutputStream();
    try (OutputStream gzip = new GZIPOutputStream(packed)) {
      gzip.write("{\"event\":\"a\"}".getBytes(UTF_8));
    }
    String token = "Splunk " + SECRET;
    HttpResponse<String> answer =
        http.post(
            EVENTS, FORM, packed.toByteArray(), "content-encoding", "gzip", "authorization", token);
    assertEquals(200, answer.statusCode());
    assertEquals(1, store.committed.size());
  }

  @ParameterizedTest
  @CsvSource({
    "1767323045, 1767323045000000000",
    "\"1767323045.25\", 1767323045250000000",
    "1.767323045123456789e9, 1767323045123456789",
    "\"1.767323045E+9\", 1767323045000000000",
    "17673230450e-1, 1767323045000000000"
  })
  void theTimeMayHaveAnExponent(String time, long nanos) {
    MemoryStore.Stored event = stored(time);
    assertEquals(nanos, event.timeNanos());
    assertEquals("{body=x}", event.attributes().toString());
  }

  /// Clients drop refused events.
  @ParameterizedTest
  @ValueSource(
      strings = {
        "\"\"",
        "\"x\"",
        "\"12x\"",
        "\"1.2.3\"",
        "-5",
        "\"-5\"",
        "1e30",
        "\"1e999999999\"",
        "true",
        "\"1,5\""
      })
  void aTimeThatIsNoneIsAnAttribute(String time) {
    MemoryStore.Stored event = stored(time);
    assertEquals(Decoding.ARRIVAL_NANOS, event.timeNanos());
    String kept = time.replace("\"", "");
    assertEquals("{body=x, sender_time=" + kept + "}", event.attributes().toString());
  }

  @Test
  void aTimeThatTheStoreRefusesIsAnAttribute() {
    byte[] ahead = "{\"event\":\"x\",\"time\":7258118400}".getBytes(UTF_8); // 2200
    MemoryStore.Stored event = Decoding.of(ahead, HecTest::decode).stored().getFirst();
    assertEquals(Decoding.ARRIVAL_NANOS, event.timeNanos());
    assertEquals("{body=x, sender_time=7258118400}", event.attributes().toString());
  }

  private static MemoryStore.Stored stored(String time) {
    String event = "{\"event\":\"x\",\"time\":%s}".formatted(time);
    Decoding.Result result = Decoding.of(event.getBytes(UTF_8), HecTest::decode);
    assertEquals(0, result.refused().count(), () -> result.refused().reason(0));
    return result.stored().getFirst();
  }

  @Test
  void bytesThatAreNotUtf8AreKept() {
    byte[] latin = "{\"event\":\"caf\u00e9\"}".getBytes(StandardCharsets.ISO_8859_1);
    Decoding.Result result = Decoding.of(latin, HecTest::decode);
    assertEquals(
        "{body=caf\\xE9, widerow.escaped=1}", result.stored().getFirst().attributes().toString());
  }

  private static void decode(byte[] body, int limit, IncomingBatch batch) {
    new HecDecoder(null).decode(body, 0, limit, batch);
  }

  static List<String> bad() {
    return MalformedTest.corpus("malformed.hec");
  }

  /// What has no end by its brackets takes what follows with it; all else costs itself.
  @ParameterizedTest
  @MethodSource("bad")
  void aBadObjectCostsItself(String bad) {
    boolean endless = bad.startsWith("~");
    String object = endless ? bad.substring(1) : bad;
    String good = "{\"time\":1,\"event\":\"good\"}";
    byte[] body = (good + object + good).getBytes(StandardCharsets.ISO_8859_1);
    Decoding.Result result = Decoding.of(body, HecTest::decode);
    assertEquals(endless ? 1 : 2, result.stored().size(), () -> result.stored().toString());
    result.stored().forEach(each -> assertEquals("good", each.body()));
    assertTrue(result.refused().count() >= 1);
    String why = result.refused().reason(0);
    boolean ofTheBatch =
        Arrays.stream(Rejection.values()).anyMatch(one -> one.reason().equals(why));
    assertTrue(ofTheBatch || why.contains("at byte ") || why.startsWith("Event field"), why);
  }
}
