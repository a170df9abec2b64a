package io.widerow.storage;

import io.widerow.event.AttributeName;
import io.widerow.event.EventId;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// What is wanted of a partition: a half-open range of ids, a direction, columns, a filter.
///
/// @param from least id wanted, inclusive
/// @param until first id that is not wanted
/// @param descending newest first
/// @param columns attributes that the reader will look at; null for all. The filter's own columns
///   need not be named
/// @param filter what is kept
/// @param since only events that came later are kept; null for all
/// @param fold which events the reader does not tell apart; null when it wants each. Followed only
///   where order means nothing, see [StoreView#openUnordered]
/// @param watch is told of every event that is looked at
public record Scan(
    EventId from,
    EventId until,
    boolean descending,
    @Nullable Set<AttributeName> columns,
    Filter filter,
    @Nullable Arrivals since,
    @Nullable Fold fold,
    ScanWatch watch) {
  public Scan {
    columns = columns == null ? null : Set.copyOf(columns);
  }

  /// True when the reader may look at an attribute.
  boolean shows(AttributeName name) {
    return columns == null || columns.contains(name);
  }

  /// A scan that nobody watches.
  public Scan(
      EventId from,
      EventId until,
      boolean descending,
      @Nullable Set<AttributeName> columns,
      Filter filter) {
    this(from, until, descending, columns, filter, null, null, ScanWatch.none());
  }

  /// Everything, oldest first.
  public static Scan all() {
    return new Scan(EventId.LEAST, EventId.LIMIT, false, null, new Filter.Everything());
  }

  /// Events with times in `[fromNanos, untilNanos)`, nanoseconds since the Unix epoch.
  public static Scan ofTime(long fromNanos, long untilNanos) {
    return all().withRange(EventId.leastOf(fromNanos), EventId.leastOf(untilNanos));
  }

  public Scan withRange(EventId newFrom, EventId newUntil) {
    return new Scan(newFrom, newUntil, descending, columns, filter, since, fold, watch);
  }

  public Scan withDescending(boolean newDescending) {
    return new Scan(from, until, newDescending, columns, filter, since, fold, watch);
  }

  public Scan withColumns(@Nullable Set<AttributeName> newColumns) {
    return new Scan(from, until, descending, newColumns, filter, since, fold, watch);
  }

  public Scan withFilter(Filter newFilter) {
    return new Scan(from, until, descending, columns, newFilter, since, fold, watch);
  }

  public Scan withWatch(ScanWatch newWatch) {
    return new Scan(from, until, descending, columns, filter, since, fold, newWatch);
  }

  public Scan withSince(@Nullable Arrivals newSince) {
    return new Scan(from, until, descending, columns, filter, newSince, fold, watch);
  }

  public Scan withFold(@Nullable Fold newFold) {
    return new Scan(from, until, descending, columns, filter, since, newFold, watch);
  }

  /// The first arrival in a shard that is kept.
  long arrivedFrom(int shard) {
    return since == null ? 0 : since.limitOf(shard);
  }
}
