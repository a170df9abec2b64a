package io.widerow.ingest.receive.influx;

import io.widerow.ingest.decode.JsonScanner;
import io.widerow.ingest.decode.TimeParser;
import java.nio.charset.StandardCharsets;

/// Reads the numbers and booleans of line protocol.
final class LineNumbers {
  /// A number with this many digits always fits into a long.
  static final int DIGITS_SAFE = 18;

  private static final String NUMBER = "invalid number";

  /// A number that no long and no double holds. One instance: it has no stack trace.
  @SuppressWarnings("StaticAssignmentOfThrowable")
  static final BadLine WIDE = new BadLine("number out of range");

  private static final String BOOLEAN = "invalid boolean";

  private LineNumbers() {}

  static boolean truth(byte[] body, int start, int end) throws BadLine {
    String text = new String(body, start, Math.min(end - start, 6), StandardCharsets.ISO_8859_1);
    return switch (text) {
      case "t", "T", "true", "True", "TRUE" -> true;
      case "f", "F", "false", "False", "FALSE" -> false;
      default -> throw new BadLine(BOOLEAN);
    };
  }

  /// Plain digits with a point need one exact division (Clinger). The JDK parses all other numbers.
  static double fraction(byte[] body, int start, int end) throws BadLine {
    boolean negative = body[start] == '-';
    int first = start + (negative ? 1 : 0);
    int point = -1;
    long mantissa = 0;
    int i = first;
    for (; i < end && i - first <= 17; i++) {
      if (TimeParser.isDigit(body[i])) {
        mantissa = 10 * mantissa + (body[i] - '0');
      } else if (body[i] == '.' && point < 0 && i > first) {
        point = i;
      } else {
        break;
      }
    }
    if (i < end || i == first || mantissa > JsonScanner.EXACT_MAX) {
      return looseNumber(body, start, end);
    }
    double value =
        point < 0 ? (double) mantissa : mantissa / JsonScanner.powerOfTen(end - point - 1);
    return negative ? -value : value;
  }

  private static double looseNumber(byte[] body, int start, int end) throws BadLine {
    for (int i = start; i < end; i++) {
      int b = body[i];
      if ((!TimeParser.isDigit((byte) b) && "+-.eE".indexOf(b) < 0) || end - start > 1_000) {
        throw new BadLine(NUMBER);
      }
    }
    try {
      double value =
          Double.parseDouble(new String(body, start, end - start, StandardCharsets.US_ASCII));
      if (Double.isInfinite(value) || (value == 0 && !isZero(body, start, end))) {
        throw WIDE;
      }
      return value;
    } catch (NumberFormatException notANumber) {
      throw new BadLine(NUMBER);
    }
  }

  /// Whether all digits before an exponent are 0.
  private static boolean isZero(byte[] body, int start, int end) {
    for (int i = start; i < end && (body[i] | 0x20) != 'e'; i++) {
      if (body[i] >= '1' && body[i] <= '9') {
        return false;
      }
    }
    return true;
  }

  static long whole(byte[] body, int start, int end, boolean signed) throws BadLine {
    boolean negative = body[start] == '-';
    int digits = start + (negative || body[start] == '+' ? 1 : 0);
    if (digits == end || (negative && !signed)) {
      throw new BadLine(NUMBER);
    }
    long value = 0;
    boolean fits = end - digits <= DIGITS_SAFE;
    for (int i = digits; i < end; i++) {
      if (!TimeParser.isDigit(body[i])) {
        throw new BadLine(NUMBER);
      }
      long digit = (long) body[i] - '0';
      if (!fits && value < (Long.MIN_VALUE + digit) / 10) {
        throw WIDE;
      }
      value = 10 * value - digit; // negative, because the smallest long has no positive counterpart
    }
    if (!negative && value == Long.MIN_VALUE) {
      throw WIDE;
    }
    return negative ? value : -value;
  }
}
