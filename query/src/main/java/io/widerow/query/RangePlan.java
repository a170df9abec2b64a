package io.widerow.query;

import io.widerow.event.EventId;
import io.widerow.event.PartitionKey;
import io.widerow.storage.Arrivals;
import io.widerow.storage.Filters;
import io.widerow.storage.PartitionInfo;
import io.widerow.storage.Scan;
import io.widerow.storage.StoreView;
import io.widerow.storage.StoreView.Span;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
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
/// A group of many partitions is read in parts, each a shorter time: history that is mostly thin
/// has wide buckets (see [io.widerow.event.Bucket]), and one of them may contain thousands of
/// hours.
///
/// The plan is made lazily, one [StoreView#firstSpan] after the other: the latest events of a year
/// cost no more than those of an hour.
///
/// - Threads: one.
public final class RangePlan {
  /// Partitions of a group from which it is split, where that helps.
  private static final int PARTITIONS_MANY = 1_024;

  private static final long SPLIT_NANOS = 60 * PartitionKey.NANOS_PER_MINUTE;

  private final StoreView view;
  private final RangeQuery query;
  private final @Nullable Arrivals since;
  private final Predicate<String> types;
  private final Map<String, Boolean> kept = new HashMap<>(); // by type: whether the filter may
  private final ArrayDeque<Group> groups = new ArrayDeque<>(); // of the current span
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

  /// Partitions that are read together.
  ///
  /// @param fromNanos start of the time to read of them; the least long for all of it
  /// @param untilNanos end of that time; the greatest long for all of it
  record Group(List<PartitionInfo> partitions, long fromNanos, long untilNanos) {
    private Group(List<PartitionInfo> partitions) {
      this(partitions, Long.MIN_VALUE, Long.MAX_VALUE);
    }

    List<PartitionKey> keys() {
      return partitions.stream().map(PartitionInfo::key).toList();
    }

    private boolean isWhole() {
      return fromNanos == Long.MIN_VALUE && untilNanos == Long.MAX_VALUE;
    }

    /// The part of a scan that is in this group.
    Scan within(Scan scan) {
      EventId from = scan.from();
      if (fromNanos != Long.MIN_VALUE) {
        from = Collections.max(List.of(from, EventId.leastOf(fromNanos)));
      }
      EventId until = scan.until();
      if (untilNanos != Long.MAX_VALUE) {
        until = Collections.min(List.of(until, EventId.leastOf(untilNanos)));
      }
      boolean whole = from.equals(scan.from()) && until.equals(scan.until());
      return whole ? scan : scan.withRange(from, Collections.max(List.of(from, until)));
    }
  }

  /// The next group; null after the last.
  @Nullable Group next() {
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
      groups.addAll(groupsOf(query.ofShard(view.partitions(types, from, until, since))));
      if (query.descending()) {
        untilNanos = from;
      } else {
        fromNanos = until;
      }
    }
    return groups.remove();
  }

  /// The next groups together, for readers that ignore the order of events.
  ///
  /// @param most partitions, unless the first group has more
  /// @return null after the last
  @Nullable Group nextTogether(int most) {
    Group first = next();
    if (first == null || !first.isWhole()) {
      return first;
    }
    List<PartitionInfo> partitions = new ArrayList<>(first.partitions);
    for (Group more = next(); more != null; more = next()) {
      if (!more.isWhole() || partitions.size() + more.partitions.size() > most) {
        groups.addFirst(more);
        break;
      }
      partitions.addAll(more.partitions);
    }
    return new Group(partitions);
  }

  private List<Group> groupsOf(List<PartitionInfo> partitions) {
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
    List<Group> parts = new ArrayList<>();
    found.forEach(group -> split(new Group(group), parts));
    if (query.descending()) {
      Collections.reverse(parts);
    }
    return parts;
  }

  /// Splits a group in the middle of its time, and its parts, as long as fewer partitions are left.
  private static void split(Group group, List<Group> parts) {
    List<PartitionInfo> all = group.partitions();
    if (all.size() >= PARTITIONS_MANY) {
      long first = all.stream().mapToLong(PartitionInfo::timeFirstNanos).min().orElseThrow();
      long last = all.stream().mapToLong(PartitionInfo::timeLastNanos).max().orElseThrow();
      long from = Math.max(group.fromNanos(), first);
      long middle = from + (Math.min(group.untilNanos(), last) - from) / 2;
      middle -= Math.floorMod(middle, SPLIT_NANOS);
      List<PartitionInfo> before = new ArrayList<>();
      List<PartitionInfo> after = new ArrayList<>();
      for (PartitionInfo info : all) {
        if (info.timeFirstNanos() < middle) {
          before.add(info);
        }
        if (info.timeLastNanos() >= middle) {
          after.add(info);
        }
      }
      if (middle > from && before.size() + after.size() <= all.size() + all.size() / 2) {
        split(new Group(before, group.fromNanos(), middle), parts);
        split(new Group(after, middle, group.untilNanos()), parts);
        return;
      }
    }
    parts.add(group);
  }

  /// Size of a plan.
  ///
  /// @param groups number of groups
  /// @param partitions number of partitions in all groups
  /// @param elsewhere the parts of them that are kept elsewhere
  public record Size(int groups, int partitions, StoreView.Elsewhere elsewhere) {}

  /// Reads the rest of the plan and returns its size.
  Size drain() {
    int groupCount = 0;
    int partitions = 0;
    StoreView.Elsewhere elsewhere = StoreView.Elsewhere.NONE;
    Scan scan = query.toScan();
    for (Group group = next(); group != null; group = next()) {
      groupCount++;
      partitions += group.partitions().size();
      elsewhere = elsewhere.plus(view.elsewhere(group.keys(), group.within(scan)));
    }
    return new Size(groupCount, partitions, elsewhere);
  }
}
