package io.widerow.query;

import io.widerow.event.PartitionKey;
import io.widerow.storage.Arrivals;
import io.widerow.storage.Filters;
import io.widerow.storage.PartitionInfo;
import io.widerow.storage.StoreView;
import io.widerow.storage.StoreView.Span;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/// The partitions of a query in groups, in the direction of reading. The time spans of two groups
/// do not overlap, so groups are read one after the other. The partitions of one group do overlap,
/// so they are merged. Buckets of different widths may share a group:
///
/// ```
///   cpu, 1 day     |-----------------------|
///   nginx, 1 hour  |--|--|--|  |--|      |--|--|--|
///   group          |-----------------------|--|--|
/// ```
///
/// The plan is made lazily, one [StoreView#firstSpan] after the other: the latest events of a year
/// cost no more than those of an hour.
///
/// - Threads: one.
public final class RangePlan {
  private final StoreView view;
  private final RangeQuery query;
  private final @Nullable Arrivals since;
  private final Predicate<String> types;
  private final Map<String, Boolean> kept = new HashMap<>(); // by type: whether the filter may
  private final Queue<List<PartitionInfo>> groups = new ArrayDeque<>(); // of the current span
  private long fromNanos; // start of the range not planned yet
  private long untilNanos;

  private RangePlan(StoreView view, RangeQuery query, @Nullable Arrivals since) {
    this.view = view;
    this.query = query;
    this.since = since;
    this.fromNanos = query.plannedFromNanos();
    this.untilNanos = query.plannedUntilNanos();
    this.types =
        Filters.testsType(query.filter())
            ? type -> query.types().test(type) && kept.computeIfAbsent(type, this::mayKeep)
            : query.types();
  }

  static RangePlan of(StoreView view, RangeQuery query) {
    return new RangePlan(view, query, null);
  }

  /// @param since only partitions with events that arrived after this position; null for all
  static RangePlan of(StoreView view, RangeQuery query, @Nullable Arrivals since) {
    return new RangePlan(view, query, since);
  }

  private boolean mayKeep(String type) {
    return Filters.mayKeepType(query.filter(), type);
  }

  /// The partitions of the next group; null after the last.
  @Nullable List<PartitionKey> next() {
    while (groups.isEmpty()) {
      Span span =
          fromNanos >= untilNanos
              ? null
              : view.firstSpan(fromNanos, untilNanos, query.descending());
      if (span == null) {
        return null;
      }
      long from = Math.max(fromNanos, span.fromNanos());
      long until = Math.min(untilNanos, span.untilNanos());
      groups.addAll(groupsOf(view.partitions(types, from, until, since)));
      if (query.descending()) {
        untilNanos = from;
      } else {
        fromNanos = until;
      }
    }
    return groups.remove().stream().map(PartitionInfo::key).toList();
  }

  private List<List<PartitionInfo>> groupsOf(List<PartitionInfo> partitions) {
    List<PartitionInfo> sorted = new ArrayList<>(partitions);
    sorted.sort(Comparator.comparingLong(info -> info.key().fromNanos()));
    List<List<PartitionInfo>> found = new ArrayList<>();
    long end = Long.MIN_VALUE;
    for (PartitionInfo info : sorted) {
      if (found.isEmpty() || info.key().fromNanos() >= end) {
        found.add(new ArrayList<>());
      }
      found.getLast().add(info);
      end = Math.max(end, info.key().untilNanos());
    }
    if (query.descending()) {
      Collections.reverse(found);
    }
    return found;
  }

  /// Size of a plan.
  ///
  /// @param groups number of groups
  /// @param partitions number of partitions in all groups
  public record Size(int groups, int partitions) {}

  /// Reads the rest of the plan and returns its size.
  Size drain() {
    int groupCount = 0;
    int partitions = 0;
    for (List<PartitionKey> keys = next(); keys != null; keys = next()) {
      groupCount++;
      partitions += keys.size();
    }
    return new Size(groupCount, partitions);
  }
}
