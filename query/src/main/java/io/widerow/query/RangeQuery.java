package io.widerow.query;

import io.widerow.event.AttributeName;
import io.widerow.event.EventId;
import io.widerow.event.TimeUuid;
import io.widerow.storage.Arrivals;
import io.widerow.storage.Filter;
import io.widerow.storage.Scan;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// What is asked of a store: a half-open range of time, types, a direction, where to go on, a
/// filter, and how much at most. The answer is a pure function of it and of the data.
///
/// @param types which types
/// @param fromNanos first instant wanted, nanoseconds since the Unix epoch
/// @param untilNanos first instant not wanted, nanoseconds since the Unix epoch
/// @param descending newest first
/// @param limit most events wanted, at least 1
/// @param after position directly behind which the answer starts; null for the start of the range
/// @param since with `after`: a position in the order of arrival. Events at or before `after` that
///   came later than it are wanted as well, first; null for none of them
/// @param filter what is kept
/// @param fields attributes wanted, in the order wanted; null for all
public record RangeQuery(
    TypeGlobs types,
    long fromNanos,
    long untilNanos,
    boolean descending,
    long limit,
    @Nullable Token after,
    @Nullable Arrivals since,
    Filter filter,
    @Nullable List<AttributeName> fields) {
  /// Every event, oldest first.
  public static final RangeQuery ALL =
      new RangeQuery(
          TypeGlobs.ALL,
          TimeUuid.NANOS_MIN,
          TimeUuid.NANOS_LIMIT,
          false,
          Long.MAX_VALUE,
          null,
          null,
          new Filter.Everything(),
          null);

  public RangeQuery {
    if (limit < 1) {
      throw new QueryException.Refused("limit", "must be at least 1, got " + limit);
    }
    if (since != null && (after == null || descending)) {
      throw new QueryException.Refused("arrived", "goes with after, and with the order asc");
    }
    fromNanos = Math.max(fromNanos, TimeUuid.NANOS_MIN);
    untilNanos = Math.min(untilNanos, TimeUuid.NANOS_LIMIT);
    fields = fields == null ? null : List.copyOf(fields);
  }

  public RangeQuery withTypes(TypeGlobs newTypes) {
    return new RangeQuery(
        newTypes, fromNanos, untilNanos, descending, limit, after, since, filter, fields);
  }

  public RangeQuery withRange(long newFromNanos, long newUntilNanos) {
    return new RangeQuery(
        types, newFromNanos, newUntilNanos, descending, limit, after, since, filter, fields);
  }

  public RangeQuery withDescending(boolean newDescending) {
    return new RangeQuery(
        types, fromNanos, untilNanos, newDescending, limit, after, since, filter, fields);
  }

  public RangeQuery withLimit(long newLimit) {
    return new RangeQuery(
        types, fromNanos, untilNanos, descending, newLimit, after, since, filter, fields);
  }

  public RangeQuery withAfter(@Nullable Token newAfter) {
    return new RangeQuery(
        types, fromNanos, untilNanos, descending, limit, newAfter, since, filter, fields);
  }

  public RangeQuery withSince(@Nullable Arrivals newSince) {
    return new RangeQuery(
        types, fromNanos, untilNanos, descending, limit, after, newSince, filter, fields);
  }

  public RangeQuery withFilter(Filter newFilter) {
    return new RangeQuery(
        types, fromNanos, untilNanos, descending, limit, after, since, newFilter, fields);
  }

  public RangeQuery withFields(@Nullable List<AttributeName> newFields) {
    return new RangeQuery(
        types, fromNanos, untilNanos, descending, limit, after, since, filter, newFields);
  }

  /// The range at or before [#after], without a limit: where late events are looked for.
  RangeQuery late(Token token) {
    long until = Math.min(untilNanos, token.tickNanos() + TimeUuid.NANOS_PER_TICK);
    return new RangeQuery(
        types, fromNanos, until, false, Long.MAX_VALUE, null, null, filter, fields);
  }

  /// The range that is left behind [#after], as times: what the plan is made from.
  long plannedFromNanos() {
    Token token = after;
    return token == null || descending ? fromNanos : Math.max(fromNanos, token.tickNanos());
  }

  long plannedUntilNanos() {
    Token token = after;
    return token == null || !descending
        ? untilNanos
        : Math.min(untilNanos, token.tickNanos() + TimeUuid.NANOS_PER_TICK);
  }

  /// What is wanted of each partition. An event with the token's own id may still be wanted: its
  /// type can come behind the token's.
  Scan toScan() {
    EventId from = EventId.leastOf(fromNanos);
    EventId until = EventId.leastOf(untilNanos);
    Token token = after;
    if (token != null && !descending && token.id().compareTo(from) > 0) {
      from = token.id();
    }
    if (token != null && descending && token.id().next().compareTo(until) < 0) {
      until = token.id().next();
    }
    List<AttributeName> wanted = fields;
    Set<AttributeName> columns = wanted == null ? null : new HashSet<>(wanted);
    return new Scan(from, until, descending, columns, filter);
  }
}
