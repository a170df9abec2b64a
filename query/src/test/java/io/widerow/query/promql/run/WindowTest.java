package io.widerow.query.promql.run;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.widerow.query.promql.PromqlFunction;
import io.widerow.query.series.Labels;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Goal: sums and means of windows have the bits of a sum sample by sample, also where they are
/// made of sums of whole numbers. Method: series of whole numbers, small and large, and of others.
class WindowTest {
  private static final long RANGE = 40;

  @ParameterizedTest
  @MethodSource("io.widerow.faults.Seeds#twenty")
  void sumsHaveTheBitsOfThoseSampleBySample(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    int count = 1 + random.nextInt(300);
    int kind = random.nextInt(5);
    long[] millis = new long[count];
    double[] values = new double[count];
    for (int i = 0; i < count; i++) {
      millis[i] = (i == 0 ? 0 : millis[i - 1]) + 1 + random.nextInt(5);
      values[i] =
          switch (kind) {
            case 0 -> random.nextInt(-1_000, 1_000);
            case 1 -> random.nextLong(-(1L << 50), 1L << 50);
            case 2 -> random.nextDouble();
            case 3 -> random.nextInt(50) == 0 ? Double.NaN : random.nextInt(9);
            default -> random.nextBoolean() ? -0.0 : 0;
          };
    }
    Window window =
        new Window(new SampleSource.Samples(new Labels(List.of()), millis, values), RANGE);
    for (long end = 0; end < millis[count - 1] + RANGE; end += 1 + random.nextInt(30)) {
      window.moveTo(end);
      long until = end;
      double[] in = Arrays.stream(indexes(millis, until)).mapToDouble(i -> values[i]).toArray();
      double mean = in.length == 0 ? Row.NONE : KahanSum.mean(in, 0, in.length);
      double sum = in.length == 0 ? Row.NONE : KahanSum.sum(in);
      assertBits(mean, window.apply(PromqlFunction.AVG_OVER_TIME, 0, end));
      assertBits(sum, window.apply(PromqlFunction.SUM_OVER_TIME, 0, end));
    }
  }

  private static int[] indexes(long[] millis, long end) {
    return IntStream.range(0, millis.length)
        .filter(i -> millis[i] <= end && millis[i] > end - RANGE)
        .toArray();
  }

  private static void assertBits(double expected, double actual) {
    assertEquals(Double.doubleToRawLongBits(expected), Double.doubleToRawLongBits(actual));
  }
}
