package io.widerow.storage.cassandra.read;

import io.widerow.storage.EventCursor;
import io.widerow.storage.cursor.ChainCursor;
import io.widerow.storage.cursor.DelegatingCursor;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/// Reads a partition in any order. It shows nothing before all its segments are here. When a merge
/// replaces one of them before that, it begins again with the segments in force, and no event is
/// shown twice.
///
/// - Threads: one.
/// - Memory: the values of the partition, each until it was read.
final class UnorderedCursor extends DelegatingCursor {
  private final PartitionReader partition;
  private int here; // segments whose values are here

  UnorderedCursor(PartitionReader partition) {
    this.partition = partition;
  }

  @Override
  protected @Nullable EventCursor open() {
    List<SegmentFetch> fetches = partition.fetches();
    while (here < fetches.size()) {
      SegmentFetch fetch = fetches.get(here);
      switch (partition.poll(fetch)) {
        case PENDING -> {
          return null;
        }
        case OPEN, UNREADABLE -> here++;
        case MISSING -> {
          fetches.forEach(SegmentFetch::close);
          return partition.replacementUnordered(fetch);
        }
      }
    }
    List<EventCursor> cursors = new ArrayList<>();
    fetches.forEach(fetch -> cursors.add(new ValueCursor(partition, fetch)));
    return new ChainCursor(cursors);
  }

  @Override
  public CompletableFuture<Void> ready() {
    return partition.ahead().ready();
  }

  @Override
  public void close() {
    super.close();
    partition.fetches().forEach(SegmentFetch::close);
  }
}
