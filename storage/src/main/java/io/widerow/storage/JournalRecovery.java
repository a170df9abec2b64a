package io.widerow.storage;

import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/// Decides what the journals of a stopped store say. Lane by lane, frames count while their LSNs
/// follow each other. Where one is missing or damaged, the frames behind it tell what that means:
///
/// ```
///   sealed | 5  6  7  -  9(durable 8)         8 was promised:  damage, refused
///   sealed | 5  6  7  -  9(durable 7)         8 never was:     torn tail, 8 and 9 are cut
///   sealed | -  6                             5 is missing:    damage, unless 6 says durable 4
/// ```
///
/// It reads the journals twice: first to check, when nothing has been changed yet, then to replay.
///
/// - Threads: one.
/// - Memory: owns a decoder's buffer of one group, until [#close].
final class JournalRecovery implements AutoCloseable {
  private final Journal.Factory journals;
  private final FrameDecoder decoder;
  private final Map<Integer, Long> sealedLsns;
  private final Map<Integer, LaneCheck> lanes = new TreeMap<>();
  private long lsnSeen;

  /// @param sealedLsns by lane, the last frame whose events are in segments
  JournalRecovery(Journal.Factory journals, UUID storeId, Map<Integer, Long> sealedLsns) {
    this.journals = journals;
    this.decoder = new FrameDecoder(storeId);
    this.sealedLsns = sealedLsns;
  }

  /// What is known of a lane so far.
  private static final class LaneCheck {
    private long next; // the LSN that would go on
    private long last; // the last that counts
    private long durable; // promised, as far as any frame tells
    private long behind; // frames that do not count
    private @Nullable Path badFile;

    LaneCheck(long sealed) {
      next = sealed + 1;
      last = sealed;
    }
  }

  /// Reads all journals and changes nothing.
  ///
  /// @throws StorageException.AcknowledgedDataDamaged when a frame that was promised is not there
  void check() {
    journals.replay(this::look);
    lanes.forEach(JournalRecovery::requireWhole);
  }

  /// A frame whose header is right tells its number and what was promised, even when its body is
  /// gone.
  private void look(int lane, Path file, long sequence, MemorySegment frame) {
    FrameDecoder.Verdict verdict = decoder.check(lane, frame);
    if (!verdict.headerIsValid()) {
      return;
    }
    LaneCheck check =
        lanes.computeIfAbsent(lane, l -> new LaneCheck(sealedLsns.getOrDefault(l, 0L)));
    check.durable = Math.max(check.durable, JournalFrame.durableLsn(frame));
    long lsn = JournalFrame.lsn(frame);
    lsnSeen = Math.max(lsnSeen, lsn);
    if (verdict == FrameDecoder.Verdict.VALID && lsn == check.next) {
      check.last = check.next++;
    } else if (lsn >= check.next) {
      check.behind++;
      if (check.badFile == null) {
        check.badFile = file;
      }
    }
  }

  private static void requireWhole(int lane, LaneCheck check) {
    if (check.durable > check.last) {
      Path file = check.badFile == null ? Path.of("journal of lane " + lane) : check.badFile;
      throw new StorageException.AcknowledgedDataDamaged(
          file, check.last + 1, check.durable, "a frame is missing or fails its checksum");
    }
  }

  /// Hands what counts to `replay`, lane by lane, in order.
  ///
  /// @throws StorageException.Corrupt when a frame's checksums are right and its content is not
  void replay(Replay replay) {
    Map<Integer, Long> next = new TreeMap<>();
    journals.replay((lane, file, sequence, frame) -> {
      LaneCheck check = lanes.get(lane);
      if (check == null || decoder.check(lane, frame) != FrameDecoder.Verdict.VALID) {
        return;
      }
      long due = next.computeIfAbsent(lane, l -> sealedLsns.getOrDefault(l, 0L) + 1);
      if (JournalFrame.lsn(frame) == due && due <= check.last) {
        FrameDecoder.Verdict verdict = decoder.decode(lane, frame);
        if (verdict != FrameDecoder.Verdict.VALID) {
          throw new StorageException.Corrupt(file, sequence, verdict.sentence);
        }
        next.put(lane, due + 1);
        replay.frame(lane, frame, decoder.events());
      }
    });
  }

  /// The greatest LSN of any frame, whether it counts or not. New frames start above it, so that
  /// none of them ever shares its number with one that was cut.
  long lsnSeen() {
    return lsnSeen;
  }

  /// Frames from the first torn one on, none of which was acknowledged.
  long tornGroups() {
    return lanes.values().stream().mapToLong(check -> check.behind).sum();
  }

  @Override
  public void close() {
    decoder.close();
  }
}
