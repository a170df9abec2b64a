package io.widerow.event;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/// A piece of text as UTF-8, to look for in strings and to compare them with. Immutable.
public final class Text {
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
  public long indexIn(MemorySegment memory, long offset, long length) {
    if (utf8.length == 0) {
      return offset;
    }
    byte first = utf8[0];
    long last = offset + length - utf8.length;
    for (long at = offset; at <= last; at++) {
      if (memory.get(JAVA_BYTE, at) == first && restMatches(memory, at)) {
        return at;
      }
    }
    return -1;
  }

  private boolean restMatches(MemorySegment memory, long at) {
    for (int i = 1; i < utf8.length; i++) {
      if (memory.get(JAVA_BYTE, at + i) != utf8[i]) {
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
