package io.widerow.storage.cassandra.read;

import io.widerow.event.EventId;
import io.widerow.storage.EventCursor;
import io.widerow.storage.cursor.ChainCursor;
import io.widerow.storage.cursor.DelegatingCursor;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/// Reads one segment of a partition in order. Pending until its value is here.
///
/// - Threads: one.
/// - Memory: the value, until [#close].
final class ValueCursor extends DelegatingCursor {
  private final PartitionReader partition;
  private final SegmentFetch fetch;

  ValueCursor(PartitionReader partition, SegmentFetch fetch) {
    this.partition = partition;
    this.fetch = fetch;
  }

  @Override
  protected @Nullable EventCursor open() {
    if (partition.isReplaced()) {
      return new ChainCursor(List.of()); // the one that was gone first reads this part too
    }
    return switch (partition.poll(fetch)) {
      case PENDING -> null;
      case UNREADABLE -> new ChainCursor(List.of());
      case OPEN -> partition.open(fetch);
      case MISSING -> partition.replacement(fetch);
    };
  }

  @Override
  public EventId bound() {
    return opened() == null ? fetch.bound : super.bound();
  }

  @Override
  public CompletableFuture<Void> ready() {
    return partition.ahead().ready();
  }

  @Override
  public void close() {
    super.close();
    fetch.close();
  }
}
