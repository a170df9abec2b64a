package io.widerow.storage;

import io.widerow.event.EventLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/// Puts the journaled events of a stopped store back into rows, and seals them, lane by lane. Rows
/// that fill up are sealed on the way, so memory is bounded by that of open rows.
///
/// - Threads: the one that opens the store.
final class Replay implements AutoCloseable {
  private final EmbeddedStore store;
  private final @Nullable RecoverySealer sealer; // null in a store that is only read
  private final TypeTable types;
  private final RecoveredNotes notes;
  private final Map<Integer, Long> sealedLsns;
  private final List<MemorySegment> openGroup = new ArrayList<>(); // 8-byte aligned copies
  private final List<Note> openNotes = new ArrayList<>(); // of these frames
  private @Nullable OpenRows rows;
  private int laneNow = -1;
  private long lsnApplied; // of the present lane
  private long lsnLast;
  private long groups;
  private long droppedFrames;
  private long events;

  /// @param notes gets those of the frames
  /// @param executor helps with sealing
  Replay(
      EmbeddedStore store, RecoveredNotes notes, Map<Integer, Long> sealedLsns, Executor executor) {
    this.store = store;
    this.sealer = store.recoverySealer(executor);
    this.types = new TypeTable(store.config()::bucketMinutesOf);
    this.notes = notes;
    this.sealedLsns = sealedLsns;
    this.lsnLast = sealedLsns.values().stream().mapToLong(Long::longValue).max().orElse(0);
  }

  /// Takes one frame in. Frames come lane by lane, in the order of their LSNs. A group of several
  /// frames waits for its last one; without it, it was never acknowledged and is dropped.
  ///
  /// @param records those of the frame, 8-byte aligned
  void frame(int lane, MemorySegment frame, MemorySegment records) {
    long lsn = JournalFrame.lsn(frame);
    if (lane != laneNow) {
      endLane();
      laneNow = lane;
      lsnApplied = sealedLsns.getOrDefault(lane, 0L);
    }
    store.usedCounters(JournalFrame.counterLimit(frame));
    store.usedClock(JournalFrame.clockNanos(frame));
    lsnLast = Math.max(lsnLast, lsn);
    if ((JournalFrame.flags(frame) & JournalFrame.STARTS_GROUP) != 0) {
      drop();
    }
    FrameDecoder.forEachNote(
        frame, note -> openNotes.add(new Note(lsn, note.toArray(ValueLayout.JAVA_BYTE))));
    if ((JournalFrame.flags(frame) & JournalFrame.ENDS_GROUP) == 0) {
      MemorySegment copy = MemorySegment.ofArray(new long[(int) (records.byteSize() / Long.BYTES)]);
      openGroup.add(copy.copyFrom(records));
      return;
    }
    for (MemorySegment part : openGroup) {
      apply(lane, part);
    }
    openGroup.clear();
    apply(lane, records);
    openNotes.forEach(note -> notes.add(lane, new Note(lsn, note.bytes()))); // the group's number
    openNotes.clear();
    rowsOf(lane).journaled(lsn);
    lsnApplied = lsn;
    groups++;
  }

  /// Frames that were acknowledged are missing here. Those before them that wait for the end of
  /// their group may have waited for one that is lost, so they count.
  void hole() {
    List<MemorySegment> waiting = List.copyOf(openGroup);
    openGroup.clear();
    waiting.forEach(part -> apply(laneNow, part));
    openNotes.forEach(note -> notes.add(laneNow, note));
    openNotes.clear();
  }

  private void drop() {
    droppedFrames += openGroup.size();
    openGroup.clear();
    openNotes.clear();
  }

  private void apply(int lane, MemorySegment records) {
    long offset = 0;
    while (offset < records.byteSize()) {
      int length = EventLayout.length(records, offset);
      take(lane, records, offset, length);
      offset += EventLayout.alignedLength(length);
      events++;
    }
  }

  private OpenRows rowsOf(int lane) {
    OpenRows open = rows;
    if (open == null) {
      open = sealer == null ? store.openRows(lane, 0) : sealer.openRows(lane);
      types.clear();
      rows = open;
    }
    return open;
  }

  private void take(int lane, MemorySegment records, long offset, int length) {
    while (true) {
      OpenRows open = rowsOf(lane);
      long at = open.copyIn(records, offset, length);
      if (at >= 0) {
        int shard = EventLayout.shard(open.memory(), at);
        if (open.add(types.row(open, open.memory(), at, shard), at)) {
          return;
        }
      }
      if (open.events() == 0) {
        throw new IllegalStateException("an event of %d bytes does not fit".formatted(length));
      }
      sealRows();
    }
  }

  private void endLane() {
    drop();
    sealRows();
  }

  /// Ends the last lane; everything is sealed then.
  void finish() {
    endLane();
    if (sealer != null) {
      sealer.finish();
      notes.finish();
    }
  }

  /// Waits for what a failure left under way, which uses the rows.
  @Override
  public void close() {
    if (sealer != null) {
      sealer.close();
    }
  }

  /// Seals what is there. A frame that is only in part in these rows is not counted as sealed:
  /// after a crash it comes again, and its events are recognised by their ids.
  private void sealRows() {
    OpenRows open = rows;
    if (open == null) {
      return;
    }
    rows = null;
    open.journaled(lsnApplied);
    open.publish();
    if (sealer != null) {
      sealer.seal(new SealJob(open, notes.take(laneNow), 0, Breather.NONE));
    }
  }

  long lsnLast() {
    return lsnLast;
  }

  long groups() {
    return groups;
  }

  /// Frames of groups whose end was not there.
  long droppedFrames() {
    return droppedFrames;
  }

  long events() {
    return events;
  }
}
