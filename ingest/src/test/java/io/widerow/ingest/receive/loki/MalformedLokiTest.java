package io.widerow.ingest.receive.loki;

import static io.widerow.ingest.decode.ProtobufBytes.join;
import static io.widerow.ingest.decode.ProtobufBytes.message;
import static io.widerow.ingest.receive.loki.LokiMessages.entry;
import static io.widerow.ingest.receive.loki.LokiMessages.stream;
import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.ingest.Decoding;
import io.widerow.ingest.MalformedTest;
import io.widerow.ingest.MemoryStore;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Goal: a bad entry is refused with a reason that names the fault and its position, bad labels
/// refuse the entries of their stream, and all neighbours are stored. Method: a corpus of bad
/// entries and bad labels, each between two good ones, in both forms of the protocol; and bytes
/// that are changed.
class MalformedLokiTest {
  private static final byte[] GOOD = entry(1_000_000_000, "good");
  private static final String GOOD_JSON = "[\"1000000000\",\"good\"]";
  private static final byte[] GOOD_STREAM = stream("{}", GOOD);

  static List<String> badEntries() {
    return corpus("malformed.loki-protobuf");
  }

  static List<String> badJson() {
    return corpus("malformed.loki-json");
  }

  static List<String> badLabels() {
    return corpus("malformed.loki-labels");
  }

  private static List<String> corpus(String name) {
    List<String> cases = MalformedTest.corpus(name);
    assertTrue(cases.size() >= 15, name + " has " + cases.size() + " cases");
    return cases;
  }

  private static byte[] bytes(String text) {
    return MalformedTest.expand(text).getBytes(ISO_8859_1);
  }

  @ParameterizedTest
  @MethodSource("badEntries")
  void aBadEntryOfProtobufCostsItselfOnly(String bad) {
    byte[] body = stream("{}", GOOD, message(2, bytes(bad)), GOOD);
    assertRefused(body, 1, "entry", LokiFuzz::protobuf);
  }

  @ParameterizedTest
  @MethodSource("badJson")
  void aBadEntryOfJsonCostsItselfOnly(String bad) {
    String text =
        "{\"streams\":[{\"stream\":{},\"values\":[%s,%s,%s]}]}"
            .formatted(GOOD_JSON, MalformedTest.expand(bad), GOOD_JSON);
    assertRefused(text.getBytes(ISO_8859_1), 1, "entry", LokiFuzz::json);
  }

  @ParameterizedTest
  @MethodSource("badLabels")
  void badLabelsCostTheirStreamOnly(String bad) {
    byte[] labels = bytes(bad);
    byte[] body = join(GOOD_STREAM, stream(labels, GOOD, GOOD), GOOD_STREAM);
    assertRefused(body, 2, "labels|entry", LokiFuzz::protobuf);
    StringBuilder quoted = new StringBuilder();
    for (byte b : labels) {
      quoted.append(b == '"' || b == '\\' ? "\\" : "");
      quoted.append(b >= 0 && b < ' ' ? "\\u00%02x".formatted(b) : (char) (b & 0xff));
    }
    String stream = "{\"labels\":\"%s\",\"entries\":[%s,%s]}";
    String good = stream.formatted("{}", GOOD_JSON, "null").replace(",null", "");
    String json =
        "{\"streams\":[%s,%s,%s]}"
            .formatted(good, stream.formatted(quoted, GOOD_JSON, GOOD_JSON), good);
    assertRefused(json.getBytes(ISO_8859_1), 2, "labels|entry", LokiFuzz::json);
  }

  private static void assertRefused(
      byte[] body, int refused, String part, Decoding.Decoder decoder) {
    Decoding.Result result = Decoding.of(body, decoder);
    assertEquals(2, result.stored().size(), () -> result.stored().toString());
    for (MemoryStore.Stored stored : result.stored()) {
      assertEquals("good", stored.body());
      assertEquals(1_000_000_000L, stored.timeNanos());
      assertEquals(
          Set.of("body", "detected_level", "widerow.labels"), stored.attributes().keySet());
    }
    assertEquals(refused, result.refused().count());
    for (int i = 0; i < refused; i++) {
      assertEquals(1 + i, result.refused().index(i));
      String reason = result.refused().reason(i);
      assertTrue(reason.matches("(?s)(%s) at byte \\d+: .+".formatted(part)), reason);
      assertTrue(reason.length() < 255, reason);
    }
  }

  static Stream<byte[]> badStreams() {
    return Stream.of(
        message(1, join(GOOD, new byte[] {0x12, 9})),
        message(1, join(message(1, new byte[] {'{', '}'}), GOOD, new byte[] {0})),
        message(1, new byte[] {0x08, 1}),
        message(1, new byte[] {0x10, 1}),
        message(1, new byte[] {0x0b}));
  }

  @ParameterizedTest
  @MethodSource("badStreams")
  void aStreamThatIsNoMessageIsRefusedAsOne(byte[] bad) {
    assertRefused(join(GOOD_STREAM, bad, GOOD_STREAM), 1, "stream", LokiFuzz::protobuf);
  }

  /// Reasons share their memory when there are many.
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void manyBadEntriesTakeLittleMemory(boolean protobuf) {
    int count = 300_000;
    Decoding.Result result =
        protobuf
            ? Decoding.of(
                stream("{}", new byte[][] {repeated(new byte[] {0x12, 1, 0}, count)}),
                LokiFuzz::protobuf)
            : Decoding.of(
                "{\"streams\":[{\"stream\":{},\"values\":[%s]}]}"
                    .formatted("[],".repeat(count - 1) + "[]"),
                LokiFuzz::json);
    assertEquals(count, result.refused().count());
    assertTrue(result.refused().heapBytes() < 8 << 20, result.refused().heapBytes() + " bytes");
  }

  private static byte[] repeated(byte[] piece, int count) {
    byte[] all = new byte[piece.length * count];
    for (int at = 0; at < all.length; at += piece.length) {
      System.arraycopy(piece, 0, all, at, piece.length);
    }
    return all;
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("io.widerow.faults.Seeds#five")
  void noBytesCrashADecoder(long seed) {
    var random = new SplittableRandom(seed);
    for (int round = 0; round < 3_000; round++) {
      for (byte[] good : LokiFuzz.protobufSeeds()) {
        Decoding.Result _ = Decoding.of(changed(good, random), LokiFuzz::protobuf);
      }
      for (byte[] good : LokiFuzz.jsonSeeds()) {
        Decoding.Result _ = Decoding.of(changed(good, random), LokiFuzz::json);
      }
    }
  }

  private static byte[] changed(byte[] good, SplittableRandom random) {
    byte[] bytes = good.clone();
    for (int i = random.nextInt(4); i >= 0; i--) {
      int at = random.nextInt(bytes.length);
      bytes[at] =
          random.nextInt(3) == 0 ? (byte) random.nextInt() : bytes[random.nextInt(bytes.length)];
    }
    return bytes;
  }
}
