package io.widerow.ingest.decode;

import java.nio.charset.StandardCharsets;

/// Reads a decimal number as programs print metrics: an optional sign, digits with or without a
/// point, an optional exponent. A number is in the fields until the next one is read.
///
/// - Threads: one.
public final class DecimalText {
  private static final int TEXT_BYTES_MAX = 1_000;
  private static final int DIGITS_SAFE = 18; // so many always fit into a long
  private static final String NAN = "nan";
  private static final String INFINITY = "infinity";
  private static final int SCALE_EXACT = 22; // so many powers of ten are exact doubles

  /// True when it has neither point nor exponent and fits into 64 bits.
  public boolean whole;

  /// Valid when `whole`.
  public long wholeValue;

  /// The nearest double, also of whole numbers.
  public double value;

  /// True when the bytes that were refused are a number, which no double holds.
  public boolean wide;

  /// Reads the number that fills `[offset, limit)`. Plain digits need one exact division (Clinger);
  /// the JDK parses all others.
  ///
  /// @return false when the bytes are something else, such as `nan`, or too large for a double
  public boolean read(byte[] bytes, int offset, int limit) {
    wide = false;
    int at = offset;
    boolean negative = at < limit && bytes[at] == '-';
    if (at < limit && (negative || bytes[at] == '+')) {
      at++;
    }
    int first = at;
    int point = -1;
    long mantissa = 0;
    for (; at < limit; at++) {
      if (TimeParser.isDigit(bytes[at])) {
        mantissa = 10 * mantissa + (bytes[at] - '0'); // may overflow; then it is parsed again
      } else if (bytes[at] == '.' && point < 0) {
        point = at;
      } else {
        break;
      }
    }
    int digits = at - first - (point < 0 ? 0 : 1);
    if (digits == 0 || limit - offset > TEXT_BYTES_MAX) {
      return false;
    }
    int scale = point < 0 ? 0 : at - point - 1;
    whole = point < 0 && at == limit;
    if (at == limit && digits <= DIGITS_SAFE) {
      wholeValue = negative ? -mantissa : mantissa;
      if (whole) {
        value = wholeValue;
        return true;
      }
      if (mantissa <= JsonScanner.EXACT_MAX && scale <= SCALE_EXACT) {
        double exact = mantissa / JsonScanner.powerOfTen(scale);
        value = negative ? -exact : exact;
        return true;
      }
    }
    return (at == limit || isExponent(bytes, at, limit))
        && parse(bytes, offset, limit, mantissa != 0);
  }

  /// As [#read], and reads `nan` and `inf` or `infinity` with or without a sign, in any case.
  public boolean readAny(byte[] bytes, int offset, int limit) {
    if (read(bytes, offset, limit)) {
      return true;
    }
    int length = limit - offset;
    if (wide || length < NAN.length() || length > 1 + INFINITY.length()) {
      return false;
    }
    String text = new String(bytes, offset, length, StandardCharsets.ISO_8859_1);
    boolean signed = text.charAt(0) == '-' || text.charAt(0) == '+';
    String word = signed ? text.substring(1) : text;
    whole = false;
    if (word.equalsIgnoreCase("inf") || word.equalsIgnoreCase(INFINITY)) {
      value = text.charAt(0) == '-' ? Double.NEGATIVE_INFINITY : Double.POSITIVE_INFINITY;
      return true;
    }
    value = Double.NaN;
    return text.equalsIgnoreCase(NAN);
  }

  private static boolean isExponent(byte[] bytes, int offset, int limit) {
    int at = offset + 1;
    if ((bytes[offset] | 0x20) != 'e' || at == limit) {
      return false;
    }
    at += bytes[at] == '-' || bytes[at] == '+' ? 1 : 0;
    return at < limit && TimeParser.fractionLimit(bytes, at, limit) == limit;
  }

  /// @param some whether a digit is not 0
  private boolean parse(byte[] bytes, int offset, int limit, boolean some) {
    String text = new String(bytes, offset, limit - offset, StandardCharsets.US_ASCII);
    value = Double.parseDouble(text);
    wide = Double.isInfinite(value) || (value == 0 && some);
    if (whole) {
      try {
        wholeValue = Long.parseLong(text);
      } catch (NumberFormatException moreThan64Bits) {
        whole = false;
      }
    }
    return !wide;
  }
}
