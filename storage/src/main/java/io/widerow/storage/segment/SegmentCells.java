package io.widerow.storage.segment;

import io.widerow.storage.codec.ByteSource;
import io.widerow.storage.disk.ReadDeadline;
import org.jspecify.annotations.Nullable;

/// Where the cells of a segment's partitions lie: one after the other before the index, each
/// followed by its checksum. An older segment has none.
///
/// - Threads: any; immutable.
/// - Memory: 4 bytes a partition.
public final class SegmentCells {
  static final SegmentCells NONE = new SegmentCells(0, new int[1]);

  /// File offset of the first cells.
  final long offset;

  private final int[] starts; // from `offset`, checksums included; one more entry ends the last

  private SegmentCells(long offset, int[] starts) {
    this.offset = offset;
    this.starts = starts;
  }

  /// Reads the sizes from an index.
  ///
  /// @param limit file offset at which the cells end and the index starts
  static SegmentCells read(ByteSource in, int partitions, long limit) {
    int[] starts = new int[partitions + 1];
    long most = Math.min(Integer.MAX_VALUE, limit - SegmentFormat.HEADER_BYTES);
    for (int i = 0; i < partitions; i++) {
      int left = (int) (most - starts[i]) - SegmentFormat.CRC_BYTES;
      int bytes = in.readCount(Cells.BYTES_LEAST, Math.max(0, left), "bytes of cells");
      starts[i + 1] = starts[i] + bytes + SegmentFormat.CRC_BYTES;
    }
    return new SegmentCells(limit - starts[partitions], starts);
  }

  /// True when the segment has cells.
  public boolean isThere() {
    return starts.length > 1;
  }

  /// Bytes of all cells, with checksums.
  long bytes() {
    return starts[starts.length - 1];
  }

  /// File offset of the cells of a partition.
  long offset(int partition) {
    return offset + starts[partition];
  }

  /// Bytes of the cells of a partition, without the checksum.
  int bytes(int partition) {
    return starts[partition + 1] - starts[partition] - SegmentFormat.CRC_BYTES;
  }

  /// Reads cells of partitions, of one segment after the other.
  ///
  /// - Threads: one.
  /// - Memory: the largest cells that it read, or a stretch of small ones.
  public static final class Reader {
    private final ReadDeadline deadline;
    private @Nullable PieceReader pieces; // from the first segment on
    private long bytesBefore;

    public Reader(ReadDeadline deadline) {
      this.deadline = deadline;
    }

    /// Turns to a segment that has cells. The caller holds a lease on it.
    ///
    /// @param from number of the first partition that will be read
    /// @param until end of these numbers, exclusive
    public void begin(Segment segment, int from, int until) {
      PieceReader reader = pieces;
      if (reader == null) {
        reader = new PieceReader(segment.file(), segment.checksum());
        reader.limitTo(deadline);
        pieces = reader;
      } else {
        bytesBefore += reader.bytesRead();
        reader.over(segment.file(), segment.checksum());
      }
      SegmentCells cells = segment.cells();
      reader.begin(cells.offset(from), (int) (cells.offset(until) - cells.offset(from)));
    }

    /// Reads the cells of a partition of the segment.
    ///
    /// @param partition its number in the segment
    /// @throws io.widerow.storage.StorageException.Corrupt when they are damaged
    public Cells read(Segment segment, int partition) {
      PieceReader reader = pieces;
      if (reader == null) {
        throw new IllegalStateException("no segment yet");
      }
      SegmentCells cells = segment.cells();
      return Cells.read(
          reader.read(cells.offset(partition), cells.bytes(partition), "cells"),
          segment.partitions().get(partition));
    }

    /// Bytes read so far.
    public long bytesRead() {
      PieceReader reader = pieces;
      return bytesBefore + (reader == null ? 0 : reader.bytesRead());
    }
  }
}
