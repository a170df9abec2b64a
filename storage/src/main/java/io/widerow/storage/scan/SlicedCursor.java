package io.widerow.storage.scan;

import io.widerow.event.EventId;
import io.widerow.event.EventView;
import io.widerow.event.PartitionKey;
import io.widerow.storage.EventCursor;
import io.widerow.storage.EventSlice;
import io.widerow.storage.Scan;
import io.widerow.storage.ScanStatistics;
import io.widerow.storage.ScanWatch;
import io.widerow.storage.StorageException;
import io.widerow.storage.WouldBlockException;
import io.widerow.storage.segment.Segment;
import org.jspecify.annotations.Nullable;

/// A cursor over a partition of a segment, as one input of a merge. An input keeps the block that
/// its next event is in, while it waits for its turn. When there is no room for all these blocks,
/// it keeps a slice: copies of its next few events. Then the block is closed, and opened again when
/// the slice is used up.
///
/// ```
///   room     block .......................... | block ...
///   none     block | slice ... | block | slice ... |
/// ```
///
/// A merge of any number of partitions so needs little memory, and decodes a block as often as
/// slices of it are taken.
///
/// - Threads: one.
/// - Memory: that of [SegmentCursor], or a slice. A block for which there is no room does not
///   count; it is open during a call only, and few queries have one at a time.
public final class SlicedCursor implements EventCursor {
  /// The most bytes of events in a slice: hundreds of them.
  private static final int SLICE_BYTES_MAX = 256 << 10;

  private final Segment segment;
  private final PartitionKey key;
  private final Scan scan;
  private final BlockReaders readers;
  private final Prefetch prefetch;
  private final int inputs;
  private final ScanWatch watch;
  private final EventSlice slice;
  private @Nullable SegmentCursor cursor; // null while the slice is shown, and before it
  private @Nullable EventId from; // where it is opened next; null at the beginning
  private @Nullable EventId passed; // nothing before this id is left; as [#bound] has it
  private boolean ended; // nothing is behind the slice
  private boolean closed;
  private long held; // by the slice, as the watch knows it
  private ScanStatistics finished = ScanStatistics.NONE;

  private SlicedCursor(
      Segment segment,
      PartitionKey key,
      Scan scan,
      BlockReaders readers,
      Prefetch prefetch,
      int inputs) {
    this.segment = segment;
    this.key = key;
    this.scan = scan;
    this.readers = readers;
    this.prefetch = prefetch;
    this.inputs = inputs;
    this.watch = scan.watch();
    this.slice = new EventSlice();
  }

  /// Opens a cursor. The caller must hold a lease on the segment until it is closed.
  ///
  /// @param segment null when the scan has skipped it; then there are no events
  /// @param inputs of the merge
  public static EventCursor open(
      @Nullable Segment segment,
      PartitionKey key,
      Scan scan,
      BlockReaders readers,
      Prefetch prefetch,
      int inputs) {
    return segment == null
        ? SegmentCursor.open(segment, key, scan, readers, prefetch)
        : new SlicedCursor(segment, key, scan, readers, prefetch, inputs);
  }

  @Override
  public Step next() {
    SegmentCursor open = cursor;
    if (open == null) {
      return EventCursor.searchThrough(this);
    }
    Step found = open.next();
    if (open.isCrowded()) {
      makeRoom(open, found);
    }
    return found;
  }

  @Override
  public @Nullable Step search() {
    SegmentCursor open = cursor;
    if (open == null) {
      return slice.next() ? Step.EVENT : ended ? Step.END : searchBehind();
    }
    return search(open);
  }

  private @Nullable Step search(SegmentCursor open) {
    Step found = open.search();
    if (open.isCrowded()) {
      makeRoom(open, found);
    }
    return found;
  }

  /// Opens the partition behind the slice, and searches a piece of it.
  private @Nullable Step searchBehind() {
    ScanWatch.Memory memory = watch.memory();
    boolean crowded = memory.isCrowded();
    if (crowded) {
      if (readers.deadline().isAny()) {
        throw new WouldBlockException();
      }
      memory.takeTurn();
    }
    try {
      return search(reopen());
    } finally {
      if (crowded) {
        memory.endTurn();
      }
    }
  }

  /// Closes a cursor whose block does not fit, after taking the needed data from it.
  private void makeRoom(SegmentCursor open, @Nullable Step found) {
    if (found == Step.EVENT) {
      take(open);
      return;
    }
    if (found == null) {
      EventId bound = open.bound();
      if (bound.equals(passed)) {
        return; // writes of one id are in two blocks: only this cursor comes past them
      }
      goOnAt(bound);
    }
    ended = found == Step.END;
    leave(open);
  }

  private void goOnAt(EventId bound) {
    passed = bound;
    from = scan.descending() ? bound.next() : bound;
  }

  private SegmentCursor reopen() {
    slice.clear();
    SegmentCursor open = SegmentCursor.leased(segment, key, rest(), readers, prefetch).yielding();
    cursor = open;
    return open;
  }

  /// The scan from where it continues.
  private Scan rest() {
    EventId start = from;
    if (start == null) {
      return scan;
    }
    return scan.descending()
        ? scan.withRange(scan.from(), start)
        : scan.withRange(start, scan.until());
  }

  /// Copies the current event and those after it, closes the cursor, and shows the first of them.
  private void take(SegmentCursor open) {
    long bytes = Math.min(SLICE_BYTES_MAX, watch.memory().sliceBytes() / inputs);
    slice.clear();
    slice.add(open.event());
    try {
      while (takesNext(open, bytes)) {
        slice.add(open.event());
      }
    } catch (StorageException _) { // it is met again behind the slice
      from = behindLast();
    }
    leave(open);
    long more = slice.heldBytes() - held;
    held += more;
    watch.holds(more);
    slice.next();
  }

  /// True when the cursor has moved to an event that belongs to the slice. Writes of one id are not
  /// torn apart.
  private boolean takesNext(SegmentCursor open, long bytes) {
    Step found = open.search();
    if (found == null) {
      goOnAt(open.bound());
      return false;
    }
    if (found == Step.END) {
      ended = true;
      return false;
    }
    if (slice.eventBytes() < bytes || slice.endsWithIdOf(open.event())) {
      return true;
    }
    from = behindLast();
    return false;
  }

  private EventId behindLast() {
    return scan.descending() ? slice.last() : slice.last().next();
  }

  private void leave(SegmentCursor open) {
    finished = finished.plus(open.statistics());
    cursor = null;
    open.close();
  }

  @Override
  public EventId bound() {
    SegmentCursor open = cursor;
    if (open != null) {
      return open.bound();
    }
    EventId known = passed;
    if (known == null) {
      throw new IllegalStateException("no piece was searched");
    }
    return known;
  }

  @Override
  public EventView event() {
    SegmentCursor open = cursor;
    return open == null ? slice : open.event();
  }

  @Override
  public ScanStatistics statistics() {
    SegmentCursor open = cursor;
    return open == null ? finished : finished.plus(open.statistics());
  }

  @Override
  public void close() {
    if (!closed) {
      closed = true;
      ended = true;
      SegmentCursor open = cursor;
      if (open != null) {
        leave(open);
      }
      slice.clear();
      watch.holds(-held);
    }
  }
}
