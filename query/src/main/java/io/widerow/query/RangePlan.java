package io.widerow.query;

import io.widerow.event.PartitionKey;
import io.widerow.storage.Arrivals;
import io.widerow.storage.StoreView;
import io.widerow.storage.StoreView.PartitionInfo;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The partitions of a query in groups, in the direction of reading. The spans of two groups do not
/// overlap, so groups are read one behind the other; inside a group there is no order, so it is
/// merged. Buckets of different widths may share a group:
///
/// ```
///   cpu, 1 day     |-----------------------|
///   nginx, 1 hour  |--|--|--|  |--|      |--|--|--|
///   group          |-----------------------|--|--|
/// ```
///
/// @param groups the partitions of each
record RangePlan(List<List<PartitionInfo>> groups) {
  static final RangePlan NOTHING = new RangePlan(List.of());

  static RangePlan of(StoreView view, RangeQuery query) {
    return of(view, query, null);
  }

  /// @param since only partitions with events that came later; null for all
  static RangePlan of(StoreView view, RangeQuery query, @Nullable Arrivals since) {
    long from = query.plannedFromNanos();
    long until = query.plannedUntilNanos();
    List<List<PartitionInfo>> groups = new ArrayList<>();
    if (from >= until) {
      return new RangePlan(groups);
    }
    List<PartitionInfo> sorted =
        new ArrayList<>(view.partitions(query.types(), from, until, since));
    sorted.sort(Comparator.comparingLong(info -> info.key().fromNanos()));
    long behind = Long.MIN_VALUE;
    for (PartitionInfo info : sorted) {
      if (groups.isEmpty() || info.key().fromNanos() >= behind) {
        groups.add(new ArrayList<>());
      }
      groups.getLast().add(info);
      behind = Math.max(behind, info.key().untilNanos());
    }
    if (query.descending()) {
      Collections.reverse(groups);
    }
    return new RangePlan(groups);
  }

  List<PartitionKey> keys(int group) {
    return groups.get(group).stream().map(PartitionInfo::key).toList();
  }

  int partitions() {
    return groups.stream().mapToInt(List::size).sum();
  }
}
