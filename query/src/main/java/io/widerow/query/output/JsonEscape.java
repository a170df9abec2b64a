package io.widerow.query.output;

import java.nio.charset.StandardCharsets;

/// Escapes UTF-8 for a JSON string: quotes, backslashes and every control character, including DEL
/// and C1, so JSON lines are safe to print on a terminal.
final class JsonEscape {
  private static final byte[] HEX = "0123456789abcdef".getBytes(StandardCharsets.US_ASCII);
  private static final long ONES = 0x0101_0101_0101_0101L;
  private static final long HIGHS = 0x8080_8080_8080_8080L;

  /// A word that needs no escape.
  static final long SPACES = ONES * ' ';

  private JsonEscape() {}

  /// True when all eight bytes are printable ASCII. Quotes and backslashes count as printable.
  static boolean isPrintable(long word) {
    long control = word - ONES * 0x20; // borrows where a byte is below a space
    long delete = (word ^ (ONES * 0x7f)) - ONES;
    return ((control | delete | word) & HIGHS) == 0;
  }

  /// True when all eight bytes are printable ASCII, and none is a quote or a backslash. Exact: of
  /// the bytes that are not so, the first one is marked, whatever it borrows from the next.
  static boolean isPlain(long word) {
    long control = word - ONES * 0x20;
    long delete = (word ^ (ONES * 0x7f)) - ONES;
    long quote = (word ^ (ONES * '"')) - ONES;
    long backslash = (word ^ (ONES * '\\')) - ONES;
    return ((control | delete | quote | backslash | word) & HIGHS) == 0;
  }

  /// Marks the top bit of each quote and backslash in a word.
  static long backslashed(long word) {
    return EscapedCopy.equal(word, '"') | EscapedCopy.equal(word, '\\');
  }

  /// Writes one byte of a string as at most six bytes, and returns the offset after them.
  static int put(int here, byte[] out, int offset) {
    if (here >= 0x20 && here != '"' && here != '\\' && here != 0x7f) {
      out[offset] = (byte) here;
      return offset + 1;
    }
    int shorthand =
        switch (here) {
          case '"' -> '"';
          case '\\' -> '\\';
          case '\n' -> 'n';
          case '\r' -> 'r';
          case '\t' -> 't';
          default -> 0;
        };
    if (shorthand == 0) {
      return control(here, out, offset);
    }
    out[offset] = '\\';
    out[offset + 1] = (byte) shorthand;
    return offset + 2;
  }

  /// Writes a backslash, `u00` and two hex digits.
  static int control(int code, byte[] out, int offset) {
    out[offset] = '\\';
    out[offset + 1] = 'u';
    out[offset + 2] = '0';
    out[offset + 3] = '0';
    out[offset + 4] = HEX[code >>> 4];
    out[offset + 5] = HEX[code & 0xf];
    return offset + 6;
  }
}
