package io.widerow.query.series;

import io.widerow.query.QueryException;
import io.widerow.query.QueryExecution;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/// The series that a question has found, with their samples.
///
/// - Threads: one.
/// - Memory: what its series hold, told to the execution.
public final class SeriesSet {
  private final QueryExecution execution;
  private final SeriesSelector selector;
  private final Map<Labels, SampledSeries> byLabels = new HashMap<>(); // as sent

  SeriesSet(QueryExecution execution, SeriesSelector selector) {
    this.execution = execution;
    this.selector = selector;
  }

  /// The series with these labels, a new one when there is none.
  ///
  /// @param sent with the names of the sender, which tell series apart
  SampledSeries of(Labels sent, Labels shown) {
    SampledSeries series =
        byLabels.computeIfAbsent(sent, labels -> new SampledSeries(labels, shown));
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

  /// All series in the order of their labels. A series has the labels that every Prometheus can
  /// have, unless another one shows with the same, or the selector asks for its own.
  ///
  /// @throws QueryException.Refused when the selector asks for labels that several series show, and
  ///   none has
  public List<SampledSeries> sorted() {
    Map<Labels, SampledSeries> byShown = new HashMap<>(); // one of each
    Set<Labels> several = new HashSet<>();
    for (SampledSeries series : byLabels.values()) {
      if (byShown.put(series.shown(), series) != null) {
        several.add(series.shown());
      }
    }
    List<SampledSeries> all = new ArrayList<>();
    for (SampledSeries series : byLabels.values()) {
      boolean alone = !several.contains(series.shown());
      if (alone && selector.keeps(series.shown())) {
        series.label(series.shown());
        all.add(series);
      } else if (selector.keeps(series.sent())) {
        series.label(series.sent());
        all.add(series);
      } else if (!alone && !byLabels.containsKey(series.shown())) {
        throw new QueryException.Refused(
            "selector",
            "several series show as %s, got one that is %s; ask for it by its own name"
                .formatted(series.shown().text(), series.sent().text()));
      }
    }
    all.sort(Comparator.comparing(SampledSeries::labels));
    return Collections.unmodifiableList(all);
  }
}
