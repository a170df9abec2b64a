package io.widerow.event;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Arrays;

/// A copy of an event from which similar events are built, or by which they are recognized. They
/// share type, attribute names, kinds and strings; only the numbers differ. Consecutive points of a
/// metric series are such events.
///
/// ```
///            type and attributes, as they lie in a record
///   +-------------------------------------------------------+
///   | cpu | host=a | region=eu | usage_idle=0 | up=true ... |
///   +-----------------------------------------^----------^--+
///                                    valueOffsets: what may be set again
/// ```
///
/// - Threads: one.
/// - Memory: keeps its heap arrays for the next event.
public final class RecordTemplate {
  private static final VarHandle WORD =
      MethodHandles.byteArrayViewVarHandle(long[].class, EventLayout.LONG_ANYWHERE.order());
  private static final VarHandle INT =
      MethodHandles.byteArrayViewVarHandle(int[].class, EventLayout.INT_ANYWHERE.order());

  private byte[] bytes = new byte[0]; // without the header
  private int length; // of the record
  private int attributes;
  private int[] valueOffsets = new int[0]; // by place, from the record's start
  private AttributeKind[] kinds = new AttributeKind[0];
  private long[] masks = new long[0]; // by word: the bits that belong to no number
  private boolean masked;

  /// Length of the record in bytes, header included; 0 when the template is empty.
  public int length() {
    return length;
  }

  public int attributes() {
    return attributes;
  }

  /// Kind of the attribute at `place`, in the order of names.
  ///
  /// @throws IllegalArgumentException when there is no such attribute
  public AttributeKind kind(int place) {
    if (place < 0 || place >= attributes) {
      throw new IllegalArgumentException(
          "no attribute %d, the template has %d".formatted(place, attributes));
    }
    return kinds[place];
  }

  /// Approximate heap memory held.
  public long heldBytes() {
    return bytes.length
        + 2L * Integer.BYTES * valueOffsets.length
        + (long) Long.BYTES * masks.length;
  }

  /// Copies a valid record into this template.
  void take(MemorySegment events, long offset) {
    int newLength = EventLayout.length(events, offset);
    int newAttributes = EventLayout.attributes(events, offset);
    int behind = newLength - EventLayout.HEADER_BYTES;
    if (bytes.length < behind) {
      bytes = new byte[behind];
    }
    if (valueOffsets.length < newAttributes) {
      valueOffsets = new int[newAttributes];
      kinds = Arrays.copyOf(kinds, newAttributes);
    }
    MemorySegment.copy(events, JAVA_BYTE, offset + EventLayout.HEADER_BYTES, bytes, 0, behind);
    long attribute = EventLayout.attributesOffset(events, offset);
    for (int place = 0; place < newAttributes; place++) {
      kinds[place] = EventLayout.kind(events, attribute);
      valueOffsets[place] = (int) (EventLayout.valueOffset(events, attribute) - offset);
      attribute = EventLayout.nextAttribute(events, attribute);
    }
    length = newLength;
    attributes = newAttributes;
    masked = false;
  }

  /// True when the record at `offset` differs from this one only in its header and its numbers.
  boolean fits(MemorySegment events, long offset) {
    int behind = length - EventLayout.HEADER_BYTES;
    if (behind < Long.BYTES
        || EventLayout.length(events, offset) != length
        || EventLayout.attributes(events, offset) != attributes) {
      return false;
    }
    if (!masked) {
      mask(behind);
    }
    long start = offset + EventLayout.HEADER_BYTES;
    int last = behind - Long.BYTES;
    int words = last / Long.BYTES + 1;
    long different =
        (events.get(EventLayout.LONG_ANYWHERE, start + last) ^ (long) WORD.get(bytes, last))
            & masks[words];
    for (int i = 0; i < words; i++) { // no early exit: nearly all records fit
      int at = i * Long.BYTES;
      different |=
          (events.get(EventLayout.LONG_ANYWHERE, start + at) ^ (long) WORD.get(bytes, at))
              & masks[i];
    }
    return different == 0;
  }

  /// Computes the masks of all whole words from the start, and of the last eight bytes.
  private void mask(int behind) {
    byte[] constant = new byte[behind];
    Arrays.fill(constant, (byte) -1);
    for (int place = 0; place < attributes; place++) {
      int value = valueOffsets[place] - EventLayout.HEADER_BYTES;
      if (!kinds[place].isText()) {
        Arrays.fill(constant, value, value + numberBytes(kinds[place]), (byte) 0);
      }
    }
    int last = behind - Long.BYTES;
    int words = last / Long.BYTES + 1;
    if (masks.length <= words) {
      masks = new long[words + 1];
    }
    for (int i = 0; i < words; i++) {
      masks[i] = (long) WORD.get(constant, i * Long.BYTES);
    }
    masks[words] = (long) WORD.get(constant, last);
    masked = true;
  }

  private static int numberBytes(AttributeKind kind) {
    return kind == AttributeKind.BOOLEAN ? 1 : Long.BYTES;
  }

  /// The number or boolean at `place` of a record that fits, see [AttributeValue#bits].
  long bits(MemorySegment events, long offset, int place) {
    long value = offset + valueOffsets[place];
    return kinds[place] == AttributeKind.BOOLEAN
        ? events.get(JAVA_BYTE, value)
        : events.get(EventLayout.LONG_ANYWHERE, value);
  }

  /// Length of the string at `place`, in bytes.
  public int textBytes(int place) {
    return (int) INT.get(bytes, valueOffsets[place] - EventLayout.HEADER_BYTES);
  }

  /// Copies the string at `place` to `out`.
  public void copyText(int place, byte[] out, int outOffset) {
    int value = valueOffsets[place] - EventLayout.HEADER_BYTES;
    System.arraycopy(bytes, value + Integer.BYTES, out, outOffset, textBytes(place));
  }

  /// Writes everything after the header of the record at `offset`.
  void write(MemorySegment events, long offset) {
    int behind = length - EventLayout.HEADER_BYTES;
    MemorySegment.copy(bytes, 0, events, JAVA_BYTE, offset + EventLayout.HEADER_BYTES, behind);
  }

  /// Sets the number or boolean at `place` of the record at `offset`.
  void set(MemorySegment events, long offset, int place, long bits) {
    AttributeKind kind = kind(place);
    long value = offset + valueOffsets[place];
    switch (kind) {
      case LONG, DOUBLE -> events.set(EventLayout.LONG_ANYWHERE, value, bits);
      case BOOLEAN -> events.set(JAVA_BYTE, value, (byte) (bits == 0 ? 0 : 1));
      case STRING, BYTES ->
          throw new IllegalArgumentException("attribute %d is %s".formatted(place, kind));
    }
  }
}
