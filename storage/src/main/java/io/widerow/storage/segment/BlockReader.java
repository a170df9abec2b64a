package io.widerow.storage.segment;

import io.widerow.event.AttributeKind;
import io.widerow.storage.StorageException;
import io.widerow.storage.codec.BlockDecompressor;
import io.widerow.storage.codec.ByteSource;
import io.widerow.storage.codec.IdDecoder;
import io.widerow.storage.codec.LongDecoder;
import io.widerow.storage.codec.Series;
import io.widerow.storage.disk.DiskFile;
import io.widerow.storage.disk.ReadDeadline;
import io.widerow.storage.text.EventTimes;
import java.util.ArrayList;
import java.util.List;

/// Reader of a segment's blocks, one at a time. It reads only the requested parts of each. It can
/// move to another segment and keep its large buffers.
///
/// - Threads: one.
/// - Memory: one block; a native context until [#close], once it decompressed something.
public final class BlockReader implements AutoCloseable {
  /// Approximate size of a reader that has read nothing.
  private static final long OBJECT_BYTES = 1 << 10;

  private DiskFile file;
  private final PieceReader pieces;
  private final BlockDecompressor decompressor = new BlockDecompressor();
  private final LongDecoder longs = new LongDecoder(decompressor);
  private final IdDecoder ids = new IdDecoder(longs);
  private final BlockDirectory directory = new BlockDirectory();
  private final List<ColumnReader> columns = new ArrayList<>();
  private long bytesBefore; // read for earlier blocks
  private final Series series = new Series();
  private final EventTimes times = new EventTimes();
  private boolean idsRead;
  private long opened;

  public BlockReader(DiskFile file, SegmentChecksum checksum) {
    this.file = file;
    this.pieces = new PieceReader(file, checksum);
  }

  /// Switches to another segment and keeps its memory.
  public BlockReader over(DiskFile newFile, SegmentChecksum newChecksum) {
    file = newFile;
    pieces.over(newFile, newChecksum);
    columns.forEach(column -> column.of(newFile.path()));
    bytesBefore = 0;
    return this;
  }

  /// Sets the deadline for reads from now on.
  public BlockReader limitedTo(ReadDeadline deadline) {
    pieces.limitTo(deadline);
    return this;
  }

  public BlockDirectory directory() {
    return directory;
  }

  /// The ids of the block, after [#readIds].
  public IdDecoder ids() {
    return ids;
  }

  /// Bytes read for the current block so far.
  public long bytesRead() {
    return pieces.bytesRead() - bytesBefore;
  }

  /// True when a read since the last call took so long that it must have gone to the disk.
  public boolean waited() {
    return pieces.waited();
  }

  /// Approximate memory held.
  public long heldBytes() {
    long bytes = OBJECT_BYTES + decompressor.heldBytes() + pieces.heldBytes();
    bytes += ids.heldBytes() + series.heldBytes();
    for (ColumnReader column : columns) {
      bytes += column.heldBytes();
    }
    return bytes;
  }

  /// Reads the directory of a block and drops the previous block.
  public void open(SegmentIndex index, int block) {
    long offset = index.offset(block);
    int bytes = index.directoryBytes(block) - SegmentFormat.CRC_BYTES;
    if (bytes < 1) {
      throw new StorageException.Corrupt(file.path(), offset, "a directory of no bytes");
    }
    bytesBefore = pieces.bytesRead();
    opened++;
    idsRead = false;
    pieces.begin(offset, index.blockBytes(block));
    directory.read(
        pieces.read(offset, bytes, "directory"),
        index.events(block),
        offset + index.directoryBytes(block),
        offset + index.blockBytes(block));
    while (columns.size() < directory.columns) {
      columns.add(new ColumnReader(file.path(), longs, decompressor));
    }
    for (int i = 0; i < directory.columns; i++) {
      columns.get(i).clear();
    }
    series.clear();
  }

  /// Number of blocks opened so far: it shows whether a result is of the open block.
  long opened() {
    return opened;
  }

  /// Reads the ids unless they are already read.
  public void readIds() {
    if (!idsRead) {
      ids.decode(pieces.read(directory.idsOffset, directory.idsBytes, "ids"), directory.events);
      idsRead = true;
    }
  }

  /// The kind of a column's values.
  public AttributeKind kind(int column) {
    return directory.kinds[column];
  }

  /// Decodes a column.
  public ColumnReader column(int column) {
    ColumnReader reader = columns.get(column);
    if (!reader.decoded()) {
      boolean follows = directory.follows[column];
      if (follows && series.count() == 0) {
        findSeries();
      }
      if (directory.timed[column]) {
        readIds();
      }
      ByteSource chunk =
          pieces.read(directory.chunkOffsets[column], directory.chunkBytes[column], "column");
      reader.decode(
          chunk,
          directory.kinds[column],
          directory.present[column],
          directory.events,
          follows ? series : null,
          directory.timed[column] ? times.of(ids.times) : null,
          directory.compressed[column]);
    }
    return reader;
  }

  /// Checks a column against its checksum, and the columns that decoding it needs. Decodes no
  /// column: for columns that may never be shown. Reads the ids when the column needs them. A later
  /// [#column] reads the bytes again.
  ///
  /// @throws StorageException.Corrupt when one is damaged
  public void check(int column) {
    if (columns.get(column).decoded()) {
      return;
    }
    if (directory.follows[column] && series.count() == 0) {
      for (int i = 0; i < directory.leaderCount; i++) {
        check(directory.leaders[i]);
      }
    }
    if (directory.timed[column]) {
      readIds();
    }
    ByteSource _ =
        pieces.read(directory.chunkOffsets[column], directory.chunkBytes[column], "column");
  }

  /// Reads the leading columns, which depend on no series.
  private void findSeries() {
    series.begin(directory.events);
    for (int i = 0; i < directory.leaderCount; i++) {
      int leader = directory.leaders[i];
      if (!column(leader).split(series, directory.events)) {
        series.clear();
        throw new StorageException.Corrupt(
            file.path(),
            directory.chunkOffsets[leader],
            "series that %s cannot tell apart".formatted(directory.names[leader]));
      }
    }
  }

  /// Reads and checks everything in a block.
  public void verify(SegmentIndex index, int block) {
    open(index, block);
    readIds();
    for (int i = 0; i < directory.columns; i++) {
      pieces.read(directory.chunkOffsets[i], directory.chunkBytes[i], "column");
    }
  }

  @Override
  public void close() {
    decompressor.close();
  }
}
