package io.widerow.storage;

import io.widerow.event.AttributeName;
import io.widerow.event.EventId;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// The parameters of a read of a partition: a half-open range of ids, a direction, a projection, a
/// filter (predicate).
///
/// @param from least id wanted, inclusive
/// @param until end of the range of ids, exclusive
/// @param descending true for newest first
/// @param columns the projection: attributes that the reader will look at; null for all. The
///   filter's own attributes need not be named
/// @param filter the events to keep
/// @param since keep only events that arrived after this position; null for all
/// @param before keep only events that arrived before this position; null for all. Only views of a
///   store on this machine know it, see `EmbeddedStore.viewBefore`
/// @param fold grouping for an aggregation: events that the reader does not distinguish; null when
///   it wants each one. Used only where order does not matter, see [StoreView#openUnordered]
/// @param watch called for every event that is examined
public record Scan(
    EventId from,
    EventId until,
    boolean descending,
    @Nullable Set<AttributeName> columns,
    Filter filter,
    @Nullable Arrivals since,
    @Nullable LaneArrivals before,
    @Nullable Grouping fold,
    ScanWatch watch) {
  public Scan {
    columns = columns == null ? null : Set.copyOf(columns);
  }

  /// True when the attribute is in the projection.
  public boolean shows(AttributeName name) {
    return columns == null || columns.contains(name);
  }

  /// A scan with a watch that does nothing, of events of any arrival, without grouping.
  public Scan(
      EventId from,
      EventId until,
      boolean descending,
      @Nullable Set<AttributeName> columns,
      Filter filter) {
    this(from, until, descending, columns, filter, null, null, null, ScanWatch.none());
  }

  /// All events, oldest first.
  public static Scan all() {
    return new Scan(EventId.LEAST, EventId.LIMIT, false, null, new Filter.Everything());
  }

  /// Events with times in `[fromNanos, untilNanos)`, in nanoseconds since the Unix epoch.
  public static Scan ofTime(long fromNanos, long untilNanos) {
    return all().withRange(EventId.leastOf(fromNanos), EventId.leastOf(untilNanos));
  }

  public Scan withRange(EventId newFrom, EventId newUntil) {
    return new Scan(newFrom, newUntil, descending, columns, filter, since, before, fold, watch);
  }

  public Scan withDescending(boolean newDescending) {
    return new Scan(from, until, newDescending, columns, filter, since, before, fold, watch);
  }

  public Scan withColumns(@Nullable Set<AttributeName> newColumns) {
    return new Scan(from, until, descending, newColumns, filter, since, before, fold, watch);
  }

  public Scan withFilter(Filter newFilter) {
    return new Scan(from, until, descending, columns, newFilter, since, before, fold, watch);
  }

  public Scan withWatch(ScanWatch newWatch) {
    return new Scan(from, until, descending, columns, filter, since, before, fold, newWatch);
  }

  public Scan withSince(@Nullable Arrivals newSince) {
    return new Scan(from, until, descending, columns, filter, newSince, before, fold, watch);
  }

  public Scan withBefore(@Nullable LaneArrivals newBefore) {
    return new Scan(from, until, descending, columns, filter, since, newBefore, fold, watch);
  }

  public Scan withFold(@Nullable Grouping newFold) {
    return new Scan(from, until, descending, columns, filter, since, before, newFold, watch);
  }

  /// True for a count of all events, which open rows know by their order.
  public boolean isPlainCount() {
    return fold != null && fold.isOfCounts() && filter instanceof Filter.Everything;
  }

  /// The first arrival number in a shard that is kept by a store on this machine.
  ///
  /// @throws IllegalArgumentException when `since` is a position of another kind of store
  public long arrivedFrom(int shard) {
    LaneArrivals lanes = LaneArrivals.of(since);
    return lanes == null ? 0 : lanes.limitOf(shard);
  }

  /// The first arrival number in a shard that is not kept any more by a store on this machine.
  public long arrivedUntil(int shard) {
    return before == null ? Long.MAX_VALUE : before.limitOf(shard);
  }
}
