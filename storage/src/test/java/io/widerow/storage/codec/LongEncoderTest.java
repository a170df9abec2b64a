package io.widerow.storage.codec;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;

import io.widerow.faults.Seeds;
import io.widerow.storage.disk.Throttle;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Goal: any longs round-trip. Method: runs of random shapes and lengths, including extremes, under
/// a fast and a thorough compressor, bare or not. The seed is the test's name; to replay one, run
/// with `-Dseed=<n>`.
class LongEncoderTest {
  private static final Path FILE = Path.of("longs");

  static List<Long> seeds() {
    return Seeds.of(40);
  }

  private static Series series(int events, SplittableRandom random) {
    Series series = new Series();
    series.begin(events);
    int most = random.nextInt(1, 60);
    Arrays.setAll(series.codes(), _ -> random.nextInt(most));
    series.split(most, events);
    series.follow(new int[0], events);
    return series;
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void anyLongsComeBack(long seed) {
    var random = new SplittableRandom(seed);
    try (var compressor = new BlockCompressor(random.nextBoolean() ? 1 : 7, Throttle.NONE);
        var decompressor = new BlockDecompressor()) {
      var encoder = new LongEncoder(compressor);
      var decoder = new LongDecoder(decompressor);
      for (int i = 0; i < 20; i++) {
        long[] values = values(random);
        ByteSink out = new ByteSink();
        Series series = series(values.length, random);
        encoder.leaveBare(random.nextBoolean());
        if (random.nextInt(4) == 0) {
          encoder.encodeNoisy(values, values.length, out);
        } else {
          encoder.encode(values, values.length, series, out);
        }
        byte[] bytes = Arrays.copyOf(out.bytes(), out.length() + ByteSource.SLACK);
        long[] found = new long[values.length];
        ByteSource in = new ByteSource(FILE).over(bytes, 0, out.length(), 0);
        decoder.decode(in, values.length, found, series);
        in.requireEnd("the longs");
        assertArrayEquals(values, found);
      }
    }
  }

  private static long[] values(SplittableRandom random) {
    long[] values = new long[random.nextInt(600)];
    int shape = random.nextInt(6);
    long unit = random.nextLong(1, 1L << random.nextInt(1, 50));
    long base = random.nextLong();
    int width = random.nextInt(64);
    for (int i = 0; i < values.length; i++) {
      values[i] =
          switch (shape) {
            case 0 -> base;
            case 1 -> base + i * unit;
            case 2 -> base + (long) i * i * unit;
            case 3 -> random.nextLong() >>> width;
            case 4 -> random.nextInt(20) == 0 ? random.nextLong() : random.nextInt(9);
            default ->
                random.nextBoolean()
                    ? (random.nextBoolean() ? Long.MIN_VALUE : Long.MAX_VALUE)
                    : random.nextInt(3) * unit;
          };
    }
    return values;
  }
}
