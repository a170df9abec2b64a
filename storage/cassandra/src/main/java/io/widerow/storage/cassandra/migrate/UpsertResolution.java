package io.widerow.storage.cassandra.migrate;

import io.widerow.event.EventId;
import io.widerow.event.EventView;
import io.widerow.event.PartitionKey;
import io.widerow.event.TimeUuid;
import io.widerow.storage.EventCursor;
import io.widerow.storage.Scan;
import io.widerow.storage.StoreView;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// Decides which write of a client id is shown. When the number of shards or the width of buckets
/// changed between two writes, they are in different partitions, and only a merge of both decides.
/// In a directory all events of a migration have one version, so a replaced one must not get there.
///
/// The merge is opened at the first query, and not at all when there is one partition.
///
/// - Threads: one.
final class UpsertResolution implements AutoCloseable {
  private final StoreView view;
  private final Supplier<List<PartitionKey>> partitions;
  private boolean opened;
  private boolean ended;
  private @Nullable EventCursor merged;

  /// @param partitions of one type that may have writes of the same ids
  UpsertResolution(StoreView view, Supplier<List<PartitionKey>> partitions) {
    this.view = view;
    this.partitions = partitions;
  }

  /// True when a reader of all partitions sees this write of the event. Ask in order of ids.
  boolean isShown(EventView event) {
    if (!opened) {
      open(event.id());
    }
    EventCursor all = merged;
    if (all == null) {
      return true;
    }
    while (!ended) {
      EventView shown = all.event();
      int order = TimeUuid.compare(shown.idTime(), shown.idTail(), event.idTime(), event.idTail());
      if (order == 0) {
        return shown.version() == event.version();
      }
      if (order > 0) {
        return true;
      }
      ended = !Views.next(all);
    }
    return true;
  }

  private void open(EventId from) {
    opened = true;
    List<PartitionKey> all = partitions.get();
    if (all.size() > 1) {
      Scan ids = Scan.all().withColumns(Set.of()).withRange(from, EventId.LIMIT);
      EventCursor cursor = view.open(all, ids);
      merged = cursor;
      ended = !Views.next(cursor);
    }
  }

  @Override
  public void close() {
    EventCursor all = merged;
    if (all != null) {
      all.close();
    }
  }
}
