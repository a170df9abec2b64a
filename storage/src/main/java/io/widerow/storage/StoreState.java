package io.widerow.storage;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/// What a store consists of at one moment: open rows and live segments. Immutable; each change
/// makes a new one, so a view that holds one sees nothing move.
///
/// @param rows open rows of all lanes, in a lane the oldest first
/// @param segments by bucket
record StoreState(List<OpenRows> rows, Map<Bucket, List<LiveSegment>> segments) {
  static final StoreState EMPTY = new StoreState(List.of(), Map.of());

  /// A span of event time that segments are kept for.
  record Bucket(int bucketMinutes, int widthMinutes) {}

  static Bucket bucketOf(SegmentEntry entry) {
    return new Bucket(entry.bucketMinutes(), entry.widthMinutes());
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
    Set<LiveSegment> gone = new HashSet<>(removed);
    Map<Bucket, List<LiveSegment>> byBucket = new HashMap<>(segments);
    for (LiveSegment segment : gone) {
      byBucket.computeIfPresent(
          bucketOf(segment.entry()),
          (_, list) -> {
            List<LiveSegment> left = list.stream().filter(s -> !gone.contains(s)).toList();
            return left.isEmpty() ? null : left;
          });
    }
    for (LiveSegment segment : added) {
      byBucket.merge(
          bucketOf(segment.entry()),
          List.of(segment),
          (list, one) -> {
            List<LiveSegment> more = new ArrayList<>(list);
            more.addAll(one);
            return List.copyOf(more);
          });
    }
    return new StoreState(List.copyOf(rowsLeft), Collections.unmodifiableMap(byBucket));
  }

  List<LiveSegment> allSegments() {
    return segments.values().stream().flatMap(List::stream).toList();
  }
}
