package io.widerow.ingest.receive.otlp;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import io.widerow.ingest.Decoding;
import io.widerow.ingest.MalformedTest;
import io.widerow.ingest.MemoryStore;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Goal: a bad record is refused with a reason that names the field and the byte, and its
/// neighbours are stored; a fault outside of records refuses the request, with such a reason.
/// Method: a corpus of bad records for each of the two forms, each between two good ones.
class MalformedOtlpTest {
  static List<OtlpFuzz.Case> badProtobuf() {
    return OtlpFuzz.Case.all(false);
  }

  static List<OtlpFuzz.Case> badJson() {
    return OtlpFuzz.Case.all(true);
  }

  @ParameterizedTest
  @MethodSource("badProtobuf")
  void badProtobufCostsItsRecordOnly(OtlpFuzz.Case bad) {
    assertTrue(badProtobuf().size() >= 60);
    assertRefused(bad, false, "(?s).*field \\d+.* at byte \\d+.*");
  }

  @ParameterizedTest
  @MethodSource("badJson")
  void badJsonCostsItsRecordOnly(OtlpFuzz.Case bad) {
    assertTrue(badJson().size() >= 60);
    assertRefused(bad, true, "(?s)\\w+ at byte \\d+: .+");
  }

  private static void assertRefused(OtlpFuzz.Case bad, boolean json, String place) {
    byte[] request = OtlpRequests.around(bad.kind(), json, bad.bytes(json));
    AtomicReference<@Nullable String> whole = new AtomicReference<>();
    Decoding.Result result =
        Decoding.of(
            request,
            (body, limit, batch) ->
                whole.set(OtlpFuzz.of(bad.kind()).tryDecode(json, body, limit, batch)));
    assertNull(whole.get());
    assertEquals(1, result.refused().count(), () -> result.stored().toString());
    assertEquals(1, result.refused().index(0));
    String reason = result.refused().reason(0);
    assertTrue(reason.matches(place), reason);
    assertTrue(reason.length() < 255, reason);
    int at = Integer.parseInt(reason.replaceFirst("(?s).* at byte (\\d+).*", "$1"));
    assertTrue(at > 0 && at < request.length, reason);
    assertEquals(2, result.stored().size(), () -> result.stored().toString());
    for (MemoryStore.Stored stored : result.stored()) {
      assertEquals("good", stored.body());
      assertEquals(1_763_665_200_123_456_789L, stored.timeNanos());
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        " ",
        "5",
        "[]",
        "null",
        "{",
        "{\"resourceLogs\"",
        "{\"\":x}",
        "{\"resourceLogs\":",
        "{\"resourceLogs\":}",
        "{\"resourceLogs\":5}",
        "{\"resourceLogs\":{}}",
        "{\"resourceLogs\":[5]}",
        "{\"resourceLogs\":[null]}",
        "{\"resourceLogs\":[{}],}",
        "{\"resourceLogs\":[{},]}",
        "{\"resourceLogs\":[{}]} x",
        "{\"resourceLogs\":[{}]}{}",
        "{\"resourceLogs\":[{\"resource\":5}]}",
        "{\"resourceLogs\":[{\"resource\":{\"attributes\":[{\"key\":1}]}}]}",
        "{\"resourceLogs\":[{\"resource\":{\"attributes\":[{\"value\":{\"intValue\":\"x\"}}]}}]}",
        "{\"resourceLogs\":[{\"scopeLogs\":{}}]}",
        "{\"resourceLogs\":[{\"schemaUrl\":5}]}",
        "{\"resourceLogs\":[{\"scopeLogs\":[{\"scope\":{\"name\":1}}]}]}",
        "{\"resourceLogs\":[{\"scopeLogs\":[{\"logRecords\":[{\"severityText\":\"\\q\"}]}]}]}",
        "{\"resourceLogs\":[{\"scopeLogs\":[{\"logRecords\":[{\"severityText\":\"a\nb\"}]}]}]}",
        "{\"resourceLogs\":[{\"scopeLogs\":[{\"logRecords\":[{},{\"flags\":01}]}]}]}",
        "{\"resourceLogs\":[{\"scopeLogs\":[{\"logRecords\":[{\"x\":tru}]}]}]}",
        "{\"x\":{10001*[*}"
      })
  void badFramingOfJsonRefusesTheRequest(String text) {
    assertWhole(MalformedTest.expand(text).getBytes(UTF_8), true, ".* at byte \\d+: .+");
  }

  /// A bad resource or scope costs its records, and none of its neighbours.
  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"resource\":5,\"scopeLogs\":[{\"logRecords\":[{},{}]}]}",
        "{\"resource\":{\"attributes\":[{\"key\":1}]},\"scopeLogs\":[{\"logRecords\":[{},{}]}]}",
        "{\"scopeLogs\":[{\"logRecords\":[{},{}]}],\"schemaUrl\":5}",
        "{\"scopeLogs\":[{\"scope\":{\"name\":1},\"logRecords\":[{},{}]}]}",
        "{\"scopeLogs\":[{\"logRecords\":[{},{}],\"schemaUrl\":[]}]}"
      })
  void aBadResourceCostsItsRecords(String bad) {
    String good = "{\"scopeLogs\":[{\"logRecords\":[{\"body\":{\"stringValue\":\"good\"}}]}]}";
    byte[] request = "{\"resourceLogs\":[%s,%s,%s]}".formatted(good, bad, good).getBytes(UTF_8);
    Decoding.Result result =
        Decoding.of(
            request, (body, limit, batch) -> OtlpFuzz.LOGS.decode(true, body, limit, batch));
    assertEquals(2, result.refused().count());
    assertEquals(1, result.refused().index(0));
    assertTrue(result.refused().reason(0).matches("\\w+ at byte \\d+: .+"));
    assertEquals(2, result.stored().size());
    result.stored().forEach(stored -> assertEquals("good", stored.body()));
  }

  @Test
  void aBadResourceOfProtobufCostsItsRecords() {
    ByteString record = OtlpRequests.bytes(2, OtlpRequests.bytes(2, ByteString.EMPTY));
    ByteString wrong = OtlpRequests.bytes(1, OtlpRequests.fixed64(1, 1)); // no attributes
    ByteString good = OtlpRequests.bytes(1, record);
    ByteString bad = OtlpRequests.bytes(1, wrong.concat(record));
    Decoding.Result result =
        Decoding.of(
            good.concat(bad).concat(good).toByteArray(),
            (body, limit, batch) -> OtlpFuzz.LOGS.decode(false, body, limit, batch));
    assertEquals(2, result.stored().size());
    assertEquals(1, result.refused().count());
    assertEquals(1, result.refused().index(0));
  }

  private static void assertWhole(byte[] request, boolean json, String place) {
    AtomicReference<@Nullable String> whole = new AtomicReference<>();
    Decoding.Result _ =
        Decoding.of(
            request,
            (body, limit, batch) -> whole.set(OtlpFuzz.LOGS.tryDecode(json, body, limit, batch)));
    String reason = whole.get();
    assertNotNull(reason);
    assertTrue(reason.matches("(?s)" + place), reason);
  }

  static Stream<ByteString> badFraming() {
    ByteString cut = ByteString.copyFrom(new byte[] {10, 99});
    return Stream.of(
        cut,
        ByteString.copyFrom(new byte[] {8, 1}),
        ByteString.copyFrom(new byte[] {0}),
        ByteString.copyFrom("no protobuf", ISO_8859_1),
        OtlpRequests.bytes(1, cut),
        OtlpRequests.bytes(1, OtlpRequests.bytes(2, cut)),
        OtlpRequests.bytes(1, OtlpRequests.fixed64(2, 1)),
        OtlpRequests.bytes(1, OtlpRequests.bytes(1, OtlpRequests.fixed64(1, 1))),
        OtlpRequests.bytes(1, OtlpRequests.fixed64(3, 1)),
        OtlpRequests.bytes(1, OtlpRequests.bytes(2, OtlpRequests.bytes(1, cut))));
  }

  @ParameterizedTest
  @MethodSource("badFraming")
  void badFramingOfProtobufRefusesTheRequest(ByteString request) {
    assertWhole(request.toByteArray(), false, ".*field \\d+.* at byte \\d+.*");
  }

  @Test
  void manyRefusalsDoNotFillTheHeapWithReasons() {
    String bad = "{\"traceId\":7},";
    byte[] request =
        "{\"resourceLogs\":[{\"scopeLogs\":[{\"logRecords\":[%s{}]}]}]}"
            .formatted(bad.repeat(5_000))
            .getBytes(UTF_8);
    Decoding.Result result =
        Decoding.of(
            request, (body, limit, batch) -> OtlpFuzz.LOGS.decode(true, body, limit, batch));
    assertEquals(5_000, result.refused().count());
    assertEquals(1, result.stored().size());
    long distinct =
        java.util.stream.IntStream.range(0, 5_000)
            .mapToObj(result.refused()::reason)
            .distinct()
            .count();
    assertEquals(1_001, distinct);
  }
}
