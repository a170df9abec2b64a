package io.widerow.storage.recovery;

import io.widerow.event.EventLayout;
import io.widerow.storage.disk.Throttle;
import io.widerow.storage.journal.FrameDecoder;
import io.widerow.storage.journal.JournalFrame;
import io.widerow.storage.journal.Note;
import io.widerow.storage.live.StoreContents;
import io.widerow.storage.maintenance.SealJob;
import io.widerow.storage.rows.OpenRows;
import io.widerow.storage.rows.TypeTable;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Puts the journaled events of a stopped store back into rows, lane by lane. A [RecoverySealer]
/// seals full rows on the way, so replay needs no more memory than open rows do; [ReplayedRows]
/// keep them.
///
/// Full rows are sealed without the group that did not fit: it goes into the next ones as a whole,
/// so that the sealed rows hold all groups up to an LSN and nothing of later groups. Otherwise a
/// start that ends half-way would leave events in a segment that the next start replays again. A
/// group that is larger than rows takes several, which are sealed together.
///
/// ```
///   rows   | groups 5, 6, 7 | part of 8 |    sealed up to 7, without the part
///   next   | group 8 | 9 | ...
/// ```
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
  // Go into rows together: parts of groups whose end is lost, then all parts of one that is whole.
  private final List<MemorySegment> due = new ArrayList<>();
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
  /// @param records the records of the frame, 8-byte aligned
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
    openGroup.add(records);
    due.addAll(openGroup);
    openGroup.clear();
    apply(lane);
    openNotes.forEach(note -> notes.add(lane, new Note(lsn, note.bytes()))); // the LSN of the group
    openNotes.clear();
    rowsOf(lane).journaled(lsn);
    lsnApplied = lsn;
    groups++;
  }

  /// Acknowledged frames are missing here. Earlier frames that wait for the end of their group
  /// count: that end may be among the missing ones. They go with the next group.
  @Override
  public void hole() {
    due.addAll(openGroup);
    openGroup.clear();
    openNotes.forEach(note -> notes.add(laneNow, note));
    openNotes.clear();
  }

  private void drop() {
    droppedFrames += openGroup.size();
    openGroup.clear();
    openNotes.clear();
  }

  /// Puts the groups that are due into rows.
  private void apply(int lane) {
    int part = 0;
    long offset = 0;
    long added = 0;
    while (part < due.size()) {
      MemorySegment records = due.get(part);
      if (offset == records.byteSize()) {
        part++;
        offset = 0;
      } else if (add(lane, records, offset)) {
        offset += EventLayout.alignedLength(EventLayout.length(records, offset));
        added++;
      } else if (rowsOf(lane).committedEvents() > 0) {
        sealRows(true);
        part = 0;
        offset = 0;
        added = 0;
      } else {
        rowsOf(lane).publish();
        sealRows(false);
      }
    }
    due.clear();
    rowsOf(lane).publish();
    events += added;
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

  /// Adds a record; false when the rows are full.
  private boolean add(int lane, MemorySegment records, long offset) {
    OpenRows open = rowsOf(lane);
    int length = EventLayout.length(records, offset);
    long at = open.copyIn(records, offset, length);
    if (at >= 0) {
      int shard = EventLayout.shard(open.memory(), at);
      if (open.add(types.row(open, open.memory(), at, shard), at)) {
        return true;
      }
    }
    if (open.events() == 0) {
      throw new IllegalStateException("an event of %d bytes does not fit".formatted(length));
    }
    return false;
  }

  private void endLane() {
    drop();
    if (!due.isEmpty()) {
      apply(laneNow);
    }
    sealRows(true);
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

  /// Seals the published events of the current rows.
  ///
  /// @param whole false when the group in them continues in the next rows
  private void sealRows(boolean whole) {
    OpenRows open = rows;
    if (open == null) {
      return;
    }
    rows = null;
    open.journaled(lsnApplied);
    sink.seal(new SealJob(open, notes.take(laneNow), 0, Throttle.NONE, null), whole);
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
