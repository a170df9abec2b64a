package io.widerow.storage.recovery;

import io.widerow.event.EventLayout;
import io.widerow.storage.disk.Throttle;
import io.widerow.storage.journal.FrameDecoder;
import io.widerow.storage.journal.JournalFrame;
import io.widerow.storage.journal.Note;
import io.widerow.storage.live.StoreContents;
import io.widerow.storage.rows.OpenRows;
import io.widerow.storage.rows.TypeTable;
import io.widerow.storage.upkeep.SealJob;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Puts the journaled events of a stopped store back into rows, lane by lane. A [RecoverySealer]
/// seals full rows on the way, so replay needs no more memory than open rows do; [HeldRows] keep
/// them.
///
/// - Threads: the one that opens the store.
public final class Replay implements FrameSink, AutoCloseable {
  private final StoreContents contents;
  private final RowSink sink;
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

  /// @param sink gives rows and takes full ones; it is closed with this
  /// @param notes takes the notes of the frames
  public Replay(
      StoreContents contents, RowSink sink, RecoveredNotes notes, Map<Integer, Long> sealedLsns) {
    this.contents = contents;
    this.sink = sink;
    this.types = new TypeTable(contents.layouts().now());
    this.notes = notes;
    this.sealedLsns = sealedLsns;
    this.lsnLast = sealedLsns.values().stream().mapToLong(Long::longValue).max().orElse(0);
  }

  /// Takes one frame. Frames come lane by lane, in the order of their LSNs. A group of several
  /// frames waits for its last one; a group without its last frame was never acknowledged and is
  /// dropped.
  ///
  /// @param records those of the frame, 8-byte aligned
  @Override
  public void frame(int lane, MemorySegment frame, MemorySegment records) {
    long lsn = JournalFrame.lsn(frame);
    if (lane != laneNow) {
      endLane();
      laneNow = lane;
      lsnApplied = sealedLsns.getOrDefault(lane, 0L);
    }
    contents.usedCounters(JournalFrame.counterLimit(frame));
    contents.usedClock(JournalFrame.clockNanos(frame));
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
    openNotes.forEach(note -> notes.add(lane, new Note(lsn, note.bytes()))); // the LSN of the group
    openNotes.clear();
    rowsOf(lane).journaled(lsn);
    lsnApplied = lsn;
    groups++;
  }

  /// Acknowledged frames are missing here. Earlier frames that wait for the end of their group
  /// count: that end may be among the missing ones.
  @Override
  public void hole() {
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
      open = sink.openRows(lane);
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

  /// Ends the last lane. The sink has everything afterwards.
  public void finish() {
    endLane();
    sink.finish();
  }

  /// Waits for what a failure left unfinished: it uses the rows.
  @Override
  public void close() {
    sink.close();
  }

  /// Seals the present rows. A frame of which they hold only a part does not count as sealed: after
  /// a crash it is replayed again, and its events are recognised by their ids.
  private void sealRows() {
    OpenRows open = rows;
    if (open == null) {
      return;
    }
    rows = null;
    open.journaled(lsnApplied);
    open.publish();
    sink.seal(new SealJob(open, notes.take(laneNow), 0, Throttle.NONE, null));
  }

  public long lsnLast() {
    return lsnLast;
  }

  public long groups() {
    return groups;
  }

  /// Frames of groups whose end is missing.
  public long droppedFrames() {
    return droppedFrames;
  }

  public long events() {
    return events;
  }
}
