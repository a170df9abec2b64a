package io.widerow.storage.sketch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.Arrays;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Goal: a percentile is within 0.1 % of the number that sorting finds, and the same in whatever
/// order and parts the numbers come. Method: random numbers of several kinds against their sorted
/// array. The seed is the test's name, `-Dseed=<n>` replays it.
class PercentileHistogramTest {
  private static final double[] PERCENTS = {0, 0.0001, 1, 12.5, 50, 75, 90, 99, 99.9, 99.9999};

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("io.widerow.faults.Seeds#twenty")
  void isWhatSortingFinds(long seed) {
    var random = new SplittableRandom(seed);
    for (int round = 0; round < 20; round++) {
      double[] numbers = numbers(random);
      var grid = new PercentileHistogram();
      PercentileHistogram[] parts = new PercentileHistogram[random.nextInt(1, 9)];
      Arrays.setAll(parts, _ -> new PercentileHistogram());
      for (double number : numbers) {
        grid.add(number);
        parts[random.nextInt(parts.length)].add(number);
      }
      for (int i = parts.length - 1; i > 0; i--) {
        parts[random.nextInt(i)].add(parts[i]);
      }
      Arrays.sort(numbers);
      var backwards = new PercentileHistogram();
      for (int i = numbers.length - 1; i >= 0; i--) {
        backwards.add(numbers[i]);
      }
      assertEquals(numbers.length, parts[0].total());
      for (double percent : PERCENTS) {
        double found = grid.percentile(percent);
        double sorted = numbers[rank(percent, numbers.length) - 1];
        assertNear(sorted, found);
        assertEquals(found, parts[0].percentile(percent));
        assertEquals(found, backwards.percentile(percent));
      }
    }
  }

  private static int rank(double percent, int count) {
    return Math.max(
        1,
        BigDecimal.valueOf(percent)
            .multiply(BigDecimal.valueOf(count))
            .divide(BigDecimal.valueOf(100), 0, RoundingMode.CEILING)
            .intValueExact());
  }

  private static void assertNear(double sorted, double found) {
    double error = Math.abs(sorted) / 500 + 0x1p-1032;
    assertTrue(
        sorted == found || Math.abs(found - sorted) <= error, () -> found + " is not " + sorted);
    assertTrue(found >= sorted || error < 1e-300, () -> found + " is below " + sorted);
  }

  private static double[] numbers(SplittableRandom random) {
    int kind = random.nextInt(6);
    double[] numbers = new double[random.nextInt(1, 3_000)];
    Arrays.setAll(
        numbers,
        _ ->
            switch (kind) {
              case 0 -> random.nextInt(-2_000, 2_000);
              case 1 -> Math.exp(random.nextDouble() * 12);
              case 2 -> random.nextDouble() - 0.5;
              case 3 -> random.nextLong();
              case 4 -> 7;
              default -> anything(random);
            });
    return numbers;
  }

  private static double anything(SplittableRandom random) {
    double number = Double.longBitsToDouble(random.nextLong());
    return Double.isNaN(number) ? Double.NEGATIVE_INFINITY : number;
  }

  /// A small whole number has a cell of its own, so its percentile is that number.
  @Test
  void smallWholeNumbersAreExact() {
    var grid = new PercentileHistogram();
    for (int i = -1_023; i <= 1_023; i++) {
      grid.add(i);
    }
    for (double percent : PERCENTS) {
      assertEquals(rank(percent, 2_047) - 1_024, grid.percentile(percent));
    }
  }

  @Test
  void zeroInfinitiesAndNaN() {
    var grid = new PercentileHistogram();
    assertThrows(IllegalStateException.class, () -> grid.percentile(50));
    assertThrows(IllegalArgumentException.class, () -> grid.add(Double.NaN));
    grid.add(-0.0);
    grid.add(0.25);
    grid.add(-3.5);
    assertEquals(0.0, grid.percentile(50)); // not the negative zero
    grid.add(Double.POSITIVE_INFINITY);
    grid.add(Double.NEGATIVE_INFINITY);
    assertEquals(Double.NEGATIVE_INFINITY, grid.percentile(20));
    assertEquals(-3.5, grid.percentile(40), 0.0035);
    assertEquals(Double.POSITIVE_INFINITY, grid.percentile(99));
  }
}
