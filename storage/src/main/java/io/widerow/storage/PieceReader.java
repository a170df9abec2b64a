package io.widerow.storage;

import java.lang.foreign.MemorySegment;

/// Reads pieces of a segment that have their checksum behind them, one at a time. It can serve one
/// segment after the other.
///
/// - Threads: one.
/// - Memory: the largest piece that it read.
final class PieceReader {
  private final ByteSource source;
  private DiskFile file;
  private SegmentChecksum checksum;
  private byte[] buffer = new byte[0];
  private long bytesRead;
  private boolean waited;

  PieceReader(DiskFile file, SegmentChecksum checksum) {
    this.file = file;
    this.checksum = checksum;
    this.source = new ByteSource(file.path());
  }

  /// Goes on with another segment, in the same memory.
  void over(DiskFile newFile, SegmentChecksum newChecksum) {
    file = newFile;
    checksum = newChecksum;
    source.of(newFile.path());
    bytesRead = 0;
    waited = false;
  }

  /// Reads a piece and checks it.
  ///
  /// @param bytes of the piece, the checksum left out
  /// @return its bytes, valid until the next one is read
  /// @throws StorageException.Corrupt when the checksum is wrong, or the file too short
  ByteSource read(long offset, int bytes, String what) {
    int whole = bytes + SegmentFormat.CRC_BYTES;
    if (buffer.length < whole + ByteSource.SLACK) {
      buffer = new byte[LongDecoder.withSpare(whole) + ByteSource.SLACK];
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
    return source.over(buffer, 0, bytes, offset);
  }

  /// Bytes read so far, of this segment.
  long bytesRead() {
    return bytesRead;
  }

  /// True when, since this was last asked, a read took so long that the disk must have been asked.
  boolean waited() {
    boolean was = waited;
    waited = false;
    return was;
  }

  /// Memory that it holds.
  long heldBytes() {
    return buffer.length;
  }
}
