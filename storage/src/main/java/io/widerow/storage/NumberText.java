package io.widerow.storage;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import io.widerow.event.AttributeKind;
import io.widerow.event.AttributeValue;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;

/// Numbers in texts, such as the `"503"` of a log line that was split at its spaces. The form is
/// that of a number in a filter: `[+-]?(digits[.digits] | .digits)([eE][+-]?digits)?`, at most
/// [#BYTES_MAX] bytes, nothing before or after it. A whole number of 64 bits is a long, every other
/// number the nearest double.
public final class NumberText {
  /// Longest text that is a number.
  public static final int BYTES_MAX = 64;

  /// Below this, another digit fits into a long.
  private static final long NEXT_FITS = (Long.MAX_VALUE - 9) / 10;

  private static final long EXACT_MAX = 1L << 53;
  private static final int EXPONENT_MAX = 9_999; // every larger one is infinity or zero
  private static final double[] POWERS = powers(); // of ten that a double represents exactly

  private NumberText() {}

  private static double[] powers() {
    double[] powers = new double[23];
    powers[0] = 1;
    for (int i = 1; i < powers.length; i++) {
      powers[i] = powers[i - 1] * 10;
    }
    return powers;
  }

  /// Makes a string that is a number that number. False, with the value unchanged, when it is none.
  /// Allocates only for numbers of more than 15 digits or large exponents.
  ///
  /// @param value a string
  public static boolean read(AttributeValue value) {
    int length = value.length();
    if (length == 0 || length > BYTES_MAX) {
      return false;
    }
    MemorySegment memory = value.memory();
    long at = value.offset();
    long limit = at + length;
    byte first = memory.get(JAVA_BYTE, at);
    if (first > '9' || first == '/') {
      return false; // most texts
    }
    boolean negative = first == '-';
    at += negative || first == '+' ? 1 : 0;
    long digits = 0;
    int scale = 0;
    boolean point = false;
    boolean some = false;
    boolean cut = false; // digits are missing in `digits`
    for (; at < limit; at++) {
      byte here = memory.get(JAVA_BYTE, at);
      if (here >= '0' && here <= '9') {
        some = true;
        cut |= digits > NEXT_FITS;
        digits = cut ? digits : digits * 10 + (here - '0');
        scale -= point ? 1 : 0;
      } else if (here == '.' && !point) {
        point = true;
      } else {
        break;
      }
    }
    boolean whole = !point && at == limit;
    int exponent = some && at < limit ? exponent(memory, at, limit) : 0;
    if (!some || exponent == Integer.MIN_VALUE) {
      return false;
    }
    if (whole && !cut) {
      value.setBits(AttributeKind.LONG, negative ? -digits : digits);
      return true;
    }
    scale += exponent;
    if (!cut && digits <= EXACT_MAX && Math.abs(scale) < POWERS.length) {
      // One rounding of exact operands: the nearest double (Clinger, 1990).
      double size = scale < 0 ? digits / POWERS[-scale] : digits * POWERS[scale];
      setDouble(value, negative ? -size : size);
    } else {
      readSlowly(value, whole);
    }
    return true;
  }

  /// The exponent at `at`; [Integer#MIN_VALUE] when there is none up to `limit`.
  private static int exponent(MemorySegment memory, long at, long limit) {
    if ((memory.get(JAVA_BYTE, at) | 0x20) != 'e') {
      return Integer.MIN_VALUE;
    }
    long next = at + 1;
    byte sign = next < limit ? memory.get(JAVA_BYTE, next) : 0;
    next += sign == '-' || sign == '+' ? 1 : 0;
    if (next == limit) {
      return Integer.MIN_VALUE;
    }
    int exponent = 0;
    for (; next < limit; next++) {
      int digit = memory.get(JAVA_BYTE, next) - '0';
      if (digit < 0 || digit > 9) {
        return Integer.MIN_VALUE;
      }
      exponent = Math.min(EXPONENT_MAX, exponent * 10 + digit);
    }
    return sign == '-' ? -exponent : exponent;
  }

  private static void readSlowly(AttributeValue value, boolean whole) {
    String text = new String(value.toBytes(), StandardCharsets.ISO_8859_1);
    if (whole) {
      try {
        value.setBits(AttributeKind.LONG, Long.parseLong(text));
        return;
      } catch (NumberFormatException _) {
        // more than 64 bits: the nearest double
      }
    }
    setDouble(value, Double.parseDouble(text));
  }

  private static void setDouble(AttributeValue value, double number) {
    value.setBits(AttributeKind.DOUBLE, Double.doubleToRawLongBits(number));
  }
}
