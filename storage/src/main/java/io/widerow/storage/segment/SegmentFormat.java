package io.widerow.storage.segment;

import io.widerow.storage.codec.ByteSink;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.StructLayout;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/// Byte layout of a segment file (an SSTable). FORMAT-segment.md explains these declarations.
///
/// ```
///  +--------+-------+-------+--------------+-------+-- ~ --+-------+-------+--------+
///  | header | block | block | group filter | block |       | cells | index | footer |
///  +--------+-------+-------+--------------+-------+-- ~ --+-------+-------+--------+
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

  /// Feature: cells of rollups and cells of minutes are before the index, and the index ends with
  /// their sizes; see [io.widerow.storage.sketch.RollupIndex] and [Cells]. Segments that are values
  /// in a cluster have none.
  static final long FEATURE_CELLS = 1;

  /// Feature: there are no blocks; the index has the events and bounds of each partition, see
  /// [SegmentIndex#readFigures]. Only files of aggregates that outlive their events have it.
  static final long FEATURE_FIGURES = 2;

  /// Features of a file of aggregates.
  public static final long FIGURES = FEATURE_FIGURES | FEATURE_CELLS;

  /// Features that this program knows; it refuses a segment with others.
  static final long INCOMPATIBLE_KNOWN = FEATURE_FIGURES | FEATURE_CELLS;

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

  /// Appends the header of a file.
  public static void putHeader(ByteSink out, long features, SegmentChecksum checksum) {
    int at = out.length();
    out.putLong(MAGIC);
    out.putInt(VERSION);
    out.putInt(0);
    out.putLong(features);
    out.putLong(0); // compatible
    out.putLong(checksum.storeId().getMostSignificantBits());
    out.putLong(checksum.storeId().getLeastSignificantBits());
    out.putLong(checksum.segmentId());
    out.putInt(0);
    checksum.seal(out, at, 0);
    assert out.length() - at == HEADER_BYTES : out.length();
  }

  /// Appends the footer of a file, directly after its index.
  ///
  /// @param indexAt where the index begins in `out`
  /// @param indexOffset where it begins in the file
  public static void putFooter(
      ByteSink out,
      int indexAt,
      long indexOffset,
      int partitions,
      int blocks,
      long events,
      SegmentChecksum checksum) {
    int footerAt = out.length();
    int indexBytes = footerAt - indexAt;
    int indexCrc = checksum.of(out.bytes(), indexAt, indexBytes, indexOffset);
    long footerOffset = indexOffset + indexBytes;
    out.putLong(indexOffset);
    out.putInt(indexBytes);
    out.putInt(indexCrc);
    out.putInt(partitions);
    out.putInt(blocks);
    out.putLong(events);
    out.putLong(checksum.segmentId());
    out.putLong(footerOffset + FOOTER_BYTES);
    out.putInt(VERSION);
    checksum.seal(out, footerAt, footerOffset);
    out.putLong(MAGIC);
  }
}
