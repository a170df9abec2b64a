package io.widerow.storage.live;

import io.widerow.storage.rows.OpenRows;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/// Immutable version of a store's content: its open rows (memtables) and live segments. Each change
/// creates a new version, so a view keeps a stable one.
///
/// @param rows open rows of all lanes, oldest first within a lane
public record StoreState(List<OpenRows> rows, SegmentSet segments) {
  static StoreState empty() {
    return new StoreState(List.of(), new SegmentSet());
  }

  StoreState withRows(OpenRows added) {
    List<OpenRows> more = new ArrayList<>(rows);
    more.add(added);
    return new StoreState(List.copyOf(more), segments);
  }

  /// The next version, with rows removed and segments added and removed in one step. A view sees
  /// each event in exactly one place.
  StoreState replaced(Collection<OpenRows> removedRows, SegmentReplacement swap) {
    List<OpenRows> rowsLeft = new ArrayList<>(rows);
    rowsLeft.removeAll(removedRows);
    return new StoreState(List.copyOf(rowsLeft), segments.replaced(swap));
  }
}
