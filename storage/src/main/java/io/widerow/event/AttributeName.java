package io.widerow.event;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/// The name of an attribute: 1 to [EventLayout#NAME_BYTES_MAX] bytes of UTF-8. Names order by their
/// bytes, unsigned. Immutable.
public final class AttributeName implements Comparable<AttributeName> {
  /// The attribute that holds the text of a log line.
  public static final AttributeName BODY = of("body");

  private final String text;
  private final byte[] utf8;

  private AttributeName(String text, byte[] utf8) {
    this.text = text;
    this.utf8 = utf8;
  }

  /// @throws IllegalArgumentException when the text is empty, too long or not valid Unicode
  public static AttributeName of(String text) {
    if (!Utf8.isEncodable(text)) {
      throw new IllegalArgumentException("half a surrogate pair in attribute name: " + text);
    }
    byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
    if (utf8.length == 0 || utf8.length > EventLayout.NAME_BYTES_MAX) {
      throw new IllegalArgumentException(
          "attribute name of %d bytes, allowed are 1 to %d: %s"
              .formatted(utf8.length, EventLayout.NAME_BYTES_MAX, text));
    }
    return new AttributeName(text, utf8);
  }

  /// Copies a name out of an event record or a file. The bytes must be a valid name.
  public static AttributeName of(MemorySegment source, long offset, int length) {
    byte[] utf8 = source.asSlice(offset, length).toArray(ValueLayout.JAVA_BYTE);
    return new AttributeName(new String(utf8, StandardCharsets.UTF_8), utf8);
  }

  /// Copies a name out of an array. The bytes must be a valid name.
  public static AttributeName of(byte[] source, int from, int length) {
    byte[] utf8 = Arrays.copyOfRange(source, from, from + length);
    return new AttributeName(new String(utf8, StandardCharsets.UTF_8), utf8);
  }

  public int length() {
    return utf8.length;
  }

  /// The name's bytes, read-only.
  public MemorySegment utf8() {
    return MemorySegment.ofArray(utf8).asReadOnly();
  }

  /// True when `source` holds exactly this name at `offset`.
  public boolean matches(MemorySegment source, long offset, int length) {
    return length == utf8.length && ByteRuns.same(source, offset, utf8, 0, length);
  }

  /// The same for an array.
  public boolean matches(byte[] source, int from, int length) {
    return length == utf8.length && ByteRuns.same(source, from, utf8, 0, length);
  }

  /// Copies the name to `out` and returns the offset after it.
  public int copyTo(byte[] out, int offset) {
    System.arraycopy(utf8, 0, out, offset, utf8.length);
    return offset + utf8.length;
  }

  /// Compares with a name that lies in an array.
  int compareTo(byte[] source, int from, int length) {
    return Arrays.compareUnsigned(utf8, 0, utf8.length, source, from, from + length);
  }

  @Override
  public int compareTo(AttributeName other) {
    return Arrays.compareUnsigned(utf8, other.utf8);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof AttributeName name && Arrays.equals(utf8, name.utf8);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(utf8);
  }

  @Override
  public String toString() {
    return text;
  }
}
