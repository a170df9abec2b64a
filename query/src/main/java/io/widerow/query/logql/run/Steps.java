package io.widerow.query.logql.run;

import io.widerow.query.QueryException;

/// The instants at which a metric query is evaluated.
///
/// @param startNanos the first one, nanoseconds since the Unix epoch
/// @param stepNanos between two of them; positive
/// @param count how many, at least 1
public record Steps(long startNanos, long stepNanos, int count) {
  static final int COUNT_MAX = 11_000;

  /// One instant.
  public static Steps at(long nanos) {
    return new Steps(nanos, 1, 1);
  }

  /// From a start to an end, the end included.
  ///
  /// @throws QueryException.Refused when these are too many
  public static Steps of(long startNanos, long endNanos, long stepNanos) {
    if (endNanos < startNanos) {
      throw new QueryException.Refused(
          "end", "%d is before start, %d".formatted(endNanos, startNanos));
    }
    long count = Math.subtractExact(endNanos, startNanos) / stepNanos + 1;
    if (count > COUNT_MAX) {
      throw new QueryException.Refused(
          "step",
          "%d points a series, at most %d: ask for longer steps or a shorter range"
              .formatted(count, COUNT_MAX));
    }
    return new Steps(startNanos, stepNanos, (int) count);
  }

  /// The instant of a step.
  public long at(int step) {
    return startNanos + step * stepNanos;
  }
}
