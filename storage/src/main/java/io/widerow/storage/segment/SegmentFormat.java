package io.widerow.storage.segment;

import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.StructLayout;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/// Byte layout of a segment file (an SSTable). FORMAT-segment.md explains these declarations.
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
/// Little-endian. Each checksum covers its whole structure except the checksum itself and, in the
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

  public static final int VERSION = 1;

  /// Feature: token filters follow the blocks of each group, see [GroupFilter]. The index locates
  /// them.
  static final long FEATURE_GROUPS = 1;

  /// Feature: columns may need the series of their block, see [Series], and may have their numbers
  /// compressed as a whole.
  static final long FEATURE_SERIES = 2;

  /// Feature: ids of a block may be in order of arrival, see [IdEncoder].
  static final long FEATURE_ARRIVAL = 4;

  /// Feature: times of day in lines may be derived from their events' times, see [EventTimes];
  /// planes of numbers may be stored raw; lines without a template may share their beginning, see
  /// [LineLead].
  static final long FEATURE_TIMES = 8;

  /// Feature: the index ends with what the segment was made of, see [SegmentOrigin].
  public static final long FEATURE_ORIGIN = 16;

  /// Feature: cells of each partition are before the index, see [Cells]; the index ends with their
  /// sizes. A writer may do without.
  static final long FEATURE_CELLS = 32;

  /// Feature: cells of defined rollups are before those cells, see
  /// [io.widerow.storage.rollup.RollupIndex]; the index ends with their shapes and sizes. Written
  /// where rollups are defined.
  static final long FEATURE_ROLLUPS = 64;

  /// Feature: cells of a partition without own ids do not count these. A writer that writes cells
  /// does so.
  static final long FEATURE_BARE_CELLS = 128;

  /// Feature: there are no blocks; the index tells the events and bounds of each partition, see
  /// [SegmentIndex#readFigures]. Only files of figures that are kept beyond their events have it.
  public static final long FEATURE_FIGURES = 256;

  /// Features of a file of figures.
  public static final long FIGURES =
      FEATURE_FIGURES | FEATURE_CELLS | FEATURE_ROLLUPS | FEATURE_BARE_CELLS;

  /// Features that a writer of events uses where nothing else is said.
  static final long OF_EVENTS =
      FEATURE_GROUPS
          | FEATURE_SERIES
          | FEATURE_ARRIVAL
          | FEATURE_TIMES
          | FEATURE_ORIGIN
          | FEATURE_CELLS
          | FEATURE_ROLLUPS
          | FEATURE_BARE_CELLS;

  /// Features that a reader must know.
  static final long INCOMPATIBLE_KNOWN = OF_EVENTS | FEATURE_FIGURES;

  static final int PARTITION_KEY_BYTES_MAX = 512;
  static final int INDEX_BYTES_MAX = 1 << 28;

  /// Largest token filter of a group of blocks, in bytes.
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
