package io.widerow.ingest.receive.otlp;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;

import com.google.protobuf.ByteString;
import io.widerow.ingest.Decoding;
import io.widerow.ingest.MemoryStore;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Goal: the forms that JSON allows are read as protobuf is, and text that is not UTF-8, which
/// protobuf does not allow, is kept. Method: single records.
class OtlpTextTest {
  private static List<MemoryStore.Stored> json(String record) {
    String request =
        "{\"resourceLogs\":[{\"scopeLogs\":[{\"logRecords\":[%s]}]}]}".formatted(record);
    return decoded(true, request.getBytes(ISO_8859_1));
  }

  private static List<MemoryStore.Stored> decoded(boolean json, byte[] request) {
    Decoding.Result result =
        Decoding.of(
            request, (body, limit, batch) -> OtlpFuzz.LOGS.decode(json, body, limit, batch));
    assertEquals(0, result.refused().count(), () -> result.refused().reason(0));
    return result.stored();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "\"body\":{\"intValue\":5}|5",
        "\"body\":{\"intValue\":\"5\"}|5",
        "\"body\":{\"intValue\":-0}|0",
        "\"body\":{\"intValue\":5.0}|5",
        "\"body\":{\"intValue\":1e3}|1000",
        "\"body\":{\"intValue\":\"-9223372036854775808\"}|-9223372036854775808",
        "\"body\":{\"intValue\":9223372036854775807}|9223372036854775807",
        "\"body\":{\"doubleValue\":\"2.5\"}|2.5",
        "\"body\":{\"doubleValue\":18446744073709551616}|1.8446744073709552E19",
        "\"body\":{\"stringValue\":\"\\u00e9\\n\\ud83d\\ude00\"}|`é\n😀`",
        "\"body\":{\"bytesValue\":\"aGk=\"}|hi",
        "\"body\":{\"bytesValue\":\"aGk\"}|hi",
        "\"body\":{\"bytesValue\":\"Pz8-\"}|??>",
        "\"body\":{\"bytesValue\":\"Pz8+\"}|??>",
        "\"body\":{\"arrayValue\":{\"values\":[{\"intValue\":1},null,{}]}}|[1,null,null]",
        "\"body\":{\"stringValue\":\"a\",\"stringValue\":\"b\"}|b",
        "\"body\":{\"arrayValue\":{}}|[]"
      })
  void formsOfValues(String members, String body) {
    assertEquals(body, json("{" + members + "}").getFirst().body());
  }

  @ParameterizedTest
  @CsvSource({
    "17, 17, error",
    "'\"17\"', 17, error",
    "'\"SEVERITY_NUMBER_ERROR\"', 17, error",
    "'\"SEVERITY_NUMBER_TRACE4\"', 4, trace",
    "24, 24, fatal"
  })
  void enumsAreNumbersOrNames(String sent, long number, String level) {
    Map<String, Object> event =
        json("{\"severityNumber\":" + sent + ",\"timeUnixNano\":1}").getFirst().attributes();
    assertEquals(number, event.get("severity_number"));
    assertEquals(level, event.get("level"));
  }

  @Test
  void nullIsAbsentAndUnknownIsPassedOver() {
    MemoryStore.Stored event =
        json("{\"timeUnixNano\":null,\"observedTimeUnixNano\":1763665200123456789,\"body\":null,"
                + "\"attributes\":null,\"severity_text\":\"old name\",\"x\":[{\"y\":1e999}],"
                + "\"traceId\":\"0AfF\",\"spanId\":\"\"}")
            .getFirst();
    assertEquals(1_763_665_200_123_456_789L, event.timeNanos());
    assertEquals(Map.of("trace_id", "0aff"), event.attributes());
  }

  @Test
  void doublesThatAreNoNumbers() {
    String member = "{\"key\":\"%s\",\"value\":{\"doubleValue\":\"%s\"}}";
    String attributes =
        String.join(
            ",",
            member.formatted("a", "NaN"),
            member.formatted("b", "Infinity"),
            member.formatted("c", "-Infinity"));
    assertEquals(
        Map.of("a", Double.NaN, "b", Double.POSITIVE_INFINITY, "c", Double.NEGATIVE_INFINITY),
        json("{\"attributes\":[" + attributes + "]}").getFirst().attributes());
  }

  @Test
  void halvesOfSurrogatesAreKeptAndCounted() {
    assertEquals(
        Map.of("body", "\\ud800x\\udc00", "widerow.escaped", 2L),
        json("{\"body\":{\"stringValue\":\"\\ud800x\\udc00\"}}").getFirst().attributes());
  }

  @Test
  void bytesThatAreNotUtf8AreKeptInJson() {
    List<MemoryStore.Stored> stored =
        json("{\"body\":{\"stringValue\":\"caf\u00e9\"}},{\"body\":{\"stringValue\":\"ok\"}}");
    assertEquals(Map.of("body", "caf\\xE9", "widerow.escaped", 1L), stored.get(0).attributes());
    assertEquals(Map.of("body", "ok"), stored.get(1).attributes());
  }

  @Test
  void bytesThatAreNotUtf8AreKeptInProtobuf() {
    ByteString bad = ByteString.copyFrom(new byte[] {'c', (byte) 0xe9, (byte) 0xff});
    ByteString value = OtlpRequests.bytes(2, OtlpRequests.bytes(1, bad));
    ByteString service = OtlpRequests.bytes(1, OtlpRequests.text(1, "service.name"), value);
    ByteString attribute = OtlpRequests.bytes(6, OtlpRequests.bytes(1, bad), value);
    ByteString raw =
        OtlpRequests.bytes(
            6, OtlpRequests.text(1, "raw"), OtlpRequests.bytes(2, OtlpRequests.bytes(7, bad)));
    ByteString good = OtlpRequests.bytes(2, OtlpRequests.fixed64(1, 5_000));
    ByteString record = OtlpRequests.bytes(2, OtlpRequests.fixed64(1, 5_000), attribute, raw);
    byte[] request =
        OtlpRequests.bytes(
                1, OtlpRequests.bytes(1, service), OtlpRequests.bytes(2, record, good, record))
            .toByteArray();
    List<MemoryStore.Stored> stored = decoded(false, request);
    String kept = "c\\xE9\\xFF";
    Map<String, Object> expected =
        Map.of(
            "service.name",
            kept,
            kept,
            kept,
            "raw",
            new String(bad.toByteArray(), UTF_8),
            "widerow.escaped",
            6L);
    assertEquals(expected, stored.get(0).attributes());
    assertEquals(kept, stored.get(0).type());
    assertEquals(Map.of("service.name", kept, "widerow.escaped", 2L), stored.get(1).attributes());
    assertEquals(expected, stored.get(2).attributes());
  }

  @Test
  void aMetricOfOtherBytesIsKept() {
    ByteString name = OtlpRequests.bytes(1, ByteString.copyFrom(new byte[] {'m', (byte) 0x80}));
    ByteString gauge = OtlpRequests.bytes(5, OtlpRequests.bytes(1, OtlpRequests.fixed64(3, 5_000)));
    byte[] request =
        OtlpRequests.bytes(1, OtlpRequests.bytes(2, OtlpRequests.bytes(2, name, gauge)))
            .toByteArray();
    Decoding.Result result =
        Decoding.of(
            request, (body, limit, batch) -> OtlpFuzz.METRICS.decode(false, body, limit, batch));
    assertEquals("m\\x80", result.stored().getFirst().type());
    assertEquals(
        Map.of("widerow.escaped", 1L, "widerow.labels", "*otlp"),
        result.stored().getFirst().attributes());
  }
}
