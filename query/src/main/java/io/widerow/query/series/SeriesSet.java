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
import java.util.TreeSet;

/// The series that a query has found, with their samples.
///
/// - Threads: one.
/// - Memory: its series, counted by the execution.
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
  /// @param sent with the names of the sender, which distinguish series
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

  /// All series in the order of their labels. The name and the other labels of a series are in a
  /// form that every Prometheus version accepts, unless another series shows with the same labels,
  /// or the selector asks for the original name.
  ///
  /// @throws QueryException.Refused when the selector asks for a name that several metrics show,
  ///   and none has
  public List<SampledSeries> sorted() {
    Map<String, Set<String>> metrics = new HashMap<>(); // as sent, by how they show
    Set<Labels> shown = new HashSet<>();
    Set<Labels> several = new HashSet<>();
    for (SampledSeries series : byLabels.values()) {
      String name = series.sent().get(Labels.NAME);
      metrics.computeIfAbsent(series.shown().get(Labels.NAME), _ -> new TreeSet<>()).add(name);
      Labels labels = series.shown().named(name);
      if (!shown.add(labels)) {
        several.add(labels);
      }
    }
    List<SampledSeries> all = new ArrayList<>();
    for (SampledSeries series : byLabels.values()) {
      Set<String> alike = metrics.getOrDefault(series.shown().get(Labels.NAME), Set.of());
      if (label(series, alike.size() == 1, several)) {
        all.add(series);
      } else {
        requireOwn(series, alike);
      }
    }
    all.sort(Comparator.comparing(SampledSeries::labels));
    return Collections.unmodifiableList(all);
  }

  /// Gives a series its labels in the result; false when it is not wanted by any.
  private boolean label(SampledSeries series, boolean only, Set<Labels> several) {
    String shownName = series.shown().get(Labels.NAME);
    String sentName = series.sent().get(Labels.NAME);
    boolean apart = !several.contains(series.shown().named(sentName));
    for (String name : only ? List.of(shownName, sentName) : List.of(sentName)) {
      for (Labels labels :
          apart ? List.of(series.shown(), series.sent()) : List.of(series.sent())) {
        Labels named = labels.named(name);
        if (selector.keeps(named)) {
          series.label(named);
          return true;
        }
      }
    }
    return false;
  }

  private static void requireOwn(SampledSeries series, Set<String> alike) {
    String name = series.shown().get(Labels.NAME);
    if (alike.size() > 1 && !alike.contains(name)) {
      throw new QueryException.Refused(
          Labels.NAME,
          "several metrics show as it, got %s; ask for one of %s by its own name"
              .formatted(name, alike));
    }
  }
}
