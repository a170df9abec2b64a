package io.widerow.ingest.decode;

/// Reads the number of an epoch time from decimal text: a sign, digits, a fraction, an exponent.
/// Every entrance reads its numbers here, digit by digit and without a double.
///
/// ```
///   1767323045   1767323045.123456789   1.767323045e9   1767323045123   -1
/// ```
///
/// A protocol may fix the unit. Where none does, the magnitude gives it: below 10^11 seconds, below
/// 10^14 milliseconds, below 10^17 microseconds, otherwise nanoseconds. Digits below a nanosecond
/// do not count.
public final class EpochText {
  /// The magnitude gives the unit.
  public static final long AUTO = 0;

  /// The result for a number that no nanoseconds of 64 bits hold: later than any time.
  public static final long TOO_LARGE = Long.MAX_VALUE;

  private static final int UNIT_DIGITS = 9; // of a nanosecond in seconds
  private static final int[] LIMIT_DIGITS = {11, 14, 17}; // of seconds, milli- and microseconds
  private static final long MANTISSA_SAFE = (Long.MAX_VALUE - 9) / 10;
  private static final int EXPONENT_MAX = 10_000;
  private static final long[] POWERS = new long[19];

  static {
    POWERS[0] = 1;
    for (int i = 1; i < POWERS.length; i++) {
      POWERS[i] = 10 * POWERS[i - 1];
    }
  }

  private EpochText() {}

  /// The time of the number that fills `[offset, limit)`, in nanoseconds since the Unix epoch.
  ///
  /// @param unitNanos the unit in nanoseconds, or [#AUTO]
  /// @return [TimeParser#NONE] when the text is no number; [#TOO_LARGE] or a negative number when
  ///   no event may have the time
  public static long nanos(byte[] bytes, int offset, int limit, long unitNanos) {
    boolean negative = offset < limit && bytes[offset] == '-';
    int at = offset + (negative ? 1 : 0);
    int first = at;
    long mantissa = 0;
    int scale = 0; // digits of the mantissa after the point
    for (; at < limit && TimeParser.isDigit(bytes[at]); at++) {
      if (mantissa <= MANTISSA_SAFE) {
        mantissa = 10 * mantissa + bytes[at] - '0';
      } else {
        scale--;
      }
    }
    if (at == first) {
      return TimeParser.NONE;
    }
    if (at < limit && bytes[at] == '.') {
      int point = ++at;
      for (; at < limit && TimeParser.isDigit(bytes[at]); at++) {
        if (mantissa <= MANTISSA_SAFE && scale >= 0) {
          mantissa = 10 * mantissa + bytes[at] - '0';
          scale++;
        }
      }
      if (at == point) {
        return TimeParser.NONE;
      }
    }
    if (at < limit && (bytes[at] | 0x20) == 'e') {
      int end = exponentEnd(bytes, at + 1, limit);
      if (end != limit) {
        return TimeParser.NONE;
      }
      scale -= exponent(bytes, at + 1, limit);
      at = limit;
    }
    if (at != limit) {
      return TimeParser.NONE;
    }
    long nanos = scaled(mantissa, scale, unitNanos);
    return negative ? -nanos : nanos;
  }

  private static int exponentEnd(byte[] bytes, int offset, int limit) {
    boolean signed = offset < limit && (bytes[offset] == '-' || bytes[offset] == '+');
    int first = offset + (signed ? 1 : 0);
    int end = TimeParser.fractionLimit(bytes, first, limit);
    return end == first ? -1 : end;
  }

  private static int exponent(byte[] bytes, int offset, int limit) {
    boolean negative = bytes[offset] == '-';
    int exponent = 0;
    for (int at = offset + (negative || bytes[offset] == '+' ? 1 : 0); at < limit; at++) {
      exponent = Math.min(EXPONENT_MAX, 10 * exponent + bytes[at] - '0');
    }
    return negative ? -exponent : exponent;
  }

  private static long scaled(long mantissa, int scale, long unitNanos) {
    if (mantissa == 0) {
      return 0;
    }
    if (unitNanos == AUTO) {
      int digits = UNIT_DIGITS;
      for (int i = 0; i < LIMIT_DIGITS.length && !isBelow(mantissa, scale, LIMIT_DIGITS[i]); i++) {
        digits -= 3;
      }
      return shifted(mantissa, digits - scale);
    }
    long unit = unitNanos;
    int digits = 0;
    while (unit % 10 == 0) {
      unit /= 10;
      digits++;
    }
    long high = Math.multiplyHigh(mantissa, unit);
    return high != 0 || mantissa * unit < 0 ? TOO_LARGE : shifted(mantissa * unit, digits - scale);
  }

  /// Whether a number is below ten to a power.
  private static boolean isBelow(long mantissa, int scale, int power) {
    int digits = power + scale;
    return digits >= POWERS.length || (digits >= 0 && mantissa < POWERS[digits]);
  }

  private static long shifted(long number, int digits) {
    if (digits <= 0) {
      return -digits < POWERS.length ? number / POWERS[-digits] : 0;
    }
    if (digits >= POWERS.length || Math.multiplyHigh(number, POWERS[digits]) != 0) {
      return TOO_LARGE;
    }
    long nanos = number * POWERS[digits];
    return nanos < 0 ? TOO_LARGE : nanos;
  }

  /// The time of a whole number.
  ///
  /// @param unitNanos the unit in nanoseconds, or [#AUTO]
  static long ofWhole(long number, long unitNanos) {
    if (number == Long.MIN_VALUE) {
      return -TOO_LARGE;
    }
    long nanos = scaled(Math.abs(number), 0, unitNanos);
    return number < 0 ? -nanos : nanos;
  }

  /// The time of a double. Doubles of today are no finer than a microsecond in any unit.
  ///
  /// @return [TimeParser#NONE] for NaN; [#TOO_LARGE] or a negative number when no event may have
  ///   the time
  static long ofFraction(double number) {
    if (!(number >= 0 && number < Long.MAX_VALUE)) {
      return number < 0 ? -1 : number >= 0 ? TOO_LARGE : TimeParser.NONE;
    }
    long whole = (long) number;
    long nanos = scaled(whole, 0, AUTO);
    long unit = TimeParser.unitNanos(whole);
    long unitMicros = unit / 1_000;
    long micros = unit > 1 ? Math.round((number - whole) * unitMicros) : 0;
    return nanos == TOO_LARGE ? nanos : nanos + 1_000 * micros;
  }
}
