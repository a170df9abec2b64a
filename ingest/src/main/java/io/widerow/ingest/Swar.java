package io.widerow.ingest;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/// Looks at eight bytes at a time. Every array must have [#SLACK_BYTES] readable bytes behind its
/// limit, so that no loop needs a tail.
final class Swar {
  /// Bytes behind the limit of a body that may be read, whatever they are.
  static final int SLACK_BYTES = Long.BYTES;

  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
  private static final long ONES = 0x0101_0101_0101_0101L;
  private static final long TOPS = 0x8080_8080_8080_8080L;
  private static final long NEWLINES = '\n' * ONES;
  private static final long QUOTES = '"' * ONES;
  private static final long BACKSLASHES = '\\' * ONES;
  private static final long SPACES = ' ' * ONES;

  private Swar() {}

  /// Where the next newline is, `limit` when there is none.
  static int newline(byte[] bytes, int offset, int limit) {
    for (int at = offset; at < limit; at += Long.BYTES) {
      long different = (long) LONG.get(bytes, at) ^ NEWLINES;
      long found = (different - ONES) & ~different & TOPS; // its lowest bit is exact
      if (found != 0) {
        return Math.min(limit, at + (Long.numberOfTrailingZeros(found) >>> 3));
      }
    }
    return limit;
  }

  /// Where the plain part of a JSON string ends: at a quote, a backslash or a control character;
  /// `limit` when there is none.
  static int stringEnd(byte[] bytes, int offset, int limit) {
    for (int at = offset; at < limit; at += Long.BYTES) {
      long word = (long) LONG.get(bytes, at);
      long quote = word ^ QUOTES;
      long backslash = word ^ BACKSLASHES;
      long found =
          (((quote - ONES) & ~quote)
                  | ((backslash - ONES) & ~backslash)
                  | ((word - SPACES) & ~word))
              & TOPS;
      if (found != 0) {
        return Math.min(limit, at + (Long.numberOfTrailingZeros(found) >>> 3));
      }
    }
    return limit;
  }
}
