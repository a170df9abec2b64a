package io.widerow.cql.engine;

import io.widerow.cql.fragment.MutationGroup;
import io.widerow.cql.store.WriteTooLargeException;
import io.widerow.storage.Durability;
import io.widerow.storage.StorageException;
import io.widerow.storage.StoreConfig;
import io.widerow.storage.embedded.StoreExtension;
import io.widerow.storage.journal.FrameEncoder;
import io.widerow.storage.journal.Journal;
import io.widerow.storage.journal.JournalFrame;
import io.widerow.storage.journal.Witness;
import io.widerow.storage.live.StoreContents;
import java.lang.foreign.MemorySegment;

/// The one writer of the tables: writes each group to the journal and to memory, and forces many
/// groups at once.
///
/// ```
///   append     frames to the journal, then memory: later writes see it
///   commit     force -> readers see it -> acknowledged
/// ```
///
/// A group that the journal has no room for is in neither. Frames of it that were written never get
/// an end.
///
/// - Threads: one at a time; any reads [#witness].
/// - Memory: the present memory; the encoder's buffer.
final class TableLane implements StoreExtension.Lane, AutoCloseable {
  private static final long FRAME_HEAD_BYTES = 4 << 10; // more than what a frame has in front
  private static final long FRAME_BYTES = 1 << 20;
  private static final long FORCE_AFTER_NANOS = 1_000_000_000L;

  private final TableContents contents;
  private final TableUpkeep upkeep;
  private final StoreContents store;
  private final Journal journal;
  private final FrameEncoder encoder;
  private final long frameBytes;
  private final long pieceBytes;
  private TableMemory memory;
  private long lsn; // of the last frame written
  private long lsnGroup; // of the last whole group
  private volatile long forcedLsn;
  private volatile boolean rests;
  private long forcedNanos;

  /// @param lsn the last one that was used before
  TableLane(TableContents contents, TableUpkeep upkeep, Journal journal, long lsn) {
    this.contents = contents;
    this.upkeep = upkeep;
    this.store = contents.context().store();
    this.journal = journal;
    this.encoder = new FrameEncoder(store.storeId(), TableContents.LANE, true);
    StoreConfig config = store.config();
    this.frameBytes = Math.min(FRAME_BYTES, config.frameBytesMax() / 4);
    this.pieceBytes = pieceBytes(config);
    this.lsn = lsn;
    this.lsnGroup = lsn;
    this.forcedLsn = lsn;
    this.forcedNanos = contents.context().clock().monotonicNanos();
    this.memory = new TableMemory(pieceBytes, lsn, forcedNanos);
    contents.turn(memory);
    contents.publish(lsn);
    upkeep.trim(journal);
  }

  /// Bytes of one memory. A lane has two, together as much as open rows have, and not more than is
  /// flushed in a second or so.
  static long pieceBytes(StoreConfig config) {
    return Math.clamp(config.openBytes() / config.lanes() / 2, 1L << 20, 64L << 20);
  }

  /// The most bytes of what one write does to one row: a large one has a frame of its own.
  static int recordBytesMax(StoreConfig config) {
    long frame = Math.min(config.frameBytesMax() - FRAME_HEAD_BYTES, JournalFrame.RAW_BYTES_MAX);
    return (int) Math.min(frame, pieceBytes(config) / 3);
  }

  /// The most bytes of one group.
  private long groupBytesMax() {
    return pieceBytes / 2;
  }

  /// Everything that was appended, committed or not.
  LeasedView view() {
    return contents.view(lsnGroup);
  }

  /// Appends a group: all of it or nothing.
  ///
  /// @throws WriteTooLargeException when it is too large
  /// @throws StorageException when it cannot be written
  void append(MutationGroup group) {
    store.requireWriting();
    long needed = TableMemory.bytesFor(group.bytes(), group.count());
    if (needed > groupBytesMax()) {
      throw new WriteTooLargeException(
          "a write has at most %d bytes, with 100 more for each row, got %d bytes in %d rows; send"
                  .formatted(groupBytesMax(), group.bytes(), group.count())
              + " several batches");
    }
    if (!memory.fits(group.bytes(), group.count())) {
      turn();
    }
    MemorySegment staged = memory.stage(group.records());
    int from = 0;
    int first = 0;
    for (int record = 0; record < group.count(); record++) {
      boolean isLast = record + 1 == group.count();
      if (isLast || group.limit(record + 1) - from > frameBytes) {
        MemorySegment part = staged.asSlice(from, group.limit(record) - (long) from);
        int flags =
            (from == 0 ? JournalFrame.STARTS_GROUP : 0) | (isLast ? JournalFrame.ENDS_GROUP : 0);
        writeFrame(part, record + 1 - first, flags);
        from = group.limit(record);
        first = record + 1;
      }
    }
    memory.add(group.bytes(), group.count(), lsn);
    lsnGroup = lsn;
  }

  private void writeFrame(MemorySegment records, int count, int flags) {
    long next = lsn + 1;
    MemorySegment frame =
        encoder.encode(
            next,
            forcedLsn,
            store.arrivals().get(),
            store.clock().durableNanos(),
            records,
            count,
            flags | JournalFrame.MUTATIONS);
    try {
      journal.append(next, frame);
    } catch (StorageException.DiskFull full) {
      throw full; // nothing was written
    } catch (RuntimeException failure) {
      throw store.fail("write the journal of the tables", failure);
    }
    lsn = next;
    rests = false;
  }

  /// Makes the appended records as durable as requested, then visible.
  void commit(Durability durability) {
    store.requireLock();
    if (forcedLsn < lsn && (durability.compareTo(Durability.DISK) >= 0 || isForceDue())) {
      force();
    }
    store.requireLock(); // the force may have taken long
    contents.publish(lsnGroup);
  }

  private boolean isForceDue() {
    return contents.context().clock().monotonicNanos() - forcedNanos >= FORCE_AFTER_NANOS;
  }

  private void force() {
    try {
      journal.force();
    } catch (RuntimeException failure) {
      throw store.fail("force the journal of the tables", failure);
    }
    forcedLsn = lsn;
    forcedNanos = contents.context().clock().monotonicNanos();
  }

  /// Continues in the next memtable. Waits for the flush of the one before, if that is not done
  /// yet: it does it itself, as it merges when there are too many files.
  private void turn() {
    upkeep.flushUntil(1);
    upkeep.keepFilesFew();
    force(); // a flush shows what it has
    contents.publish(lsnGroup);
    memory = new TableMemory(pieceBytes, lsn, forcedNanos);
    contents.turn(memory);
    upkeep.start();
  }

  /// Hands the memory over, if there is something in it.
  void seal() {
    if (!memory.isEmpty()) {
      turn();
    }
  }

  /// Lets the journal let go of what it does not need, while everything is flushed or being
  /// flushed.
  void rest() {
    if (memory.isEmpty()) {
      try {
        rests = journal.rest();
      } catch (RuntimeException failure) {
        throw store.fail("begin a journal file of the tables", failure);
      }
    }
  }

  /// True when the journal may have something to let go of.
  boolean wantsRest() {
    return !rests && contents.state().memories().getFirst().isEmpty();
  }

  /// True when the memory has something and was made before an instant.
  boolean isOlderThan(long monotonicNanos) {
    TableMemory now = contents.state().memories().getFirst();
    return !now.isEmpty() && now.madeNanos() < monotonicNanos;
  }

  @Override
  public Journal journal() {
    return journal;
  }

  @Override
  public long committedLsn() {
    return contents.committed();
  }

  @Override
  public long forcedLsn() {
    return forcedLsn;
  }

  /// The durable end of the journal.
  Witness.Lane witness() {
    return Witness.Lane.of(forcedLsn, journal);
  }

  @Override
  public void close() {
    encoder.close();
    journal.close();
  }
}
