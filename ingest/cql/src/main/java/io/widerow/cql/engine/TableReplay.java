package io.widerow.cql.engine;

import io.widerow.cql.fragment.FragmentReader;
import io.widerow.cql.fragment.MutationCheck;
import io.widerow.storage.StorageException;
import io.widerow.storage.journal.JournalFrame;
import io.widerow.storage.recovery.FrameSink;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/// Puts the journaled mutations of a stopped store into memory. A group without its last frame was
/// never acknowledged and is dropped.
///
/// - Threads: the one that opens the store.
/// - Memory: as much as the journals hold; it belongs to the contents.
final class TableReplay implements FrameSink {
  private final TableContents contents;
  private final Path directory;
  private final long pieceBytes;
  private final long madeNanos;
  private final List<MemorySegment> openGroup = new ArrayList<>(); // copies
  private final FragmentReader check = new FragmentReader();
  private TableMemory memory;
  private long lsnLast;
  private long groups;
  private long droppedFrames;

  /// @param lsn of the last group that is in files
  TableReplay(TableContents contents, long pieceBytes, long lsn) {
    this.contents = contents;
    this.directory = contents.context().directory();
    this.pieceBytes = pieceBytes;
    this.madeNanos = contents.context().clock().monotonicNanos();
    this.lsnLast = lsn;
    this.memory = new TableMemory(pieceBytes, lsn, madeNanos);
    contents.turn(memory);
  }

  @Override
  public void frame(int lane, MemorySegment frame, MemorySegment records) {
    int flags = JournalFrame.flags(frame);
    long lsn = JournalFrame.lsn(frame);
    if ((flags & JournalFrame.MUTATIONS) == 0) {
      throw new StorageException.Corrupt(directory, lsn, "events in the journal of the tables");
    }
    if ((flags & JournalFrame.STARTS_GROUP) != 0) {
      drop();
    }
    openGroup.add(MemorySegment.ofArray(records.toArray(ValueLayout.JAVA_BYTE)));
    contents.context().store().usedClock(JournalFrame.clockNanos(frame));
    if ((flags & JournalFrame.ENDS_GROUP) != 0) {
      apply(lsn);
      groups++;
    }
    lsnLast = lsn;
  }

  @Override
  public void hole() {
    if (!openGroup.isEmpty()) {
      apply(lsnLast);
    }
  }

  private void drop() {
    droppedFrames += openGroup.size();
    openGroup.clear();
  }

  private void apply(long lsn) {
    int count = 0;
    int bytes = 0;
    for (MemorySegment part : openGroup) {
      count += MutationCheck.check(part, check, directory);
      bytes += (int) part.byteSize();
    }
    if (!memory.fits(bytes, count)) {
      memory =
          new TableMemory(
              Math.max(pieceBytes, TableMemory.bytesFor(bytes, count)), lsnLast, madeNanos);
      contents.turn(memory);
    }
    MemorySegment group = MemorySegment.ofArray(new byte[bytes]);
    long at = 0;
    for (MemorySegment part : openGroup) {
      MemorySegment.copy(part, 0, group, at, part.byteSize());
      at += part.byteSize();
    }
    openGroup.clear();
    memory.stage(group);
    memory.add(bytes, count, lsn);
    lsnLast = lsn;
  }

  /// The last group is there.
  void finish() {
    drop();
    contents.publish(lsnLast);
  }

  long lsnLast() {
    return lsnLast;
  }

  long groups() {
    return groups;
  }

  long droppedFrames() {
    return droppedFrames;
  }
}
