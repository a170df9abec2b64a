package io.widerow.storage.embedded;

import io.widerow.event.EventBatch;
import io.widerow.event.EventLayout;
import io.widerow.storage.Durability;
import io.widerow.storage.LaneWriter;
import io.widerow.storage.StorageException;
import io.widerow.storage.StoreConfig;
import io.widerow.storage.disk.Throttle;
import io.widerow.storage.journal.FrameEncoder;
import io.widerow.storage.journal.Journal;
import io.widerow.storage.journal.JournalFrame;
import io.widerow.storage.journal.Note;
import io.widerow.storage.journal.NotesFiles;
import io.widerow.storage.layout.Layouts;
import io.widerow.storage.live.StoreClock;
import io.widerow.storage.live.StoreContents;
import io.widerow.storage.maintenance.DiskRoom;
import io.widerow.storage.maintenance.RowSupply;
import io.widerow.storage.maintenance.SealJob;
import io.widerow.storage.maintenance.Sealer;
import io.widerow.storage.rows.BatchOrder;
import io.widerow.storage.rows.OpenRows;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/// One lane of an embedded store: puts batches into open rows, writes each group to the lane's
/// journal (write-ahead log), forces it, and moves the watermark up to which readers see events.
///
/// ```
///   append, append, ...      records into the rows' memory, not visible yet
///   commit                   frame to the journal -> force -> watermark -> acknowledged
/// ```
///
/// A group that outgrows a frame is written as several. Only the last one carries the end of the
/// group, and replay takes a group whole or not at all. The records of a group lie in one set of
/// rows, so that one watermark shows all of them: when the rows are full, the part of the group
/// that is there moves to the next rows.
///
/// ```
///   rows   | committed ...   | group | full         sealed without the group
///   next   | group | ...                            the group goes on here
/// ```
///
/// When there is no room for a frame, the whole group is dropped: it is neither journaled nor
/// shown. Its records stay in the rows, above the watermark, until the rows are sealed without
/// them.
///
/// - Threads: one writer. Any thread calls [#requestSeal] and reads the metrics.
/// - Memory: the rows own theirs; the encoder owns a buffer of about one frame.
final class EmbeddedLane implements LaneWriter, AutoCloseable {
  /// Bytes of records at which a frame is written without waiting for the commit. Fewer when
  /// journal files are small.
  private static final long FRAME_BYTES = 1 << 20;

  /// The longest that a commit below the level disk stays unforced, as long as commits follow: the
  /// first one after this time forces.
  private static final long FORCE_AFTER_NANOS = 1_000_000_000L;

  private final int index;
  private final StoreConfig config;
  private final StoreClock clock;
  private final AtomicLong arrivals;
  private final StoreContents contents;
  private final RowSupply supply;
  private final Sealer sealer;
  private final DiskRoom room;
  private final Journal journal;
  private final FrameEncoder encoder;
  private final Admission admission;
  private final BatchOrder order = new BatchOrder();
  private final Placement placing;
  private final long frameBytes;
  private final NotesFiles notesFiles;
  private final ArrayDeque<Note> notes = new ArrayDeque<>(); // of groups since the last rows
  private long notesNeeded; // LSN
  private final CommitGroup group = new CommitGroup();
  private OpenRows rows;
  private long lsn; // of the last frame written
  private volatile long forcedLsn; // durable up to this one; written by the writer
  private volatile long forcedNanos; // of the monotonic clock; written by the writer
  private volatile boolean sealRequested;
  private volatile long committedLsn;

  private final LaneCounters counters = new LaneCounters();
  private long rowsJournalBytes; // frames written since the rows were opened
  private long lastArrival = -1;

  /// @param lsn the last one that was used before
  EmbeddedLane(int index, LaneContext shared, Journal journal, FrameEncoder encoder, long lsn) {
    this.index = index;
    this.contents = shared.contents();
    this.supply = shared.supply();
    this.sealer = shared.sealer();
    this.room = shared.room();
    this.clock = shared.clock();
    this.notesFiles = shared.notes();
    this.config = contents.config();
    this.arrivals = contents.arrivals();
    this.journal = journal;
    this.encoder = encoder;
    this.admission = new Admission(contents);
    this.placing = new Placement(index, config, contents.layouts().now());
    this.frameBytes = Math.min(FRAME_BYTES, config.frameBytesMax() / 4);
    this.lsn = lsn;
    this.forcedLsn = lsn;
    this.committedLsn = lsn;
    this.forcedNanos = clock.monotonicNanos();
    this.rows = supply.open(index, arrivals.get());
    this.rows.follow(lsn);
  }

  @Override
  public int append(EventBatch batch, long placement, Rejections rejections) {
    contents.requireWriting();
    StorageException.DiskFull end = group.dropped();
    if (end != null) {
      throw end;
    }
    boolean groupIsEmpty = group.isEmpty();
    if (groupIsEmpty) {
      room.require();
    }
    try {
      renewRows();
      return takeAll(batch, placement, rejections);
    } catch (StorageException.DiskFull full) {
      group.drop(rows.limit(), groupIsEmpty ? null : full);
      throw full;
    }
  }

  private int takeAll(EventBatch batch, long placement, Rejections rejections) {
    long before = rows.limit() - group.from();
    MemorySegment events = batch.memory();
    Layouts layouts = contents.layouts().now();
    admission.begin(layouts);
    placing.begin(layouts, placement);
    long counter = arrivals.getAndAdd(batch.count());
    lastArrival = counter;
    order.begin();
    admission.admit(batch, order, rejections);
    order.end();
    for (int i = 0; i < order.count(); i++) {
      long offset = order.offset(i);
      if (!take(events, offset, EventLayout.length(events, offset), counter + i)) {
        undo(before);
        admission.refuseAdmitted(batch, rejections);
        return 0;
      }
      if (rows.limit() - group.frameFrom() >= frameBytes) {
        writeFrame(rows.limit(), false);
      }
    }
    return order.count();
  }

  /// Takes a batch out of the group again. The rest of the group is written once more.
  ///
  /// @param before bytes of the group's records before the batch
  private void undo(long before) {
    group.restart();
    if (before == 0) {
      group.leaveRecords(rows.limit());
    } else {
      turnRows(group.from() + before);
      writeFrames();
    }
  }

  /// False when the group does not fit into rows of its own.
  private boolean take(MemorySegment events, long offset, int length, long counter) {
    while (true) {
      long at = rows.copyIn(events, offset, length);
      if (at >= 0 && placing.add(rows, at, length, counter)) {
        group.took(length);
        return true;
      }
      if (group.from() == 0) {
        return false;
      }
      turnRows(rows.limit());
    }
  }

  /// Moves the records of the group, up to `limit`, to new rows, and hands the full rows over for
  /// sealing without them.
  private void turnRows(long limit) {
    OpenRows filled = rows;
    long offset = group.from();
    openRows();
    while (offset < limit) {
      int length = EventLayout.length(filled.memory(), offset);
      long at = rows.copyIn(filled.memory(), offset, length);
      int shard = EventLayout.shard(filled.memory(), offset);
      if (at < 0 || !placing.addAgain(rows, at, shard)) {
        throw new IllegalStateException("a part of full rows does not fit into empty ones");
      }
      offset += EventLayout.alignedLength(length);
    }
    sealer.submit(sealJob(filled));
  }

  private SealJob sealJob(OpenRows filled) {
    List<Note> since = List.copyOf(notes);
    notes.clear();
    Throttle throttle = Throttle.forRows(clock.monotonicNanos() - filled.madeNanos());
    return new SealJob(filled, since, notesNeeded, throttle, journal);
  }

  private void openRows() {
    OpenRows before = rows;
    rows = supply.open(index, before.arrivalLimit());
    rows.follow(before);
    group.moved();
    rowsJournalBytes = 0;
    placing.rowsTurned();
  }

  /// If the rows hold records of a dropped group, seals them without these and opens others.
  private void renewRows() {
    if (group.leftRecords()) {
      OpenRows spent = rows;
      openRows();
      sealer.submit(sealJob(spent));
    }
  }

  /// Writes the records of the rows once more, except those of the last frame.
  private void writeFrames() {
    long offset = 0;
    while (offset < rows.limit()) {
      int length = EventLayout.length(rows.memory(), offset);
      group.took(length);
      offset += EventLayout.alignedLength(length);
      if (offset - group.frameFrom() >= frameBytes) {
        writeFrame(offset, false);
      }
    }
  }

  /// Writes the records that no frame has yet.
  ///
  /// @param limit end of the records
  private void writeFrame(long limit, boolean endsGroup) {
    long next = lsn + 1;
    long from = group.frameFrom();
    MemorySegment records = rows.memory().asSlice(from, limit - from);
    group.notes.addTo(encoder, frameBytes);
    MemorySegment frame =
        encoder.encode(
            next,
            forcedLsn,
            arrivals.get(),
            contents.clock().durableNanos(),
            records,
            group.frameEvents(),
            group.flags(endsGroup));
    try {
      journal.append(next, frame);
    } catch (StorageException.DiskFull full) {
      throw full; // nothing was written
    } catch (RuntimeException failure) {
      throw contents.fail("write the journal", failure);
    }
    lsn = next;
    group.framed(limit, endsGroup);
    if (endsGroup) {
      rows.journaled(next); // only the end of a group makes its frames count
    }
    counters.journaled(frame.byteSize());
    rowsJournalBytes += frame.byteSize();
  }

  @Override
  public long commit(Durability durability) {
    contents.requireLock();
    StorageException.DiskFull end = group.dropped();
    if (end != null) {
      group.drop(rows.limit(), null);
      throw end;
    }
    if (!group.isEmpty()) {
      try {
        renewRows();
        while (!group.notes.fit(frameBytes)) {
          writeFrame(rows.limit(), false);
        }
        writeFrame(rows.limit(), true);
      } catch (StorageException.DiskFull full) {
        group.drop(rows.limit(), null);
        throw full;
      }
      group.notes.end(note -> notes.add(new Note(lsn, note)));
    }
    if (forcedLsn < lsn && (durability.compareTo(Durability.DISK) >= 0 || isForceDue())) {
      force();
    }
    contents.requireLock(); // the force may have taken long
    publish();
    if (sealRequested || rowsJournalBytes > config.journalBytes() / config.rowsPerLane()) {
      sealRows();
    }
    if (rows.events() == 0) {
      rest();
    }
    return lsn;
  }

  /// Everything is sealed, or handed over for sealing.
  private void rest() {
    try {
      var _ = journal.rest(); // a later commit tries again
    } catch (RuntimeException failure) {
      throw contents.fail("begin a journal file", failure);
    }
  }

  @Override
  public long lastArrival() {
    return lastArrival;
  }

  private void force() {
    try {
      journal.force();
    } catch (RuntimeException failure) {
      throw contents.fail("force the journal", failure);
    }
    forcedLsn = lsn;
    forcedNanos = clock.monotonicNanos();
  }

  private boolean isForceDue() {
    return clock.monotonicNanos() - forcedNanos >= FORCE_AFTER_NANOS;
  }

  private void publish() {
    committedLsn = lsn;
    if (!group.leftRecords()) {
      rows.publish();
    }
    counters.committed(group.events(), group.bytes());
    group.committed(rows.limit());
  }

  /// Hands the rows over for sealing; everything in them is committed.
  private void sealRows() {
    if (rows.events() > 0) {
      OpenRows filled = rows;
      try {
        openRows();
      } catch (StorageException.DiskFull full) {
        sealRequested = true; // committed groups are in the journal; sealing waits for room
        return;
      }
      sealer.submit(sealJob(filled));
    }
    sealRequested = false; // also a request of now: this thread has committed nothing since
  }

  /// Asks the writer to seal its rows at the next commit.
  void requestSeal() {
    sealRequested = true;
  }

  /// True until the writer has handed its rows over for sealing, or has none.
  boolean isSealRequested() {
    return sealRequested;
  }

  /// [#requestSeal], and lets go of the journal's groups up to an LSN, when something is appended
  /// again.
  void requestSealAndDiscard(long upTo) {
    journal.discard(upTo);
    sealRequested = true;
  }

  /// Every group before this one is gone from the journal.
  long journalFrom() {
    return journal.keptFrom();
  }

  @Override
  public void note(byte[] note) {
    if (note.length > JournalFrame.NOTE_BYTES_MAX) {
      throw new IllegalArgumentException("note of %d bytes".formatted(note.length));
    }
    group.notes.add(note.clone());
  }

  @Override
  public void notes(NoteReader reader) {
    notesFiles.tell(reader);
  }

  @Override
  public void forgetNotesBefore(long group) {
    notesNeeded = Math.max(notesNeeded, group);
    while (!notes.isEmpty() && notes.getFirst().lsn() < group) {
      notes.removeFirst();
    }
  }

  /// True when the rows have committed events and were made before an instant: for sealing by age.
  boolean isOlderThan(long monotonicNanos) {
    OpenRows now = rows;
    return now.committedEvents() > 0 && now.madeNanos() < monotonicNanos;
  }

  /// LSN of the last frame that was committed.
  long committedLsn() {
    return committedLsn;
  }

  long forcedLsn() {
    return forcedLsn;
  }

  /// The time since the journal was forced, or opened. Any thread.
  long forcedAgoNanos() {
    return clock.monotonicNanos() - forcedNanos;
  }

  Journal journal() {
    return journal;
  }

  LaneCounters counters() {
    return counters;
  }

  /// Seals everything that is committed; for a clean stop. Events that are not committed were not
  /// acknowledged and are dropped.
  void sealForClose() {
    if (group.events() == 0) {
      sealRows();
    }
  }

  /// Closes every lane, whichever fails.
  static void closeAll(List<EmbeddedLane> lanes) {
    if (!lanes.isEmpty()) {
      try (EmbeddedLane _ = lanes.getLast()) {
        closeAll(lanes.subList(0, lanes.size() - 1));
      }
    }
  }

  @Override
  public void close() {
    try (journal) {
      encoder.close();
    }
  }
}
