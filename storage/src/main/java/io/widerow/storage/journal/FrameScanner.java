package io.widerow.storage.journal;

import io.widerow.storage.StorageException;
import io.widerow.storage.disk.DiskFile;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.UUID;

/// Finds frames in a journal file by their magic and checksums alone. Nothing else in the file is
/// believed, neither the length words of Chronicle Queue nor its index: a page that never reached
/// the disk hides one frame and not those behind it.
///
/// ```
///   ....|WIDEROWJ frame 7 |....|00000000000000000|....|WIDEROWJ frame 9 |0000
///       ^ valid: hand over,    ^ step by four bytes   ^ valid
///         jump behind it
/// ```
///
/// A frame whose header is right and whose body is not is handed over too, as is a header that
/// carries the magic and a wrong checksum. Frames start at multiples of [#STEP].
///
/// - Threads: one at a time.
/// - Memory: owns one buffer, of half a megabyte or up to twice the largest frame that it met.
public final class FrameScanner implements AutoCloseable {
  public static final int STEP = 4;
  private static final MemorySegment ZEROS = MemorySegment.ofArray(new long[1 << 14]);

  /// What is read at once stays in the processor's cache until it has been looked at.
  static final int READ_BYTES = 1 << 19;

  private final FrameEncoder.GrowingMemory memory = new FrameEncoder.GrowingMemory();
  private MemorySegment window = MemorySegment.NULL;
  private final FrameDecoder decoder;
  private long windowOffset;
  private long windowBytes;

  public FrameScanner(UUID store) {
    this.decoder = new FrameDecoder(store);
  }

  /// Hands over what is found, until the reader wants no more of it.
  public void scan(int lane, DiskFile file, Journal.FrameReader reader) {
    Path path = file.path();
    long size = file.size();
    windowOffset = 0;
    windowBytes = 0;
    long offset = 0;
    while (offset + JournalFrame.HEADER_BYTES <= size) {
      long at = load(file, size, offset, JournalFrame.HEADER_BYTES);
      long found = JournalFrame.magic(window, at);
      if (found != JournalFrame.MAGIC) {
        offset += found == 0 ? Math.max(STEP, zerosAt(at)) : STEP;
        continue;
      }
      offset += handOver(lane, file, path, size, offset, reader);
      if (!reader.wants(lane)) {
        return;
      }
    }
  }

  /// Copies valid frames to the start of another file, one behind the other.
  ///
  /// @param lsnFirst of the first frame that is due
  /// @param lsnLast of the last frame to copy
  /// @return bytes of the other file
  /// @throws StorageException.Corrupt when the last frame is due, and not there
  long copy(int lane, DiskFile source, DiskFile target, long lsnFirst, long lsnLast) {
    var copied =
        new Object() {
          long bytes;
          long lsn = lsnFirst - 1;
        };
    scan(
        lane,
        source,
        (_, _, _, frame) -> {
          boolean valid = decoder.check(lane, frame) == FrameDecoder.Verdict.VALID;
          if (valid && JournalFrame.lsn(frame) <= lsnLast) {
            target.write(frame, copied.bytes);
            copied.bytes = (copied.bytes + frame.byteSize() + Long.BYTES - 1) & -Long.BYTES;
            copied.lsn = JournalFrame.lsn(frame);
          }
        });
    if (copied.lsn != lsnLast) {
      throw new StorageException.Corrupt(
          source.path(), 0, "LSN %d is the last one, not %d".formatted(copied.lsn, lsnLast));
    }
    return copied.bytes;
  }

  /// Zero bytes from a place in the window, in steps: most of a file is reserved and not written.
  private long zerosAt(long at) {
    long bytes = Math.min(ZEROS.byteSize(), windowBytes - at);
    long first = MemorySegment.mismatch(window, at, at + bytes, ZEROS, 0, bytes);
    return (first < 0 ? bytes : first) & -STEP;
  }

  /// Hands over what starts at `offset`.
  ///
  /// @return bytes to go on
  private long handOver(
      int lane, DiskFile file, Path path, long size, long offset, Journal.FrameReader reader) {
    long at = load(file, size, offset, JournalFrame.HEADER_BYTES);
    MemorySegment header = window.asSlice(at, JournalFrame.HEADER_BYTES);
    FrameDecoder.Verdict verdict = decoder.check(lane, header);
    if (!verdict.headerIsValid()) {
      reader.frame(lane, path, offset, header);
      return STEP;
    }
    long bytes = Math.min(JournalFrame.frameBytes(header), size - offset);
    at = load(file, size, offset, bytes);
    MemorySegment frame = window.asSlice(at, bytes);
    boolean valid = decoder.check(lane, frame) == FrameDecoder.Verdict.VALID;
    reader.frame(lane, path, offset, frame);
    return valid ? (bytes + STEP - 1) & -STEP : STEP;
  }

  /// Makes sure that `bytes` from `offset` are in the window.
  ///
  /// @return where they start in it
  private long load(DiskFile file, long size, long offset, long bytes) {
    if (offset < windowOffset || offset + bytes > windowOffset + windowBytes) {
      windowOffset = offset;
      long wanted = Math.min(Math.max(bytes, READ_BYTES), size - offset);
      window = memory.atLeast(wanted, 0);
      windowBytes = file.read(window.asSlice(0, wanted), offset);
      if (windowBytes < bytes) {
        throw new StorageException.Corrupt(file.path(), offset, "the file became shorter");
      }
    }
    return offset - windowOffset;
  }

  @Override
  public void close() {
    decoder.close();
    memory.close();
  }
}
