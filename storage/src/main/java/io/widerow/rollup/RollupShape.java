package io.widerow.rollup;

import io.widerow.event.AttributeName;
import io.widerow.event.Level;
import io.widerow.event.TimeUuid;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/// The shape of a rollup's cells: time step, groups, and aggregates of each.
///
/// @param minutes width of a step: 1 or 60
/// @param by attributes that group, and the level of events as [Level#FIELD]; at most [#BY_MAX]
/// @param fields attributes with aggregates, in the order of names; at most [#FIELDS_MAX]
public record RollupShape(int minutes, List<AttributeName> by, List<RollupField> fields) {
  public static final int BY_MAX = 4;
  public static final int FIELDS_MAX = 32;
  public static final int MINUTES_AN_HOUR = 60;

  private static final long MINUTE_NANOS = 60_000_000_000L;

  public RollupShape {
    by = List.copyOf(by);
    fields = fields.stream().sorted(Comparator.comparing(RollupField::name)).toList();
    if (minutes != 1 && minutes != MINUTES_AN_HOUR) {
      throw new IllegalArgumentException("every: must be 1m or 1h, got %dm".formatted(minutes));
    }
    if (by.size() > BY_MAX) {
      throw new IllegalArgumentException(
          "by: at most %d attributes, got %d".formatted(BY_MAX, by.size()));
    }
    if (new HashSet<>(by).size() < by.size()) {
      throw new IllegalArgumentException("by: has an attribute twice: " + by);
    }
    if (fields.size() > FIELDS_MAX) {
      throw new IllegalArgumentException(
          "stats: aggregates of at most %d attributes, got %d"
              .formatted(FIELDS_MAX, fields.size()));
    }
    if (fields.stream().map(RollupField::name).distinct().count() < fields.size()) {
      throw new IllegalArgumentException("stats: an attribute occurs twice: " + fields);
    }
  }

  /// Ticks of an id's time in a step.
  public long stepTicks() {
    return minutes * MINUTE_NANOS / TimeUuid.NANOS_PER_TICK;
  }

  /// True when its cells can serve a query exactly.
  ///
  /// @param columns attributes that the query's filter examines
  public boolean answers(RollupRequest question, Set<AttributeName> columns) {
    return !question.bytes()
        && question.stepNanos() % (minutes * MINUTE_NANOS) == 0
        && by.containsAll(question.by())
        && by.containsAll(columns)
        && question.fields().stream().allMatch(this::has);
  }

  private boolean has(RollupField wanted) {
    int missing = wanted.figures();
    for (RollupField field : fields) {
      if (field.name().equals(wanted.name())) {
        missing &= ~field.figures();
      }
    }
    boolean isLevel = wanted.name().equals(Level.FIELD); // groups are by the level, not by this
    if (by.contains(wanted.name()) && !isLevel) { // a group's value is that of each of its events
      missing &= ~(RollupFigure.COUNT.bit | RollupFigure.DISTINCT.bit);
    }
    return missing == 0;
  }
}
