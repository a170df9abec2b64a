package io.widerow.query;

import io.widerow.event.AttributeName;
import io.widerow.event.EventId;
import io.widerow.event.TimeUuid;
import io.widerow.storage.Arrivals;
import io.widerow.storage.Filter;
import io.widerow.storage.PartitionInfo;
import io.widerow.storage.Scan;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// A query for events: a half-open time range, types, a direction, a start position, a filter
/// (predicate), fields (projection) and a limit. The result is a pure function of the query and the
/// data.
///
/// @param types types of the events
/// @param shard only partitions of this shard; [#ALL_SHARDS] for all
/// @param fromNanos start of the range, inclusive, in nanoseconds since the Unix epoch
/// @param untilNanos end of the range, exclusive, in nanoseconds since the Unix epoch; that of
///   events in order, not of late ones
/// @param descending true for newest first
/// @param limit maximum number of events, at least 1
/// @param after position after which the result starts; null for the start of the range
/// @param since with `after`: a position in the order of arrival. The result then starts with the
///   late events, those at or before `after` that arrived after this position; null for none
/// @param kept which events are kept, and the fields that are made of theirs
/// @param fields attributes to return, in this order; null for all
public record RangeQuery(
    TypeGlobs types,
    int shard,
    long fromNanos,
    long untilNanos,
    boolean descending,
    long limit,
    @Nullable Token after,
    @Nullable Arrivals since,
    Condition kept,
    @Nullable List<AttributeName> fields) {
  /// Instead of a shard.
  public static final int ALL_SHARDS = -1;

  /// Every event, oldest first.
  public static final RangeQuery ALL =
      new RangeQuery(
          TypeGlobs.ALL,
          ALL_SHARDS,
          TimeUuid.NANOS_MIN,
          TimeUuid.NANOS_LIMIT,
          false,
          Long.MAX_VALUE,
          null,
          null,
          new Condition(new Filter.Everything(), null),
          null);

  public RangeQuery {
    if (limit < 1) {
      throw new QueryException.Refused("limit", "must be at least 1, got " + limit);
    }
    if (since != null && (after == null || descending)) {
      throw new QueryException.Refused("arrived", "needs after, and the order asc");
    }
    fromNanos = Math.max(fromNanos, TimeUuid.NANOS_MIN);
    untilNanos = Math.min(untilNanos, TimeUuid.NANOS_LIMIT);
    fields = fields == null ? null : List.copyOf(fields);
  }

  public RangeQuery withTypes(TypeGlobs newTypes) {
    return new RangeQuery(
        newTypes, shard, fromNanos, untilNanos, descending, limit, after, since, kept, fields);
  }

  public RangeQuery withShard(int newShard) {
    return new RangeQuery(
        types, newShard, fromNanos, untilNanos, descending, limit, after, since, kept, fields);
  }

  public RangeQuery withRange(long newFromNanos, long newUntilNanos) {
    return new RangeQuery(
        types, shard, newFromNanos, newUntilNanos, descending, limit, after, since, kept, fields);
  }

  public RangeQuery withDescending(boolean newDescending) {
    return new RangeQuery(
        types, shard, fromNanos, untilNanos, newDescending, limit, after, since, kept, fields);
  }

  public RangeQuery withLimit(long newLimit) {
    return new RangeQuery(
        types, shard, fromNanos, untilNanos, descending, newLimit, after, since, kept, fields);
  }

  public RangeQuery withAfter(@Nullable Token newAfter) {
    return new RangeQuery(
        types, shard, fromNanos, untilNanos, descending, limit, newAfter, since, kept, fields);
  }

  public RangeQuery withSince(@Nullable Arrivals newSince) {
    return new RangeQuery(
        types, shard, fromNanos, untilNanos, descending, limit, after, newSince, kept, fields);
  }

  public RangeQuery withFilter(Filter newFilter) {
    return withCondition(new Condition(newFilter, derived()));
  }

  public RangeQuery withCondition(Condition newKept) {
    return new RangeQuery(
        types, shard, fromNanos, untilNanos, descending, limit, after, since, newKept, fields);
  }

  /// The filter on stored attributes.
  public Filter filter() {
    return kept.filter();
  }

  /// The fields that are made of the attributes of each event, and conditions on them; null for
  /// none.
  public @Nullable DerivedFields derived() {
    return kept.derived();
  }

  /// The same query of the events that a filter keeps too, which may test the fields that are made.
  public RangeQuery withFurther(Filter further) {
    DerivedFields made = derived();
    return made == null
        ? withFilter(new Filter.And(List.of(filter(), further)))
        : withCondition(new Condition(filter(), made.where(further)));
  }

  /// The same query, with a range that its filter's tests of time and id do not exceed.
  public RangeQuery narrowed() {
    return TimeCondition.narrow(this);
  }

  public RangeQuery withFields(@Nullable List<AttributeName> newFields) {
    return new RangeQuery(
        types, shard, fromNanos, untilNanos, descending, limit, after, since, kept, newFields);
  }

  /// The range at or before a token, without a limit: the query for late events. The range's own
  /// end does not count: the next query asks for what arrives from now on, so that a late event
  /// between that end and the token would never be shown.
  RangeQuery late(Token token) {
    long until = token.tickNanos() + TimeUuid.NANOS_PER_TICK;
    return new RangeQuery(
        types, shard, fromNanos, until, false, Long.MAX_VALUE, null, null, kept, fields);
  }

  /// Those of some partitions that have the shard asked for.
  public List<PartitionInfo> ofShard(List<PartitionInfo> partitions) {
    return shard == ALL_SHARDS
        ? partitions
        : partitions.stream().filter(info -> info.key().shard() == shard).toList();
  }

  /// Start of the time range that is left after [#after], for the plan. It may include events that
  /// the scan leaves out.
  long plannedFromNanos() {
    Token token = after;
    return token == null || descending ? fromNanos : Math.max(fromNanos, token.tickNanos());
  }

  /// End of the time range that is left after [#after], for the plan.
  long plannedUntilNanos() {
    Token token = after;
    return token == null || !descending
        ? untilNanos
        : Math.min(untilNanos, token.tickNanos() + TimeUuid.NANOS_PER_TICK);
  }

  /// The scan of each partition. It includes the token's own id, because an event with that id may
  /// have a type that sorts after the token's; and whole ticks, see [TickBounds].
  public Scan toScan() {
    EventId from = EventId.leastOf(TickBounds.floor(fromNanos));
    EventId until = EventId.leastOf(TickBounds.ceil(untilNanos));
    Token token = after;
    if (token != null && !descending && token.id().compareTo(from) > 0) {
      from = token.id();
    }
    if (token != null && descending && token.id().next().compareTo(until) < 0) {
      until = token.id().next();
    }
    return scan(from, until);
  }

  /// The scan of partitions in which the store assigned every id: their order is that of time.
  Scan ofAssigned() {
    return scan(EventId.leastOf(fromNanos), EventId.leastOf(untilNanos));
  }

  private Scan scan(EventId from, EventId until) {
    List<AttributeName> wanted = fields;
    Set<AttributeName> columns = wanted == null ? null : new HashSet<>(wanted);
    DerivedFields made = derived();
    if (columns != null && made != null) {
      columns.addAll(made.columns());
    }
    return new Scan(from, until, descending, columns, kept.ofStore());
  }
}
