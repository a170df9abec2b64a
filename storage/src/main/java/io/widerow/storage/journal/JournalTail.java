package io.widerow.storage.journal;

import io.widerow.storage.StorageException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;
import java.util.function.Predicate;

/// Reader that follows the journal of a lane while it is written: each call continues after the
/// last frame of the one before. It reads only frames that were forced, and no file that has unread
/// ones may be trimmed.
///
/// ```
///   file 7 | 40 41 42 |    file 8 | 43 44 45 46 ...
///                                      ^ the next frame: its file and its place in it are known
/// ```
///
/// - Threads: one at a time.
/// - Memory: while it reads, a buffer of half a megabyte, or of up to twice the largest frame.
public final class JournalTail {
  private final Journal.Factory journals;
  private final UUID store;
  private final int lane;
  private long lsn; // of the last frame read
  private long number = -1; // of the file in which it is; -1 when it is not known
  private long offset; // of the end of this frame

  /// @param lsn the frame after this one is the next
  public JournalTail(Journal.Factory journals, UUID store, int lane, long lsn) {
    this.journals = journals;
    this.store = store;
    this.lane = lane;
    this.lsn = lsn;
  }

  /// LSN of the last frame that was read.
  public long lsn() {
    return lsn;
  }

  /// Passes the next frames up to an LSN to `frames`, which returns whether to go on. A frame is
  /// readable until the call returns.
  ///
  /// @param lsnLast a forced one
  /// @throws StorageException.Corrupt when a frame is missing or damaged
  public void read(long lsnLast, Predicate<MemorySegment> frames) {
    if (lsn >= lsnLast) {
      return;
    }
    try (FrameDecoder decoder = new FrameDecoder(store)) {
      var reading = new Reading(decoder, lsnLast, frames);
      List<JournalFile> files = journals.files(lane);
      for (int i = 0; i < files.size() && reading.wants(lane); i++) {
        JournalFile file = files.get(i);
        if (i + 1 == files.size() || files.get(i + 1).lsnFirst() > lsn + 1) {
          reading.file = file.number();
          journals.scan(file, file.number() == number ? offset : 0, reading);
        }
      }
      if (reading.wants(lane)) {
        Path where = files.isEmpty() ? Path.of(Journal.DIRECTORY) : files.getLast().path();
        throw new StorageException.Corrupt(
            where, 0, "LSN %d of lane %d is not there".formatted(lsn + 1, lane));
      }
    }
  }

  /// One call of [#read].
  private final class Reading implements Journal.FrameReader {
    private final FrameDecoder decoder;
    private final long lsnLast;
    private final Predicate<MemorySegment> frames;
    private boolean goesOn = true;
    private long file;

    Reading(FrameDecoder decoder, long lsnLast, Predicate<MemorySegment> frames) {
      this.decoder = decoder;
      this.lsnLast = lsnLast;
      this.frames = frames;
    }

    @Override
    public void frame(int ofLane, Path path, long sequence, MemorySegment frame) {
      if (wants(lane)
          && decoder.check(lane, frame) == FrameDecoder.Verdict.VALID
          && JournalFrame.lsn(frame) == lsn + 1) {
        long bytes = JournalFrame.frameBytes(frame);
        goesOn = frames.test(frame.asSlice(0, bytes));
        lsn++;
        number = file;
        offset = sequence + Math.ceilDiv(bytes, FrameScanner.STEP) * FrameScanner.STEP;
      }
    }

    @Override
    public boolean wants(int ofLane) {
      return goesOn && lsn < lsnLast;
    }
  }
}
