package io.widerow.query.promql;

import java.math.BigDecimal;

/// Numbers as Go writes them, which are those of Prometheus.
///
/// - Threads: any.
public final class GoNumber {
  private static final long WHOLE_LIMIT = 1L << 53; // whole numbers below need all their digits

  private GoNumber() {}

  /// With as few digits as identify it, and never an exponent: `0.0000001`.
  public static String plain(double value) {
    return Double.isNaN(value)
        ? "NaN"
        : Double.isInfinite(value)
            ? value > 0 ? "+Inf" : "-Inf"
            : value == 0 ? zero(value) : plainDigits(value);
  }

  private static String plainDigits(double value) {
    long whole = (long) value;
    if (whole == value && whole < WHOLE_LIMIT && whole > -WHOLE_LIMIT) {
      return Long.toString(whole);
    }
    String shortest = Double.toString(value);
    return shortest.indexOf('E') < 0 ? shortest : digits(value).toPlainString();
  }

  private static String zero(double value) {
    return 1 / value < 0 ? "-0" : "0";
  }

  private static BigDecimal digits(double value) {
    return new BigDecimal(Double.toString(value)).stripTrailingZeros();
  }

  /// With an exponent from 1e21 on and below 1e-6, as in JSON.
  public static String json(double value) {
    double size = Math.abs(value);
    return size == 0 || (size >= 1e-6 && size < 1e21) || !Double.isFinite(value)
        ? plain(value)
        : exponent(value, 1);
  }

  /// With an exponent from 1e21 on and below 1e-4, as `%g` has it.
  public static String shortest(double value) {
    double size = Math.abs(value);
    return size == 0 || (size >= 1e-4 && size < 1e21) || !Double.isFinite(value)
        ? plain(value)
        : exponent(value, 2);
  }

  private static String exponent(double value, int digitsMin) {
    BigDecimal digits = digits(value);
    int exponent = digits.precision() - digits.scale() - 1;
    String mantissa = digits.movePointLeft(exponent).stripTrailingZeros().toPlainString();
    String size = Integer.toString(Math.abs(exponent));
    return mantissa
        + "e"
        + (exponent < 0 ? "-" : "+")
        + "0".repeat(Math.max(0, digitsMin - size.length()))
        + size;
  }
}
