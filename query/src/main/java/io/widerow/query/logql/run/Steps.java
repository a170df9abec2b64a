package io.widerow.query.logql.run;

import io.widerow.query.QueryException;

/// The instants at which a metric query is evaluated.
///
/// @param startNanos the first one, nanoseconds since the Unix epoch
/// @param stepNanos between two of them; positive
/// @param count how many, at least 1
public record Steps(long startNanos, long stepNanos, int count) {
  /// As in Loki, which allows 11,000 steps, and their start.
  static final int COUNT_MAX = 11_001;

  private static final long INSTANT_STEP = 1;

  /// One instant.
  public static Steps at(long nanos) {
    return new Steps(nanos, INSTANT_STEP, 1);
  }

  /// True for one instant, and false for a range of one step.
  boolean isInstant() {
    return stepNanos == INSTANT_STEP && count == 1;
  }

  /// From a start to an end, the end included.
  ///
  /// @throws QueryException.Refused when these are too many
  public static Steps of(long startNanos, long endNanos, long stepNanos) {
    if (endNanos < startNanos) {
      throw new QueryException.Refused(
          "query",
          "end timestamp must not be before or equal to start time, got end %d and start %d"
              .formatted(endNanos, startNanos));
    }
    long count = Math.subtractExact(endNanos, startNanos) / stepNanos + 1;
    if (count > COUNT_MAX) {
      throw new QueryException.Refused(
          "query",
          "exceeded maximum resolution of 11,000 points per time series. Try increasing the value"
              + " of"
              + " the step parameter, got %d points".formatted(count));
    }
    return new Steps(startNanos, stepNanos, (int) count);
  }

  /// The instant of a step.
  public long at(int step) {
    return startNanos + step * stepNanos;
  }
}
