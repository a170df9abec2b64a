package io.widerow.storage.sketch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.MathContext;
import java.math.RoundingMode;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Goal: a sum is the exact one, rounded once, in whatever order and parts it is made. Method:
/// random numbers of all magnitudes, with signs that cancel, against BigDecimal and its nearest
/// double; shuffled and merged. The seed is the test's name, `-Dseed=<n>` replays it.
class ExactSumTest {
  @ParameterizedTest(name = "seed {0}")
  @MethodSource("io.widerow.faults.Seeds#twenty")
  void isTheExactSumRoundedOnce(long seed) {
    var random = new SplittableRandom(seed);
    for (int round = 0; round < 40; round++) {
      double[] numbers = numbers(random);
      BigDecimal exact = BigDecimal.ZERO;
      for (double number : numbers) {
        exact = exact.add(new BigDecimal(number));
      }
      double expected = nearest(exact);
      BigInteger whole = BigInteger.valueOf(random.nextLong()).shiftLeft(random.nextInt(100));
      var once = new ExactSum();
      for (double number : numbers) {
        once.add(number);
      }
      assertSame(expected, once.value());
      assertSame(nearest(exact.add(new BigDecimal(whole))), once.plus(whole));
      shuffle(numbers, random);
      assertSame(expected, inParts(numbers, random).value());
    }
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("io.widerow.faults.Seeds#five")
  void aNumberAddedSeveralTimesIsAddedAsOften(long seed) {
    var random = new SplittableRandom(seed);
    for (int round = 0; round < 100; round++) {
      var each = new ExactSum();
      var together = new ExactSum();
      for (double number : numbers(random)) {
        int times = random.nextInt(1, 9);
        for (int i = 0; i < times; i++) {
          each.add(number);
        }
        together.add(number, times);
      }
      assertSame(each.value(), together.value());
    }
    var infinite = new ExactSum();
    infinite.add(Double.POSITIVE_INFINITY, 6);
    assertEquals(Double.POSITIVE_INFINITY, infinite.value());
  }

  private static double[] numbers(SplittableRandom random) {
    int kind = random.nextInt(5);
    double[] numbers = new double[random.nextInt(1, kind == 0 ? 5_000 : 200)];
    for (int i = 0; i < numbers.length; i++) {
      numbers[i] =
          switch (kind) {
            case 0 -> random.nextDouble() * 1_000;
            case 1 -> anything(random);
            case 2 -> Double.MIN_VALUE * random.nextInt(-9, 9) + random.nextInt(2) * 0x1p-1022;
            case 3 -> (random.nextBoolean() ? 1 : -1) * Double.MAX_VALUE;
            default -> // the one before is taken away again
                i % 2 == 1 && random.nextInt(4) > 0 ? -numbers[i - 1] : anything(random);
          };
    }
    return numbers;
  }

  /// Any finite double.
  private static double anything(SplittableRandom random) {
    double number = Double.longBitsToDouble(random.nextLong());
    return Double.isFinite(number) ? number : 0.1;
  }

  /// Sums of parts, in a tree of any form.
  private static ExactSum inParts(double[] numbers, SplittableRandom random) {
    ExactSum[] parts = new ExactSum[random.nextInt(1, 9)];
    for (int i = 0; i < parts.length; i++) {
      parts[i] = new ExactSum();
    }
    for (double number : numbers) {
      parts[random.nextInt(parts.length)].add(number);
    }
    for (int i = parts.length - 1; i > 0; i--) {
      parts[random.nextInt(i)].add(parts[i]);
    }
    return parts[0];
  }

  private static void shuffle(double[] numbers, SplittableRandom random) {
    for (int i = numbers.length - 1; i > 0; i--) {
      int j = random.nextInt(i + 1);
      double number = numbers[i];
      numbers[i] = numbers[j];
      numbers[j] = number;
    }
  }

  /// The double nearest to a number, found without arithmetic of doubles but for the first guess:
  /// of the guess and its neighbours, the one with the least distance, ties to the even one.
  private static double nearest(BigDecimal exact) {
    double guess = exact.round(new MathContext(40, RoundingMode.HALF_EVEN)).doubleValue();
    if (Double.isInfinite(guess)) {
      return guess;
    }
    double best = guess;
    for (double near : List.of(Math.nextDown(guess), Math.nextUp(guess))) {
      if (Double.isInfinite(near)) {
        continue;
      }
      int order = distance(exact, near).compareTo(distance(exact, best));
      boolean even = (Double.doubleToRawLongBits(near) & 1) == 0;
      best = order < 0 || (order == 0 && even) ? near : best;
    }
    return best + 0.0;
  }

  private static BigDecimal distance(BigDecimal exact, double number) {
    return exact.subtract(new BigDecimal(number)).abs();
  }

  private static void assertSame(double expected, double sum) {
    assertEquals(
        Double.doubleToLongBits(expected),
        Double.doubleToLongBits(sum),
        () -> expected + " is not " + sum);
  }

  /// More numbers than a chunk takes without carries, and merges that double the sum 22 times.
  @Test
  void carriesOfManyNumbersAreKept() {
    int count = 3_000_000;
    double small = 0x1.fffffffffffffp10;
    var sum = new ExactSum();
    for (int i = 0; i < count; i++) {
      sum.add(Double.MAX_VALUE);
      sum.add(i % 3 == 0 ? small : -small);
    }
    assertSame(Double.POSITIVE_INFINITY, sum.value());
    for (int i = 0; i < 22; i++) {
      var twice = new ExactSum();
      twice.add(sum);
      twice.add(sum);
      sum = twice;
    }
    BigInteger large =
        new BigDecimal(Double.MAX_VALUE).toBigInteger().multiply(BigInteger.valueOf(count));
    BigDecimal left = new BigDecimal(-small).multiply(BigDecimal.valueOf(count / 3 * (1L << 22)));
    assertSame(nearest(left), sum.plus(large.shiftLeft(22).negate()));
  }

  @Test
  void infinitiesAndNaN() {
    assertSame(0, new ExactSum().value());
    assertSame(0, sum(-0.0, -0.0).value());
    assertSame(Double.POSITIVE_INFINITY, sum(1, Double.POSITIVE_INFINITY, -5).value());
    assertSame(Double.NEGATIVE_INFINITY, sum(Double.NEGATIVE_INFINITY).value());
    assertTrue(Double.isNaN(sum(Double.NEGATIVE_INFINITY, Double.POSITIVE_INFINITY, 1).value()));
    assertTrue(Double.isNaN(sum(1, Double.NaN).value()));
    var merged = sum(1, Double.POSITIVE_INFINITY);
    merged.add(sum(Double.NEGATIVE_INFINITY));
    assertTrue(Double.isNaN(merged.value()));
    assertSame(1e308, sum(1e308, 1e308, -1e308).value()); // no infinity on the way
    assertSame(Double.POSITIVE_INFINITY, sum(1e308, 1e308).value());
  }

  @Test
  void takesLittleMemory() {
    assertEquals(0, sum(0, -0.0).bytes());
    assertTrue(sum(0.25, 1_000, 3.7).bytes() <= 32);
    assertTrue(sum(Double.MIN_VALUE, Double.MAX_VALUE).bytes() <= 68 * Long.BYTES);
  }

  private static ExactSum sum(double... numbers) {
    var sum = new ExactSum();
    for (double number : numbers) {
      sum.add(number);
    }
    return sum;
  }
}
