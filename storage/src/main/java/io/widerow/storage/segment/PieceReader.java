package io.widerow.storage.segment;

import io.widerow.storage.StorageException;
import io.widerow.storage.codec.ByteSink;
import io.widerow.storage.codec.ByteSource;
import io.widerow.storage.codec.LongDecoder;
import io.widerow.storage.disk.DiskFile;
import io.widerow.storage.disk.ReadDeadline;
import java.lang.foreign.MemorySegment;

/// Reads pieces of a segment, each followed by its checksum, one at a time. It can serve one
/// segment after another. A small stretch of pieces is read at once: a system call costs more than
/// the copy.
///
/// - Threads: one.
/// - Memory: the largest piece or stretch that it read.
public final class PieceReader {
  /// A read that took longer most likely waited for the disk. If it came from memory, little is
  /// lost.
  public static final long WAITED_NANOS = 200_000;

  /// Longest stretch that is read at once.
  private static final int STRETCH_BYTES_MAX = 16 << 10;

  private final ByteSource source;
  private ReadDeadline deadline = ReadDeadline.NONE;
  private DiskFile file;
  private SegmentChecksum checksum;
  private byte[] buffer = new byte[0];
  private long stretchOffset; // of what the buffer has
  private int stretchBytes;
  private long bytesRead;
  private boolean waited;

  PieceReader(DiskFile file, SegmentChecksum checksum) {
    this.file = file;
    this.checksum = checksum;
    this.source = new ByteSource(file.path());
  }

  /// Turns to another segment, in the same memory.
  void over(DiskFile newFile, SegmentChecksum newChecksum) {
    file = newFile;
    checksum = newChecksum;
    source.of(newFile.path());
    stretchBytes = 0;
    bytesRead = 0;
    waited = false;
  }

  /// Sets the deadline of reads from now on.
  void limitTo(ReadDeadline newDeadline) {
    deadline = newDeadline;
  }

  /// Announces that the pieces of a stretch will be read.
  void begin(long offset, int bytes) {
    stretchBytes = 0;
    file.expect(offset, bytes);
    if (bytes <= STRETCH_BYTES_MAX && fill(offset, bytes) == bytes) {
      stretchOffset = offset;
      stretchBytes = bytes;
    }
  }

  /// Reads a piece and checks it.
  ///
  /// @param bytes of the piece, without the checksum
  /// @return its bytes, valid until the next piece is read
  /// @throws StorageException.Corrupt when the checksum is wrong, or the file too short
  ByteSource read(long offset, int bytes, String what) {
    int whole = bytes + SegmentFormat.CRC_BYTES;
    long at = offset - stretchOffset;
    if (at < 0 || at + whole > stretchBytes) {
      stretchBytes = 0;
      at = 0;
      long done = fill(offset, whole);
      if (done != whole) {
        throw new StorageException.Corrupt(
            file.path(), offset, "%s of %d bytes where %d are left".formatted(what, whole, done));
      }
    }
    int from = (int) at;
    int limit = from + bytes;
    if (checksum.of(buffer, from, bytes, offset) != (int) ByteSink.INT.get(buffer, limit)) {
      throw new StorageException.Corrupt(
          file.path(), offset, "%s of %d bytes with a wrong checksum".formatted(what, bytes));
    }
    return source.over(buffer, from, limit, offset - from);
  }

  /// Fills the buffer from its start; returns how many bytes the file had.
  private long fill(long offset, int bytes) {
    deadline.check(file, offset, bytes);
    if (buffer.length < bytes + ByteSource.SLACK) {
      buffer = new byte[LongDecoder.withSpare(bytes) + ByteSource.SLACK];
    }
    long begun = System.nanoTime();
    long done =
        file.read(MemorySegment.ofArray(buffer).asSlice(0, bytes), offset, deadline.fetches());
    waited |= System.nanoTime() - begun > WAITED_NANOS && file.mayWait();
    bytesRead += done;
    return done;
  }

  /// Bytes read so far, of this segment.
  long bytesRead() {
    return bytesRead;
  }

  /// True when a read has waited for the disk since the last call.
  boolean waited() {
    boolean was = waited;
    waited = false;
    return was;
  }

  /// Memory that this holds.
  long heldBytes() {
    return buffer.length;
  }
}
