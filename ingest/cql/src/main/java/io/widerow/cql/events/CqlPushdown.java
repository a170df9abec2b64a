package io.widerow.cql.events;

import io.widerow.cql.parse.Relation.Operator;
import io.widerow.cql.schema.LikePattern;
import io.widerow.cql.schema.RowCondition;
import io.widerow.cql.type.TimeUuids;
import io.widerow.event.AttributeName;
import io.widerow.event.TimeUuid;
import io.widerow.event.TypeGlob;
import io.widerow.query.RangeQuery;
import io.widerow.query.TypeGlobs;
import io.widerow.storage.Filter;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/// Turns conditions into a range of the store (predicate pushdown): types, times, and a filter for
/// the other conditions. Conditions that a filter does not express exactly are tried on each row
/// that it keeps.
///
/// - Threads: one.
final class CqlPushdown {
  private static final long MILLIS_LIMIT = TimeUuid.NANOS_LIMIT / CqlEventRow.NANOS_PER_MILLI;
  private static final AttributeName TYPE = AttributeName.of("type");

  private final List<Filter> parts = new ArrayList<>();
  private final List<RowCondition> rest = new ArrayList<>();
  private TypeGlobs types = TypeGlobs.ALL;
  private long fromNanos = TimeUuid.NANOS_MIN;
  private long untilNanos = TimeUuid.NANOS_LIMIT;
  private boolean none; // no row meets the conditions

  private CqlPushdown() {}

  static CqlPushdown of(List<RowCondition> conditions) {
    CqlPushdown pushdown = new CqlPushdown();
    conditions.forEach(pushdown::add);
    return pushdown;
  }

  /// Conditions that each row is tried with.
  List<RowCondition> rest() {
    return rest;
  }

  /// True when no row meets the conditions.
  boolean isEmpty() {
    return none || fromNanos >= untilNanos;
  }

  /// The range, when it is not empty.
  RangeQuery query() {
    Filter filter =
        switch (parts.size()) {
          case 0 -> new Filter.Everything();
          case 1 -> parts.getFirst();
          default -> new Filter.And(parts);
        };
    return RangeQuery.ALL
        .withTypes(types)
        .withRange(fromNanos, untilNanos)
        .withFilter(filter)
        .narrowed();
  }

  private void add(RowCondition condition) {
    none |= condition.values().isEmpty();
    if (none) {
      return;
    }
    if (condition.index() == EventTable.TYPE) {
      type(condition);
    } else if (condition.index() == EventTable.TS) {
      times(condition);
    } else if (condition.index() == EventTable.ID) {
      ids(condition);
    } else {
      AttributeFilter filter = AttributeFilter.of(condition);
      none |= filter.none();
      parts.addAll(filter.parts());
      if (!filter.exact()) {
        rest.add(condition);
      }
    }
  }

  private void type(RowCondition condition) {
    List<String> names = condition.values().stream().map(String.class::cast).toList();
    boolean free = types.globs().isEmpty();
    switch (condition.operator()) {
      case EQ, IN -> {
        if (free) {
          types = new TypeGlobs(names.stream().map(TypeGlob::of).toList());
        } else {
          parts.add(new Filter.OfType(AttributeFilter.anyOf(TYPE, names)));
        }
      }
      case LIKE -> {
        String name = names.getFirst();
        LikePattern pattern = LikePattern.of(name);
        boolean plain = TypeGlob.isExact(name) && !name.contains("\\"); // it would escape our star
        if (plain && free) {
          types =
              new TypeGlobs(
                  List.of(
                      (pattern.open() ? "*" : "") + pattern.text() + (pattern.more() ? "*" : "")));
        } else {
          parts.add(new Filter.OfType(new Filter.Matches(TYPE, new LikeTest(pattern))));
        }
      }
      default ->
          parts.add(
              new Filter.OfType(
                  AttributeFilter.compare(TYPE, condition.operator(), names.getFirst())));
    }
  }

  private void within(long from, long until) {
    fromNanos = Math.max(fromNanos, from);
    untilNanos = Math.min(untilNanos, until);
  }

  private static long startOfMilli(long millis) {
    return Math.clamp(millis, -1, MILLIS_LIMIT + 1) * CqlEventRow.NANOS_PER_MILLI;
  }

  /// The nanoseconds of a millisecond begin with it and end before the next.
  private void times(RowCondition condition) {
    long millis = ((Instant) condition.value()).toEpochMilli();
    long start = startOfMilli(millis);
    long end = startOfMilli(Math.min(millis, MILLIS_LIMIT) + 1);
    switch (condition.operator()) {
      case EQ -> within(start, end);
      case GT -> within(end, Long.MAX_VALUE);
      case GTE -> within(start, Long.MAX_VALUE);
      case LT -> within(Long.MIN_VALUE, start);
      case LTE -> within(Long.MIN_VALUE, end);
      default -> parts.add(anyTime(condition));
    }
  }

  /// IN: narrows the range to all times together, and keeps those in it.
  private Filter anyTime(RowCondition condition) {
    long first = Long.MAX_VALUE;
    long last = Long.MIN_VALUE;
    List<Filter> any = new ArrayList<>();
    for (Object value : condition.values()) {
      long millis = ((Instant) value).toEpochMilli();
      long start = startOfMilli(millis);
      long end = startOfMilli(Math.min(millis, MILLIS_LIMIT) + 1);
      first = Math.min(first, start);
      last = Math.max(last, end);
      any.add(
          new Filter.And(
              List.of(
                  new Filter.OfTime(Filter.Comparison.GREATER_OR_EQUAL, start),
                  new Filter.OfTime(Filter.Comparison.LESS, end))));
    }
    within(first, last);
    return new Filter.Or(any);
  }

  /// Narrows the range to the ticks of ids; the ids themselves are tried on each row.
  private void ids(RowCondition condition) {
    long first = Long.MAX_VALUE;
    long last = Long.MIN_VALUE;
    for (Object value : condition.values()) {
      long limit = TimeUuid.timeOfNanos(TimeUuid.NANOS_LIMIT);
      long ticks = Math.clamp(TimeUuids.ticks((UUID) value), TimeUuid.UNIX_EPOCH_TICKS - 1, limit);
      long start = TimeUuid.tickNanos(ticks);
      first = Math.min(first, start);
      last = Math.max(last, start + TimeUuid.NANOS_PER_TICK);
    }
    Operator operator = condition.operator();
    boolean lower = operator == Operator.GT || operator == Operator.GTE;
    boolean upper = operator == Operator.LT || operator == Operator.LTE;
    within(upper ? Long.MIN_VALUE : first, lower ? Long.MAX_VALUE : last);
    rest.add(condition);
  }

  /// The test of a pattern on the bytes of a text.
  record LikeTest(LikePattern pattern) implements Filter.TextTest {
    @Override
    public boolean keeps(MemorySegment memory, long offset, int length) {
      byte[] utf8 = memory.asSlice(offset, length).toArray(ValueLayout.JAVA_BYTE);
      return pattern.test(new String(utf8, StandardCharsets.UTF_8));
    }
  }
}
