package io.widerow.ingest.lane;

import io.widerow.event.EventBatch;
import io.widerow.event.Rejection;
import io.widerow.ingest.decode.Refusals;
import io.widerow.storage.Durability;
import io.widerow.storage.LaneWriter;
import io.widerow.storage.StorageException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/// The work of a lane's thread, group commit: it appends batches until none is waiting, commits
/// them together, and reports their outcomes. The commit has the strongest durability that any of
/// them asked for. Batches that asked for [Durability#QUORUM] then wait in [QuorumWaits].
///
/// - Threads: the lane's.
public final class LaneGroup implements AutoCloseable {
  private final LaneWriter writer;
  private final BatchLedger ledger;
  private final PositionLedger positions = new PositionLedger();
  private final BatchPool pool;
  private final WriteState writeSide;
  private final LaneMetrics metrics;
  private final LongSupplier epochSeconds;
  private final QuorumWaits.@Nullable Queue quorum; // null for a store on one machine
  private final List<Waiting> waiting = new ArrayList<>();
  private Durability strongest = Durability.MEMORY;
  private long groupCommitted;
  private long groupOfStart = NONE; // when it is applied, so is all from before the start
  private long bytes;
  private long events;
  private Duration lastKept = Duration.ZERO;
  private String lastExpired = ""; // the sentence with it

  private long forgetBefore; // group whose notes go when no position needs them; 0 for none

  private static final long NONE = -1;

  /// So many notes of positions may be there before the superseded ones are dropped, when no key
  /// expires that would cause it.
  private static final long POSITION_NOTES_MAX = 1 << 14;

  /// A batch that waits for the commit.
  ///
  /// @param stored events of the batch, or of the first one for a repeat
  /// @param restored whether the first one is from before the start
  private record Waiting(
      BatchPart part,
      int stored,
      Refusals refused,
      long groupOfFirst,
      Durability levelOfFirst,
      boolean restored) {
    /// Value of `groupOfFirst` for a batch that is not a repeat.
    static final long NEW = -1;

    static Waiting first(BatchPart part, int stored) {
      return new Waiting(part, stored, part.refused, NEW, part.durability, false);
    }

    boolean isRepeat() {
      return groupOfFirst != NEW;
    }
  }

  LaneGroup(
      LaneWriter writer,
      BatchLedger ledger,
      BatchPool pool,
      WriteState writeSide,
      LaneMetrics metrics,
      LongSupplier epochSeconds,
      QuorumWaits.@Nullable Queue quorum) {
    this.writer = writer;
    this.ledger = ledger;
    this.pool = pool;
    this.writeSide = writeSide;
    this.metrics = metrics;
    this.epochSeconds = epochSeconds;
    this.quorum = quorum;
  }

  /// Bytes of records that wait for the commit.
  long bytes() {
    return bytes;
  }

  /// Restores the keys from before the restart, and asks how far the cluster has the groups. Call
  /// it once, first.
  ///
  /// @param also gets the notes too
  void restore(LaneWriter.NoteReader also) {
    writer.notes((group, note) -> {
      ledger.restore(group, note);
      positions.restore(note);
      also.read(group, note);
    });
    positions.restored();
    if (quorum != null) {
      writer.onQuorum(quorum::reached);
    }
  }

  /// The positions of sources, those of other lanes included. Ask before the first batch.
  PositionLedger positions() {
    return positions;
  }

  /// Appends a batch, or finds that it is a repeat.
  void take(BatchPart part) {
    String failure = writeSide.failure();
    if (failure != null) {
      refuse(part, new BatchOutcome.Failed(failure));
      return;
    }
    metrics.batches.increment();
    raise(part.durability);
    if (part.storedBefore >= 0) {
      metrics.duplicates.increment();
      pool.give(part.events);
      waiting.add(new Waiting(part, part.storedBefore, part.refused, 0, Durability.DISK, true));
      return;
    }
    if (part.place != null) {
      commitFor(part); // before it is asked for its turn: a full disk takes away those before it
      switch (positions.turn(part.place)) {
        case EARLY -> {
          refuse(part, new BatchOutcome.Overloaded());
          return;
        }
        case PAST -> {
          int before = part.events.count();
          pool.give(part.events);
          waiting.add(new Waiting(part, before, part.refused, 0, Durability.DISK, true));
          return;
        }
        case NOW -> {}
      }
    }
    int known = part.key == null ? -1 : ledger.find(part.key);
    if (known >= 0) {
      metrics.duplicates.increment();
      pool.give(part.events);
      waiting.add(
          new Waiting(
              part,
              ledger.accepted(known),
              ledger.refused(known),
              ledger.groupLast(known),
              ledger.durability(known),
              ledger.isRestored(known)));
      return;
    }
    try {
      append(part);
    } catch (StorageException.DiskFull full) {
      refuse(part, new BatchOutcome.DiskFull(String.valueOf(full.getMessage())));
      // the store has dropped the whole group; the commit reports that to the other batches
    } catch (Throwable failed) {
      waiting.add(Waiting.first(part, 0));
      throw failed;
    }
  }

  private void raise(Durability level) {
    if (level.compareTo(strongest) > 0) {
      strongest = level;
    }
  }

  /// Ends the group before a batch of a source for which it may have no room.
  private void commitFor(BatchPart part) {
    if (bytes > 0 && bytes + part.events.bytes() > LaneRing.GROUP_BYTES_MAX) {
      commitBefore(part);
    }
  }

  private void commitBefore(BatchPart part) {
    commit();
    raise(part.durability);
  }

  private void append(BatchPart part) {
    EventBatch batch = part.events;
    SourcePlace place = part.place;
    int accepted = 0;
    if (batch.count() > 0) {
      var rejections = new StoreRejections(part);
      accepted = writer.append(batch, part.placement, rejections);
      if (rejections.isTooLarge && bytes > 0) { // with the batches before it
        commitBefore(part);
        if (place != null && positions.turn(place) != PositionLedger.Turn.NOW) {
          refuse(part, new BatchOutcome.Overloaded()); // the disk is full, and they are gone
          return;
        }
        rejections = new StoreRejections(part);
        accepted = writer.append(batch, part.placement, rejections);
      }
      part.refused.addAll(rejections.refusals);
      place = place == null ? null : place.refused(rejections.refusals);
    }
    bytes += batch.bytes();
    events += accepted;
    metrics.accepted.increment(accepted);
    metrics.refused.increment(part.refused.count());
    if (part.key != null && accepted > 0) {
      byte[] note =
          ledger.add(
              part.key,
              part.lanes,
              accepted,
              part.refused,
              part.durability,
              epochSeconds.getAsLong(),
              groupCommitted + 1);
      writer.note(note);
      if (quorum != null) {
        writer.claim(part.key.bytes());
      }
    }
    if (place != null) {
      positions.add(place);
      if (place.range() != null) {
        writer.claim(place.range(), accepted > 0);
      }
    }
    waiting.add(Waiting.first(part, accepted));
    pool.give(batch);
  }

  /// The events of a part that the store refuses. Each batch may have a million of them, so there
  /// is one object for each sentence.
  private final class StoreRejections implements LaneWriter.Rejections {
    private final BatchPart part;
    private final Refusals refusals = new Refusals();
    private boolean isTooLarge; // the batch, beside those of its group

    StoreRejections(BatchPart part) {
      this.part = part;
    }

    @Override
    public void rejected(int index, Rejection why) {
      isTooLarge |= why == Rejection.BATCH_TOO_LARGE;
      refusals.add(part.requestIndex(index), why.reason());
    }

    @Override
    public void pastRetention(int index, Duration kept) {
      if (!kept.equals(lastKept)) {
        lastKept = kept;
        lastExpired = Rejection.pastRetention(kept);
      }
      refusals.add(part.requestIndex(index), lastExpired);
    }
  }

  /// Lets the store seal rows that are due. A commit does the same, so this is for an idle lane.
  void tick() {
    if (positions.isPending()) {
      commit();
    } else if (waiting.isEmpty() && writeSide.failure() == null) {
      try {
        writer.commit(Durability.MEMORY);
      } catch (StorageException.DiskFull full) {
        return; // the daemon reports it; the next tick tries again
      }
    }
  }

  /// Commits the group and reports the outcomes.
  void commit() {
    if (waiting.isEmpty() && !positions.isPending()) {
      return;
    }
    long start = System.nanoTime();
    try {
      positions.note(writer::note);
      groupCommitted = writer.commit(positions.isPending() ? forced(strongest) : strongest);
    } catch (StorageException.DiskFull full) {
      dropGroup(full);
      return;
    }
    metrics.commit.record(System.nanoTime() - start, TimeUnit.NANOSECONDS);
    metrics.groupEvents.record((double) events);
    metrics.groupBytes.record((double) bytes);
    boolean hasJournal = groupCommitted > 0; // not yet after a start on a full disk
    if (groupOfStart == NONE && hasJournal) {
      groupOfStart = groupCommitted;
    }
    ledger.committed(groupCommitted);
    positions.committed(groupCommitted);
    for (Waiting each : waiting) {
      answer(each, outcome(each));
    }
    clear();
    forgetNotes();
  }

  /// At least [Durability#DISK]. A power cut must not take the newest note of a position when an
  /// older one is dropped already.
  private static Durability forced(Durability level) {
    return level.compareTo(Durability.DISK) > 0 ? level : Durability.DISK;
  }

  /// Drops the notes of groups whose keys are forgotten. Positions with a note there are written
  /// again first, with the next group.
  private void forgetNotes() {
    long needed = ledger.expire(epochSeconds.getAsLong());
    if (needed < 0 && positions.notes() > POSITION_NOTES_MAX + 2L * positions.count()) {
      needed = ledger.groupNeeded();
    }
    if (needed >= 0) {
      forgetBefore = Math.max(forgetBefore, Math.min(needed, groupCommitted + 1));
    }
    if (forgetBefore > 0 && positions.carry(forgetBefore)) {
      writer.forgetNotesBefore(forgetBefore);
      forgetBefore = 0;
    }
  }

  /// Handles a full disk: the store has dropped everything since the last commit. All batches get
  /// this outcome, and their repeats count as new.
  private void dropGroup(StorageException.DiskFull full) {
    ledger.forgetUncommitted();
    positions.forgetUncommitted();
    answerAll(new BatchOutcome.DiskFull(String.valueOf(full.getMessage())));
  }

  /// The outcome at the level that a batch has on this machine.
  private BatchOutcome.Stored outcome(Waiting each) {
    boolean duplicate = each.isRepeat();
    Durability level = each.part.durability;
    boolean asDurable = // a repeat in the same group as the first is as durable as this commit
        !duplicate || each.groupOfFirst == Long.MAX_VALUE || each.groupOfFirst <= groupCommitted;
    if (!asDurable && each.levelOfFirst.compareTo(level) < 0) {
      level = each.levelOfFirst;
    }
    level = level == Durability.QUORUM ? Durability.DISK : level;
    return duplicate
        ? new BatchOutcome.Stored(0, each.stored, each.refused, level)
        : new BatchOutcome.Stored(each.stored, 0, each.refused, level);
  }

  /// Answers a batch, at once unless it has to wait for the cluster.
  private void answer(Waiting each, BatchOutcome.Stored here) {
    if (each.part.durability != Durability.QUORUM || quorum == null) {
      each.part.done(here);
    } else if (here.stored() == 0) {
      each.part.done(here.at(Durability.QUORUM)); // there is nothing to wait for
    } else if (each.restored && groupOfStart == NONE) {
      each.part.done(here); // what to wait for is not known before the lane has its journal
    } else {
      quorum.add(each.part, here, groupOf(each));
    }
  }

  /// The group with which a batch is applied.
  private long groupOf(Waiting each) {
    if (each.restored) {
      return groupOfStart;
    }
    return each.isRepeat() ? Math.min(each.groupOfFirst, groupCommitted) : groupCommitted;
  }

  /// Ends the write side of the daemon, and fails all waiting batches.
  void fail(Throwable cause) {
    writeSide.fail(cause);
    ledger.forgetUncommitted();
    positions.forgetUncommitted();
    answerAll(new BatchOutcome.Failed(String.valueOf(writeSide.failure())));
  }

  private void answerAll(BatchOutcome outcome) {
    for (Waiting each : waiting) {
      each.part.done(outcome);
    }
    clear();
  }

  private void refuse(BatchPart part, BatchOutcome outcome) {
    pool.give(part.events);
    part.done(outcome);
  }

  private void clear() {
    waiting.clear();
    strongest = Durability.MEMORY;
    bytes = 0;
    events = 0;
  }

  /// Frees the ledger. Call it last.
  @Override
  public void close() {
    ledger.close();
  }
}
