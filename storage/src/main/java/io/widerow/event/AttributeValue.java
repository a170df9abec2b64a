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

  /// How JSON holds the values that it has no kind for, in exports and in what the daemon takes
  /// with `values=exact`: as an object with one member.
  ///
  /// | value | written as |
  /// |---|---|
  /// | bytes | `{"$bytes":"<base64>"}` |
  /// | NaN, the infinities | `{"$double":"NaN"}`, `"Infinity"`, `"-Infinity"` |
  /// | a NaN with other bits, as of stale samples | `{"$double":"0x7ff0000000000002"}` |
  ///
  /// Every other value is plain JSON: doubles have a point or an exponent, longs have neither.
  public static final class ExactJson {
    public static final String BYTES = "$bytes";
    public static final String DOUBLE = "$double";

    private static final String HEX = "0x";
    private static final int HEX_DIGITS = 16;
    private static final int HEX_BASE = 16;

    private ExactJson() {}

    /// The text of a double from which [#parseDouble] makes the same bits.
    public static String text(long bits) {
      double number = Double.longBitsToDouble(bits);
      boolean plain = !Double.isNaN(number) || Double.doubleToLongBits(number) == bits;
      return plain ? Double.toString(number) : HEX + "%016x".formatted(bits);
    }

    /// @throws IllegalArgumentException when the text is not one of [#text]
    public static double parseDouble(String text) {
      if (!text.startsWith(HEX)) {
        return Double.parseDouble(text);
      }
      if (text.length() != HEX.length() + HEX_DIGITS) {
        throw new IllegalArgumentException("not the bits of a double: " + text);
      }
      return Double.longBitsToDouble(
          Long.parseUnsignedLong(text.substring(HEX.length()), HEX_BASE));
    }
  }
}
