package io.widerow.ingest;

import static io.widerow.ingest.decode.ProtobufBytes.fixed64;
import static io.widerow.ingest.decode.ProtobufBytes.message;
import static io.widerow.ingest.decode.ProtobufBytes.number;
import static io.widerow.ingest.decode.ProtobufBytes.text;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.ingest.intake.BodyDigest;
import io.widerow.ingest.lane.BatchKey;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.xerial.snappy.Snappy;

/// Goal: a body that comes again is a repeat only where it becomes the same events; with another
/// header that decides what they are, it is stored. Method: bodies whose content tells a repeat, to
/// a daemon with a store in memory, with the headers that protocols read.
@Timeout(300)
class DecidingHeadersTest {
  private static final String JSON = "application/json";
  private static final long NANOS = 1_700_000_000_123_456_789L;

  @AutoClose private final MemoryDaemon it = new MemoryDaemon(2);
  private final MemoryStore store = it.store;
  private final Http http = it.http;

  private List<String> types() {
    return store.committed.stream().map(MemoryStore.Stored::type).toList();
  }

  /// Each body is one event; the last column is its type when no header names one.
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "/loki/api/v1/push | {'streams':[{'stream':{'app':'x'},'values':[['TIME','l']]}]} | x",
        "/api/prom/push | {'streams':[{'labels':'{app=`x`}','entries':[{'ts':'TIME','line':'l'}]}]}"
            + " | x",
        "/v1/logs | {'resourceLogs':[{'scopeLogs':[{'logRecords':[{'timeUnixNano':'TIME'}]}]}]}"
            + " | unknown_service",
        "/otlp/v1/metrics | {'resourceMetrics':[{'scopeMetrics':[{'metrics':[{'name':'m','gauge':"
            + "{'dataPoints':[{'timeUnixNano':'TIME','asInt':'1'}]}}]}]}]} | m",
        "/v1/traces | {'resourceSpans':[{'scopeSpans':[{'spans':[{'startTimeUnixNano':'TIME',"
            + "'endTimeUnixNano':'TIME'}]}]}]} | unknown_service.spans",
        "/api/v2/logs | {'timestamp':1700000000123.456,'message':'l'} | datadog",
        "/v1/input | {'date':1700000000123.456,'message':'l'} | datadog",
        "/gelf | {'short_message':'l','timestamp':1700000000.1234567} | gelf",
        "/_bulk | {'index':{'_index':'i'}}~{'@timestamp':'2023-11-14T22:13:20.1234567Z'}~ | i",
        "/i/_bulk | {'index':{}}~{'@timestamp':'2023-11-14T22:13:20.1234567Z'}~ | i",
        "/_bulk | {'create':{'_index':'i','_id':'a'}}~"
            + "{'@timestamp':'2023-11-14T22:13:20.1234567Z'}~ | i",
        "/services/collector | {'time':1700000000.1234567,'event':'l'} | splunk",
        "/services/collector/event | {'time':'1700000000.1234567','event':'l'} | splunk",
        "/services/collector/raw?time=1700000000.1234567 | l | splunk",
      })
  void theTypeOfAHeaderIsPartOfWhatIsKnown(String path, String form, String own)
      throws IOException, InterruptedException {
    String body = form.replace('\'', '"').replace('~', '\n').replace("TIME", "" + NANOS);
    for (String asked : List.of("", "a", "b", "", "a", "b")) {
      String[] headers = asked.isEmpty() ? new String[0] : new String[] {"widerow-type", asked};
      HttpResponse<String> answer = http.post(path, JSON, body, headers);
      assertTrue(answer.statusCode() < 300, answer.body());
    }
    assertEquals(List.of(own, "a", "b"), types(), "and then three repeats");
  }

  /// The parameter wins, so that the header decides nothing.
  @Test
  void aHeaderThatIsNotReadDecidesNothing() throws IOException, InterruptedException {
    String body = "{\"short_message\":\"l\",\"timestamp\":1700000000.1234567}";
    for (String asked : List.of("a", "b")) {
      http.post("/gelf?type=t", JSON, body, "widerow-type", asked, "x-scope-orgid", asked);
    }
    assertEquals(List.of("t"), types());
  }

  /// A repeat is known by keys that the store has noted before headers were part of them.
  @ParameterizedTest
  @CsvSource({
    "/gelf, application/json, '', /gelf?null",
    "/gelf?type=t&x=1, text/plain, a, /gelf?type=t&x=1",
    "/v1/events?type=t, application/x-ndjson, '', /v1/events?type=t",
    "/api/v2/logs, application/json, '', /api/v2/logs?null",
  })
  void aRequestWithoutSuchHeadersHasTheKeyThatItAlwaysHad(
      String path, String kind, String asked, String endpoint)
      throws IOException, InterruptedException {
    String body = "{\"timestamp\":1700000000.1234567,\"message\":\"l\"}";
    if (path.startsWith("/api")) {
      body = body.replace("0.1234567", "0123.4567");
    }
    HttpResponse<String> answer = http.post(path, kind, body, "widerow-type", asked);
    assertTrue(answer.statusCode() < 300, answer.body());
    byte[] digest = new BodyDigest(store.secret()).of(body.getBytes(UTF_8), 0, body.length());
    BatchKey expected = BatchKey.ofBody("", endpoint, digest);
    List<BatchKey> noted =
        store.lanes.stream()
            .flatMap(lane -> lane.notes.values().stream())
            .flatMap(List::stream)
            .map(ByteBuffer::wrap)
            .map(note -> new BatchKey(note.getLong(1), note.getLong(1 + Long.BYTES)))
            .toList();
    assertEquals(List.of(expected), noted);
  }

  /// Lines of JSON that were sent as text by mistake, and then as what they are.
  @Test
  void linesAreOtherEventsAsTextThanAsJson() throws IOException, InterruptedException {
    String lines =
        IntStream.range(0, 20)
            .mapToObj(i -> "{\"ts\":\"2026-01-20T19:00:00.1%02dZ\",\"n\":%d}\n".formatted(i, i))
            .collect(Collectors.joining());
    String first = "{\"accepted\":20,\"rejected\":[],\"durability\":\"disk\"}\n";
    String again = first.replace("20,", "0,\"duplicate\":20,");
    for (String kind : List.of(Http.TEXT, Http.NDJSON, JSON)) {
      assertEquals(first, http.post("/v1/events?type=app", kind, lines).body(), kind);
    }
    for (String kind :
        List.of(Http.TEXT, Http.NDJSON, JSON, "application/jsonl", JSON + ";charset=us-ascii")) {
      assertEquals(again, http.post("/v1/events?type=app", kind, lines).body(), kind);
    }
    assertEquals(60, store.committed.size());
    assertEquals(Map.of("n", 7L), store.committed.get(27).attributes());
  }

  /// As lines, some of a document are refused; as a document it is stored whole.
  @Test
  void aDocumentIsOtherEventsThanItsLines() throws IOException, InterruptedException {
    String broken = "{\"ts\":\n\"2026-01-20T19:00:00Z\"\n}\n";
    String body = broken + "{\"ts\":\"2026-01-20T19:00:01Z\"}\n".repeat(16);
    String path = "/v1/events?type=app";
    String lines = http.post(path, Http.NDJSON, body).body();
    assertTrue(lines.startsWith("{\"accepted\":16,\"rejected\":[{\"index\":0,"), lines);
    String document = http.post(path, JSON, body).body();
    assertTrue(document.startsWith("{\"accepted\":17,\"rejected\":[],"), document);
    assertEquals(33, store.committed.size());
  }

  /// Why the kind of a body needs no part in the keys of these endpoints: a protobuf message with
  /// events has control characters, which are no JSON.
  @Test
  void aBodyIsARequestInOneFormOnly() throws IOException, InterruptedException {
    byte[] log = message(1, message(2, message(2, fixed64(1, NANOS))));
    byte[] time = message(1, number(1, 1_700_000_000), number(2, 123_456_789));
    byte[] push = message(1, text(1, "{app=\"x\"}"), message(2, time, text(2, "l")));
    byte[] text = "{\"resourceLogs\":[],\"streams\":[]}".getBytes(UTF_8);
    for (String path : List.of("/v1/logs", "/loki/api/v1/push")) {
      boolean isPush = path.contains("loki");
      byte[] protobuf = isPush ? push : log;
      assertEquals(400, http.post(path, JSON, protobuf).statusCode());
      byte[] packed = isPush ? Snappy.compress(text) : text;
      assertEquals(400, http.post(path, "application/x-protobuf", packed).statusCode());
      byte[] sent = isPush ? Snappy.compress(push) : log;
      HttpResponse<String> stored = http.post(path, "application/x-protobuf", sent);
      assertTrue(stored.statusCode() < 300, stored.body());
    }
    assertEquals(List.of("unknown_service", "x"), types());
  }

  /// A key names one request: what comes with it again is not looked at.
  @ParameterizedTest
  @CsvSource({
    "/v1/events?type=a, text/plain, x, a",
    "/v1/events?type=b, text/plain, x, a",
    "/v1/events?type=a&durability=os, text/plain, x, a",
    "/v1/events?type=a, application/x-ndjson, '{\"n\":1}', a",
    "/v1/events?type=a, text/plain, y, a",
    "/v1/events?type=a, text/plain, x, b",
  })
  void aRepeatByKeyIsKnownWhateverComesWithIt(String path, String kind, String body, String type)
      throws IOException, InterruptedException {
    String key = "idempotency-key";
    http.post("/v1/events?type=a", Http.TEXT, "x", key, "k", "widerow-type", "a");
    String again = http.post(path, kind, body, key, "k", "widerow-type", type).body();
    assertTrue(again.startsWith("{\"accepted\":0,\"duplicate\":1,"), again);
    assertEquals(List.of("a"), types());
  }

  @ParameterizedTest
  @ValueSource(strings = {"", " "})
  void anEmptyKeyIsNone(String key) throws IOException, InterruptedException {
    for (String line : List.of("x", "y")) {
      String answer =
          http.post("/v1/events?type=a", Http.TEXT, line, "idempotency-key", key).body();
      assertTrue(answer.startsWith("{\"accepted\":1,"), answer);
    }
    assertEquals(2, store.committed.size());
  }
}
