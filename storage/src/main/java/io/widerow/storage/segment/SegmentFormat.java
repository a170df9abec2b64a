package io.widerow.storage.segment;

import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.StructLayout;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/// A sealed segment, byte for byte. FORMAT-segment.md explains what this declares.
///
/// ```
///  +--------+-------+-------+--------------+-------+-- ~ --+-------+--------+
///  | header | block | block | group filter | block |       | index | footer |
///  +--------+-------+-------+--------------+-------+-- ~ --+-------+--------+
///
///  header, 64 bytes
///  0       8         12         16             24           32            40           48
///  +-------+---------+----------+--------------+------------+-------------+------------+-- ~
///  | magic | version | reserved | incompatible | compatible | storeIdHigh | storeIdLow |
///  +-------+---------+----------+--------------+------------+-------------+------------+-- ~
///  48          56         60       64
///  ~-----------+----------+--------+
///  | segmentId | reserved2| crc32c |
///  ~-----------+----------+--------+
///
///  footer, 64 bytes
///  0             8            12         16           20       24       32          40
///  +-------------+------------+----------+------------+--------+--------+-----------+-- ~
///  | indexOffset | indexBytes | indexCrc | partitions | blocks | events | segmentId |
///  +-------------+------------+----------+------------+--------+--------+-----------+-- ~
///  40          48        52       56      64
///  ~-----------+---------+--------+-------+
///  | fileBytes | version | crc32c | magic |
///  ~-----------+---------+--------+-------+
/// ```
///
/// Little-endian. Both checksums cover all of their structure but the checksum itself and, in the
/// footer, the magic, which comes last.
public final class SegmentFormat {
  static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT.withOrder(ByteOrder.LITTLE_ENDIAN);
  static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG.withOrder(ByteOrder.LITTLE_ENDIAN);

  static final StructLayout HEADER =
      MemoryLayout.structLayout(
          LONG.withName("magic"),
          INT.withName("version"),
          INT.withName("reserved"),
          LONG.withName("incompatible"),
          LONG.withName("compatible"),
          LONG.withName("storeIdHigh"),
          LONG.withName("storeIdLow"),
          LONG.withName("segmentId"),
          INT.withName("reserved2"),
          INT.withName("crc32c"));

  static final StructLayout FOOTER =
      MemoryLayout.structLayout(
          LONG.withName("indexOffset"),
          INT.withName("indexBytes"),
          INT.withName("indexCrc"),
          INT.withName("partitions"),
          INT.withName("blocks"),
          LONG.withName("events"),
          LONG.withName("segmentId"),
          LONG.withName("fileBytes"),
          INT.withName("version"),
          INT.withName("crc32c"),
          LONG.withName("magic"));

  public static final int HEADER_BYTES = Math.toIntExact(HEADER.byteSize());
  public static final int FOOTER_BYTES = Math.toIntExact(FOOTER.byteSize());
  public static final int CRC_BYTES = Integer.BYTES;

  /// "widerseg" as bytes.
  public static final long MAGIC = 0x6765_7372_6564_6977L;

  static final int VERSION = 1;

  /// Blocks are followed by the token filters of their groups, see [GroupFilter], and the index
  /// says where.
  static final long FEATURE_GROUPS = 1;

  /// Columns may need the series of their block, see [Series], and have their numbers compressed as
  /// a whole.
  static final long FEATURE_SERIES = 2;

  /// Ids of a block may be in order of arrival, see [IdEncoder].
  static final long FEATURE_ARRIVAL = 4;

  /// Times of day in lines may follow from their events' times, see [EventTimes], planes of numbers
  /// may be left as they are, and lines that fit no template may share what they begin with, see
  /// [LineLead].
  static final long FEATURE_TIMES = 8;

  /// Features that a reader must know, and that a writer uses.
  static final long INCOMPATIBLE_KNOWN =
      FEATURE_GROUPS | FEATURE_SERIES | FEATURE_ARRIVAL | FEATURE_TIMES;

  static final int PARTITION_KEY_BYTES_MAX = 512;
  static final int INDEX_BYTES_MAX = 1 << 28;

  /// Largest filter of a group of blocks.
  static final int FILTER_BYTES_MAX = 1 << 30;

  static {
    assert HEADER_BYTES == 64 : "the header is frozen for all versions";
    assert FOOTER_BYTES == 64 : "the footer is frozen for all versions";
  }

  private SegmentFormat() {}

  public static int headerOffset(String field) {
    return Math.toIntExact(HEADER.byteOffset(PathElement.groupElement(field)));
  }

  public static int footerOffset(String field) {
    return Math.toIntExact(FOOTER.byteOffset(PathElement.groupElement(field)));
  }
}
