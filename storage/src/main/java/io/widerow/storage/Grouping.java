package io.widerow.storage;

import io.widerow.event.AttributeName;
import io.widerow.rollup.RollupField;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The grouping of an aggregation: events of one step of time, and mostly of one type, that agree
/// in some attributes, by equal values or by having none. A cursor may show one event for several
/// of a group, see [io.widerow.event.EventView#weight]. It then is a
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
/// @param runs asks for runs of events instead of counts: the other components then do not matter;
///   null for counts
/// @param apart events that are in no group, each is shown by itself; null for none
/// @param ofAnyType true when a group may have events of several types: it shows one of these
public record Grouping(
    List<AttributeName> names,
    boolean level,
    long stepNanos,
    boolean cells,
    long phaseNanos,
    List<RollupField> fields,
    @Nullable Runs runs,
    @Nullable Filter apart,
    boolean ofAnyType) {
  private static final long MINUTE_NANOS = 60_000_000_000L;

  /// Events that agree in all attributes except the number of one, such as the samples of a series.
  /// A cursor may then show an event for several, as an [io.widerow.storage.sketch.EventRun].
  ///
  /// @param value the attribute whose numbers may differ
  /// @param spans the times that are wanted, ascending and disjoint; events at other times may be
  ///   left out
  public record Runs(AttributeName value, List<StoreView.Span> spans) {
    public Runs {
      spans = List.copyOf(spans);
    }
  }

  public Grouping {
    names = List.copyOf(names);
    fields = List.copyOf(fields);
    if (stepNanos < 0) {
      throw new IllegalArgumentException("a step of " + stepNanos + " ns is negative");
    }
  }

  /// Steps that are counted from the Unix epoch.
  public Grouping(List<AttributeName> names, long stepNanos, boolean cells) {
    this(names, false, stepNanos, cells, 0, List.of(), null, null, false);
  }

  /// A grouping that is counted from events.
  public Grouping(List<AttributeName> names, long stepNanos) {
    this(names, stepNanos, false);
  }

  /// Runs of events.
  public static Grouping ofRuns(Runs runs) {
    return new Grouping(List.of(), false, 0, false, 0, List.of(), runs, null, false);
  }

  /// The same, from stored aggregates where there are any.
  public Grouping withCells() {
    return new Grouping(names, level, stepNanos, true, phaseNanos, fields, runs, apart, ofAnyType);
  }

  /// The same, grouped by the level as well.
  public Grouping withLevel() {
    return new Grouping(names, true, stepNanos, cells, phaseNanos, fields, runs, apart, ofAnyType);
  }

  /// The same with steps of this width that start at an instant, and before and after it.
  public Grouping withSteps(long nanos, long epochNanos) {
    return new Grouping(names, level, nanos, cells, epochNanos, fields, runs, apart, ofAnyType);
  }

  /// The same with aggregates of attributes.
  public Grouping withFields(List<RollupField> newFields) {
    return new Grouping(
        names, level, stepNanos, cells, phaseNanos, newFields, runs, apart, ofAnyType);
  }

  /// The same without the events that a filter keeps, which are shown one by one.
  public Grouping without(@Nullable Filter newApart) {
    return new Grouping(
        names, level, stepNanos, cells, phaseNanos, fields, runs, newApart, ofAnyType);
  }

  /// The same with groups of any type.
  public Grouping withAnyType() {
    return new Grouping(names, level, stepNanos, cells, phaseNanos, fields, runs, apart, true);
  }

  /// True when it counts events by steps of time alone.
  public boolean isOfCounts() {
    return names.isEmpty() && fields.isEmpty() && !level && runs == null && apart == null;
  }

  /// True when counts by minute give its counts: steps are whole minutes, no attribute groups, and
  /// none is aggregated. Steps may start a nanosecond after minutes, too.
  public boolean isOfMinutes() {
    return isOfCounts()
        && stepNanos % MINUTE_NANOS == 0
        && (phaseNanos % MINUTE_NANOS == 0 || startsAfterMinutes());
  }

  /// True when steps end with the first nanosecond of a minute, as the windows of LogQL do.
  public boolean startsAfterMinutes() {
    return stepNanos > 0
        && stepNanos % MINUTE_NANOS == 0
        && Math.floorMod(phaseNanos, MINUTE_NANOS) == 1;
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
