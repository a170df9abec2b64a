package io.widerow.storage;

import io.widerow.event.AttributeName;
import io.widerow.rollup.RollupField;
import java.util.List;

/// The grouping of an aggregation: events of one type and one step of time that agree in some
/// attributes, by equal values or by having none. A cursor may show one event for several of a
/// group, see [io.widerow.event.EventView#weight]. It then is a
/// [io.widerow.storage.sketch.GroupedEvents] when the grouping has fields.
///
/// @param names the attributes to group by
/// @param level true to group by the level of the events, too, and by the attribute of its name
///   where an event has no level, see [io.widerow.event.Level#find]
/// @param stepNanos width of a step of time in nanoseconds, counted from the Unix epoch and
///   `phaseNanos`; 0 for a single step
/// @param cells true when the store may use stored aggregates (rollups) instead of looking at
///   events
/// @param phaseNanos an instant at which a step starts, nanoseconds since the Unix epoch
/// @param fields the aggregates of attributes that are wanted of each group, at most one field of a
///   name
public record Grouping(
    List<AttributeName> names,
    boolean level,
    long stepNanos,
    boolean cells,
    long phaseNanos,
    List<RollupField> fields) {
  private static final long MINUTE_NANOS = 60_000_000_000L;

  public Grouping {
    names = List.copyOf(names);
    fields = List.copyOf(fields);
    if (stepNanos < 0) {
      throw new IllegalArgumentException("a step of " + stepNanos + " ns is negative");
    }
  }

  /// Steps that are counted from the Unix epoch.
  public Grouping(List<AttributeName> names, long stepNanos, boolean cells) {
    this(names, false, stepNanos, cells, 0, List.of());
  }

  /// A grouping that is counted from events.
  public Grouping(List<AttributeName> names, long stepNanos) {
    this(names, stepNanos, false);
  }

  /// The same, from stored aggregates where there are any.
  public Grouping withCells() {
    return new Grouping(names, level, stepNanos, true, phaseNanos, fields);
  }

  /// The same, grouped by the level as well.
  public Grouping withLevel() {
    return new Grouping(names, true, stepNanos, cells, phaseNanos, fields);
  }

  /// The same with steps that start at an instant, and before and after it.
  public Grouping withPhase(long epochNanos) {
    return new Grouping(names, level, stepNanos, cells, epochNanos, fields);
  }

  /// The same with aggregates of attributes.
  public Grouping withFields(List<RollupField> newFields) {
    return new Grouping(names, level, stepNanos, cells, phaseNanos, newFields);
  }

  /// True when it counts events by steps of time alone.
  public boolean isOfCounts() {
    return names.isEmpty() && fields.isEmpty() && !level;
  }

  /// True when counts by minute give its counts: steps are whole minutes, no attribute groups, and
  /// none is aggregated.
  public boolean isOfMinutes() {
    return isOfCounts() && stepNanos % MINUTE_NANOS == 0 && phaseNanos % MINUTE_NANOS == 0;
  }

  /// End (exclusive) of the step that contains an instant, nanoseconds since the Unix epoch.
  public long stepLimit(long epochNanos) {
    if (stepNanos == 0) {
      return Long.MAX_VALUE;
    }
    long phase = Math.floorMod(phaseNanos, stepNanos);
    long past = Math.floorMod(Math.floorMod(epochNanos, stepNanos) - phase, stepNanos);
    long begin = epochNanos - past;
    return begin > Long.MAX_VALUE - stepNanos ? Long.MAX_VALUE : begin + stepNanos;
  }
}
