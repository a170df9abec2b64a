package io.widerow.event;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/// A piece of text as UTF-8, to look for in strings and to compare them with. Immutable.
public final class Text {
  private static final long ONES = 0x0101_0101_0101_0101L;

  private final byte[] utf8;

  private Text(byte[] utf8) {
    this.utf8 = utf8;
  }

  /// @throws IllegalArgumentException when the text is no valid Unicode: half a surrogate pair
  public static Text of(String text) {
    if (!Utf8.isEncodable(text)) {
      throw new IllegalArgumentException("half a surrogate pair in: " + text);
    }
    return new Text(text.getBytes(StandardCharsets.UTF_8));
  }

  public int length() {
    return utf8.length;
  }

  /// The byte at `index`.
  public byte at(int index) {
    return utf8[index];
  }

  /// The bytes, as a view that nobody can write to.
  public MemorySegment utf8() {
    return MemorySegment.ofArray(utf8).asReadOnly();
  }

  /// True when the bytes of `memory` from `offset` for `length` contain this text.
  public boolean isIn(MemorySegment memory, long offset, long length) {
    return indexIn(memory, offset, length) >= 0;
  }

  /// Where in `memory` this text first starts, at or behind `offset`; negative when it does not.
  ///
  /// Eight places at a time: one counts when both its first and its last byte are right, which the
  /// marks say with mistakes in one direction only. See Muła, "SIMD-friendly algorithms for
  /// substring searching" (2016), the generic algorithm.
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

  /// Marks the bytes that are alike, with bit 7, and perhaps some behind the first of them.
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

  /// Negative, zero or positive as the bytes of `memory` are before, equal to or behind this text,
  /// as unsigned bytes.
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
