package io.widerow.query;

/// How UTF-8 is written as a value of CSV, eight bytes at a time:
///
/// ```
///   plain     no comma, quote or end of line in it: as it is
///   quoted    between quotes, each of its own doubled
///   formula   what a spreadsheet would run: a single quote in front
/// ```
///
/// A comma, quote or end of line is looked for in a word by the zeros that the word has once that
/// byte is taken from each place by exclusive or: `(x - 0x01...) & ~x & 0x80...` keeps the top bit
/// of the places that are zero. A borrow may add a place above a zero, never one where there is
/// none (Mycroft 1987; Warren, Hacker's Delight, 6-1).
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

  /// Copies `count` bytes if they may stand as they are. False, and some of them copied, otherwise.
  ///
  /// @param raw has eight bytes more than `count` behind `from`
  /// @param out has room for `count` and eight bytes more
  static boolean copyPlain(byte[] raw, int from, int count, byte[] out, int offset) {
    for (int at = 0; at < count; at += Long.BYTES) {
      long word = SignedWords.load(raw, from + at);
      if (hasSpecial(word | ~SignedWords.first(count - at))) {
        return false;
      }
      SignedWords.store(word, out, offset + at);
    }
    return true;
  }

  /// Most words, of tags and names, have nothing as low as a comma.
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

  /// Copies `count` bytes, each quote twice.
  ///
  /// @param raw has eight bytes more than `count` behind `from`
  /// @param out has room for twice `count` and eight bytes more
  /// @return the offset behind what was written
  static int copyDoubled(byte[] raw, int from, int count, byte[] out, int offset) {
    int to = offset;
    int at = 0;
    for (; at < count; at += Long.BYTES) {
      long word = SignedWords.load(raw, from + at);
      long quotes = SignedWords.equal(word, '"') & SignedWords.first(count - at);
      to = SignedWords.put(word, quotes, (byte) '"', out, to);
    }
    return to - (at - count);
  }
}
