package io.widerow.storage.journal;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import io.widerow.storage.StoreConfig;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.UUID;
import java.util.zip.CRC32C;

/// Layout of a journal frame: one group of events with its header, checksums and notes.
///
/// ```
///  0       8           12       14      15      16    24           32             40
///  +-------+-----------+--------+-------+-------+-----+------------+--------------+-- ~
///  | magic | headerCrc | format | codec | flags | lsn | durableLsn | counterLimit |
///  +-------+-----------+--------+-------+-------+-----+------------+--------------+-- ~
///
///  40           48     50      52       56          60         64            68        72
///  +------------+------+-------+--------+-----------+----------+-------------+---------+-- ~
///  | clockNanos | lane | notes | events | noteBytes | rawBytes | storedBytes | bodyCrc |
///  +------------+------+-------+--------+-----------+----------+-------------+---------+-- ~
///
///  72
///  +------- ~ -+----------- ~ -+
///  | notes     | stored events |
///  +------- ~ -+----------- ~ -+
/// ```
///
/// Little-endian, with no alignment beyond that of the file. Both checksums are CRC32C over a salt
/// and the bytes. The salt is store id, lane and LSN, so a frame of another store, lane or time
/// fails the check, and a client that chooses an event's bytes cannot forge a frame. `headerCrc`
/// covers the rest of the header, `bodyCrc` the notes and the stored events, so the header stays
/// trustworthy when a page of the body is lost. `durableLsn` is the LSN that was forced *before*
/// this frame was written: nothing ever proves the last group durable. `JournalFrameTest` checks
/// FORMAT-journal.md against [#HEADER].
public final class JournalFrame {
  private static final ValueLayout.OfShort SHORT =
      ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
  private static final ValueLayout.OfInt INT =
      ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
  private static final ValueLayout.OfLong LONG =
      ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

  public static final StructLayout HEADER =
      MemoryLayout.structLayout(
          LONG.withName("magic"),
          INT.withName("headerCrc"),
          SHORT.withName("format"),
          JAVA_BYTE.withName("codec"),
          JAVA_BYTE.withName("flags"),
          LONG.withName("lsn"),
          LONG.withName("durableLsn"),
          LONG.withName("counterLimit"),
          LONG.withName("clockNanos"),
          SHORT.withName("lane"),
          SHORT.withName("notes"),
          INT.withName("events"),
          INT.withName("noteBytes"),
          INT.withName("rawBytes"),
          INT.withName("storedBytes"),
          INT.withName("bodyCrc"));

  public static final int HEADER_BYTES = Math.toIntExact(HEADER.byteSize());

  /// "WIDEROWJ" in the order of the bytes on disk.
  public static final long MAGIC = 0x4A574F5245444957L;

  public static final int FORMAT = 1;

  /// Flag of a frame: the last one of its group.
  public static final int ENDS_GROUP = 1;

  /// Flag of a frame: the first one of its group. Earlier frames that wait for the end of theirs
  /// belong to a group that was dropped.
  public static final int STARTS_GROUP = 2;

  /// Flag of a frame: it holds mutations of tables, see [MutationRecord], and no events.
  public static final int MUTATIONS = 4;

  public static final int CODEC_NONE = 0;
  static final int CODEC_ZSTD = 1;
  public static final int LANE_LIMIT = 1 << 15;
  static final int NOTES_MAX = 0xFFFF;
  public static final int NOTE_BYTES_MAX = 1 << 10;
  static final int NOTES_BYTES_MAX = 4 << 20;
  public static final int RAW_BYTES_MAX = 8 << 20;

  private static final long MAGIC_AT = offsetOf("magic");
  private static final long HEADER_CRC = offsetOf("headerCrc");
  private static final long FORMAT_AT = offsetOf("format");
  private static final long CODEC = offsetOf("codec");
  private static final long FLAGS = offsetOf("flags");
  private static final long LSN = offsetOf("lsn");
  private static final long DURABLE_LSN = offsetOf("durableLsn");
  private static final long COUNTER_LIMIT = offsetOf("counterLimit");
  private static final long CLOCK_NANOS = offsetOf("clockNanos");
  private static final long LANE = offsetOf("lane");
  private static final long NOTES = offsetOf("notes");
  private static final long EVENTS = offsetOf("events");
  private static final long NOTE_BYTES = offsetOf("noteBytes");
  private static final long RAW_BYTES = offsetOf("rawBytes");
  private static final long STORED_BYTES = offsetOf("storedBytes");
  private static final long BODY_CRC = offsetOf("bodyCrc");

  static {
    assert HEADER_BYTES == 72 : "the header is frozen by format version 1";
    assert HEADER_BYTES + NOTES_BYTES_MAX + RAW_BYTES_MAX == StoreConfig.FRAME_BYTES_MAX;
    assert LSN % Long.BYTES == 0;
  }

  private JournalFrame() {}

  private static long offsetOf(String field) {
    return HEADER.byteOffset(PathElement.groupElement(field));
  }

  public static long magic(MemorySegment bytes, long offset) {
    return bytes.get(LONG, offset + MAGIC_AT);
  }

  public static int headerCrc(MemorySegment frame) {
    return frame.get(INT, HEADER_CRC);
  }

  static int format(MemorySegment frame) {
    return Short.toUnsignedInt(frame.get(SHORT, FORMAT_AT));
  }

  static int codec(MemorySegment frame) {
    return Byte.toUnsignedInt(frame.get(JAVA_BYTE, CODEC));
  }

  public static int flags(MemorySegment frame) {
    return Byte.toUnsignedInt(frame.get(JAVA_BYTE, FLAGS));
  }

  public static long lsn(MemorySegment frame) {
    return frame.get(LONG, LSN);
  }

  public static long durableLsn(MemorySegment frame) {
    return frame.get(LONG, DURABLE_LSN);
  }

  public static long counterLimit(MemorySegment frame) {
    return frame.get(LONG, COUNTER_LIMIT);
  }

  public static long clockNanos(MemorySegment frame) {
    return frame.get(LONG, CLOCK_NANOS);
  }

  public static int lane(MemorySegment frame) {
    return Short.toUnsignedInt(frame.get(SHORT, LANE));
  }

  static int notes(MemorySegment frame) {
    return Short.toUnsignedInt(frame.get(SHORT, NOTES));
  }

  public static int events(MemorySegment frame) {
    return frame.get(INT, EVENTS);
  }

  public static int noteBytes(MemorySegment frame) {
    return frame.get(INT, NOTE_BYTES);
  }

  /// Bytes of its records, in open rows.
  public static int rawBytes(MemorySegment frame) {
    return frame.get(INT, RAW_BYTES);
  }

  public static int storedBytes(MemorySegment frame) {
    return frame.get(INT, STORED_BYTES);
  }

  public static int bodyCrc(MemorySegment frame) {
    return frame.get(INT, BODY_CRC);
  }

  /// Length of the whole frame. Trust it only if the header's checksum matches.
  public static long frameBytes(MemorySegment frame) {
    return (long) HEADER_BYTES + noteBytes(frame) + storedBytes(frame);
  }

  static int noteLength(MemorySegment frame, long offset) {
    return Short.toUnsignedInt(frame.get(SHORT, offset));
  }

  static void setNoteLength(MemorySegment notes, long offset, int bytes) {
    notes.set(SHORT, offset, (short) bytes);
  }

  /// Writes the header except its checksums.
  static void write(
      MemorySegment frame, Group group, int lane, int codec, int noteBytes, int raw, int stored) {
    frame.set(LONG, MAGIC_AT, MAGIC);
    frame.set(SHORT, FORMAT_AT, (short) FORMAT);
    frame.set(JAVA_BYTE, CODEC, (byte) codec);
    frame.set(JAVA_BYTE, FLAGS, (byte) group.flags);
    frame.set(LONG, LSN, group.lsn);
    frame.set(LONG, DURABLE_LSN, group.durableLsn);
    frame.set(LONG, COUNTER_LIMIT, group.counterLimit);
    frame.set(LONG, CLOCK_NANOS, group.clockNanos);
    frame.set(SHORT, LANE, (short) lane);
    frame.set(SHORT, NOTES, (short) group.notes);
    frame.set(INT, EVENTS, group.events);
    frame.set(INT, NOTE_BYTES, noteBytes);
    frame.set(INT, RAW_BYTES, raw);
    frame.set(INT, STORED_BYTES, stored);
  }

  public static void setChecksums(MemorySegment frame, Checksum checksum, int lane) {
    long lsn = lsn(frame);
    long body = frameBytes(frame) - HEADER_BYTES;
    frame.set(INT, BODY_CRC, checksum.of(lane, lsn, frame, HEADER_BYTES, body));
    frame.set(INT, HEADER_CRC, headerChecksum(frame, checksum, lane));
  }

  static int headerChecksum(MemorySegment frame, Checksum checksum, int lane) {
    return checksum.of(lane, lsn(frame), frame, FORMAT_AT, HEADER_BYTES - FORMAT_AT);
  }

  static int bodyChecksum(MemorySegment frame, Checksum checksum, int lane) {
    return checksum.of(lane, lsn(frame), frame, HEADER_BYTES, frameBytes(frame) - HEADER_BYTES);
  }

  /// Header fields of a group; reused for each group.
  static final class Group {
    long lsn;
    long durableLsn;
    long counterLimit;
    long clockNanos;
    int events;
    int flags;
    int notes;
  }

  /// CRC32C of a store's salt and the bytes that follow it.
  ///
  /// - Threads: one at a time.
  public static final class Checksum {
    private static final int SALT_BYTES = 28;

    private final CRC32C crc = new CRC32C();
    private final ByteBuffer salt = ByteBuffer.allocate(SALT_BYTES).order(ByteOrder.LITTLE_ENDIAN);

    public Checksum(UUID store) {
      salt.putLong(0, store.getMostSignificantBits()).putLong(8, store.getLeastSignificantBits());
    }

    int of(int lane, long lsn, MemorySegment bytes, long offset, long count) {
      salt.putInt(16, lane).putLong(20, lsn);
      crc.reset();
      crc.update(salt.array(), 0, SALT_BYTES);
      crc.update(bytes.asSlice(offset, count).asByteBuffer());
      return (int) crc.getValue();
    }
  }
}
