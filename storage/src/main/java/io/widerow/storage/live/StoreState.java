package io.widerow.storage.live;

import io.widerow.storage.rows.OpenRows;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/// What a store consists of at one moment: open rows and live segments. Immutable; each change
/// makes a new one, so a view that holds one sees nothing move.
///
/// @param rows open rows of all lanes, in a lane the oldest first
public record StoreState(List<OpenRows> rows, SegmentSet segments) {
  static StoreState empty() {
    return new StoreState(List.of(), new SegmentSet());
  }

  StoreState withRows(OpenRows added) {
    List<OpenRows> more = new ArrayList<>(rows);
    more.add(added);
    return new StoreState(List.copyOf(more), segments);
  }

  /// Rows out, segments in and out, in one step: a view sees an event in one place or the other.
  StoreState replaced(
      Collection<OpenRows> removedRows,
      Collection<LiveSegment> added,
      Collection<LiveSegment> removed) {
    List<OpenRows> rowsLeft = new ArrayList<>(rows);
    rowsLeft.removeAll(removedRows);
    return new StoreState(List.copyOf(rowsLeft), segments.replaced(added, removed));
  }
}
