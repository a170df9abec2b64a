package io.widerow.event;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/// The copy of an event that later ones are made from: they have its type, its attributes with
/// their names and kinds, its strings, and numbers of their own. Series of metrics differ from one
/// point to the next in nothing else.
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
  private byte[] bytes = new byte[0]; // behind the header
  private int length; // of the record
  private int attributes;
  private int[] valueOffsets = new int[0]; // by place, from the record's start
  private AttributeKind[] kinds = new AttributeKind[0];

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
    return bytes.length + 2L * Integer.BYTES * valueOffsets.length;
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
