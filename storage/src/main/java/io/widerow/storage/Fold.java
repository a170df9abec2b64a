package io.widerow.storage;

import io.widerow.event.AttributeName;
import io.widerow.event.TimeUuid;
import java.util.List;

/// Which events are alike to a reader that only counts: those of one type and one step of time that
/// have equal values of some attributes, or lack them. A cursor may show one of them for several,
/// see [io.widerow.event.EventView#weight].
///
/// @param names the attributes
/// @param stepNanos width of a step of time, counted from the Unix epoch; 0 for one step of all
///   time
public record Fold(List<AttributeName> names, long stepNanos) {
  public Fold {
    names = List.copyOf(names);
    if (stepNanos < 0) {
      throw new IllegalArgumentException("steps of " + stepNanos + " ns");
    }
  }

  /// True when its steps end where ticks do, so that the `idTime` of an event tells its step.
  boolean isOfTicks() {
    return stepNanos > 0 && stepNanos % TimeUuid.NANOS_PER_TICK == 0;
  }

  /// One past the last instant of the step that an instant is in.
  long stepLimit(long epochNanos) {
    if (stepNanos == 0) {
      return Long.MAX_VALUE;
    }
    long begin = epochNanos - Math.floorMod(epochNanos, stepNanos);
    return begin > Long.MAX_VALUE - stepNanos ? Long.MAX_VALUE : begin + stepNanos;
  }
}
