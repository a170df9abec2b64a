package io.widerow.event;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;

/// A view of an event stored as a record of [EventLayout]. One view serves any number of records,
/// one at a time.
///
/// - Threads: one.
/// - Memory: borrows the memory of the records.
public final class RecordView implements EventView {
  private static final long PRIME = 0x9e37_79b9_7f4a_7c15L;

  private final AttributeNames names = new AttributeNames();
  private MemorySegment events = MemorySegment.NULL;
  private long offset;
  private String type = "";
  private byte[] typeUtf8 = {};

  /// Shows the record at `newOffset`, which must be complete and valid.
  public RecordView show(MemorySegment newEvents, long newOffset) {
    events = newEvents;
    offset = newOffset;
    return this;
  }

  public int length() {
    return EventLayout.length(events, offset);
  }

  /// Copies the whole record to the start of an array.
  public void copyTo(byte[] out) {
    MemorySegment.copy(events, ValueLayout.JAVA_BYTE, offset, out, 0, length());
  }

  @Override
  public long idTime() {
    return EventLayout.idTime(events, offset);
  }

  @Override
  public long idTail() {
    return EventLayout.idTail(events, offset);
  }

  @Override
  public long version() {
    return EventLayout.version(events, offset);
  }

  /// Decodes the name only when it differs from that of the previous record.
  @Override
  public String type() {
    if (!EventLayout.hasType(events, offset, typeUtf8)) {
      int bytes = EventLayout.typeBytes(events, offset);
      typeUtf8 = events.asSlice(EventLayout.typeOffset(offset), bytes).toArray(JAVA_BYTE);
      type = new String(typeUtf8, StandardCharsets.UTF_8);
    }
    return type;
  }

  @Override
  public void readType(AttributeValue out) {
    out.setText(
        AttributeKind.STRING,
        events,
        EventLayout.typeOffset(offset),
        EventLayout.typeBytes(events, offset));
  }

  @Override
  public boolean find(AttributeName name, AttributeValue out) {
    long attribute = EventLayout.attributesOffset(events, offset);
    for (int left = EventLayout.attributes(events, offset); left > 0; left--) {
      int nameBytes = EventLayout.nameBytes(events, attribute);
      if (name.matches(events, EventLayout.nameOffset(attribute), nameBytes)) {
        EventLayout.readValue(events, attribute, out);
        return true;
      }
      attribute = EventLayout.nextAttribute(events, attribute);
    }
    return false;
  }

  @Override
  public void forEach(AttributeValue scratch, AttributeVisitor visitor) {
    long attribute = EventLayout.attributesOffset(events, offset);
    int attributes = EventLayout.attributes(events, offset);
    for (int place = 0; place < attributes; place++) {
      int nameBytes = EventLayout.nameBytes(events, attribute);
      AttributeName name = names.at(place, events, EventLayout.nameOffset(attribute), nameBytes);
      attribute = EventLayout.readValue(events, attribute, scratch);
      visitor.visit(name, scratch);
    }
  }

  /// A hash of the strings and the number of attributes, equal for records that fit the same
  /// [RecordTemplate]. Zero when the record has no number or a string of more than `textBytesMax`
  /// bytes, and so is not a point of a series.
  public long seriesHash(int textBytesMax) {
    long attribute = EventLayout.attributesOffset(events, offset);
    int attributes = EventLayout.attributes(events, offset);
    long hash = attributes;
    boolean hasNumber = false;
    for (int left = attributes; left > 0; left--) {
      AttributeKind kind = EventLayout.kind(events, attribute);
      if (kind.isText()) {
        long value = EventLayout.valueOffset(events, attribute);
        int bytes = events.get(EventLayout.INT_ANYWHERE, value);
        if (bytes > textBytesMax) {
          return 0;
        }
        long ends = ByteRuns.ends(events, value + Integer.BYTES, bytes);
        hash = mix((hash + bytes * PRIME) ^ ends);
        attribute = value + Integer.BYTES + bytes;
      } else {
        hasNumber = true;
        attribute = EventLayout.nextAttribute(events, attribute);
      }
    }
    return hasNumber ? hash | 1 : 0;
  }

  private static long mix(long word) {
    long mixed = word * PRIME;
    return mixed ^ (mixed >>> 32);
  }

  /// True when this record differs from the template only in its header and its numbers.
  public boolean fits(RecordTemplate template) {
    return template.fits(events, offset);
  }

  /// Copies this record into a template.
  public void copyTo(RecordTemplate template) {
    template.take(events, offset);
  }

  /// The number or boolean at `place`, encoded as in [AttributeValue#bits].
  ///
  /// @param template that this record fits
  public long bits(RecordTemplate template, int place) {
    return template.bits(events, offset, place);
  }
}
