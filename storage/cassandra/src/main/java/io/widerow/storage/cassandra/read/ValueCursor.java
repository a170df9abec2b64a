package io.widerow.storage.cassandra.read;

import io.widerow.event.EventId;
import io.widerow.event.EventView;
import io.widerow.storage.EventCursor;
import io.widerow.storage.ScanStatistics;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/// Reads one segment of a partition in order. Pending until its value is here.
///
/// - Threads: one.
/// - Memory: the value, until [#close].
final class ValueCursor implements EventCursor {
  private final PartitionReader partition;
  private final SegmentFetch fetch;
  private @Nullable EventCursor cursor;
  private ScanStatistics read = ScanStatistics.NONE; // when it is closed

  ValueCursor(PartitionReader partition, SegmentFetch fetch) {
    this.partition = partition;
    this.fetch = fetch;
  }

  @Override
  public Step next() {
    return EventCursor.searchThrough(this);
  }

  @Override
  public @Nullable Step search() {
    EventCursor open = cursor;
    if (open == null) {
      if (partition.isReplaced()) {
        return Step.END; // the one that was gone first reads this part too
      }
      SegmentFetch.State state = partition.poll(fetch);
      if (state == SegmentFetch.State.PENDING) {
        return Step.PENDING;
      }
      if (state == SegmentFetch.State.UNREADABLE) {
        return Step.END;
      }
      open =
          state == SegmentFetch.State.OPEN ? partition.open(fetch) : partition.replacement(fetch);
      cursor = open;
    }
    return open.search();
  }

  @Override
  public EventId bound() {
    EventCursor open = cursor;
    return open == null ? fetch.bound : open.bound();
  }

  @Override
  public CompletableFuture<Void> ready() {
    return partition.ahead().ready();
  }

  @Override
  public EventView event() {
    EventCursor open = cursor;
    if (open == null) {
      throw new IllegalStateException("no current event");
    }
    return open.event();
  }

  @Override
  public ScanStatistics statistics() {
    EventCursor open = cursor;
    return open == null ? read : open.statistics();
  }

  @Override
  public void close() {
    EventCursor open = cursor;
    if (open != null) {
      open.close();
      read = open.statistics();
      cursor = null; // the merge keeps this cursor, which must not keep the value
    }
    fetch.close();
  }
}
