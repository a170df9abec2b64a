package io.widerow.query;

import io.widerow.event.EventView;
import io.widerow.event.TimeUuid;
import java.util.ArrayList;
import java.util.List;

/// Bounds of a time range within ticks of 100 ns. Within a tick the order of ids does not determine
/// which events are in the range: an id that a store assigned has its nanoseconds in its tail, but
/// the time of an event with an id of its own is the start of its tick, whatever its tail. So whole
/// ticks are scanned, and in the first and the last tick the displayed time of an event decides.
///
/// ```
///   ticks     |---------|---------|---------|---------|
///   range           [-------------------------)
///   scan      [---------------------------------------)
///   cut       [---------)                   [---------)    each event is looked at
///   whole               [-------------------)              counts and rollups may answer
/// ```
///
/// @param fromNanos start of the range
/// @param untilNanos end of the range, exclusive
/// @param fromTime time of the ids of the tick that the start cuts; [#NONE] when it cuts none
/// @param untilTime the same for the end
record TickBounds(long fromNanos, long untilNanos, long fromTime, long untilTime) {
  private static final long NONE = -1; // no id has this time

  static TickBounds of(RangeQuery query) {
    return new TickBounds(
        query.fromNanos(), query.untilNanos(), cut(query.fromNanos()), cut(query.untilNanos()));
  }

  private static long cut(long nanos) {
    return floor(nanos) == nanos ? NONE : TimeUuid.timeOfNanos(nanos);
  }

  /// Start of the tick of an instant.
  static long floor(long nanos) {
    return nanos - Math.floorMod(nanos, TimeUuid.NANOS_PER_TICK);
  }

  /// The first start of a tick that is not before an instant.
  static long ceil(long nanos) {
    return -floor(-nanos);
  }

  /// True when a tick is cut.
  boolean cutsAny() {
    return fromTime != NONE || untilTime != NONE;
  }

  /// False for an event of the scanned ticks that is outside the range.
  boolean contain(EventView event) {
    return isFrom(event) && (event.idTime() != untilTime || event.timeNanos() < untilNanos);
  }

  /// The same for the start alone.
  boolean isFrom(EventView event) {
    return event.idTime() != fromTime || event.timeNanos() >= fromNanos;
  }

  /// The ticks that are whole in the range of a query; none when it ends before it begins.
  RangeQuery whole(RangeQuery query) {
    long from = ceil(fromNanos);
    return query.withRange(from, Math.max(from, floor(untilNanos)));
  }

  /// Returns the parts of the query's range within the ticks that it cuts.
  List<RangeQuery> cut(RangeQuery query) {
    List<RangeQuery> cut = new ArrayList<>();
    if (fromTime != NONE) {
      cut.add(query.withRange(fromNanos, Math.min(ceil(fromNanos), untilNanos)));
    }
    if (untilTime != NONE && untilTime != fromTime) {
      cut.add(query.withRange(floor(untilNanos), untilNanos));
    }
    return cut;
  }
}
