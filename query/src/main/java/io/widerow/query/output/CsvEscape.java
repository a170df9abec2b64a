package io.widerow.query.output;

/// Writes UTF-8 as a CSV value, eight bytes at a time:
///
/// ```
///   plain     has no comma, quote or end of line: unchanged
///   quoted    in quotes, with each inner quote doubled
///   formula   would be run by a spreadsheet: a single quote in front, when that is asked for
/// ```
///
/// To find a byte in a word, exclusive-or the word with eight copies of that byte, and look for a
/// zero byte: `(x - 0x01...) & ~x & 0x80...` has the top bit of each zero byte. A borrow may also
/// mark bytes above a zero byte, but marks none when there is no zero byte (Mycroft 1987; Warren,
/// Hacker's Delight, 6-1).
final class CsvEscape {
  static final char GUARD = '\'';

  private static final long ONES = 0x0101_0101_0101_0101L;
  private static final long HIGHS = 0x8080_8080_8080_8080L;
  private static final long QUOTES = ONES * '"';
  private static final long COMMAS = ONES * ',';
  private static final long LINE_FEEDS = ONES * '\n';
  private static final long RETURNS = ONES * '\r';
  private static final long ABOVE = ONES * (',' + 1); // above all of these

  private CsvEscape() {}

  static boolean isFormula(byte first) {
    return switch (first) {
      case '=', '+', '-', '@', '\t', '\r' -> true;
      default -> false;
    };
  }

  /// Copies `count` bytes if they need no quotes. Otherwise returns false, and some bytes may have
  /// been copied.
  ///
  /// @param raw has at least eight more bytes after the `count` bytes at `from`
  /// @param out has room for `count` and eight more bytes
  static boolean copyPlain(byte[] raw, int from, int count, byte[] out, int offset) {
    for (int at = 0; at < count; at += Long.BYTES) {
      long word = EscapedCopy.load(raw, from + at);
      if (hasSpecial(word | ~EscapedCopy.first(count - at))) {
        return false;
      }
      EscapedCopy.store(word, out, offset + at);
    }
    return true;
  }

  /// A fast test first: most words of tags and names have no byte as low as a comma.
  private static boolean hasSpecial(long word) {
    return ((word - ABOVE) & ~word & HIGHS) != 0 && hasSpecialAmongLow(word);
  }

  private static boolean hasSpecialAmongLow(long word) {
    return (zeros(word ^ QUOTES)
            | zeros(word ^ COMMAS)
            | zeros(word ^ LINE_FEEDS)
            | zeros(word ^ RETURNS))
        != 0;
  }

  private static long zeros(long word) {
    return (word - ONES) & ~word & HIGHS;
  }

  /// Copies `count` bytes and doubles each quote.
  ///
  /// @param raw has at least eight more bytes after the `count` bytes at `from`
  /// @param out has room for twice `count` and eight more bytes
  /// @return the offset after the bytes written
  static int copyDoubled(byte[] raw, int from, int count, byte[] out, int offset) {
    int to = offset;
    int at = 0;
    for (; at < count; at += Long.BYTES) {
      long word = EscapedCopy.load(raw, from + at);
      long quotes = EscapedCopy.equal(word, '"') & EscapedCopy.first(count - at);
      to = EscapedCopy.put(word, quotes, (byte) '"', out, to);
    }
    return to - (at - count);
  }
}
