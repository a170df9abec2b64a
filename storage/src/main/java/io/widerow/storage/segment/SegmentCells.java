package io.widerow.storage.segment;

import io.widerow.event.TimeUuid;
import io.widerow.storage.codec.ByteSource;
import io.widerow.storage.disk.ReadDeadline;
import io.widerow.storage.sketch.GroupCells;
import io.widerow.storage.sketch.RollupIndex;
import java.util.Arrays;

/// The positions of the cells of a segment's partitions: one after the other before the index, each
/// followed by its checksum. A segment that is a value in a cluster has none.
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

  /// Reads the cells of a segment's partitions.
  ///
  /// - Threads: one.
  /// - Memory: the largest cells that it read, or a stretch of small ones.
  public static final class Reader {
    /// Bytes that are read at once for partitions that are read one after the other.
    private static final int AHEAD_BYTES = 8 << 10;

    private final Segment segment;
    private final PieceReader pieces;
    private final int aheadBytes;
    private long stretchFrom; // file offsets of the stretch read at once
    private long stretchUntil;

    /// @param segment one that has cells; the caller holds a lease
    /// @param ahead true to read the following bytes too, for partitions that are read later
    public Reader(Segment segment, ReadDeadline deadline, boolean ahead) {
      this.segment = segment;
      this.pieces = new PieceReader(segment.file(), segment.checksum());
      pieces.limitTo(deadline);
      this.aheadBytes = ahead ? AHEAD_BYTES : 0;
    }

    /// Reads the cells of a partition.
    ///
    /// @param partition its number in the segment
    /// @param until end of the numbers of partitions that are read next, exclusive
    /// @throws io.widerow.storage.StorageException.Corrupt when they are damaged
    public Cells read(int partition, int until) {
      SegmentCells cells = segment.cells();
      long start = cells.offset(partition);
      if (start < stretchFrom || cells.offset(partition + 1) > stretchUntil) {
        long most = Math.min(cells.offset + cells.bytes(), start + aheadBytes);
        stretchFrom = start;
        stretchUntil = Math.max(cells.offset(until), most);
        pieces.begin(start, (int) (stretchUntil - start));
      }
      return Cells.read(
          pieces.read(start, cells.bytes(partition), "cells"), segment.partitions().get(partition));
    }

    /// Bytes read so far.
    public long bytesRead() {
      return pieces.bytesRead();
    }
  }

  /// Reads the cells of a segment's rollups, see [RollupIndex].
  ///
  /// - Threads: one.
  /// - Memory: the largest piece that it read.
  public static final class GroupReader {
    private final Segment segment;
    private final PieceReader pieces;

    /// @param segment the caller holds a lease
    public GroupReader(Segment segment, ReadDeadline deadline) {
      this.segment = segment;
      this.pieces = new PieceReader(segment.file(), segment.checksum());
      pieces.limitTo(deadline);
    }

    /// Reads a piece of a partition. It is valid until the next one is read.
    ///
    /// @throws io.widerow.storage.StorageException.Corrupt when it is damaged
    public GroupCells read(int partition, int piece) {
      RollupIndex rollups = segment.rollups();
      SegmentSummary.Partition of = segment.partitions().get(partition);
      long offset = rollups.offset(partition, piece);
      return GroupCells.read(
          pieces.read(offset, rollups.bytes(partition, piece), "cells of a rollup"),
          rollups.shape(partition, piece),
          TimeUuid.timeOfNanos(of.key().fromNanos()),
          of.events());
    }

    /// Reads a piece of a partition as it is, without its checksum; empty for one without cells.
    ///
    /// @throws io.widerow.storage.StorageException.Corrupt when it is damaged
    public byte[] copy(int partition, int piece) {
      if (!segment.rollups().isKept(partition, piece)) {
        return new byte[0];
      }
      var _ = read(partition, piece); // checks it
      ByteSource of =
          pieces.read(
              segment.rollups().offset(partition, piece),
              segment.rollups().bytes(partition, piece),
              "cells of a rollup");
      return Arrays.copyOfRange(of.bytes(), of.at(), of.at() + of.left());
    }

    /// Bytes read so far.
    public long bytesRead() {
      return pieces.bytesRead();
    }

    /// Memory that this holds.
    public long heldBytes() {
      return pieces.heldBytes();
    }
  }
}
