package io.widerow.query.promql;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.math.BigDecimal;
import java.util.SplittableRandom;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Goal: numbers without an exponent have the digits that identify them, however they are made.
/// Method: whole numbers, fractions and any bits, compared with exact decimals.
class GoNumberTest {
  private static void check(double value) {
    BigDecimal digits = new BigDecimal(Double.toString(value)).stripTrailingZeros();
    assertEquals(digits.toPlainString(), GoNumber.plain(value));
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("io.widerow.faults.Seeds#twenty")
  void plainNumbersAreShortestDecimals(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    for (int i = 0; i < 1_000; i++) {
      long whole = random.nextLong() >> random.nextInt(Long.SIZE);
      double any = Double.longBitsToDouble(random.nextLong());
      check((double) (whole == 0 ? 1 : whole));
      check(whole / 1e3 == 0 ? 1 : whole / 1e3);
      check(Double.isFinite(any) && any != 0 ? any : 1);
    }
    for (double each : new double[] {1e-6, 1e-3, 0.1, 9_999_999.5, 1e7, 0x1p53, 0x1p63, 1e21}) {
      check(each);
      check(-each);
      check(Math.nextDown(each));
    }
  }
}
