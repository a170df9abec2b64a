package io.widerow.ingest.receive.otlp;

import static io.widerow.ingest.decode.ProtobufBytes.fixed64;
import static io.widerow.ingest.decode.ProtobufBytes.join;
import static io.widerow.ingest.decode.ProtobufBytes.message;
import static io.widerow.ingest.decode.ProtobufBytes.number;
import static io.widerow.ingest.decode.ProtobufBytes.text;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.linecorp.armeria.client.WebClient;
import com.linecorp.armeria.common.AggregatedHttpResponse;
import com.linecorp.armeria.common.HttpData;
import com.linecorp.armeria.common.HttpMethod;
import com.linecorp.armeria.common.RequestHeaders;
import io.widerow.ingest.MemoryDaemon;
import io.widerow.ingest.MemoryStore;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Base64;
import java.util.Map;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/// Goal: what OTLP senders give is stored by the mapping, and answered as they expect. Method: a
/// daemon with a store in memory, messages written field by field, and plain HTTP/1 and HTTP/2.
class OtlpTest {
  private static final long TIME = 1_763_665_200_123_456_789L;
  private static final String HTTP = "/v1/logs";
  private static final String GRPC = "/opentelemetry.proto.collector.logs.v1.LogsService/Export";

  @AutoClose private final MemoryDaemon it = new MemoryDaemon(1);
  private final MemoryStore store = it.store;
  private final WebClient client = WebClient.of("h2c://127.0.0.1:" + it.port());

  private AggregatedHttpResponse post(String path, String type, byte[] body) {
    return client
        .execute(
            RequestHeaders.of(HttpMethod.POST, path, "content-type", type), HttpData.wrap(body))
        .aggregate()
        .join();
  }

  private static byte[] attribute(int field, String key, byte[]... value) {
    return message(field, message(2, value), text(1, key)); // the key last: any order is legal
  }

  /// A request whose resource and scope follow its records.
  private static byte[] request(byte[]... records) {
    byte[] scope = message(1, text(1, "lib"), text(2, "1.2"));
    byte[] resource = message(1, attribute(1, "service.name", text(1, "shop")));
    return message(1, message(2, join(records), scope), resource);
  }

  private static byte[] record(byte[]... more) {
    return message(2, fixed64(1, TIME), join(more));
  }

  @Test
  void logRecordIsStoredByTheMapping() {
    byte[] list = message(5, message(1, number(3, 1)), message(1, text(1, "x")));
    byte[] map = message(6, attribute(1, "b", number(2, 1)), attribute(1, "c", list));
    AggregatedHttpResponse answer =
        post(
            HTTP,
            "application/x-protobuf",
            request(
                record(
                    number(2, 17),
                    text(3, "ERROR"),
                    message(5, text(1, "hello")),
                    attribute(6, "a", map),
                    attribute(6, "n", number(3, -5)),
                    message(9, new byte[] {1, (byte) 0xab}),
                    fixed64(11, TIME + 2_000_000_000L),
                    text(99, "unknown"))));
    assertEquals(200, answer.status().code());
    assertEquals(0, answer.content().length());
    MemoryStore.Stored event = store.committed.get(0);
    assertEquals("shop", event.type());
    assertEquals(TIME, event.timeNanos());
    assertEquals(
        "{a.b=true, a.c=[1,\"x\"], body=hello, level=error, n=-5, observed=1763665202123456789,"
            + " scope.name=lib, scope.version=1.2, service.name=shop, severity_number=17,"
            + " severity_text=ERROR, trace_id=01ab}",
        event.attributes().toString());
  }

  @Test
  void levelOfTheRecordWinsAndMapsBecomeAttributes() {
    byte[] map = message(6, attribute(1, "msg", text(1, "first")), attribute(1, "k", text(1, "v")));
    byte[] request =
        request(record(number(2, 9), attribute(6, "level", text(1, "own")), message(5, map)));
    assertEquals(200, post(HTTP, "application/x-protobuf", request).status().code());
    Map<String, Object> event = store.committed.get(0).attributes();
    assertEquals("first", event.get("body"));
    assertEquals("v", event.get("k"));
    assertEquals("own", event.get("level"));
  }

  @Test
  void levelInAMapBodyIsTheLevel() {
    byte[] map = message(6, attribute(1, "level", text(1, "own")));
    byte[] request = request(record(number(2, 9), message(5, map)));
    assertEquals(200, post(HTTP, "application/x-protobuf", request).status().code());
    Map<String, Object> event = store.committed.get(0).attributes();
    assertEquals("own", event.get("level"));
    assertFalse(event.containsKey("body.level"), event.toString());
  }

  @Test
  void levelWithinAMapIsNotTheLevel() {
    byte[] map = message(6, attribute(1, "level", text(1, "inner")));
    byte[] request = request(record(number(2, 9), attribute(6, "a", map)));
    assertEquals(200, post(HTTP, "application/x-protobuf", request).status().code());
    Map<String, Object> event = store.committed.get(0).attributes();
    assertEquals("inner", event.get("a.level"));
    assertEquals("info", event.get("level"));
  }

  @Test
  void badRecordIsRefusedAlone() {
    byte[] request = request(record(), record(text(2, "no number")), record());
    AggregatedHttpResponse answer = post(HTTP, "application/x-protobuf", request);
    assertEquals(200, answer.status().code());
    String partial = answer.content().toString(StandardCharsets.UTF_8);
    assertTrue(partial.contains("record 1: field 2: wire type 2, not 0, at byte"), partial);
    assertEquals(1, answer.content().array()[3], "rejected_log_records");
    assertEquals(2, store.committed.size());
  }

  @Test
  void brokenFramingRefusesTheRequest() {
    byte[] request = request(record(), record());
    byte[] cut = Arrays.copyOf(request, request.length - 1);
    AggregatedHttpResponse answer = post(HTTP, "application/x-protobuf", cut);
    assertEquals(400, answer.status().code());
    assertTrue(answer.contentUtf8().contains("field 1"), answer.contentUtf8());
    assertEquals(0, store.committed.size());
    assertEquals(415, post(HTTP, "text/plain", request).status().code());
  }

  @Test
  void repeatIsStoredOnce() {
    byte[] request = request(record());
    for (int i = 0; i < 2; i++) {
      assertEquals(200, post(HTTP, "application/x-protobuf", request).status().code());
    }
    assertEquals(1, store.committed.size());
  }

  private static byte[] framed(byte[] message) {
    ByteBuffer frame = ByteBuffer.allocate(5 + message.length);
    return frame.put((byte) 0).putInt(message.length).put(message).array();
  }

  @Test
  void grpcHasItsOwnAnswers() {
    AggregatedHttpResponse good = post(GRPC, "application/grpc", framed(request(record())));
    assertEquals("0", good.trailers().get("grpc-status"));
    assertEquals(5, good.content().length());
    assertEquals(1, store.committed.size());
    AggregatedHttpResponse bad = post(GRPC, "application/grpc", framed(new byte[] {10, 99}));
    assertEquals(200, bad.status().code());
    assertEquals("3", bad.headers().get("grpc-status"));
    assertFalse(bad.headers().contains("retry-after"));
  }

  @Test
  void fullDiskAsksToTryAgain() {
    store.full = true;
    AggregatedHttpResponse http = post(HTTP, "application/x-protobuf", request(record()));
    assertEquals(503, http.status().code());
    assertTrue(http.headers().contains("retry-after"));
    AggregatedHttpResponse grpc = post(GRPC, "application/grpc", framed(request(record())));
    assertEquals("14", grpc.headers().get("grpc-status"));
    byte[] details =
        Base64.getDecoder().decode(String.valueOf(grpc.headers().get("grpc-status-details-bin")));
    String shown = new String(details, StandardCharsets.ISO_8859_1);
    assertTrue(shown.contains("google.rpc.RetryInfo"), shown);
  }

  @Test
  void emptyRequestIsSuccess() {
    assertEquals(200, post(HTTP, "application/x-protobuf", new byte[0]).status().code());
  }

  @Test
  void histogramAndSumAreExact() {
    byte[] point =
        message(
            1,
            fixed64(3, TIME),
            fixed64(4, 4),
            fixed64(5, Double.doubleToRawLongBits(2.5)),
            fixed64(6, 1),
            fixed64(6, 3),
            fixed64(7, Double.doubleToRawLongBits(10)),
            attribute(9, "k", text(1, "v")));
    byte[] histogram = message(2, message(9, number(2, 2), point), text(3, "ms"), text(1, "lat"));
    byte[] sumPoint = message(1, fixed64(3, TIME), fixed64(6, Long.MAX_VALUE));
    byte[] bad = message(1, text(3, "no time"));
    byte[] sum = message(2, text(1, "hits"), message(7, sumPoint, bad, number(3, 1)));
    AggregatedHttpResponse answer =
        post("/v1/metrics", "application/x-protobuf", request(histogram, sum));
    assertTrue(answer.contentUtf8().contains("record 2: field 3"), answer.contentUtf8());
    String scope = "scope.name=lib, scope.version=1.2, service.name=shop, ";
    assertEquals("lat", store.committed.get(0).type());
    assertEquals(
        "{bounds=[10], buckets=[1,3], count=4, k=v, "
            + scope
            + "sum=2.5, temporality=cumulative, unit=ms, widerow.labels=*otlp}",
        store.committed.get(0).attributes().toString());
    assertEquals("hits", store.committed.get(1).type());
    assertEquals(
        "{monotonic=true, " + scope + "value=9223372036854775807, widerow.labels=*otlp}",
        store.committed.get(1).attributes().toString());
  }

  @Test
  void spanHasItsDurationAndEvents() {
    byte[] event = message(11, fixed64(1, 7), text(2, "e"), attribute(3, "k", number(3, 1)));
    byte[] span =
        message(
            2,
            message(1, new byte[] {1}),
            text(5, "GET"),
            number(6, 2),
            fixed64(7, TIME),
            fixed64(8, TIME + 5),
            event);
    assertEquals(200, post("/v1/traces", "application/x-protobuf", request(span)).status().code());
    assertEquals("shop.spans", store.committed.get(0).type());
    assertEquals(
        "{body=GET, duration=5, events=[{\"time_unix_nano\":7,\"name\":\"e\",\"attributes\":"
            + "{\"k\":1}}], kind=server, scope.name=lib, scope.version=1.2, service.name=shop,"
            + " trace_id=01}",
        store.committed.get(0).attributes().toString());
  }

  @Test
  void aSpanWithoutAStartHasTheTimeOfItsEnd() {
    byte[] span = message(2, text(5, "GET"), fixed64(8, TIME + 5));
    assertEquals(200, post("/v1/traces", "application/x-protobuf", request(span)).status().code());
    assertEquals(TIME + 5, store.committed.getFirst().timeNanos());
    assertEquals(
        "{body=GET, scope.name=lib, scope.version=1.2, service.name=shop}",
        store.committed.getFirst().attributes().toString());
  }

  /// They are unsigned in its definitions.
  @Test
  void numbersAbove63BitsAreTheirDigits() {
    byte[] point =
        message(1, fixed64(2, -1), fixed64(3, TIME), fixed64(4, Long.MIN_VALUE), fixed64(6, -2));
    byte[] histogram = message(2, text(1, "h"), message(9, point));
    assertEquals(
        200, post("/v1/metrics", "application/x-protobuf", request(histogram)).status().code());
    assertEquals(
        "{buckets=[18446744073709551614], count=9223372036854775808, scope.name=lib,"
            + " scope.version=1.2, service.name=shop, start=18446744073709551615,"
            + " widerow.labels=*otlp}",
        store.committed.getFirst().attributes().toString());
    String json =
        "{\"resourceMetrics\":[{\"scopeMetrics\":[{\"metrics\":[{\"name\":\"h\",\"histogram\":"
            + "{\"dataPoints\":[{\"timeUnixNano\":\"5\",\"count\":1.0e19}]}}]}]}]}";
    AggregatedHttpResponse answer =
        post("/v1/metrics", "application/json", json.getBytes(StandardCharsets.UTF_8));
    assertEquals("{}", answer.contentUtf8());
    assertEquals("10000000000000000000", store.committed.getLast().attributes().get("count"));
  }

  @Test
  void aTimeAbove63BitsIsAnAttribute() {
    byte[] span = message(2, text(5, "GET"), fixed64(7, -3), fixed64(8, -1));
    AggregatedHttpResponse answer = post("/v1/traces", "application/x-protobuf", request(span));
    assertEquals("", answer.contentUtf8(), "no partial success");
    assertEquals(
        "{body=GET, duration=2, scope.name=lib, scope.version=1.2,"
            + " sender_time=18446744073709551613, service.name=shop}",
        store.committed.getFirst().attributes().toString());
  }
}
