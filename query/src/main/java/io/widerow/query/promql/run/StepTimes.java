package io.widerow.query.promql.run;

import io.widerow.query.promql.PromqlException;
import io.widerow.query.series.SeriesScan;
import java.util.ArrayList;
import java.util.List;

/// The times at which a query is evaluated.
///
/// @param fromMillis the first one, since the Unix epoch
/// @param stepMillis distance; 0 for one time
/// @param count of them, at least 1
public record StepTimes(long fromMillis, long stepMillis, int count) {
  /// How old the latest sample of a series may be at a step, unless a query says otherwise.
  public static final long LOOKBACK_MILLIS = 300_000;

  /// As many as Prometheus gives.
  public static final int COUNT_MAX = 11_000;

  /// One time.
  public static StepTimes at(long millis) {
    return new StepTimes(millis, 0, 1);
  }

  /// The times of a range query.
  ///
  /// @throws PromqlException when there are too many, or none
  public static StepTimes of(long fromMillis, long lastMillis, long stepMillis) {
    if (stepMillis <= 0) {
      throw PromqlException.ofRequest(
          "invalid parameter \"step\": zero or negative query resolution step widths are not"
              + " accepted. Try a positive integer");
    }
    if (lastMillis < fromMillis) {
      throw PromqlException.ofRequest(
          "invalid parameter \"end\": end timestamp must not be before start time");
    }
    long count = (lastMillis - fromMillis) / stepMillis + 1;
    if (count > COUNT_MAX) {
      throw PromqlException.ofRequest(
          "exceeded maximum resolution of 11,000 points per timeseries. Try decreasing the query"
              + " resolution (?step=XX)");
    }
    return new StepTimes(fromMillis, stepMillis, (int) count);
  }

  /// A time, in milliseconds since the Unix epoch.
  public long time(int step) {
    return fromMillis + step * stepMillis;
  }

  /// The times in some windows.
  ///
  /// @param ends of them, which do not descend
  static List<SeriesScan.Range> windows(long[] ends, long rangeMillis) {
    List<SeriesScan.Range> windows = new ArrayList<>();
    long first = ends[0];
    for (int i = 1; i < ends.length; i++) {
      if (ends[i] - rangeMillis > ends[i - 1]) {
        windows.add(new SeriesScan.Range(first - rangeMillis + 1, ends[i - 1]));
        first = ends[i];
      }
    }
    windows.add(new SeriesScan.Range(first - rangeMillis + 1, ends[ends.length - 1]));
    return windows;
  }

  long last() {
    return time(count - 1);
  }
}
