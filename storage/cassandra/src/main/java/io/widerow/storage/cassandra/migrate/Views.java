package io.widerow.storage.cassandra.migrate;

import io.widerow.event.TimeUuid;
import io.widerow.storage.Arrivals;
import io.widerow.storage.EventCursor;
import io.widerow.storage.PartitionInfo;
import io.widerow.storage.StoreView;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Helpers to read whole stores.
final class Views {
  private Views() {}

  /// All partitions, in order of keys.
  ///
  /// @param since only partitions that may hold events that arrived later; null for all
  static List<PartitionInfo> partitions(StoreView view, @Nullable Arrivals since) {
    return view.partitions(_ -> true, TimeUuid.NANOS_MIN, TimeUuid.NANOS_LIMIT, since);
  }

  /// Moves a cursor to its next event, and waits for it. False at the end.
  static boolean next(EventCursor cursor) {
    while (true) {
      switch (cursor.next()) {
        case EVENT -> {
          return true;
        }
        case PENDING -> cursor.ready().join();
        case END -> {
          return false;
        }
      }
    }
  }
}
