package io.widerow.event;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/// The binary layout of one event. The same bytes are in a batch, in the journal and in an open
/// row; nothing between the decoder and the sealed segment re-encodes them.
///
/// ```
/// 0        4            6       8        16       24        32          33
/// +--------+------------+-------+--------+--------+---------+-----------+------+-----------+---- ~
/// | length | attributes | shard | idTime | idTail | version | typeBytes | type | attribute | ...
/// +--------+------------+-------+--------+--------+---------+-----------+------+-----------+---- ~
///
///  an attribute, in strictly ascending order of names, compared as unsigned bytes:
///
///  0      1           2
///  +------+-----------+------+---------------------------------------------------+
///  | kind | nameBytes | name | LONG, DOUBLE: 8 bytes   BOOLEAN: 1 byte, 0 or 1    |
///  |      |           |      | STRING, BYTES: 4 bytes valueBytes, then the bytes |
///  +------+-----------+------+---------------------------------------------------+
/// ```
///
/// Little-endian. `length` counts header and payload, not the zero bytes that align the next event
/// to eight bytes. `version` is [#VERSION_ASSIGNED] when the store assigns the id; in a batch
/// [#VERSION_OWN] asks the store to keep the client's id. Nothing after the header is aligned.
public final class EventLayout {
  static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT.withOrder(ByteOrder.LITTLE_ENDIAN);
  static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG.withOrder(ByteOrder.LITTLE_ENDIAN);
  static final ValueLayout.OfShort SHORT =
      ValueLayout.JAVA_SHORT.withOrder(ByteOrder.LITTLE_ENDIAN);
  private static final ValueLayout.OfShort SHORT_ANYWHERE = SHORT.withByteAlignment(1);
  static final ValueLayout.OfInt INT_ANYWHERE = INT.withByteAlignment(1);
  static final ValueLayout.OfLong LONG_ANYWHERE = LONG.withByteAlignment(1);

  public static final StructLayout HEADER =
      MemoryLayout.structLayout(
          INT.withName("length"),
          SHORT.withName("attributes"),
          SHORT.withName("shard"),
          LONG.withName("idTime"),
          LONG.withName("idTail"),
          LONG.withName("version"));

  public static final int HEADER_BYTES = Math.toIntExact(HEADER.byteSize());
  public static final int ALIGNMENT = 8;

  public static final int EVENT_BYTES_MAX = 1 << 20;
  public static final int TYPE_BYTES_MAX = 128;
  public static final int NAME_BYTES_MAX = 255;
  public static final int ATTRIBUTES_MAX = 1_000;
  public static final int SHARD_LIMIT = 1 << 15;

  public static final long VERSION_ASSIGNED = 0;
  public static final long VERSION_OWN = -1;

  private static final long LENGTH = offsetOf("length");
  private static final long ATTRIBUTES = offsetOf("attributes");
  private static final long SHARD = offsetOf("shard");
  private static final long ID_TIME = offsetOf("idTime");
  private static final long ID_TAIL = offsetOf("idTail");
  private static final long VERSION = offsetOf("version");

  static {
    assert HEADER_BYTES == 32 : "the header is frozen by format version 1";
    assert ID_TIME % Long.BYTES == 0 : "the clustering key must be aligned";
  }

  private EventLayout() {}

  private static long offsetOf(String field) {
    return HEADER.byteOffset(PathElement.groupElement(field));
  }

  /// `length` rounded up to the start of the next event.
  public static int alignedLength(int length) {
    return (length + ALIGNMENT - 1) & -ALIGNMENT;
  }

  public static int length(MemorySegment events, long offset) {
    return events.get(INT, offset + LENGTH);
  }

  public static int attributes(MemorySegment events, long offset) {
    return Short.toUnsignedInt(events.get(SHORT, offset + ATTRIBUTES));
  }

  public static int shard(MemorySegment events, long offset) {
    return Short.toUnsignedInt(events.get(SHORT, offset + SHARD));
  }

  public static long idTime(MemorySegment events, long offset) {
    return events.get(LONG, offset + ID_TIME);
  }

  public static long idTail(MemorySegment events, long offset) {
    return events.get(LONG, offset + ID_TAIL);
  }

  public static long version(MemorySegment events, long offset) {
    return events.get(LONG, offset + VERSION);
  }

  /// The event's position in the order of arrival: part of an assigned id, or stored next to a
  /// client id.
  public static long arrival(long version, long idTail) {
    return version == VERSION_ASSIGNED ? TimeUuid.counterOf(idTail) : version;
  }

  public static int typeBytes(MemorySegment events, long offset) {
    return Byte.toUnsignedInt(events.get(JAVA_BYTE, offset + HEADER_BYTES));
  }

  /// Offset of the type's bytes.
  public static long typeOffset(long offset) {
    return offset + HEADER_BYTES + 1;
  }

  /// True when the type of a record is this one. Records come with one type after the other, so it
  /// is compared without a call into the runtime.
  ///
  /// @param utf8 its bytes
  public static boolean hasType(MemorySegment events, long offset, byte[] utf8) {
    return typeBytes(events, offset) == utf8.length
        && ByteRuns.same(events, typeOffset(offset), utf8, 0, utf8.length);
  }

  /// Offset of the first attribute.
  public static long attributesOffset(MemorySegment events, long offset) {
    return typeOffset(offset) + typeBytes(events, offset);
  }

  /// Offset of the value of the attribute at `attribute`.
  static long valueOffset(MemorySegment events, long attribute) {
    return attribute + 2 + nameBytes(events, attribute);
  }

  static AttributeKind kind(MemorySegment events, long attribute) {
    return AttributeKind.of(events.get(JAVA_BYTE, attribute));
  }

  static int nameBytes(MemorySegment events, long attribute) {
    return Byte.toUnsignedInt(events.get(JAVA_BYTE, attribute + 1));
  }

  static long nameOffset(long attribute) {
    return attribute + 2;
  }

  /// Offset of the attribute after the one at `attribute`.
  static long nextAttribute(MemorySegment events, long attribute) {
    long value = valueOffset(events, attribute);
    return switch (kind(events, attribute)) {
      case LONG, DOUBLE -> value + Long.BYTES;
      case BOOLEAN -> value + 1;
      case STRING, BYTES -> value + Integer.BYTES + events.get(INT_ANYWHERE, value);
    };
  }

  /// Fills `out` with the value of the attribute at `attribute` and returns the offset of the next
  /// attribute.
  static long readValue(MemorySegment events, long attribute, AttributeValue out) {
    AttributeKind kind = kind(events, attribute);
    long value = valueOffset(events, attribute);
    return switch (kind) {
      case LONG, DOUBLE -> {
        out.setBits(kind, events.get(LONG_ANYWHERE, value));
        yield value + Long.BYTES;
      }
      case BOOLEAN -> {
        out.setBits(kind, events.get(JAVA_BYTE, value));
        yield value + 1;
      }
      case STRING, BYTES -> {
        int bytes = events.get(INT_ANYWHERE, value);
        out.setText(kind, events, value + Integer.BYTES, bytes);
        yield value + Integer.BYTES + bytes;
      }
    };
  }

  /// Offset of the first attribute of a record that lies at 0 of an array.
  public static int attributesOffset(byte[] record) {
    return HEADER_BYTES + 1 + Byte.toUnsignedInt(record[HEADER_BYTES]);
  }

  /// Number of attributes of a record that lies at 0 of an array.
  public static int attributes(byte[] record) {
    return Byte.toUnsignedInt(record[(int) ATTRIBUTES])
        | Byte.toUnsignedInt(record[(int) ATTRIBUTES + 1]) << Byte.SIZE;
  }

  /// The code of the kind of the attribute at `attribute` of a record in an array.
  public static byte kindCode(byte[] record, int attribute) {
    return record[attribute];
  }

  public static int nameBytes(byte[] record, int attribute) {
    return Byte.toUnsignedInt(record[attribute + 1]);
  }

  public static int nameOffset(int attribute) {
    return attribute + 2;
  }

  /// Length of the text whose value is at `value` of a record in an array.
  public static int textBytes(byte[] record, int value) {
    return (int) ByteRuns.INT.get(record, value);
  }

  /// Offset of the text whose value is at `value`.
  public static int textOffset(int value) {
    return value + Integer.BYTES;
  }

  /// The long, or the bits of the double, at `value` of a record in an array.
  public static long bits(byte[] record, int value) {
    return (long) ByteRuns.LONG.get(record, value);
  }

  /// Writes kind and name length of the attribute at `attribute`.
  static void writeKind(MemorySegment events, long attribute, AttributeKind kind, int nameBytes) {
    events.set(SHORT_ANYWHERE, attribute, (short) (kind.code | (nameBytes << Byte.SIZE)));
  }

  public static void setShard(MemorySegment events, long offset, int shard) {
    assert shard >= 0 && shard < SHARD_LIMIT : "shard " + shard;
    events.set(SHORT, offset + SHARD, (short) shard);
  }

  public static void setIdTail(MemorySegment events, long offset, long idTail) {
    events.set(LONG, offset + ID_TAIL, idTail);
  }

  public static void setVersion(MemorySegment events, long offset, long version) {
    events.set(LONG, offset + VERSION, version);
  }

  /// Gives an event, whose id the store assigns, another time.
  ///
  /// @param epochNanos within the times of [TimeUuid]
  public static void setTime(MemorySegment events, long offset, long epochNanos) {
    assert version(events, offset) == VERSION_ASSIGNED : "an id of a client has its time";
    events.set(LONG, offset + ID_TIME, TimeUuid.timeOfNanos(epochNanos));
    events.set(LONG, offset + ID_TAIL, TimeUuid.tailOf(epochNanos, 0, 0));
  }

  static void writeHeader(
      MemorySegment events,
      long offset,
      int length,
      int attributes,
      long idTime,
      long idTail,
      long version) {
    events.set(INT, offset + LENGTH, length);
    events.set(SHORT, offset + ATTRIBUTES, (short) attributes);
    events.set(SHORT, offset + SHARD, (short) 0);
    events.set(LONG, offset + ID_TIME, idTime);
    events.set(LONG, offset + ID_TAIL, idTail);
    events.set(LONG, offset + VERSION, version);
  }
}
