package io.widerow.rollup;

import io.widerow.event.AttributeName;
import java.util.List;

/// An aggregation that kept figures may answer instead of events.
///
/// @param by attributes that group; the type is none of them
/// @param fields the figures that the aggregates need of attributes that do not group
/// @param stepNanos width of a step of time in nanoseconds; 0 for a single step
public record RollupQuestion(List<AttributeName> by, List<RollupField> fields, long stepNanos) {
  public RollupQuestion {
    by = List.copyOf(by);
    fields = List.copyOf(fields);
  }
}
