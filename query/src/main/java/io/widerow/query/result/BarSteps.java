package io.widerow.query.result;

import io.widerow.event.TimeUuid;
import io.widerow.query.QueryException;
import io.widerow.query.RangeQuery;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Steps of time for a plot: `every=auto` is the finest step of a ladder that gives at most `bars`
/// steps. The ladder has the steps that are usual on an axis, aligned in UTC.
final class BarSteps {
  private static final String AUTO = "auto";
  private static final int BARS_DEFAULT = 260;
  private static final int BARS_MAX = 10_000;
  private static final long SECOND = 1_000_000_000L;
  private static final long MINUTE = 60 * SECOND;
  private static final long HOUR = 60 * MINUTE;
  private static final long DAY = 24 * HOUR;

  private BarSteps() {}

  /// The step of `every`, with `auto` resolved to a duration; null without one.
  ///
  /// @throws QueryException.Refused when `auto` has no range to divide
  static @Nullable String every(Map<String, List<String>> given, RangeQuery query, long nowNanos) {
    String every = RequestParameters.single(given, "every");
    boolean auto = every != null && every.equals(AUTO);
    if (given.containsKey("bars") && !auto) {
      throw new QueryException.Refused(
          "bars", "is for every=auto, got " + RequestParameters.single(given, "bars"));
    }
    if (!auto) {
      return every;
    }
    if (query.fromNanos() == TimeUuid.NANOS_MIN) {
      throw new QueryException.Refused("every", "auto divides a range; add from");
    }
    long until = query.untilNanos() == TimeUuid.NANOS_LIMIT ? nowNanos : query.untilNanos();
    int bars = RequestParameters.whole(given, "bars", 1, BARS_MAX, BARS_DEFAULT);
    return of(query.fromNanos(), until, bars) + "ns";
  }

  /// The finest step, in nanoseconds, that touches a range at most `bars` times.
  static long of(long fromNanos, long untilNanos, int bars) {
    long step = 1;
    while (touched(fromNanos, untilNanos, step) > bars) {
      step = next(step);
    }
    return step;
  }

  private static long touched(long fromNanos, long untilNanos, long step) {
    return Math.ceilDiv(untilNanos, step) - Math.floorDiv(fromNanos, step);
  }

  /// The next step of the ladder: 1, 2, 5, 10 ... of nanoseconds to seconds, then those of clocks,
  /// then days in powers of two.
  private static long next(long step) {
    long[] clock = {
      SECOND,
      2 * SECOND,
      5 * SECOND,
      10 * SECOND,
      15 * SECOND,
      30 * SECOND,
      MINUTE,
      2 * MINUTE,
      3 * MINUTE,
      5 * MINUTE,
      10 * MINUTE,
      15 * MINUTE,
      30 * MINUTE,
      HOUR,
      2 * HOUR,
      3 * HOUR,
      6 * HOUR,
      12 * HOUR,
      DAY
    };
    if (step < SECOND) {
      long power = 1;
      while (power * 10 <= step) {
        power *= 10;
      }
      long digit = step / power;
      return power * (digit == 1 ? 2 : digit == 2 ? 5 : 10);
    }
    for (long of : clock) {
      if (of > step) {
        return of;
      }
    }
    return 2 * step;
  }
}
