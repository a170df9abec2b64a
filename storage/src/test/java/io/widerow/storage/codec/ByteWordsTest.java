package io.widerow.storage.codec;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.widerow.faults.Seeds;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.IntPredicate;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Goal: working on eight bytes at a time gives the same results as on one. Method: random bytes,
/// many near the ends of the relevant ranges, compared with loops. The seed is the test's name; to
/// replay one, run with `-Dseed=<n>`.
class ByteWordsTest {
  private static final byte[] EDGES =
      "\0\n !\"+,-./09:;@AZ[^_`az{~\u007f".getBytes(java.nio.charset.StandardCharsets.ISO_8859_1);

  static List<Long> seeds() {
    return Seeds.of(40);
  }

  private static byte[] bytes(SplittableRandom random, int count) {
    byte[] bytes = new byte[count + ByteSource.SLACK];
    for (int i = 0; i < bytes.length; i++) {
      bytes[i] =
          random.nextInt(4) == 0 ? (byte) random.nextInt(256) : EDGES[random.nextInt(EDGES.length)];
    }
    return bytes;
  }

  private static boolean isDigit(int b) {
    return b >= '0' && b <= '9';
  }

  private static boolean isLetter(int b) {
    return (b >= 'a' && b <= 'z') || (b >= 'A' && b <= 'Z');
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void marksAreWhereTheBytesAre(long seed) {
    var random = new SplittableRandom(seed);
    byte[] bytes = bytes(random, 500);
    for (int at = 0; at < 500; at++) {
      long word = ByteWords.load(bytes, at);
      assertEquals(
          marks(bytes, at, b -> b >= 0x80 || b == '_' || isDigit(b) || isLetter(b)),
          ByteWords.tokens(word));
      assertEquals(marks(bytes, at, ByteWordsTest::isDigit), ByteWords.digits(word));
      long words = marks(bytes, at, b -> (b >= '-' && b <= '/') || isDigit(b) || isLetter(b));
      assertEquals(words, ByteWords.words(word));
      int first = ByteWords.before(marks(bytes, at, b -> b == '"'));
      assertEquals(first, ByteWords.before(ByteWords.equal(word, '"')));
      long bits = 0;
      for (int i = 0; i < Long.BYTES; i++) {
        bits |= ((words >>> (8 * i + 7)) & 1) << i;
      }
      assertEquals(bits, ByteWords.bits(words));
    }
  }

  private static long marks(byte[] bytes, int at, IntPredicate wanted) {
    long marks = 0;
    for (int i = 0; i < Long.BYTES; i++) {
      marks |= wanted.test(bytes[at + i] & 0xff) ? 0x80L << (8 * i) : 0;
    }
    return marks;
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void textsAreComparedCopiedAndHashed(long seed) {
    var random = new SplittableRandom(seed);
    byte[] bytes = bytes(random, 400);
    for (int i = 0; i < 300; i++) {
      int length = random.nextInt(100);
      int from = random.nextInt(300);
      byte[] copy = bytes(random, length + 20);
      int to = random.nextInt(20);
      ByteWords.copy(bytes, from, copy, to, length);
      assertEquals(
          0, Arrays.compare(bytes, from, from + length, copy, to, to + length), "the copy");
      assertEquals(true, ByteWords.same(bytes, from, copy, to, length));
      assertEquals(ByteWords.hash(bytes, from, length), ByteWords.hash(copy, to, length));
      if (length > 0) {
        copy[to + random.nextInt(length)] ^= (byte) (1 + random.nextInt(255));
        assertEquals(false, ByteWords.same(bytes, from, copy, to, length));
      }
    }
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void digitsMakeNumbers(long seed) {
    var random = new SplittableRandom(seed);
    for (int i = 0; i < 300; i++) {
      byte[] bytes = bytes(random, 8);
      int count = random.nextInt(1, 9);
      boolean all = true;
      long number = 0;
      for (int k = 0; k < count; k++) {
        bytes[k] = random.nextInt(20) > 0 ? (byte) ('0' + random.nextInt(10)) : bytes[k];
        all &= isDigit(bytes[k] & 0xff);
        number = 10 * number + bytes[k] - '0';
      }
      long digits = ByteWords.digits(bytes, 0, count);
      assertEquals(all, ByteWords.areDigits(digits));
      if (all) {
        assertEquals(number, ByteWords.number(digits));
      }
    }
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void theFirstBytesOfAWord(long seed) {
    var random = new SplittableRandom(seed);
    byte[] bytes = bytes(random, 8);
    for (int count = 1; count <= Long.BYTES; count++) {
      byte[] cut = Arrays.copyOf(Arrays.copyOf(bytes, count), 8);
      assertEquals(ByteWords.load(cut, 0), ByteWords.load(bytes, 0, count));
      assertEquals(ByteWords.load(cut, 0), ByteWords.load(bytes, 0) & ByteWords.first(count));
    }
    assertEquals(0, ByteWords.first(0));
  }
}
