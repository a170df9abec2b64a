package io.widerow.storage.cassandra;

import io.widerow.event.EventBatch;
import io.widerow.storage.Durability;
import io.widerow.storage.LaneWriter;
import io.widerow.storage.SourceRange;
import io.widerow.storage.StorageException;
import io.widerow.storage.cassandra.apply.Batches;
import io.widerow.storage.cassandra.apply.LaneProgress;
import io.widerow.storage.cassandra.apply.Marks;
import io.widerow.storage.cassandra.apply.SourceRanges;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/// A lane of a store on a cluster: the lane of the store on this machine, which also keeps the keys
/// of batches, marks where rounds may end, and reports how far groups are applied.
///
/// - Threads: one writer; the applying thread reads the committed position and reports the applied
///   one.
final class ClusterLane implements LaneWriter, LaneProgress {
  /// Bytes of batches after which a round is made at once.
  private static final long WAKE_BYTES = 8L << 20;

  /// Bytes of batches after which the lane continues with its next shard, when no round has ended
  /// before.
  private static final long TURN_BYTES = 4L << 20;

  private final LaneWriter local;
  private final int index;
  private final Batches batches;
  private final SourceRanges ranges;
  private final Marks marks;
  private final ClusterWriteState side;
  private final Object telling = new Object();
  private volatile long committed;
  private volatile long applied; // written with `telling`
  private @Nullable LongConsumer told; // guarded by `telling`
  private boolean groupIsEmpty = true;
  private int lastCount;
  private int lastTaken;
  private int claimedInGroup;
  private final List<Claimed> claimedOfSources = new ArrayList<>(); // of the group
  private boolean groupHasEvents;
  private long lastFrom = -1; // arrival number of the last batch with events
  private long lastFromCommitted = -1;
  private long bytes;
  private long groupBytes;
  private long groupLimit; // arrival number after the group
  private long unmarkedBytes;
  private long turn = new SplittableRandom().nextLong();
  private long turnApplied; // `applied` at the beginning of the turn
  private long turnBytes;
  private long forgetBefore;
  private long forgotten;

  /// A range of a source in the group.
  ///
  /// @param from arrival number of its first event
  /// @param count of its events; 0 when it has none
  private record Claimed(SourceRange range, long from, int count) {}

  /// Made before the lane has a writer.
  ClusterLane(
      LaneWriter local,
      int index,
      Batches batches,
      SourceRanges ranges,
      Marks marks,
      ClusterWriteState side) {
    this.local = local;
    this.index = index;
    this.batches = batches;
    this.ranges = ranges;
    this.marks = marks;
    this.side = side;
    // The last group of earlier starts: everything up to it was recovered.
    this.committed = local.commit(Durability.MEMORY);
  }

  /// The batches between two rounds go to one shard, whatever their placement: so a round has a few
  /// large segments instead of many small ones, which costs the nodes, the daemon and every reader
  /// less. Shards take turns, so they fill alike.
  @Override
  public int append(EventBatch batch, long placement, Rejections rejections) {
    side.requireWriting();
    if (groupIsEmpty) {
      side.requireRoom(batch.bytes());
    }
    lastCount = batch.count();
    lastTaken = local.append(batch, turn(batch.bytes()), rejections);
    groupIsEmpty = false;
    bytes += batch.bytes();
    groupBytes += batch.bytes();
    groupLimit = local.lastArrival() + lastCount;
    if (lastTaken > 0) {
      groupHasEvents = true;
      lastFrom = local.lastArrival();
    }
    side.arrived(local.lastArrival());
    return lastTaken;
  }

  private long turn(long more) {
    long now = applied;
    turnBytes += more;
    if (now != turnApplied || turnBytes > TURN_BYTES) {
      turn++;
      turnApplied = now;
      turnBytes = more;
    }
    return turn;
  }

  @Override
  public long lastArrival() {
    return local.lastArrival();
  }

  @Override
  public void claim(byte[] key) {
    if (lastTaken == 0) {
      return; // there is nothing that a repeat could repeat
    }
    long seconds = side.nowSeconds();
    long from = local.lastArrival();
    local.note(batches.note(key, index, from, lastCount, seconds));
    // Before the commit: a round may show the events as soon as they are committed.
    batches.add(key, index, from, lastCount, seconds);
    claimedInGroup++;
  }

  @Override
  public void claim(SourceRange range, boolean hasEvents) {
    boolean has = hasEvents && lastTaken > 0;
    claimedOfSources.add(new Claimed(range, has ? local.lastArrival() : -1, has ? lastCount : 0));
  }

  /// The ranges of the group, journaled with it.
  private List<SourceRanges.Pending> notedRanges() {
    List<SourceRanges.Pending> noted = new ArrayList<>();
    for (Claimed each : claimedOfSources) {
      noted.add(
          new SourceRanges.Pending(
              each.range, index, batches.lanes(), each.from, each.count, lastFrom));
      local.note(noted.getLast().note());
      groupIsEmpty = false;
    }
    return noted;
  }

  @Override
  public long commit(Durability durability) {
    side.requireWriting();
    List<SourceRanges.Pending> noted = notedRanges();
    boolean hasEvents = groupHasEvents;
    boolean more = !groupIsEmpty;
    long sinceMark = unmarkedBytes + groupBytes;
    boolean isMarked = groupBytes > 0 && sinceMark >= marks.bytesPerMark();
    if (isMarked) {
      local.note(marks.note(index, groupLimit, sinceMark));
    }
    if (hasEvents) {
      ranges.add(index, noted); // a round may show the events as soon as they are committed
    }
    long group;
    try {
      group = local.commit(durability == Durability.QUORUM ? Durability.DISK : durability);
    } catch (StorageException.DiskFull full) {
      batches.removeLast(index, claimedInGroup); // the group was dropped
      ranges.removeLast(index, hasEvents ? noted.size() : 0);
      lastFrom = lastFromCommitted;
      endGroup();
      throw full;
    }
    if (!hasEvents) {
      ranges.add(index, noted); // nobody may read on before the notes of the group are durable
    }
    lastFromCommitted = lastFrom;
    unmarkedBytes = sinceMark;
    endGroup();
    if (isMarked) {
      mark(group);
    }
    committed = group;
    if (more) {
      side.committed();
    }
    if ((durability == Durability.QUORUM && group > applied) || bytes >= WAKE_BYTES) {
      bytes = 0;
      side.wake();
    }
    forget();
    return group;
  }

  /// The group ends where a round may end.
  private void mark(long group) {
    marks.add(index, groupLimit, group, unmarkedBytes);
    unmarkedBytes = 0;
  }

  private void endGroup() {
    groupIsEmpty = true;
    groupBytes = 0;
    claimedInGroup = 0;
    claimedOfSources.clear();
    groupHasEvents = false;
    lastTaken = 0;
  }

  @Override
  public void onQuorum(LongConsumer newTold) {
    synchronized (telling) {
      told = newTold;
      if (applied > 0) {
        newTold.accept(applied); // recovered groups may be applied already
      }
    }
  }

  @Override
  public void note(byte[] note) {
    local.note(note);
    groupIsEmpty = false;
  }

  /// The notes of batches, ranges and marks are ours, not the caller's.
  @Override
  public void notes(NoteReader reader) {
    local.notes((group, note) -> {
      if (!Batches.isNote(note) && !SourceRanges.isNote(note) && !Marks.isNote(note)) {
        reader.read(group, note);
      }
    });
  }

  /// Notes of batches, ranges and marks that are not applied are kept.
  @Override
  public void forgetNotesBefore(long group) {
    forgetBefore = Math.max(forgetBefore, group);
    forget();
  }

  private void forget() {
    long before = Math.min(forgetBefore, applied + 1);
    if (before > forgotten) {
      forgotten = before;
      local.forgetNotesBefore(before);
    }
  }

  @Override
  public long committed() {
    return committed;
  }

  @Override
  public void applied(long group) {
    synchronized (telling) {
      if (group > applied) {
        applied = group;
        LongConsumer listener = told;
        if (listener != null) {
          listener.accept(group);
        }
      }
    }
  }
}
