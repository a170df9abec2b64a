package io.widerow.ingest.receive.fluent;

import static io.widerow.ingest.receive.fluent.FluentMessages.join;
import static io.widerow.ingest.receive.fluent.FluentMessages.pack;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.ingest.Decoding;
import io.widerow.ingest.MemoryStore;
import io.widerow.ingest.receive.fluent.FluentMessages.Raw;
import io.widerow.ingest.receive.fluent.FluentMessages.Time;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Goal: a bad entry costs itself only, a bad message ends the connection after the good ones, and
/// no bytes crash the decoder. Method: a corpus in hexadecimal digits, of entries and of messages,
/// each among good ones; and good messages with random bytes changed.
public class FluentMalformedTest {
  private static final List<Object> GOOD = List.of(new Time(1, 0), Map.of("message", "good"));

  static List<String> corpus(String kind) throws IOException {
    try (InputStream in =
        Decoding.class.getResourceAsStream("/io/widerow/ingest/malformed.fluent")) {
      assertNotNull(in);
      List<String> lines =
          new String(in.readAllBytes(), StandardCharsets.US_ASCII).lines().toList();
      assertTrue(lines.size() >= 60, lines.size() + " cases");
      return lines.stream()
          .filter(line -> line.startsWith(kind))
          .map(line -> line.substring(kind.length()))
          .toList();
    }
  }

  static List<String> entries() throws IOException {
    return corpus("entry ");
  }

  static List<String> frames() throws IOException {
    return corpus("frame ");
  }

  private static void assertGood(List<MemoryStore.Stored> stored, int count) {
    assertEquals(count, stored.size(), stored::toString);
    stored.forEach(event -> assertEquals("{body=good}", event.attributes().toString()));
  }

  @ParameterizedTest
  @MethodSource("entries")
  void aBadEntryCostsItselfOnly(String hex) {
    byte[] bad = HexFormat.of().parseHex(hex);
    byte[] list = pack(List.of("t", List.of(GOOD, Raw.of(bad), GOOD)), List.of("t", List.of(GOOD)));
    Decoding.Result result = Decoding.of(list, FluentDecoding::decode);
    assertGood(result.stored(), 3);
    assertEquals(1, result.refused().count());
    assertEquals(1, result.refused().index(0));
    byte[] packed = pack(List.of("t", join(pack(GOOD), bad, pack(GOOD))));
    Decoding.Result again = Decoding.of(packed, FluentDecoding::decode);
    assertGood(again.stored(), 2);
    assertEquals(1, again.refused().count());
  }

  /// Some of them are only the begin of a message, which never ends.
  @ParameterizedTest
  @MethodSource("frames")
  void aBadMessageEndsTheConnection(String hex) {
    byte[] good = pack(List.of("t", List.of(GOOD)));
    byte[] body = join(good, HexFormat.of().parseHex(hex), good);
    Decoding.Result result = Decoding.of(body, FluentDecoding::decode);
    assertGood(result.stored(), 1);
    assertEquals(1, result.refused().count());
    String reason = result.refused().reason(0);
    assertTrue(reason.matches(".*(byte|elements|gzip|ZSTD|GZIP).*"), reason);
  }

  @Test
  void packedEntriesThatAreCutCostTheRest() {
    byte[] entry = pack(GOOD);
    for (int cut = 1; cut < entry.length; cut++) {
      byte[] packed = pack(List.of("t", join(entry, Arrays.copyOf(entry, cut))));
      Decoding.Result result = Decoding.of(packed, FluentDecoding::decode);
      assertGood(result.stored(), 1);
      assertEquals(1, result.refused().count());
    }
  }

  @ParameterizedTest(name = "seed {0}")
  @ValueSource(longs = {1, 2, 3, 4})
  void noBytesCrashTheDecoder(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    List<byte[]> seeds = FluentFuzz.seeds();
    for (int round = 0; round < 3_000; round++) {
      byte[] bytes = seeds.get(random.nextInt(seeds.size())).clone();
      for (int i = random.nextInt(4); i >= 0; i--) {
        bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
      }
      byte[] cut = Arrays.copyOf(bytes, random.nextInt(bytes.length / 2, bytes.length + 1));
      Decoding.Result _ = Decoding.of(cut, FluentDecoding::decode);
    }
  }
}
