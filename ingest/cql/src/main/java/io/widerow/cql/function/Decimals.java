package io.widerow.cql.function;

import io.widerow.cql.CqlException;
import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;

/// Exponentials and logarithms of decimals, rounded to as many digits as the number has, at least
/// 32. The work rises with the cube of the digits, so that there is a limit to them.
///
/// - Errors: a [CqlException] when a number is too long or too large, an [ArithmeticException] for
///   the logarithm of a number that is not positive.
final class Decimals {
  private static final int DIGITS_MIN = 32;
  private static final int DIGITS_MAX = 1_000;

  /// Digits that are computed in addition to the digits of the result.
  private static final int GUARD_DIGITS = 12;

  /// Of an argument of `exp`: its result has about 43,000 digits in front of the point, or as many
  /// zeros after it.
  private static final BigDecimal EXPONENT_MAX = BigDecimal.valueOf(100_000);

  /// Halvings of an argument of `exp` below one, which shorten its series.
  private static final int HALVINGS = 8;

  private static final BigDecimal TWO = BigDecimal.TWO;

  private Decimals() {}

  static BigDecimal exp(BigDecimal number) {
    MathContext digits = digits(number);
    if (number.abs().compareTo(EXPONENT_MAX) > 0) {
      throw CqlException.invalid(
          "exp computes numbers from -%s to %s".formatted(EXPONENT_MAX, EXPONENT_MAX));
    }
    return number.signum() == 0 ? BigDecimal.ONE : exp(number, digits.getPrecision()).round(digits);
  }

  static BigDecimal log(BigDecimal number) {
    MathContext digits = digits(number);
    if (number.signum() <= 0) {
      throw new ArithmeticException("Natural log of number zero or less");
    }
    return log(number, digits);
  }

  static BigDecimal log10(BigDecimal number) {
    MathContext digits = digits(number);
    if (number.signum() <= 0) {
      throw new ArithmeticException("Log10 of number zero or less");
    }
    MathContext more = new MathContext(digits.getPrecision() + 2, RoundingMode.HALF_EVEN);
    return log(number, more).divide(log(BigDecimal.TEN, more), more).round(digits);
  }

  private static MathContext digits(BigDecimal number) {
    if (number.precision() > DIGITS_MAX) {
      throw CqlException.invalid(
          "exponentials and logarithms are computed of at most %d digits".formatted(DIGITS_MAX));
    }
    return new MathContext(Math.max(DIGITS_MIN, number.precision()), RoundingMode.HALF_EVEN);
  }

  /// The exponential with some more digits than asked for: by the series of the number divided by a
  /// power of two, whose sum is then squared as often.
  private static BigDecimal exp(BigDecimal number, int digits) {
    int halvings = HALVINGS + Math.max(0, number.abs().toBigInteger().bitLength());
    MathContext work = new MathContext(digits + GUARD_DIGITS + halvings, RoundingMode.HALF_EVEN);
    BigDecimal small = number.divide(TWO.pow(halvings), work);
    BigDecimal sum = BigDecimal.ONE;
    BigDecimal term = BigDecimal.ONE;
    BigDecimal least = BigDecimal.ONE.movePointLeft(work.getPrecision() + 1);
    for (int i = 1; term.abs().compareTo(least) > 0; i++) {
      term = term.multiply(small, work).divide(BigDecimal.valueOf(i), work);
      sum = sum.add(term, work);
    }
    for (int i = 0; i < halvings; i++) {
      sum = sum.multiply(sum, work);
    }
    return sum;
  }

  /// By the method of Halley, each step of which makes three times as many digits right.
  private static BigDecimal log(BigDecimal number, MathContext digits) {
    if (number.compareTo(BigDecimal.ONE) == 0) {
      return BigDecimal.ZERO;
    }
    int exponent = number.precision() - number.scale() - 1;
    BigDecimal mantissa = number.movePointLeft(exponent); // from 1 to 10
    if (mantissa.compareTo(BigDecimal.valueOf(4)) > 0) {
      mantissa = mantissa.movePointLeft(1);
      exponent++;
    }
    BigDecimal rest = mantissa.subtract(BigDecimal.ONE);
    int lost = rest.signum() == 0 ? 0 : Math.max(0, rest.scale() - rest.precision()); // near one
    int work = digits.getPrecision() + lost + GUARD_DIGITS;
    BigDecimal sum = rest.signum() == 0 ? BigDecimal.ZERO : logOfMantissa(mantissa, work);
    if (exponent != 0) {
      BigDecimal ten = logOfMantissa(BigDecimal.TEN, work);
      sum = sum.add(ten.multiply(BigDecimal.valueOf(exponent)));
    }
    return sum.round(digits);
  }

  private static BigDecimal logOfMantissa(BigDecimal number, int digits) {
    MathContext work = new MathContext(digits, RoundingMode.HALF_EVEN);
    BigDecimal log = BigDecimal.valueOf(Math.log(number.doubleValue()));
    for (int right = 15; ; right *= 3) {
      BigDecimal power = exp(log, digits);
      BigDecimal step = number.subtract(power).multiply(TWO).divide(number.add(power), work);
      log = log.add(step);
      if (right > digits) {
        return log;
      }
    }
  }
}
