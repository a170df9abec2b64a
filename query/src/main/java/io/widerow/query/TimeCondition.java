package io.widerow.query;

import io.widerow.event.EventId;
import io.widerow.event.TimeUuid;
import io.widerow.storage.Filter;
import java.util.ArrayList;
import java.util.List;

/// The time range of a filter's conditions on `ts`: `ts >= 2026-11-20 and status = 500` reads the
/// same range as `from`.
final class TimeCondition {
  private long fromNanos = TimeUuid.NANOS_MIN;
  private long untilNanos = TimeUuid.NANOS_LIMIT;

  private TimeCondition() {}

  /// The same query, with a range that its filter does not exceed.
  static RangeQuery narrow(RangeQuery query) {
    List<Filter> parts =
        query.filter() instanceof Filter.And(var all) ? all : List.of(query.filter());
    TimeCondition range = new TimeCondition();
    List<Filter> left = new ArrayList<>();
    for (Filter part : parts) {
      if (!range.isAllOf(part)) {
        left.add(part);
      }
    }
    Filter rest =
        switch (left.size()) {
          case 0 -> new Filter.Everything();
          case 1 -> left.getFirst();
          default -> new Filter.And(left);
        };
    long from = Math.max(query.fromNanos(), range.fromNanos);
    long until = Math.max(from, Math.min(query.untilNanos(), range.untilNanos));
    return query.withRange(from, until).withFilter(rest);
  }

  /// Applies a part to the range. Returns true when the range covers the whole part: an instant
  /// within a tick does not distinguish ids.
  private boolean isAllOf(Filter part) {
    return switch (part) {
      case Filter.OfTime(var comparison, long nanos) -> isAllOf(comparison, nanos);
      case Filter.OfId(EventId id) -> {
        within(id);
        yield false;
      }
      default -> false;
    };
  }

  private boolean isAllOf(Filter.Comparison comparison, long nanos) {
    if (nanos < TimeUuid.NANOS_MIN || nanos >= TimeUuid.NANOS_LIMIT) {
      return false; // all events or none
    }
    long tick = nanos - Math.floorMod(nanos, TimeUuid.NANOS_PER_TICK);
    long tickEnd = tick + TimeUuid.NANOS_PER_TICK;
    boolean aligned = tick == nanos;
    return switch (comparison) {
      case GREATER_OR_EQUAL -> {
        from(tick);
        yield aligned;
      }
      case LESS -> {
        until(aligned ? tick : tickEnd);
        yield aligned;
      }
      case GREATER -> {
        from(tick);
        yield false;
      }
      case LESS_OR_EQUAL -> {
        until(tickEnd);
        yield false;
      }
      case EQUAL -> {
        from(tick);
        until(tickEnd);
        yield false;
      }
      case NOT_EQUAL -> false;
    };
  }

  private void within(EventId id) {
    if (id.time() >= TimeUuid.timeOfNanos(TimeUuid.NANOS_MIN)
        && id.time() < TimeUuid.timeOfNanos(TimeUuid.NANOS_LIMIT)) {
      long tick = TimeUuid.tickNanos(id.time());
      from(tick);
      until(tick + TimeUuid.NANOS_PER_TICK);
    }
  }

  private void from(long nanos) {
    fromNanos = Math.max(fromNanos, nanos);
  }

  private void until(long nanos) {
    untilNanos = Math.min(untilNanos, nanos);
  }
}
