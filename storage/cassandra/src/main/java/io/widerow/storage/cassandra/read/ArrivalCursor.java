package io.widerow.storage.cassandra.read;

import io.widerow.event.EventView;
import io.widerow.storage.ClusterArrivals;
import io.widerow.storage.EventCursor;
import io.widerow.storage.cursor.DroppingCursor;
import org.jspecify.annotations.Nullable;

/// Shows the events of a merged segment that are in a view and arrived since a position.
///
/// - Threads: one.
final class ArrivalCursor extends DroppingCursor {
  private final @Nullable ClusterArrivals position;
  private final @Nullable ClusterArrivals since;
  private final int shard;

  /// @param position of the view; null when it shows all events of the segment
  /// @param since null when all of them are wanted
  ArrivalCursor(
      EventCursor input,
      @Nullable ClusterArrivals position,
      @Nullable ClusterArrivals since,
      int shard) {
    super(input);
    this.position = position;
    this.since = since;
    this.shard = shard;
  }

  @Override
  protected boolean isShown(EventView event) {
    return (position == null || !position.isNew(event, shard))
        && (since == null || since.isNew(event, shard));
  }
}
