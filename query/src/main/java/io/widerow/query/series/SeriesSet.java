package io.widerow.query.series;

import io.widerow.query.QueryExecution;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// The series that a question has found, with their samples.
///
/// - Threads: one.
/// - Memory: what its series hold, told to the execution.
public final class SeriesSet {
  private final QueryExecution execution;
  private final Map<Labels, SampledSeries> byLabels = new HashMap<>();

  SeriesSet(QueryExecution execution) {
    this.execution = execution;
  }

  /// The series with these labels, a new one when there is none.
  SampledSeries of(Labels labels) {
    SampledSeries series = byLabels.computeIfAbsent(labels, SampledSeries::new);
    execution.hold(series.takeGrown());
    return series;
  }

  /// Adds a sample, see [SampledSeries#add].
  void add(SampledSeries series, long nanos, long arrival, long valueBits) {
    series.add(nanos, arrival, valueBits);
    long grown = series.takeGrown();
    if (grown != 0) {
      execution.hold(grown);
    }
  }

  /// Adds a native histogram, see [SampledSeries#add].
  void add(SampledSeries series, long nanos, long arrival, byte[] message) {
    series.add(nanos, arrival, message);
    execution.hold(series.takeGrown());
  }

  /// Ends all series after their last samples.
  void end() {
    for (SampledSeries series : byLabels.values()) {
      series.end();
      execution.hold(series.takeGrown());
    }
  }

  /// Drops series without samples: a histogram may have no sum.
  void dropEmpty() {
    byLabels.values().removeIf(series -> series.samples() == 0);
  }

  /// All series in the order of their labels.
  public List<SampledSeries> sorted() {
    List<SampledSeries> all = new ArrayList<>(byLabels.values());
    all.sort(Comparator.comparing(SampledSeries::labels));
    return Collections.unmodifiableList(all);
  }
}
