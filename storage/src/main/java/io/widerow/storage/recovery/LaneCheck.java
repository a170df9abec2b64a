package io.widerow.storage.recovery;

import io.widerow.storage.JournalLoss;
import io.widerow.storage.journal.FrameDecoder;
import io.widerow.storage.journal.JournalFrame;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// What the frames of one lane's journal say, frame by frame. Frames that are valid form runs of
/// consecutive LSNs; between runs are gaps:
///
/// ```
///   5  6  7  -  9  10  -  12       gaps: 8 and 11; durable, as far as any header tells: 8
///            |         |
///            |         +-- behind everything durable: torn, 11 and 12 never counted
///            +-- durable: lost
/// ```
///
/// - Threads: one.
public final class LaneCheck {
  private final int lane;
  private final List<Gap> gaps = new ArrayList<>();
  private final List<JournalLoss> foreign = new ArrayList<>(); // files and frames of others
  private long next; // the LSN that would go on
  private long durable; // promised, as far as any frame tells
  private long frames; // whose headers can be believed
  private long badFrames; // of them, not valid, since the last valid one
  private long badEvents;
  private long goodFrames;
  private @Nullable Path badFile; // the first sign of a gap
  private long badOffset;
  private String badFound = "";
  private @Nullable Path file; // the last one
  private long headers; // of the last file, that can be believed
  private long strangers; // of the last file, that cannot

  /// LSNs that no valid frame has.
  private record Gap(JournalLoss loss, long goodFramesBefore) {}

  LaneCheck(int lane, long sealed) {
    this.lane = lane;
    this.next = sealed + 1;
  }

  void file(Path newFile, long lsnFirst) {
    endFile();
    file = newFile;
    durable = Math.max(durable, lsnFirst - 1);
    if (lsnFirst > next) {
      sign(newFile, 0, "the file starts with LSN %d".formatted(lsnFirst));
    }
  }

  /// A file all of whose frames are strange is another's: a power cut tears the last one, not all.
  private void endFile() {
    Path ended = file;
    if (ended != null && headers == 0 && strangers > 1) {
      stranger(ended, 0, "no frame in it is of this store and lane");
    }
    headers = 0;
    strangers = 0;
  }

  private void sign(Path where, long offset, String found) {
    if (badFile == null) {
      badFile = where;
      badOffset = offset;
      badFound = found;
    }
  }

  /// A frame whose header is wrong.
  void unbelievable(Path where, long offset) {
    strangers++;
    sign(where, offset, "a frame whose header is damaged");
  }

  /// Something that must be another's.
  void stranger(Path where, long offset, String found) {
    foreign.add(new JournalLoss(lane, next, Math.max(next, durable), where, offset, found, -1));
  }

  /// A frame whose header can be believed, whatever its body is.
  void frame(Path where, long offset, MemorySegment frame, FrameDecoder.Verdict verdict) {
    headers++;
    durable = Math.max(durable, JournalFrame.durableLsn(frame));
    long lsn = JournalFrame.lsn(frame);
    if (lsn < next) {
      return;
    }
    frames++;
    if (verdict != FrameDecoder.Verdict.VALID) {
      sign(where, offset, verdict.sentence);
      badFrames++;
      badEvents += JournalFrame.events(frame);
      return;
    }
    if (lsn > next) {
      sign(where, offset, "LSN %d where %d was expected".formatted(lsn, next));
      gaps.add(new Gap(gap(lsn - 1, where), goodFrames));
    }
    goodFrames++;
    next = lsn + 1;
    badFrames = 0;
    badEvents = 0;
    badFile = null;
    badOffset = 0;
    badFound = "";
  }

  private JournalLoss gap(long lsnLast, Path fallback) {
    Path where = badFile == null ? fallback : badFile;
    long events = badFrames == lsnLast - next + 1 ? badEvents : -1;
    return new JournalLoss(lane, next, lsnLast, where, badOffset, badFound, events);
  }

  void end() {
    endFile();
  }

  boolean hasFile() {
    return file != null;
  }

  private @Nullable Gap torn() {
    return gaps.stream().filter(gap -> gap.loss.lsnLast() > durable).findFirst().orElse(null);
  }

  /// The last frame that counts.
  long last() {
    Gap torn = torn();
    return torn == null ? next - 1 : torn.loss.lsnFirst() - 1;
  }

  /// The greatest LSN that was promised.
  long durable() {
    return durable;
  }

  /// Frames from the first torn one on.
  long tornFrames() {
    Gap torn = torn();
    if (torn != null) {
      return frames - torn.goodFramesBefore;
    }
    return durable < next ? badFrames : 0;
  }

  /// What was promised and is not there, in the order of LSNs.
  ///
  /// @param directory of the journals, when there is no file to name
  List<JournalLoss> losses(Path directory) {
    List<JournalLoss> losses = new ArrayList<>(foreign);
    gaps.stream().map(Gap::loss).filter(gap -> gap.lsnLast() <= durable).forEach(losses::add);
    long last = last();
    if (durable > last) {
      Gap torn = torn();
      JournalLoss left = torn == null ? gap(durable, file == null ? directory : file) : torn.loss;
      String found = left.found().isEmpty() ? "the frames are missing" : left.found();
      losses.add(
          new JournalLoss(
              lane, last + 1, durable, left.file(), left.offset(), found, left.events()));
    }
    return losses;
  }
}
