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
///   sealed | 5  6 (file from 8)               7 was durable when the file was made: damage
/// ```
///
/// The last line also tells when the manifest lost its last edits, or a journal file is gone.
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
    private @Nullable Path file; // the last one
    private long headers; // of the last file, that can be believed
    private long strangers; // of the last file, that cannot

    LaneCheck(long sealed) {
      next = sealed + 1;
      last = sealed;
    }
  }

  /// Reads all journals and changes nothing.
  ///
  /// @throws StorageException.AcknowledgedDataDamaged when a frame that was promised is not there
  void check() {
    journals.replay(
        new Journal.FrameReader() {
          @Override
          public void frame(int lane, Path file, long sequence, MemorySegment frame) {
            look(lane, file, sequence, frame);
          }

          @Override
          public void file(int lane, Path file, long lsnFirst) {
            lookAtFile(lane, file, lsnFirst);
          }
        });
    lanes.values().forEach(JournalRecovery::requireOwn);
    lanes.forEach(JournalRecovery::requireWhole);
  }

  /// Refuses a file all of whose frames are strange: a power cut tears the last one, not all.
  private static void requireOwn(LaneCheck check) {
    if (check.file != null && check.headers == 0 && check.strangers > 1) {
      throw new StorageException.Corrupt(check.file, 0, "no frame in it is of this store and lane");
    }
    check.headers = 0;
    check.strangers = 0;
  }

  /// Refuses when a lane that had a journal has none.
  ///
  /// @param directory of the journals, for the message
  /// @param count lanes 0 to this had one
  void requireJournals(Path directory, int count) {
    for (int lane = 0; lane < count; lane++) {
      LaneCheck check = lanes.get(lane);
      if (check == null || check.file == null) {
        throw new StorageException.Corrupt(
            directory, 0, "the journal of lane %d is gone".formatted(lane));
      }
    }
  }

  private LaneCheck lane(int lane) {
    return lanes.computeIfAbsent(lane, l -> new LaneCheck(sealedLsns.getOrDefault(l, 0L)));
  }

  private void lookAtFile(int lane, Path file, long lsnFirst) {
    LaneCheck check = lane(lane);
    requireOwn(check);
    check.file = file;
    check.durable = Math.max(check.durable, lsnFirst - 1);
    if (lsnFirst > check.next && check.badFile == null) {
      check.badFile = file;
    }
  }

  /// A frame whose header is right tells its number and what was promised, even when its body is
  /// gone.
  private void look(int lane, Path file, long sequence, MemorySegment frame) {
    FrameDecoder.Verdict verdict = decoder.check(lane, frame);
    LaneCheck check = lane(lane);
    if (!verdict.headerIsValid()) {
      check.strangers++;
      int other = JournalFrame.lane(frame);
      if (other != lane && decoder.check(other, frame).headerIsValid()) {
        throw new StorageException.Corrupt(
            file, sequence, "a frame of lane %d in the journal of lane %d".formatted(other, lane));
      }
      return;
    }
    check.headers++;
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

  /// The last frame of a lane that counts, as far as it was checked.
  long lsnCounted(int lane) {
    LaneCheck check = lanes.get(lane);
    return check == null ? sealedLsns.getOrDefault(lane, 0L) : check.last;
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
