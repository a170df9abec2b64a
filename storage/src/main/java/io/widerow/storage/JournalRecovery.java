package io.widerow.storage;

import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.UUID;
import java.util.function.IntToLongFunction;
import org.jspecify.annotations.Nullable;

/// Decides which frames of the journals count. Two passes over the files, in the memory of one
/// frame: [#survey] finds for each lane how far the LSNs follow each other, [#replay] hands over
/// the frames up to there.
///
/// ```
///   sealed   accepted         first missing   later frames that are valid
///   1 .. 4 | 5  6  7  8     |      9        | 10 (durable 7)   -> 9 is a torn tail: cut 9, 10
///   1 .. 4 | 5  6  7  8     |      9        | 10 (durable 9)   -> 9 was acknowledged: damaged
/// ```
///
/// A frame's durable LSN was forced before the frame was written, so the highest one seen in any
/// believable header is a lower bound of what was acknowledged. Nothing proves the last forced
/// group: if it alone is damaged, it passes for a torn tail.
///
/// - Threads: one at a time.
/// - Memory: owns a decoder until [#close].
final class JournalRecovery implements AutoCloseable {
  /// Takes the accepted frames.
  interface GroupReader {
    /// @param frame header and notes, see [JournalFrame]; valid until this returns
    /// @param events the group's records; valid until this returns
    void group(int lane, MemorySegment frame, MemorySegment events);
  }

  /// What the journals of a lane hold.
  ///
  /// @param lsnAccepted the last LSN that counts, at least the sealed one
  /// @param lsnSeen the highest in any believable header; the next group's must be above it
  /// @param durableLsn the highest LSN known to have been forced
  /// @param framesCut frames and remains of frames behind the last that counts
  /// @param damage what was acknowledged and is gone, or null
  record LaneState(
      long lsnAccepted,
      long lsnSeen,
      long durableLsn,
      long framesCut,
      StorageException.@Nullable AcknowledgedDataDamaged damage) {}

  /// A lane while its frames pass by.
  private static final class Survey {
    long lsnAccepted;
    long lsnSeen;
    long durableLsn;
    long lsnValid; // the last valid one behind the gap
    long lsnMissing; // the last one known to be missing
    long framesCut;
    @Nullable Path fileOfGap;
    Path fileLast;
    String found = "no frame";

    Survey(long lsnSealed, Path file) {
      lsnAccepted = lsnSealed;
      lsnSeen = lsnSealed;
      fileLast = file;
    }

    void pass(FrameDecoder.Verdict verdict, Path file, MemorySegment frame) {
      fileLast = file;
      if (verdict.headerIsValid()) {
        lsnSeen = Math.max(lsnSeen, JournalFrame.lsn(frame));
        durableLsn = Math.max(durableLsn, JournalFrame.durableLsn(frame));
      }
      if (verdict != FrameDecoder.Verdict.VALID) {
        boolean old = verdict.headerIsValid() && JournalFrame.lsn(frame) <= lsnAccepted;
        if (!old) {
          framesCut++;
          noteGap(file, verdict.sentence);
        }
        return;
      }
      long lsn = JournalFrame.lsn(frame);
      if (lsn == lsnAccepted + 1 && lsnMissing == 0) {
        lsnAccepted = lsn;
        lsnValid = lsn;
        fileOfGap = null;
      } else if (lsn > lsnAccepted) {
        noteGap(file, "the next frame there has LSN " + lsn);
        long before = Math.max(lsnValid, lsnAccepted);
        lsnMissing = lsn > before + 1 ? lsn - 1 : lsnMissing;
        lsnValid = Math.max(lsnValid, lsn);
        framesCut++;
      }
    }

    private void noteGap(Path file, String what) {
      if (fileOfGap == null) {
        fileOfGap = file;
        found = what;
      }
    }

    LaneState end() {
      StorageException.AcknowledgedDataDamaged damage = null;
      if (durableLsn > lsnAccepted) {
        long last = durableLsn > lsnValid ? durableLsn : Math.min(lsnMissing, durableLsn);
        Path file = fileOfGap == null ? fileLast : fileOfGap;
        damage = new StorageException.AcknowledgedDataDamaged(file, lsnAccepted + 1, last, found);
      }
      return new LaneState(lsnAccepted, lsnSeen, durableLsn, framesCut, damage);
    }
  }

  private final Journal.Factory factory;
  private final IntToLongFunction sealedLsn;
  private final FrameDecoder decoder;
  private final SortedMap<Integer, LaneState> lanes = new TreeMap<>();

  /// @param sealedLsn per lane, frames up to it are in segments already
  JournalRecovery(Journal.Factory factory, UUID store, IntToLongFunction sealedLsn) {
    this.factory = factory;
    this.sealedLsn = sealedLsn;
    this.decoder = new FrameDecoder(store);
  }

  /// Reads the journals once.
  ///
  /// @return the lanes that have frames; who finds damage in one must not write to the store
  SortedMap<Integer, LaneState> survey() {
    SortedMap<Integer, Survey> surveys = new TreeMap<>();
    factory.replay((lane, file, sequence, frame) ->
        surveys
            .computeIfAbsent(lane, _ -> new Survey(sealedLsn.applyAsLong(lane), file))
            .pass(decoder.decode(lane, frame), file, frame));
    lanes.clear();
    surveys.forEach((lane, survey) -> lanes.put(lane, survey.end()));
    return new TreeMap<>(lanes);
  }

  /// Hands over the frames that count, in order, lane by lane. Comes after [#survey].
  ///
  /// @param salvage also those behind damage, for a store that is only read
  void replay(GroupReader reader, boolean salvage) {
    SortedMap<Integer, Long> last = new TreeMap<>();
    factory.replay((lane, file, sequence, frame) -> {
      LaneState state = lanes.get(lane);
      if (state == null || decoder.decode(lane, frame) != FrameDecoder.Verdict.VALID) {
        return;
      }
      long lsn = JournalFrame.lsn(frame);
      long before = last.getOrDefault(lane, sealedLsn.applyAsLong(lane));
      boolean counts = lsn <= state.lsnAccepted() || (salvage && state.damage() != null);
      if (lsn > before && counts) {
        reader.group(lane, frame, decoder.events());
        last.put(lane, lsn);
      }
    });
  }

  @Override
  public void close() {
    decoder.close();
  }
}
