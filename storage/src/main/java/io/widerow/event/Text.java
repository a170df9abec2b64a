package io.widerow.event;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/// A search text as UTF-8: searches in and compares with strings that lie in memory. Immutable.
public final class Text {
  private static final long ONES = 0x0101_0101_0101_0101L;

  private final byte[] utf8;

  private Text(byte[] utf8) {
    this.utf8 = utf8;
  }

  /// @throws IllegalArgumentException when `text` is not valid Unicode: half a surrogate pair
  public static Text of(String text) {
    if (!Utf8.isEncodable(text)) {
      throw new IllegalArgumentException("half a surrogate pair in: " + text);
    }
    return new Text(text.getBytes(StandardCharsets.UTF_8));
  }

  /// True when a byte belongs to a token: ASCII letters, digits and underscores, and bytes of 0x80
  /// and above, which are parts of other characters.
  public static boolean isToken(byte b) {
    return b < 0
        || (b >= 'a' && b <= 'z')
        || (b >= '0' && b <= '9')
        || (b >= 'A' && b <= 'Z')
        || b == '_';
  }

  public int length() {
    return utf8.length;
  }

  /// The byte at `index`.
  public byte at(int index) {
    return utf8[index];
  }

  /// True when the `length` bytes of `memory` from `offset` contain this text.
  public boolean isIn(MemorySegment memory, long offset, long length) {
    return indexIn(memory, offset, length) >= 0;
  }

  /// Offset of the first occurrence in the `length` bytes of `memory` from `offset`; negative when
  /// there is none.
  ///
  /// Tests eight positions at a time: a position is a candidate when the first and the last byte
  /// match there. The marks may have false positives, never false negatives. See Muła,
  /// "SIMD-friendly algorithms for substring searching" (2016), the generic algorithm.
  public long indexIn(MemorySegment memory, long offset, long length) {
    if (utf8.length == 0) {
      return offset;
    }
    int behind = utf8.length - 1;
    long last = offset + length - utf8.length;
    long first = ONES * (utf8[0] & 0xff);
    long end = ONES * (utf8[behind] & 0xff);
    long at = offset;
    for (; at + Long.BYTES - 1 <= last; at += Long.BYTES) {
      long marks =
          equal(memory.get(EventLayout.LONG_ANYWHERE, at), first)
              & equal(memory.get(EventLayout.LONG_ANYWHERE, at + behind), end);
      for (; marks != 0; marks &= marks - 1) {
        long place = at + (Long.numberOfTrailingZeros(marks) >>> 3);
        if (isAt(memory, place)) {
          return place;
        }
      }
    }
    for (; at <= last; at++) {
      if (isAt(memory, at)) {
        return at;
      }
    }
    return -1;
  }

  /// Marks equal bytes with bit 7. Bytes after the first equal one may be marked wrongly.
  private static long equal(long word, long wanted) {
    long other = word ^ wanted;
    return (other - ONES) & ~other & (ONES << 7);
  }

  private boolean isAt(MemorySegment memory, long place) {
    for (int i = 0; i < utf8.length; i++) {
      if (memory.get(JAVA_BYTE, place + i) != utf8[i]) {
        return false;
      }
    }
    return true;
  }

  /// Compares the bytes of `memory` with this text as unsigned bytes: negative when they are less,
  /// zero when equal, positive when greater.
  public int compareTo(MemorySegment memory, long offset, int length) {
    int common = Math.min(length, utf8.length);
    for (int i = 0; i < common; i++) {
      int order = Byte.compareUnsigned(memory.get(JAVA_BYTE, offset + i), utf8[i]);
      if (order != 0) {
        return order;
      }
    }
    return Integer.compare(length, utf8.length);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Text text && Arrays.equals(utf8, text.utf8);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(utf8);
  }

  @Override
  public String toString() {
    return new String(utf8, StandardCharsets.UTF_8);
  }
}
