package io.widerow.storage.codec;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Arrays;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Goal: numbers of every width round-trip, however many, at any offset, and without touching
/// adjacent bits. Method: random numbers, including all ones.
class BitPackingTest {
  private static final int COUNT_MAX = 40;
  private static final long UNTOUCHED = 0x5555_5555_5555_5555L;

  static IntStream widths() {
    return IntStream.concat(
        IntStream.rangeClosed(0, BitPacking.WIDTH_MAX), IntStream.of(Long.SIZE));
  }

  @ParameterizedTest
  @MethodSource("widths")
  void numbersComeBack(int width) {
    Random random = new Random(width);
    long max = width == Long.SIZE ? -1 : (1L << width) - 1;
    for (int count = 0; count < COUNT_MAX; count++) {
      long base = random.nextLong();
      long[] values = new long[count + 2];
      for (int i = 0; i < values.length; i++) {
        values[i] = base + (random.nextInt(4) == 0 ? max : random.nextLong() & max);
      }
      ByteSink out = new ByteSink();
      int start = random.nextInt(9);
      IntStream.range(0, start).forEach(_ -> out.putByte(-1));
      BitPacking.pack(values, 1, count, base, width, out);
      assertEquals(BitPacking.bytesFor(count, width), out.length() - start);
      byte[] packed = Arrays.copyOf(out.bytes(), out.length() + ByteSource.SLACK);
      Arrays.fill(packed, out.length(), packed.length, (byte) -1);
      long[] found = new long[count + 2];
      Arrays.fill(found, UNTOUCHED);
      BitPacking.unpack(packed, start, count, base, width, found, 1);
      values[0] = UNTOUCHED;
      values[count + 1] = UNTOUCHED;
      assertArrayEquals(values, found, () -> "width " + width);
    }
  }
}
