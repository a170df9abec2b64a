package io.widerow.ingest.decode;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/// Searches eight bytes at a time in a long (SWAR: SIMD within a register). Every array must have
/// [#SLACK_BYTES] readable bytes after its limit, so that no loop needs a tail.
public final class Swar {
  /// Bytes after the limit of a body that may be read, with any content.
  public static final int SLACK_BYTES = Long.BYTES;

  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
  private static final long ONES = 0x0101_0101_0101_0101L;
  private static final long TOPS = 0x8080_8080_8080_8080L;
  private static final long NEWLINES = '\n' * ONES;
  private static final long QUOTES = '"' * ONES;
  private static final long BACKSLASHES = '\\' * ONES;
  private static final long SPACES = ' ' * ONES;
  private static final long COMMAS = ',' * ONES;
  private static final long EQUALS = '=' * ONES;
  private static final long BRACKETS = ')' * ONES;
  private static final long BRACES = '{' * ONES;
  private static final long BARS = '|' * ONES;

  private Swar() {}

  /// The offset of the next newline; `limit` when there is none.
  public static int newline(byte[] bytes, int offset, int limit) {
    for (int at = offset; at < limit; at += Long.BYTES) {
      long different = (long) LONG.get(bytes, at) ^ NEWLINES;
      long found = (different - ONES) & ~different & TOPS; // its lowest bit is exact
      if (found != 0) {
        return Math.min(limit, at + (Long.numberOfTrailingZeros(found) >>> 3));
      }
    }
    return limit;
  }

  /// The end of the plain part of a JSON string: a quote, a backslash or a control character;
  /// `limit` when there is none.
  static int stringEnd(byte[] bytes, int offset, int limit) {
    for (int at = offset; at < limit; at += Long.BYTES) {
      long found = stringEnds((long) LONG.get(bytes, at));
      if (found != 0) {
        return Math.min(limit, at + (Long.numberOfTrailingZeros(found) >>> 3));
      }
    }
    return limit;
  }

  /// Copies eight bytes of a JSON string.
  ///
  /// @return marks of the bytes that are a quote, a backslash or a control character; only the
  ///   lowest is exact
  static long copyStringWord(byte[] bytes, int offset, byte[] out, int to) {
    long word = (long) LONG.get(bytes, offset);
    LONG.set(out, to, word);
    return stringEnds(word);
  }

  /// Marks the bytes that are a quote, a backslash or a control character. Only the lowest mark is
  /// exact.
  private static long stringEnds(long word) {
    long below = ((word ^ QUOTES) - ONES) | ((word ^ BACKSLASHES) - ONES) | (word - SPACES);
    return below & ~word & TOPS; // bytes above 127 are none of them
  }

  /// The possible end of a name or a tag of line protocol: a comma, a space, a newline, an equals
  /// sign or a backslash; `limit` when there is none.
  public static int wordEnd(byte[] bytes, int offset, int limit) {
    for (int at = offset; at < limit; at += Long.BYTES) {
      long word = (long) LONG.get(bytes, at);
      long found =
          zeros(word ^ COMMAS)
              | zeros(word ^ SPACES)
              | zeros(word ^ NEWLINES)
              | zeros(word ^ EQUALS)
              | zeros(word ^ BACKSLASHES);
      if (found != 0) {
        return Math.min(limit, at + (Long.numberOfTrailingZeros(found) >>> 3));
      }
    }
    return limit;
  }

  /// The offset of the next quote or backslash; `limit` when there is none.
  public static int quoteOrBackslash(byte[] bytes, int offset, int limit) {
    for (int at = offset; at < limit; at += Long.BYTES) {
      long word = (long) LONG.get(bytes, at);
      long found = zeros(word ^ QUOTES) | zeros(word ^ BACKSLASHES);
      if (found != 0) {
        return Math.min(limit, at + (Long.numberOfTrailingZeros(found) >>> 3));
      }
    }
    return limit;
  }

  /// Whether two runs of bytes are the same. Both need the slack after them.
  public static boolean same(byte[] a, int atA, byte[] b, int atB, int length) {
    int at = 0;
    for (; at <= length - Long.BYTES; at += Long.BYTES) {
      if ((long) LONG.get(a, atA + at) != (long) LONG.get(b, atB + at)) {
        return false;
      }
    }
    long rest = (long) LONG.get(a, atA + at) ^ (long) LONG.get(b, atB + at);
    return (rest & ~(-1L << (Byte.SIZE * (length - at)))) == 0;
  }

  /// Eight bytes as a little-endian long.
  public static long word(byte[] bytes, int at) {
    return (long) LONG.get(bytes, at);
  }

  /// The number of bytes of a word before the first space, newline or backslash.
  public static int headEnd(long word) {
    long found = zeros(word ^ SPACES) | zeros(word ^ NEWLINES) | zeros(word ^ BACKSLASHES);
    return Long.numberOfTrailingZeros(found) >>> 3;
  }

  /// Marks the bytes that may stand before the level of a line: blanks and other bytes below `)`,
  /// `= [ { |`. Other bytes may be marked, too, but none below the lowest of these.
  public static long levelBounds(long word) {
    long below = ~((word | TOPS) - BRACKETS) & ~word & TOPS;
    return below | zeros(word ^ EQUALS) | zeros((word | SPACES) ^ BRACES) | zeros(word ^ BARS);
  }

  /// Marks the bytes that are zero. Only the lowest mark is exact.
  private static long zeros(long word) {
    return (word - ONES) & ~word & TOPS;
  }

  /// The first eight bytes, padded with zeros, as a big-endian number. Compared unsigned, such
  /// numbers sort as the byte strings do, except that equal ones may differ in later bytes.
  public static long head(byte[] bytes, int offset, int length) {
    if (offset + Long.BYTES > bytes.length) {
      long head = 0;
      for (int i = 0; i < Long.BYTES; i++) {
        head = (head << Byte.SIZE) | (i < length ? bytes[offset + i] & 0xff : 0);
      }
      return head;
    }
    long word = Long.reverseBytes((long) LONG.get(bytes, offset));
    int padding = Long.BYTES - Math.min(length, Long.BYTES);
    return padding == Long.BYTES ? 0 : word & (-1L << (Byte.SIZE * padding));
  }
}
