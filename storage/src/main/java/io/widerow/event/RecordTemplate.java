package io.widerow.event;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Arrays;

/// The copy of an event that later ones are made from, or known by: they have its type, its
/// attributes with their names and kinds, its strings, and numbers of their own. Series of metrics
/// differ from one point to the next in nothing else.
///
/// ```
///            type and attributes, as they lie in a record
///   +-------------------------------------------------------+
///   | cpu | host=a | region=eu | usage_idle=0 | up=true ... |
///   +-----------------------------------------^----------^--+
///                                    valueOffsets: what may be set anew
/// ```
///
/// - Threads: one.
/// - Memory: keeps its arrays, on the heap, for the next event that it takes.
public final class RecordTemplate {
  private static final VarHandle WORD =
      MethodHandles.byteArrayViewVarHandle(long[].class, EventLayout.LONG_ANYWHERE.order());
  private static final VarHandle INT =
      MethodHandles.byteArrayViewVarHandle(int[].class, EventLayout.INT_ANYWHERE.order());

  private byte[] bytes = new byte[0]; // behind the header
  private int length; // of the record
  private int attributes;
  private int[] valueOffsets = new int[0]; // by place, from the record's start
  private AttributeKind[] kinds = new AttributeKind[0];
  private long[] masks = new long[0]; // by word: the bits of which no number is made
  private boolean masked;

  /// Bytes of the record, its header included; 0 when there is none.
  public int length() {
    return length;
  }

  public int attributes() {
    return attributes;
  }

  /// Of the attribute at a place in the order of names.
  public AttributeKind kind(int place) {
    if (place < 0 || place >= attributes) {
      throw new IllegalArgumentException("attribute %d of %d".formatted(place, attributes));
    }
    return kinds[place];
  }

  /// Memory that it keeps, about.
  public long heldBytes() {
    return bytes.length
        + 2L * Integer.BYTES * valueOffsets.length
        + (long) Long.BYTES * masks.length;
  }

  /// Becomes the copy of a valid record.
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

  /// True when the record at `offset` differs from this one in its header and its numbers alone.
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
    for (int i = 0; i < words; i++) { // no way out in between: mostly all are looked at
      int at = i * Long.BYTES;
      different |=
          (events.get(EventLayout.LONG_ANYWHERE, start + at) ^ (long) WORD.get(bytes, at))
              & masks[i];
    }
    return different == 0;
  }

  /// Masks of all whole words from the start, and of the last eight bytes.
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

  /// The number or boolean at a place of a record that fits, see [AttributeValue#bits].
  long bits(MemorySegment events, long offset, int place) {
    long value = offset + valueOffsets[place];
    return kinds[place] == AttributeKind.BOOLEAN
        ? events.get(JAVA_BYTE, value)
        : events.get(EventLayout.LONG_ANYWHERE, value);
  }

  /// Bytes of the text at a place.
  public int textBytes(int place) {
    return (int) INT.get(bytes, valueOffsets[place] - EventLayout.HEADER_BYTES);
  }

  /// Copies the text at a place to `out`.
  public void copyText(int place, byte[] out, int outOffset) {
    int value = valueOffsets[place] - EventLayout.HEADER_BYTES;
    System.arraycopy(bytes, value + Integer.BYTES, out, outOffset, textBytes(place));
  }

  /// Writes what is behind the header of the record at `offset`.
  void write(MemorySegment events, long offset) {
    int behind = length - EventLayout.HEADER_BYTES;
    MemorySegment.copy(bytes, 0, events, JAVA_BYTE, offset + EventLayout.HEADER_BYTES, behind);
  }

  /// Sets the number or boolean at a place of the record at `offset`.
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
