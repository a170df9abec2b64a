package io.widerow.storage.journal;

import io.widerow.storage.StorageException;
import io.widerow.storage.disk.DiskFile;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.UUID;

/// Scanner that finds frames in a journal file by magic and checksums alone. It trusts nothing else
/// in the file, neither Chronicle Queue's length words nor its index, so a page that never reached
/// the disk hides one frame and not the frames after it.
///
/// ```
///   ....|WIDEROWJ frame 7 |....|00000000000000000|....|WIDEROWJ frame 9 |0000
///       ^ valid: hand over,    ^ step by four bytes   ^ valid
///         jump past it
/// ```
///
/// The reader also gets each frame with an intact header and a damaged body, and each header with
/// the magic and a wrong checksum. Frames start at multiples of [#STEP]. In a reused file, frames
/// with lower LSNs than the file's first frame are left over from its earlier use, wherever they
/// lie: a page of a new frame that never reached the disk has its earlier content.
///
/// - Threads: one at a time.
/// - Memory: owns one buffer of half a megabyte, or of up to twice the largest frame seen.
public final class FrameScanner implements AutoCloseable {
  public static final int STEP = 4;
  private static final MemorySegment ZEROS = MemorySegment.ofArray(new long[1 << 14]);

  /// One read. It is small enough to stay in the processor's cache until it is scanned.
  static final int READ_BYTES = 1 << 19;

  private final FrameEncoder.GrowingMemory memory = new FrameEncoder.GrowingMemory();
  private MemorySegment window = MemorySegment.NULL;
  private final FrameDecoder decoder;
  private long windowOffset;
  private long windowBytes;

  public FrameScanner(UUID store) {
    this.decoder = new FrameDecoder(store);
  }

  /// Passes what it finds to the reader, until the reader wants no more.
  ///
  /// @param lsnFirst LSN of the file's first frame, by its name
  public void scan(int lane, long lsnFirst, DiskFile file, Journal.FrameReader reader) {
    scan(lane, lsnFirst, file, 0, reader);
  }

  /// The same from a place in the file.
  ///
  /// @param from a multiple of [#STEP]
  void scan(int lane, long lsnFirst, DiskFile file, long from, Journal.FrameReader reader) {
    long size = file.size();
    windowOffset = 0;
    windowBytes = 0;
    long offset = from;
    while (offset + JournalFrame.HEADER_BYTES <= size) {
      long at = load(file, size, offset, JournalFrame.HEADER_BYTES);
      long found = JournalFrame.magic(window, at);
      if (found != JournalFrame.MAGIC) {
        offset += found == 0 ? Math.max(STEP, zerosAt(at)) : STEP;
        continue;
      }
      offset += handOver(lane, lsnFirst, file, size, offset, reader);
      if (!reader.wants(lane)) {
        return;
      }
    }
  }

  /// Bytes of a file up to the end of what a replay finds in it. The rest of the file is zeros, or
  /// begins with a frame of an earlier use.
  long usedBytes(int lane, long lsnFirst, DiskFile file) {
    var remains = new Remains();
    scan(lane, lsnFirst, file, remains);
    return remains.from < 0 ? writtenBytes(file) : remains.from;
  }

  /// Where the frames of an earlier use begin that no later frame follows.
  private static final class Remains implements Journal.FrameReader {
    private long from = -1;

    @Override
    public void frame(int lane, Path file, long sequence, MemorySegment frame) {
      from = -1;
    }

    @Override
    public void remains(int lane, long sequence) {
      from = from < 0 ? sequence : from;
    }
  }

  /// Bytes of a file up to the last one that is not zero.
  private static long writtenBytes(DiskFile file) {
    MemorySegment read = MemorySegment.ofArray(new byte[(int) ZEROS.byteSize()]);
    long end = file.size();
    while (end > 0) {
      long from = Math.max(0, end - read.byteSize());
      MemorySegment piece = read.asSlice(0, end - from);
      if (file.read(piece, from) < piece.byteSize()) {
        return file.size(); // it is unknown
      }
      if (piece.mismatch(ZEROS.asSlice(0, piece.byteSize())) >= 0) {
        while (piece.get(ValueLayout.JAVA_BYTE, end - from - 1) == 0) {
          end--;
        }
        return end;
      }
      end = from;
    }
    return 0;
  }

  /// Copies valid frames into another file, one after the other, with the header and the length
  /// words of a journal file.
  ///
  /// @param lsnFirst LSN of the first expected frame
  /// @param lsnLast LSN of the last frame to copy
  /// @return bytes written to the other file
  /// @throws StorageException.Corrupt when the last frame is expected and missing
  long copy(int lane, DiskFile source, DiskFile target, long lsnFirst, long lsnLast) {
    var copied =
        new Object() {
          long bytes = QueueHeader.BYTES;
          long lsn = lsnFirst - 1;
        };
    target.write(QueueHeader.CONTENT, 0);
    MemorySegment lengthWord = MemorySegment.ofArray(new byte[Integer.BYTES]);
    scan(
        lane,
        lsnFirst,
        source,
        (_, _, _, frame) -> {
          boolean valid = decoder.check(lane, frame) == FrameDecoder.Verdict.VALID;
          if (valid && JournalFrame.lsn(frame) <= lsnLast) {
            lengthWord.set(QueueHeader.LENGTH_WORD, 0, (int) frame.byteSize());
            target.write(lengthWord, copied.bytes);
            target.write(frame, copied.bytes + Integer.BYTES);
            copied.bytes = ChronicleFile.after(copied.bytes, frame.byteSize());
            copied.lsn = JournalFrame.lsn(frame);
          }
        });
    if (copied.lsn != lsnLast) {
      throw new StorageException.Corrupt(
          source.path(), 0, "LSN %d is the last one, not %d".formatted(copied.lsn, lsnLast));
    }
    return copied.bytes;
  }

  /// Length of the run of zero bytes at a place in the window, rounded down to steps. Most of a
  /// file is reserved and never written.
  private long zerosAt(long at) {
    long bytes = Math.min(ZEROS.byteSize(), windowBytes - at);
    long first = MemorySegment.mismatch(window, at, at + bytes, ZEROS, 0, bytes);
    return (first < 0 ? bytes : first) & -STEP;
  }

  /// Passes the frame or header at `offset` to the reader.
  ///
  /// @return bytes to advance
  private long handOver(
      int lane, long lsnFirst, DiskFile file, long size, long offset, Journal.FrameReader reader) {
    long at = load(file, size, offset, JournalFrame.HEADER_BYTES);
    MemorySegment header = window.asSlice(at, JournalFrame.HEADER_BYTES);
    FrameDecoder.Verdict verdict = decoder.check(lane, header);
    if (!verdict.headerIsValid()) {
      reader.frame(lane, file.path(), offset, header);
      return STEP;
    }
    long bytes = Math.min(JournalFrame.frameBytes(header), size - offset);
    at = load(file, size, offset, bytes);
    MemorySegment frame = window.asSlice(at, bytes);
    boolean valid = decoder.check(lane, frame) == FrameDecoder.Verdict.VALID;
    if (JournalFrame.lsn(frame) < lsnFirst) {
      reader.remains(lane, offset);
    } else {
      reader.frame(lane, file.path(), offset, frame);
    }
    return valid ? (bytes + STEP - 1) & -STEP : STEP;
  }

  /// Loads `bytes` from `offset` into the window.
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
