package io.widerow.event;

import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;

/// A reusable holder that an [EventView] fills with one value, so that reading an event allocates
/// nothing.
///
/// - Threads: one.
/// - Memory: text is borrowed from the event; it is valid until the cursor moves.
public final class AttributeValue {
  private AttributeKind kind = AttributeKind.BOOLEAN;
  private long bits;
  private MemorySegment memory = MemorySegment.NULL;
  private long offset;
  private int length;

  /// Makes this a number or a boolean.
  ///
  /// @param newBits the long; the raw bits of the double; 0 or 1
  public void setBits(AttributeKind newKind, long newBits) {
    assert !newKind.isText() : newKind;
    kind = newKind;
    bits = newBits;
  }

  /// Makes this a string or bytes that lie in `newMemory`.
  public void setText(
      AttributeKind newKind, MemorySegment newMemory, long newOffset, int newLength) {
    assert newKind.isText() : newKind;
    kind = newKind;
    memory = newMemory;
    offset = newOffset;
    length = newLength;
  }

  public AttributeKind kind() {
    return kind;
  }

  /// The value of a number or boolean in the form of [#setBits].
  public long bits() {
    assert !kind.isText() : kind;
    return bits;
  }

  public double asDouble() {
    return kind == AttributeKind.DOUBLE ? Double.longBitsToDouble(bits) : (double) bits;
  }

  /// Where a string or bytes lie, from [#offset] for [#length] bytes.
  public MemorySegment memory() {
    return memory;
  }

  public long offset() {
    return offset;
  }

  public int length() {
    return length;
  }

  /// Copies a string or bytes to `out` and returns the offset behind it.
  public int copyTo(byte[] out, int outOffset) {
    ShortRuns.copy(memory, offset, out, outOffset, length);
    return outOffset + length;
  }

  /// A new array with the bytes of a string or bytes.
  public byte[] toBytes() {
    byte[] copy = new byte[length];
    copyTo(copy, 0);
    return copy;
  }

  /// The value as text: numbers in Java's shortest form, bytes as if they were UTF-8.
  @Override
  public String toString() {
    return switch (kind) {
      case STRING, BYTES -> new String(toBytes(), StandardCharsets.UTF_8);
      case LONG -> Long.toString(bits);
      case DOUBLE -> Double.toString(Double.longBitsToDouble(bits));
      case BOOLEAN -> Boolean.toString(bits != 0);
    };
  }
}
