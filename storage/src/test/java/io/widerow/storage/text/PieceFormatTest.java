package io.widerow.storage.text;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.widerow.faults.Seeds;
import io.widerow.storage.codec.ByteSource;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Goal: numbers are printed as Java prints them, and read back. Method: numbers of all lengths,
/// including the powers of ten and their neighbours. The seed is the test's name; to replay one,
/// run with `-Dseed=<n>`.
class PieceFormatTest {
  static List<Long> seeds() {
    return Seeds.of(20);
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void numbers(long seed) {
    var random = new SplittableRandom(seed);
    byte[] out = new byte[PieceFormat.PRINTED_BYTES_MAX + ByteSource.SLACK];
    for (int i = 0; i < 1_000; i++) {
      long value = value(random);
      int length = PieceFormat.printNumber(value, out, 0);
      String text = Long.toString(value);
      assertEquals(text, text(out, length));
      if (text.length() <= PieceFormat.DIGITS_MAX) {
        assertEquals(PieceFormat.NUMBER, PieceFormat.formOf(out, 0, length));
        assertEquals(value, PieceFormat.parse(PieceFormat.NUMBER, out, 0, length));
      }
    }
  }

  private static long value(SplittableRandom random) {
    long value = random.nextLong(Long.MAX_VALUE) >> random.nextInt(63);
    if (random.nextInt(3) == 0) {
      value = (long) Math.pow(10, random.nextInt(19)) + random.nextInt(-1, 2);
    }
    return random.nextBoolean() ? value : -value;
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void digitsOfAWidth(long seed) {
    var random = new SplittableRandom(seed);
    byte[] out = new byte[PieceFormat.PRINTED_BYTES_MAX + ByteSource.SLACK];
    for (int i = 0; i < 1_000; i++) {
      long value = Math.abs(value(random));
      int width = random.nextInt(1, PieceFormat.DIGITS_MAX + 1);
      String text = "0".repeat(20) + value;
      int length = PieceFormat.printDigits(value, width, out, 0);
      assertEquals(text.substring(text.length() - width), text(out, length));
    }
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void timesOfDay(long seed) {
    var random = new SplittableRandom(seed);
    byte[] out = new byte[PieceFormat.PRINTED_BYTES_MAX + ByteSource.SLACK];
    for (int i = 0; i < 1_000; i++) {
      int second = random.nextInt(86_400);
      int milli = random.nextInt(1_000);
      String text = "%02d:%02d:%02d".formatted(second / 3600, second / 60 % 60, second % 60);
      int length = PieceFormat.printTime(second, 0, out, 0);
      assertEquals(text, text(out, length));
      assertEquals(second, PieceFormat.parse(PieceFormat.TIME, out, 0, length));
      long millis = second * 1000L + milli;
      length = PieceFormat.printTime(millis, ',', out, 0);
      assertEquals(text + ",%03d".formatted(milli), text(out, length));
      assertEquals(millis, PieceFormat.parse(PieceFormat.TIME_MILLIS, out, 0, length));
    }
  }

  private static String text(byte[] bytes, int length) {
    return new String(Arrays.copyOf(bytes, length), StandardCharsets.ISO_8859_1);
  }
}
