package io.widerow.storage.recovery;

import io.widerow.event.EventLayout;
import io.widerow.event.TimeUuid;
import io.widerow.storage.JournalLoss;
import io.widerow.storage.StorageException;
import io.widerow.storage.journal.FrameDecoder;
import io.widerow.storage.journal.Journal;
import io.widerow.storage.journal.JournalFile;
import io.widerow.storage.journal.JournalFrame;
import io.widerow.storage.journal.Witness;
import io.widerow.storage.manifest.Manifest;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.function.Predicate;

/// Recovery of the journals of a stopped store: it decides which frames count and replays them. In
/// each lane, frames count while their LSNs are consecutive. If one is missing or damaged, the
/// later frames tell what that means:
///
/// ```
///   sealed | 5  6  7  -  9(durable 8)         8 was promised:  lost; 9 still counts
///   sealed | 5  6  7  -  9(durable 7)         8 never was:     torn tail, 8 and 9 are cut
///   sealed | -  6                             5 is missing:    lost, unless 6 says durable 4
///   sealed | 5  6 (file from 8)               7 was durable when the file was made: lost
///   sealed | 5  6 (witness: 7)                7 was durable when the witness was written: lost
/// ```
///
/// The line before the last also covers a manifest that lost its last edits, or a missing file. A
/// store with a loss accepts no writes until its operator accepts the loss; see [LaneCheck].
///
/// It reads the journals twice: first to check them, before anything is changed, then to replay up
/// to the last frame that counts. If there is a loss, it reads them once more for the times in the
/// frames around it.
///
/// - Threads: one.
/// - Memory: owns a decoder with a buffer of one group, until [#close].
public final class JournalRecovery implements AutoCloseable {
  private final Journal.Factory journals;
  private final FrameDecoder decoder;
  private final Map<Integer, Long> sealedLsns;
  private final Map<Integer, LaneCheck> lanes = new TreeMap<>();
  private final List<Path> files = new ArrayList<>();
  private long lsnSeen;
  private List<JournalLoss> losses = List.of();

  /// Reads and checks all journals of a store. Changes nothing.
  ///
  /// @param witness of the store
  /// @param healer takes the losses, restores edits that the manifest lost, and returns whether it
  ///   did; the journals are checked again then
  public static JournalRecovery checked(
      Journal.Factory journals,
      Path storeDirectory,
      Manifest manifest,
      Witness witness,
      Predicate<List<JournalLoss>> healer) {
    JournalRecovery first = checked(journals, storeDirectory, manifest, witness);
    try {
      if (!healer.test(first.losses())) {
        return first;
      }
    } catch (Throwable failure) {
      first.close();
      throw failure;
    }
    first.close();
    return checked(journals, storeDirectory, manifest, witness);
  }

  private static JournalRecovery checked(
      Journal.Factory journals, Path storeDirectory, Manifest manifest, Witness witness) {
    var recovery = new JournalRecovery(journals, manifest.storeId(), manifest.sealedLsns());
    try {
      Path directory = storeDirectory.resolve(Journal.DIRECTORY);
      recovery.losses = recovery.check(directory, manifest.journals(), witness);
      return recovery;
    } catch (Throwable failure) {
      recovery.close();
      throw failure;
    }
  }

  /// Acknowledged groups that are missing.
  public List<JournalLoss> losses() {
    return losses;
  }

  /// @param sealedLsns by lane, LSN of the last frame whose events are in segments
  public JournalRecovery(Journal.Factory journals, UUID storeId, Map<Integer, Long> sealedLsns) {
    this.journals = journals;
    this.decoder = new FrameDecoder(storeId);
    this.sealedLsns = sealedLsns;
  }

  /// Reads and checks all journals. Changes nothing.
  ///
  /// @param directory the journals' directory, for messages
  /// @param count number of lanes that had a journal: lanes `[0, count)`
  /// @param witness of the store
  /// @return acknowledged groups that are missing
  public List<JournalLoss> check(Path directory, int count, Witness witness) {
    for (int lane = 0; lane < witness.lanes().size(); lane++) {
      lane(lane).witness(witness.lanes().get(lane));
    }
    for (int lane = 0; lane < count; lane++) {
      lane(lane).expectFile();
    }
    journals.replay(
        new Journal.FrameReader() {
          @Override
          public void frame(int lane, Path file, long sequence, MemorySegment frame) {
            look(lane, file, sequence, frame);
          }

          @Override
          public void remains(int lane, long sequence) {
            lane(lane).remains();
          }

          @Override
          public void file(JournalFile file) {
            files.add(file.path());
            lane(file.lane()).file(file);
          }
        });
    List<JournalLoss> losses = new ArrayList<>();
    for (LaneCheck check : lanes.values()) {
      check.end();
      losses.addAll(check.losses(directory));
      lsnSeen = Math.max(lsnSeen, check.durable());
    }
    return losses.isEmpty() ? losses : around(losses);
  }

  private LaneCheck lane(int lane) {
    return lanes.computeIfAbsent(lane, l -> new LaneCheck(l, sealedLsns.getOrDefault(l, 0L)));
  }

  /// Checks one frame. An intact header gives the frame's LSN and the durable LSN, even if the body
  /// is lost.
  private void look(int lane, Path file, long sequence, MemorySegment frame) {
    FrameDecoder.Verdict verdict = decoder.check(lane, frame);
    LaneCheck check = lane(lane);
    if (verdict.headerIsValid()) {
      lsnSeen = Math.max(lsnSeen, JournalFrame.lsn(frame));
      check.frame(file, sequence, frame, verdict);
      return;
    }
    check.unbelievable(file, sequence);
    int other = JournalFrame.lane(frame);
    if (other != lane && decoder.check(other, frame).headerIsValid()) {
      check.stranger(
          file, sequence, "a frame of lane %d in the journal of lane %d".formatted(other, lane));
    }
  }

  /// Adds to the losses the times in the frames directly before and after them.
  private List<JournalLoss> around(List<JournalLoss> losses) {
    List<JournalLoss> told = new ArrayList<>(losses);
    journals.replay((lane, _, _, frame) -> {
      for (int i = 0; i < told.size(); i++) {
        JournalLoss loss = told.get(i);
        if (loss.lane() == lane && isBeside(loss, lane, frame)) {
          told.set(i, around(loss, frame));
        }
      }
    });
    return told;
  }

  private boolean isBeside(JournalLoss loss, int lane, MemorySegment frame) {
    if (!decoder.check(lane, frame).headerIsValid()) {
      return false;
    }
    long lsn = JournalFrame.lsn(frame);
    return (lsn == loss.lsnFirst() - 1 || lsn == loss.lsnLast() + 1)
        && decoder.decode(lane, frame) == FrameDecoder.Verdict.VALID;
  }

  /// Adds the times of the frame decoded last.
  private JournalLoss around(JournalLoss loss, MemorySegment frame) {
    JournalLoss told = loss;
    if ((JournalFrame.flags(frame) & JournalFrame.MUTATIONS) != 0) {
      return told; // times of mutations are their users'
    }
    MemorySegment events = decoder.events();
    long offset = 0;
    while (offset < events.byteSize()) {
      long nanos = TimeUuid.tickNanos(EventLayout.idTime(events, offset));
      told = told.around(nanos, nanos);
      offset += EventLayout.alignedLength(EventLayout.length(events, offset));
    }
    return told;
  }

  /// Passes the frames that count to `replay`, lane by lane and in order, and reports gaps.
  ///
  /// @throws StorageException.Corrupt when a frame's checksums match and its content is invalid
  public void replay(FrameSink replay) {
    Map<Integer, Long> next = new TreeMap<>();
    journals.replay(
        new Journal.FrameReader() {
          @Override
          public void frame(int lane, Path file, long sequence, MemorySegment frame) {
            long lsn = JournalFrame.lsn(frame);
            if (decoder.check(lane, frame) == FrameDecoder.Verdict.VALID
                && lsn >= due(lane)
                && lsn <= lane(lane).last()) {
              decode(lane, file, sequence, frame);
              if (lsn > due(lane)) {
                replay.hole();
              }
              next.put(lane, lsn + 1);
              replay.frame(lane, frame, decoder.events());
              if (lsn == lane(lane).last() && lane(lane).lacksEnd()) {
                replay.hole();
              }
            }
          }

          @Override
          public boolean wants(int lane) {
            return due(lane) <= lane(lane).last();
          }

          private long due(int lane) {
            return next.getOrDefault(lane, sealedLsns.getOrDefault(lane, 0L) + 1);
          }
        });
  }

  private void decode(int lane, Path file, long sequence, MemorySegment frame) {
    FrameDecoder.Verdict verdict = decoder.decode(lane, frame);
    if (verdict != FrameDecoder.Verdict.VALID) {
      throw new StorageException.Corrupt(file, sequence, verdict.sentence);
    }
  }

  /// The files that were read.
  public List<Path> files() {
    return List.copyOf(files);
  }

  /// The greatest LSN of any frame, whether it counts or not, or known to be durable. New frames
  /// start above it, so none ever shares its LSN with a frame that was cut.
  public long lsnSeen() {
    return lsnSeen;
  }

  /// LSN of the last frame of a lane that counts, as far as it was checked.
  public long lsnCounted(int lane) {
    LaneCheck check = lanes.get(lane);
    return check == null ? sealedLsns.getOrDefault(lane, 0L) : check.last();
  }

  /// True when there is something to replay and each of the lanes may go on after its last frame,
  /// and there is no other lane.
  public boolean mayGoOn(int count) {
    return lanes.size() == count
        && lanes.keySet().stream().allMatch(lane -> lane < count)
        && lanes.values().stream().allMatch(LaneCheck::isClean)
        && lanes.entrySet().stream()
            .anyMatch(lane -> lane.getValue().last() > sealedLsns.getOrDefault(lane.getKey(), 0L));
  }

  /// Bytes of records to replay.
  public long recordBytes() {
    return lanes.values().stream().mapToLong(LaneCheck::recordBytes).sum();
  }

  /// Number of frames from the first torn one on. None of them was acknowledged.
  public long tornGroups() {
    return lanes.values().stream().mapToLong(LaneCheck::tornFrames).sum();
  }

  @Override
  public void close() {
    decoder.close();
  }
}
