package io.widerow.storage;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/// Reads blocks of a segment, one at a time, and of each only the parts that are asked for. It can
/// serve one segment after the other: its buffers are large.
///
/// - Threads: one.
/// - Memory: one block; a native context until [#close].
final class BlockReader implements AutoCloseable {
  /// Of zstd's native context, about.
  private static final long CONTEXT_BYTES = 128 << 10;

  private DiskFile file;
  private SegmentChecksum checksum;
  private final BlockDecompressor decompressor = new BlockDecompressor();
  private final LongDecoder longs = new LongDecoder(decompressor);
  private final IdDecoder ids = new IdDecoder(longs);
  private final BlockDirectory directory = new BlockDirectory();
  private final List<ColumnReader> columns = new ArrayList<>();
  private final ByteSource source;
  private byte[] buffer = new byte[0];
  private long bytesRead;
  private long headLimit; // behind the directory and the filters that were read
  private boolean idsRead;
  private boolean waited;

  BlockReader(DiskFile file, SegmentChecksum checksum) {
    this.file = file;
    this.checksum = checksum;
    this.source = new ByteSource(file.path());
  }

  /// Goes on with another segment, in the same memory.
  BlockReader over(DiskFile newFile, SegmentChecksum newChecksum) {
    file = newFile;
    checksum = newChecksum;
    source.of(newFile.path());
    columns.forEach(column -> column.of(newFile.path()));
    waited = false;
    bytesRead = 0;
    return this;
  }

  BlockDirectory directory() {
    return directory;
  }

  /// The ids of the block, once [#readIds] was called.
  IdDecoder ids() {
    return ids;
  }

  /// Of the block, so far.
  long bytesRead() {
    return bytesRead;
  }

  /// True when, since this was last asked, a read took so long that the disk must have been asked.
  boolean waited() {
    boolean was = waited;
    waited = false;
    return was;
  }

  /// Memory that it holds, about.
  long heldBytes() {
    long bytes = CONTEXT_BYTES + buffer.length + ids.heldBytes();
    for (ColumnReader column : columns) {
      bytes += column.heldBytes();
    }
    return bytes;
  }

  /// Reads the directory of a block, and forgets the block before.
  void open(SegmentIndex index, int block) {
    long offset = index.offsets[block];
    int bytes = index.directoryBytes[block] - SegmentFormat.CRC_BYTES;
    if (bytes < 1) {
      throw new StorageException.Corrupt(file.path(), offset, "a directory of no bytes");
    }
    bytesRead = 0;
    idsRead = false;
    fetch(offset, bytes, "directory");
    headLimit = offset + index.directoryBytes[block];
    directory.read(
        source,
        index.events[block],
        offset + index.directoryBytes[block],
        offset + index.blockBytes[block]);
    while (columns.size() < directory.columns) {
      columns.add(new ColumnReader(file.path(), longs, decompressor));
    }
    for (int i = 0; i < directory.columns; i++) {
      columns.get(i).clear();
    }
  }

  /// Reads the ids, if they are not there yet.
  void readIds() {
    if (!idsRead) {
      fetch(directory.idsOffset, directory.idsBytes, "ids");
      ids.decode(source, directory.events);
      idsRead = true;
    }
  }

  /// A column, decoded.
  ColumnReader column(int column) {
    ColumnReader reader = columns.get(column);
    if (!reader.decoded()) {
      fetch(directory.chunkOffsets[column], directory.chunkBytes[column], "column");
      reader.decode(source, directory.kinds[column], directory.present[column], directory.events);
    }
    return reader;
  }

  /// The bytes of a column's token filter, valid until the next read.
  ByteSource filter(int column) {
    long offset = directory.filterOffsets[column];
    int bytes = directory.filterBytes[column];
    fetch(offset, bytes, "filter");
    headLimit = Math.max(headLimit, offset + bytes + SegmentFormat.CRC_BYTES);
    return source;
  }

  /// How much of the open block, from its start, has what was looked at to rule it out.
  int headBytes(SegmentIndex index, int block) {
    return (int) (headLimit - index.offsets[block]);
  }

  /// Reads and checks everything in a block.
  void verify(SegmentIndex index, int block) {
    open(index, block);
    readIds();
    for (int i = 0; i < directory.columns; i++) {
      if (directory.filterBytes[i] > 0) {
        filter(i);
      }
      fetch(directory.chunkOffsets[i], directory.chunkBytes[i], "column");
    }
  }

  private void fetch(long offset, int bytes, String what) {
    int whole = bytes + SegmentFormat.CRC_BYTES;
    if (buffer.length < whole + ByteSource.SLACK) {
      buffer = new byte[Math.max(whole, 2 * buffer.length) + ByteSource.SLACK];
    }
    long begun = System.nanoTime();
    long done = file.read(MemorySegment.ofArray(buffer).asSlice(0, whole), offset);
    waited |= System.nanoTime() - begun > Prefetch.WAITED_NANOS && file.mayWait();
    if (done != whole) {
      throw new StorageException.Corrupt(
          file.path(), offset, "%s of %d bytes where %d are left".formatted(what, whole, done));
    }
    bytesRead += whole;
    if (checksum.of(buffer, 0, bytes, offset) != (int) ByteSink.INT.get(buffer, bytes)) {
      throw new StorageException.Corrupt(
          file.path(), offset, "%s of %d bytes with a wrong checksum".formatted(what, bytes));
    }
    source.over(buffer, 0, bytes, offset);
  }

  @Override
  public void close() {
    decompressor.close();
  }
}
