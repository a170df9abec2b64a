package io.widerow.ingest.decode;

import static io.widerow.event.Utf8.ascii;

/// Writes JSON text into the scratch of a tape: what a protocol nests in arrays becomes one string
/// attribute. The caller writes the brackets, the commas and the colons.
///
/// - Threads: one, that of the tape.
public final class JsonText {
  private static final byte[] TRUE = ascii("true");
  private static final byte[] FALSE = ascii("false");
  private static final byte[] NULL = ascii("null");
  private static final byte[] DIGITS = ascii("0123456789abcdef");
  private static final byte[] BASE64 =
      ascii("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/");

  private final AttributeTape tape;
  private final byte[] number = new byte[Long.BYTES * 3];

  public JsonText(AttributeTape tape) {
    this.tape = tape;
  }

  /// Writes one ASCII character, such as a bracket.
  public void raw(char c) {
    tape.appendScratch(c);
  }

  /// Writes a string of UTF-8 with its quotes. `source` may be the scratch itself.
  public void quoted(byte[] source, int offset, int length) {
    tape.appendScratch('"');
    int plain = offset;
    int end = offset + length;
    for (int at = offset; at < end; at++) {
      int c = source[at];
      if (c == '"' || c == '\\' || (c >= 0 && c < ' ')) {
        tape.appendScratch(source, plain, at - plain);
        escape(c);
        plain = at + 1;
      }
    }
    tape.appendScratch(source, plain, end - plain);
    tape.appendScratch('"');
  }

  private void escape(int c) {
    tape.appendScratch('\\');
    switch (c) {
      case '"', '\\' -> tape.appendScratch(c);
      case '\n' -> tape.appendScratch('n');
      case '\r' -> tape.appendScratch('r');
      case '\t' -> tape.appendScratch('t');
      default -> {
        tape.appendScratch('u');
        tape.appendScratch('0');
        tape.appendScratch('0');
        tape.appendScratch(DIGITS[c >>> 4]);
        tape.appendScratch(DIGITS[c & 0xf]);
      }
    }
  }

  public void whole(long value) {
    if (value == Long.MIN_VALUE) {
      text(Long.toString(value));
      return;
    }
    long rest = Math.abs(value);
    int at = number.length;
    do {
      number[--at] = (byte) ('0' + rest % 10);
      rest /= 10;
    } while (rest > 0);
    if (value < 0) {
      number[--at] = '-';
    }
    tape.appendScratch(number, at, number.length - at);
  }

  /// A `uint64`.
  public void unsigned(long value) {
    if (value >= 0) {
      whole(value);
    } else {
      text(Long.toUnsignedString(value));
    }
  }

  /// A double. JSON has no NaN and no infinities; they are the strings `"NaN"`, `"+Inf"`, `"-Inf"`.
  public void fraction(double value) {
    if (Double.isNaN(value)) {
      text("\"NaN\"");
    } else if (Double.isInfinite(value)) {
      text(value > 0 ? "\"+Inf\"" : "\"-Inf\"");
    } else if (value == (long) value && Math.abs(value) < JsonScanner.EXACT_MAX) {
      text(Double.doubleToRawLongBits(value) == Double.doubleToRawLongBits(-0.0) ? "-" : "");
      whole((long) value);
    } else {
      text(Double.toString(value));
    }
  }

  public void truth(boolean value) {
    byte[] word = value ? TRUE : FALSE;
    tape.appendScratch(word, 0, word.length);
  }

  public void nothing() {
    tape.appendScratch(NULL, 0, NULL.length);
  }

  /// Opaque bytes as a string of base64 (RFC 4648, with padding).
  public void base64(byte[] source, int offset, int length) {
    tape.appendScratch('"');
    int end = offset + length;
    for (int at = offset; at < end; at += 3) {
      int left = end - at;
      int bits =
          ((source[at] & 0xff) << 16)
              | (left > 1 ? (source[at + 1] & 0xff) << 8 : 0)
              | (left > 2 ? source[at + 2] & 0xff : 0);
      tape.appendScratch(BASE64[bits >>> 18]);
      tape.appendScratch(BASE64[(bits >>> 12) & 0x3f]);
      tape.appendScratch(left > 1 ? BASE64[(bits >>> 6) & 0x3f] : '=');
      tape.appendScratch(left > 2 ? BASE64[bits & 0x3f] : '=');
    }
    tape.appendScratch('"');
  }

  /// Bytes as lower-case hexadecimal digits, without quotes: ids of traces.
  public void hex(byte[] source, int offset, int length) {
    for (int at = offset; at < offset + length; at++) {
      tape.appendScratch(DIGITS[(source[at] >>> 4) & 0xf]);
      tape.appendScratch(DIGITS[source[at] & 0xf]);
    }
  }

  /// Writes ASCII text as it is.
  public void text(String text) {
    for (int i = 0; i < text.length(); i++) {
      tape.appendScratch(text.charAt(i));
    }
  }
}
