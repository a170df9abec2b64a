package io.widerow.event;

import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;

/// A reusable holder for one attribute value. An [EventView] fills it, so reading an event
/// allocates nothing.
///
/// - Threads: one.
/// - Memory: strings and bytes are borrowed from the event and valid until the cursor moves.
public final class AttributeValue {
  private AttributeKind kind = AttributeKind.BOOLEAN;
  private long bits;
  private MemorySegment memory = MemorySegment.NULL;
  private long offset;
  private int length;

  /// Makes this a number or a boolean.
  ///
  /// @param newBits the long; the raw bits of the double; 0 or 1 for a boolean
  public void setBits(AttributeKind newKind, long newBits) {
    assert !newKind.isText() : newKind;
    kind = newKind;
    bits = newBits;
  }

  /// Makes this a string or bytes, borrowed from `newMemory`.
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

  /// The value of a number or boolean, encoded as in [#setBits].
  public long bits() {
    assert !kind.isText() : kind;
    return bits;
  }

  public double asDouble() {
    return kind == AttributeKind.DOUBLE ? Double.longBitsToDouble(bits) : (double) bits;
  }

  /// The memory that holds a string or bytes: [#length] bytes from [#offset].
  public MemorySegment memory() {
    return memory;
  }

  public long offset() {
    return offset;
  }

  public int length() {
    return length;
  }

  /// Copies a string or bytes to `out` and returns the offset after the copy.
  public int copyTo(byte[] out, int outOffset) {
    ByteRuns.copy(memory, offset, out, outOffset, length);
    return outOffset + length;
  }

  /// A new array with the bytes of a string or bytes value.
  public byte[] toBytes() {
    byte[] copy = new byte[length];
    copyTo(copy, 0);
    return copy;
  }

  /// The value as text: numbers in Java's shortest form, bytes decoded as UTF-8.
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
