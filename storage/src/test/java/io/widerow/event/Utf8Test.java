package io.widerow.event;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.faults.Slice;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Goal: valid is exactly what the JDK's decoder accepts, and strings compare as their bytes do.
/// Method: every sequence of one to three bytes, every four-byte lead, random mixtures at every
/// offset; random strings of characters around the edges of each length.
class Utf8Test {
  private static final byte[][] PIECES = {
    {'a'},
    "plain words".getBytes(StandardCharsets.UTF_8),
    "é".getBytes(StandardCharsets.UTF_8),
    "€".getBytes(StandardCharsets.UTF_8),
    "🦊".getBytes(StandardCharsets.UTF_8),
    {(byte) 0xf4, (byte) 0x8f, (byte) 0xbf, (byte) 0xbf}, // U+10FFFF
    {0},
  };

  private final CharsetDecoder decoder =
      StandardCharsets.UTF_8
          .newDecoder()
          .onMalformedInput(CodingErrorAction.REPORT)
          .onUnmappableCharacter(CodingErrorAction.REPORT);
  private final CharBuffer chars = CharBuffer.allocate(1 << 10);

  @Test
  void everySequenceOfOneToThreeBytes() {
    byte[] bytes = new byte[3];
    for (int length = 0; length <= 3; length++) {
      int step = length < 3 ? 1 : Slice.of(5, 1);
      for (int bits = 0; bits < 1 << (8 * length); bits += step) {
        for (int i = 0; i < length; i++) {
          bytes[i] = (byte) (bits >>> (8 * i));
        }
        assertSame(bytes, 0, length);
      }
    }
  }

  @Test
  void everyFourByteLeadWithItsEdges() {
    int[] edges = {0x00, 0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc0, 0xff};
    for (int lead = 0xe0; lead <= 0xff; lead++) {
      for (int second = 0; second <= 0xff; second++) {
        for (int third : edges) {
          for (int fourth : edges) {
            byte[] bytes = {(byte) lead, (byte) second, (byte) third, (byte) fourth};
            assertSame(bytes, 0, bytes.length);
          }
        }
      }
    }
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("io.widerow.faults.Seeds#twenty")
  void mixturesAtEveryOffset(long seed) {
    var random = new SplittableRandom(seed);
    byte[] bytes = new byte[512];
    for (int round = 0; round < 5_000; round++) {
      int offset = random.nextInt(16);
      random.nextBytes(bytes);
      int at = offset;
      for (int left = random.nextInt(20); left > 0; left--) {
        byte[] piece = PIECES[random.nextInt(PIECES.length)];
        System.arraycopy(piece, 0, bytes, at, piece.length);
        at += piece.length;
      }
      if (at > offset && random.nextBoolean()) {
        bytes[offset + random.nextInt(at - offset)] = (byte) random.nextInt();
      }
      int cut = at > offset && random.nextInt(3) == 0 ? random.nextInt(at - offset) : 0;
      assertSame(bytes, offset, at - offset - cut);
    }
  }

  @Test
  void halfASurrogatePairIsRefusedWhereStringsComeIn() {
    assertTrue(Utf8.isEncodable("🦊 and é"));
    for (String half : new String[] {"\ud83e", "\udd8a", "a\ud83eb", "\udd8a\ud83e", "🦊\ud83e"}) {
      assertFalse(Utf8.isEncodable(half));
      assertThrows(IllegalArgumentException.class, () -> Text.of(half));
      assertThrows(IllegalArgumentException.class, () -> AttributeName.of(half));
    }
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("io.widerow.faults.Seeds#twenty")
  void stringsCompareAsTheirBytes(long seed) {
    int[] edges = {0, 'a', 0x7f, 0x80, 0x7ff, 0x800, 0xd7ff, 0xe000, 0xffff, 0x10000, 0x10ffff};
    var random = new SplittableRandom(seed);
    for (int round = 0; round < 5_000; round++) {
      String[] texts = new String[2];
      for (int i = 0; i < 2; i++) {
        StringBuilder text = new StringBuilder();
        for (int left = random.nextInt(4); left > 0; left--) {
          text.appendCodePoint(edges[random.nextInt(edges.length)]);
        }
        texts[i] = text.toString();
      }
      byte[] a = texts[0].getBytes(StandardCharsets.UTF_8);
      byte[] b = texts[1].getBytes(StandardCharsets.UTF_8);
      assertEquals(
          Integer.signum(Arrays.compareUnsigned(a, b)),
          Integer.signum(Utf8.compare(texts[0], texts[1])),
          () -> Arrays.toString(a) + " and " + Arrays.toString(b));
    }
  }

  private void assertSame(byte[] bytes, int offset, int length) {
    decoder.reset();
    chars.clear();
    boolean expected =
        !decoder.decode(ByteBuffer.wrap(bytes, offset, length), chars, true).isError();
    if (expected != Utf8.isValid(bytes, offset, length)) {
      byte[] copy = Arrays.copyOfRange(bytes, offset, offset + length);
      assertEquals(expected, !expected, () -> Arrays.toString(copy));
    }
  }
}
