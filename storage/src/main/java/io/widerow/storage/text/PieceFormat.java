package io.widerow.storage.text;

import io.widerow.event.Digits;
import io.widerow.storage.codec.ByteSink;
import io.widerow.storage.codec.ByteWords;

/// Texts that are really numbers: recognized when they are written, and printed byte for byte when
/// they are read.
///
/// | code | what | the number |
/// |---|---|---|
/// | [#NUMBER] | `0`, `17`, `-5`: no leading zeros, up to 18 digits | the number |
/// | [#DIGITS] | `0017`: the same number of digits in all, up to 18 | the number |
/// | [#TIME] | `23:59:59` | seconds |
/// | [#TIME_MILLIS] | `23:59:59,999`, or with a point | milliseconds |
public final class PieceFormat {
  public static final int CONSTANT = 0;
  public static final int DICTIONARY = 1;
  public static final int RAW = 2;
  public static final int TEMPLATE = 3;
  public static final int NUMBER = 4;
  public static final int DIGITS = 5;
  public static final int TIME = 6;
  public static final int TIME_MILLIS = 7;
  public static final int NUMBER_OR = 8;

  static final int DIGITS_MAX = 18;
  static final int PRINTED_BYTES_MAX = 20;
  static final int TIME_BYTES = 8;
  static final int TIME_MILLIS_BYTES = 12;
  static final long TIME_LIMIT = 86_400;
  private static final int EIGHT_DIGITS = 100_000_000;

  /// Turns `12045009` into `12:45:09`.
  private static final long COLONS = ((long) (':' - '0') << 16) | ((long) (':' - '0') << 40);

  private static final long[] TENS = tens();

  private PieceFormat() {}

  /// One more than the greatest number of `digits` digits.
  static long limit(int digits) {
    return TENS[digits];
  }

  /// The number that [#NUMBER_OR] encodes as `value`, which is not 0.
  static long unfolded(long value) {
    return ((value - 1) >>> 1) ^ -((value - 1) & 1);
  }

  /// The form of a text; [#RAW] when it is not a number.
  static int formOf(byte[] text, int offset, int length) {
    if (length == 0 || length > DIGITS_MAX + 1) {
      return RAW;
    }
    if (isTime(text, offset, length)) {
      return length == TIME_BYTES ? TIME : TIME_MILLIS;
    }
    int sign = text[offset] == '-' ? 1 : 0;
    if (length == sign
        || length - sign > DIGITS_MAX
        || !digits(text, offset + sign, length - sign)) {
      return RAW;
    }
    if (text[offset + sign] == '0' && length > 1) {
      return sign == 0 ? DIGITS : RAW;
    }
    return NUMBER;
  }

  private static boolean digits(byte[] text, int offset, int length) {
    int first = length;
    for (; first > Long.BYTES; first -= Long.BYTES) {
      if (!ByteWords.areDigits(ByteWords.digits(text, offset + first - Long.BYTES, Long.BYTES))) {
        return false;
      }
    }
    return ByteWords.areDigits(ByteWords.digits(text, offset, first));
  }

  /// True for a time of day with two-digit fields, with or without milliseconds.
  static boolean isTime(byte[] text, int offset, int length) {
    if ((length != TIME_BYTES && length != TIME_MILLIS_BYTES)
        || text[offset + 2] != ':'
        || text[offset + 5] != ':') {
      return false;
    }
    if (length == TIME_MILLIS_BYTES
        && ((text[offset + 8] != ',' && text[offset + 8] != '.') || !digits(text, offset + 9, 3))) {
      return false;
    }
    return digits(text, offset, 2)
        && digits(text, offset + 3, 2)
        && digits(text, offset + 6, 2)
        && number(text, offset, 2) < 24
        && number(text, offset + 3, 2) < 60
        && number(text, offset + 6, 2) < 60;
  }

  /// The number that a text of a form represents.
  static long parse(int form, byte[] text, int offset, int length) {
    if (form == TIME || form == TIME_MILLIS) {
      long seconds =
          number(text, offset, 2) * 3600
              + number(text, offset + 3, 2) * 60
              + number(text, offset + 6, 2);
      return form == TIME ? seconds : seconds * 1000 + number(text, offset + 9, 3);
    }
    return text[offset] == '-'
        ? -number(text, offset + 1, length - 1)
        : number(text, offset, length);
  }

  private static long number(byte[] text, int offset, int length) {
    if (length <= Long.BYTES) {
      return ByteWords.number(ByteWords.digits(text, offset, length));
    }
    int first = length - Long.BYTES;
    return number(text, offset, first) * 100_000_000
        + ByteWords.number(ByteWords.digits(text, offset + first, Long.BYTES));
  }

  /// Prints the last `width` digits of `value`, with leading zeros, and returns the offset after
  /// them. Up to seven bytes after them are overwritten.
  static int printDigits(long value, int width, byte[] out, int offset) {
    long high = value / EIGHT_DIGITS;
    int low = (int) (value - high * EIGHT_DIGITS);
    if (width > Long.BYTES) {
      int at = printDigits(high, width - Long.BYTES, out, offset);
      ByteSink.LONG.set(out, at, Digits.decimal(low));
    } else {
      ByteSink.LONG.set(out, offset, Digits.decimal(low) >>> (Long.SIZE - 8 * width));
    }
    return offset + width;
  }

  static int printNumber(long value, byte[] out, int offset) {
    int at = offset;
    long rest = value;
    if (value < 0) {
      out[at++] = '-';
      rest = -value;
    }
    return printDigits(rest, digitsOf(rest), out, at);
  }

  /// Length that [#printNumber] prints, in bytes.
  static int numberBytes(long value) {
    return value < 0 ? 1 + digitsOf(-value) : digitsOf(value);
  }

  private static int digitsOf(long number) {
    int digits =
        ((Long.SIZE - Long.numberOfLeadingZeros(number | 1)) * 1233) >>> 12; // log10, approximately
    return digits + ((number | 1) >= TENS[digits] ? 1 : 0);
  }

  /// Prints a time of day and returns the offset after it. `separator` precedes the milliseconds; 0
  /// for no milliseconds. Up to seven bytes after the time are overwritten.
  static int printTime(long value, int separator, byte[] out, int offset) {
    int seconds = (int) (separator == 0 ? value : value / 1000);
    int minutes = seconds / 60;
    long time = (minutes / 60) * 1_000_000L + (minutes % 60) * 1_000L + seconds % 60;
    ByteSink.LONG.set(out, offset, Digits.decimal((int) time) + COLONS);
    int at = offset + TIME_BYTES;
    if (separator != 0) {
      out[at] = (byte) separator;
      at = printDigits(value % 1000, 3, out, at + 1);
    }
    return at;
  }

  private static long[] tens() {
    long[] tens = new long[DIGITS_MAX + 1];
    tens[0] = 1;
    for (int i = 1; i < tens.length; i++) {
      tens[i] = 10 * tens[i - 1];
    }
    return tens;
  }
}
