package io.widerow.query;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/// How UTF-8 is written as a value of CSV, eight bytes at a time:
///
/// ```
///   plain     no comma, quote or end of line in it: as it is
///   quoted    between quotes, each of its own doubled
///   formula   what a spreadsheet would run: a single quote in front
/// ```
///
/// A byte is found in a word by the zeros that the word has once that byte is taken from each place
/// by exclusive or: `(x - 0x01...) & ~x & 0x80...` keeps the top bit of the places that are zero. A
/// borrow may add a place above a zero, so only the lowest is certain (Mycroft 1987; Warren,
/// Hacker's Delight, 6-1).
final class CsvEscape {
  static final char GUARD = '\'';

  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
  private static final long ONES = 0x0101_0101_0101_0101L;
  private static final long HIGHS = 0x8080_8080_8080_8080L;
  private static final long QUOTES = ONES * '"';
  private static final long COMMAS = ONES * ',';
  private static final long LINE_FEEDS = ONES * '\n';
  private static final long RETURNS = ONES * '\r';

  private CsvEscape() {}

  static boolean isFormula(byte first) {
    return switch (first) {
      case '=', '+', '-', '@', '\t', '\r' -> true;
      default -> false;
    };
  }

  static boolean isPlain(byte[] raw, int count) {
    int at = 0;
    for (; at + Long.BYTES <= count; at += Long.BYTES) {
      if (hasSpecial((long) LONG.get(raw, at))) {
        return false;
      }
    }
    for (; at < count; at++) {
      if (raw[at] == '"' || raw[at] == ',' || raw[at] == '\n' || raw[at] == '\r') {
        return false;
      }
    }
    return true;
  }

  private static boolean hasSpecial(long word) {
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
  /// @param raw has eight bytes more than `count`
  /// @param out has room for twice `count` and eight bytes more
  /// @return the offset behind what was written
  static int copyDoubled(byte[] raw, int count, byte[] out, int offset) {
    int to = offset;
    int at = 0;
    while (at < count) {
      long word = (long) LONG.get(raw, at);
      LONG.set(out, to, word); // what is behind the end or a quote is written over
      long quotes = zeros(word ^ QUOTES);
      int plain = quotes == 0 ? Long.BYTES : Long.numberOfTrailingZeros(quotes) >>> 3;
      if (at + plain >= count) {
        return to + count - at;
      }
      at += plain;
      to += plain;
      if (quotes != 0) { // the lowest place is never a false alarm
        out[to] = '"';
        out[to + 1] = '"';
        at++;
        to += 2;
      }
    }
    return to;
  }
}
