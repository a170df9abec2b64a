package io.widerow.storage.recovery;

import io.widerow.storage.JournalLoss;
import io.widerow.storage.journal.FrameDecoder;
import io.widerow.storage.journal.JournalFile;
import io.widerow.storage.journal.JournalFrame;
import io.widerow.storage.journal.Witness;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Checker of one lane's journal, fed frame by frame. Valid frames form runs of consecutive LSNs,
/// with gaps between the runs:
///
/// ```
///   5  6  7  -  9  10  -  12       gaps: 8 and 11; durable, as far as any header tells: 8
///            |         |
///            |         +-- after everything durable: torn, 11 and 12 never counted
///            +-- durable: lost
/// ```
///
/// The frames themselves, the names of the files, and the store's [Witness] prove which groups were
/// durable. For the last groups the witness is the only proof.
///
/// - Threads: one.
public final class LaneCheck {
  private static final int SECTOR_BYTES = 512; // the least that a disk writes at once

  private final int lane;
  private final List<Gap> gaps = new ArrayList<>();
  private final List<JournalLoss> foreign = new ArrayList<>(); // of other lanes or stores
  private long next; // the LSN expected next
  private long durable; // greatest LSN known to be durable
  private long frames; // with intact headers
  private long badFrames; // invalid ones among them since the last valid one
  private long badEvents;
  private long goodFrames;
  private long recordBytes; // of these
  private @Nullable Path badFile; // the first sign of a gap
  private long badOffset;
  private String badFound = "";
  private @Nullable Path file; // the last one
  private boolean expected; // the lane must have a file
  private Witness.@Nullable Lane witness;
  private @Nullable JournalFile cut; // shorter than the witness saw it
  private long headers; // of the last file, intact
  private long strangers; // of the last file, damaged
  private boolean someInOneSector; // of the strangers: no power cut tore it between two

  /// A range of LSNs without a valid frame.
  private record Gap(JournalLoss loss, long goodFramesBefore) {}

  LaneCheck(int lane, long sealed) {
    this.lane = lane;
    this.next = sealed + 1;
  }

  /// Takes the lane's entry of the store's witness. Must be called first.
  void witness(Witness.Lane told) {
    witness = told;
    durable = Math.max(durable, told.lsn());
  }

  /// The lane must have a file: one was there when the manifest counted it, and a file is only
  /// deleted when the next one is there.
  void expectFile() {
    expected = true;
  }

  void file(JournalFile begun) {
    endFile();
    file = begun.path();
    durable = Math.max(durable, begun.lsnFirst() - 1);
    if (begun.lsnFirst() > next) {
      sign(begun.path(), 0, "the file starts with LSN %d".formatted(begun.lsnFirst()));
    }
    Witness.Lane told = witness;
    // Without an expected file all is sealed, and this one was being made: its number may be one
    // that was used before, when a start on a full disk deleted all files first.
    if (expected
        && told != null
        && told.file() == begun.number()
        && begun.bytes() < told.reservedBytes()) {
      cut = begun;
    }
  }

  /// Ends a file. If all its frames are foreign, the file belongs to another lane or store. A power
  /// cut may tear all frames of a file, if none was forced: their headers, where these cross the
  /// end of a sector.
  private void endFile() {
    Path ended = file;
    if (ended != null && headers == 0 && strangers > 1 && someInOneSector) {
      stranger(ended, 0, "no frame in it is of this store and lane");
    }
    headers = 0;
    strangers = 0;
    someInOneSector = false;
  }

  private void sign(Path where, long offset, String found) {
    if (badFile == null) {
      badFile = where;
      badOffset = offset;
      badFound = found;
    }
  }

  /// Takes a frame with a damaged header.
  void unbelievable(Path where, long offset) {
    strangers++;
    long last = offset + JournalFrame.HEADER_BYTES - 1;
    someInOneSector |= offset / SECTOR_BYTES == last / SECTOR_BYTES;
    sign(where, offset, "a frame whose header is damaged");
  }

  /// Takes a frame of this store and lane from a file's earlier use: it proves where the file
  /// belongs, and nothing else.
  void remains() {
    headers++;
  }

  /// Takes a file or frame that must belong to another lane or store.
  void stranger(Path where, long offset, String found) {
    foreign.add(new JournalLoss(lane, next, Math.max(next, durable), where, offset, found, -1));
  }

  /// Takes a frame with an intact header, whatever its body.
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
    recordBytes += JournalFrame.rawBytes(frame);
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

  /// True when every frame that was found counts, and nothing else was found: the lane may go on
  /// after the last one.
  boolean isClean() {
    return file != null && gaps.isEmpty() && foreign.isEmpty() && badFile == null && !lacksEnd();
  }

  /// True when durable groups after the last frame that counts are missing, or may be.
  boolean lacksEnd() {
    return durable > last() || cut != null || isGone();
  }

  private boolean isGone() {
    return expected && file == null;
  }

  private @Nullable Gap torn() {
    return gaps.stream().filter(gap -> gap.loss.lsnLast() > durable).findFirst().orElse(null);
  }

  /// LSN of the last frame that counts.
  long last() {
    Gap torn = torn();
    return torn == null ? next - 1 : torn.loss.lsnFirst() - 1;
  }

  /// Bytes of the records in the valid frames.
  long recordBytes() {
    return recordBytes;
  }

  /// The greatest LSN known to be durable.
  long durable() {
    return durable;
  }

  /// Number of frames from the first torn one on.
  long tornFrames() {
    Gap torn = torn();
    if (torn != null) {
      return frames - torn.goodFramesBefore;
    }
    return durable < next ? badFrames : 0;
  }

  /// The durable groups that are missing, in LSN order.
  ///
  /// @param directory the journals' directory, named when there is no file
  List<JournalLoss> losses(Path directory) {
    List<JournalLoss> losses = new ArrayList<>(foreign);
    gaps.stream().map(Gap::loss).filter(gap -> gap.lsnLast() <= durable).forEach(losses::add);
    if (lacksEnd()) {
      losses.add(lostEnd(directory));
    }
    return losses;
  }

  /// The loss after the last frame that counts. Without a proof of an LSN it names one: how many
  /// groups a missing end held is not known then.
  private JournalLoss lostEnd(Path directory) {
    long lsnFirst = last() + 1;
    long lsnLast = Math.max(lsnFirst, durable);
    JournalFile shorter = cut;
    Witness.Lane told = witness;
    Path where = file == null ? directory : file;
    if (isGone()) {
      String found = "the journal of lane %d is gone, with all that it held".formatted(lane);
      return new JournalLoss(lane, lsnFirst, lsnLast, where, 0, found, -1);
    }
    if (shorter != null && told != null) {
      String found =
          "the file has %d bytes, %d were reserved, and the contents of the rest are unknown"
              .formatted(shorter.bytes(), told.reservedBytes());
      return new JournalLoss(lane, lsnFirst, lsnLast, shorter.path(), shorter.bytes(), found, -1);
    }
    Gap torn = torn();
    JournalLoss left = torn == null ? gap(durable, where) : torn.loss;
    String found = left.found().isEmpty() ? "the frames are missing" : left.found();
    return new JournalLoss(
        lane, lsnFirst, lsnLast, left.file(), left.offset(), found, left.events());
  }
}
