package io.widerow.query.promql.run;

import io.widerow.query.logql.Matcher;
import io.widerow.query.series.Labels;
import java.util.List;

/// The samples that selectors read.
public interface SampleSource {
  /// A marker in place of a value: the series has ended.
  long STALE_BITS = 0x7ff0_0000_0000_0002L;

  /// The samples of a series, in ascending order of times.
  ///
  /// @param millis since the Unix epoch
  @SuppressWarnings("ArrayRecordComponent") // handed over, and never changed
  record Samples(Labels labels, long[] millis, double[] values) {}

  /// The series whose labels pass all matchers, with their samples in a range, in any order.
  ///
  /// @param fromMillis the first time
  /// @param lastMillis the last time
  List<Samples> select(List<Matcher> matchers, long fromMillis, long lastMillis);
}
