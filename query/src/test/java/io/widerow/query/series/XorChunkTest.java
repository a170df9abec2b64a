package io.widerow.query.series;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.faults.Seeds;
import io.widerow.faults.Slice;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Goal: a chunk has exactly the samples that were added, bit by bit. Method: series of any shape,
/// read back by the reader; a decoder of its own reads them in `RemoteReadTest`.
class XorChunkTest {
  static List<Long> seeds() {
    return Seeds.of(Slice.of(8, 40));
  }

  private record Sample(long millis, long bits) {}

  private static List<Sample> generated(SplittableRandom random) {
    List<Sample> samples = new ArrayList<>();
    long millis = random.nextLong(1L << random.nextInt(1, 43));
    long step = random.nextLong(1, 1L << random.nextInt(1, 36));
    int shape = random.nextInt(4);
    double value = random.nextDouble(1000);
    int count = random.nextInt(1, XorChunk.SAMPLES_MAX + 1);
    for (int i = 0; i < count; i++) {
      value =
          switch (shape) {
            case 0 -> value;
            case 1 -> value + random.nextInt(10);
            case 2 -> Double.longBitsToDouble(random.nextLong());
            default -> random.nextDouble();
          };
      samples.add(new Sample(millis, Double.doubleToRawLongBits(value)));
      millis += random.nextInt(4) == 0 ? random.nextLong(1, 2 * step + 1) : step;
    }
    return samples;
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void whatIsWrittenIsRead(long seed) {
    List<Sample> samples = generated(new SplittableRandom(seed));
    XorChunk chunk = new XorChunk();
    samples.forEach(sample -> chunk.add(sample.millis, sample.bits));
    assertEquals(samples.getFirst().millis, chunk.firstMillis());
    assertEquals(samples.getLast().millis, chunk.lastMillis());
    XorSamples reader = new XorSamples();
    reader.begin(chunk.toBytes());
    List<Sample> read = new ArrayList<>();
    while (reader.next()) {
      read.add(new Sample(reader.millis(), reader.valueBits()));
    }
    assertEquals(samples, read);
  }

  /// The bits, worked out by hand from the description of the format.
  @Test
  void theBytesAreThoseOfTheFormat() {
    XorChunk chunk = new XorChunk();
    chunk.add(1_000, Double.doubleToRawLongBits(1));
    chunk.add(2_000, Double.doubleToRawLongBits(1));
    chunk.add(3_000, Double.doubleToRawLongBits(2));
    // count 3 | zigzag 2000 | 1.0 | delta 1000 | 0: equal
    // 0: same delta | 11, leading 1, 11 bits, 0x7ff: 1.0 xor 2.0 is 0x7ff0...
    assertEquals(
        "0003d00f3ff0000000000000e807"
            + bits("0" + "0" + "11" + "00001" + "001011" + "11111111111"),
        HexFormat.of().formatHex(chunk.toBytes()));
    assertEquals(3, chunk.count());
    assertFalse(chunk.isFull());
    assertTrue(chunk.roomBytes() >= chunk.toBytes().length);
  }

  private static String bits(String bits) {
    StringBuilder hex = new StringBuilder();
    for (int i = 0; i < bits.length(); i += 8) {
      String eight =
          (bits.substring(i, Math.min(bits.length(), i + 8)) + "0000000").substring(0, 8);
      hex.append("%02x".formatted(Integer.parseInt(eight, 2)));
    }
    return hex.toString();
  }
}
