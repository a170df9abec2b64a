package io.widerow.query.series;

import io.widerow.query.QueryException;
import io.widerow.query.QueryExecution;
import io.widerow.storage.sketch.EventRun;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/// The series that a query has found, with their samples.
///
/// - Threads: one.
/// - Memory: its series, counted by the execution.
public final class SeriesSet {
  /// Samples in columns, from which other threads help to put them in order.
  private static final long SHARED_LEAST = 1 << 16;

  private final QueryExecution execution;
  private final SeriesSelector selector;
  private final boolean inColumns;
  private final Map<Labels, SampledSeries> byLabels = new HashMap<>();
  private final Map<Labels, SampledSeries> byAlias = new HashMap<>(); // by their own labels

  /// @param inColumns whether samples come in any order, see [SampledSeries]
  SeriesSet(QueryExecution execution, SeriesSelector selector, boolean inColumns) {
    this.execution = execution;
    this.selector = selector;
    this.inColumns = inColumns;
  }

  /// The series with these labels, a new one when there is none; null when it is not wanted.
  @SuppressWarnings("ReferenceEquality") // the same object when no alias is used
  @Nullable SampledSeries of(Labels labels) {
    Labels asked = SeriesNames.asked(selector.matchers(), labels);
    if (asked == null) {
      return null;
    }
    Map<Labels, SampledSeries> among = asked == labels ? byLabels : byAlias;
    SampledSeries series =
        among.computeIfAbsent(labels, own -> new SampledSeries(own, asked, inColumns));
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

  /// Adds the numbers of a run, see [SampledSeries#add].
  void add(SampledSeries series, EventRun run, boolean whole) {
    series.add(run, whole);
    execution.hold(series.takeGrown());
  }

  /// Adds a native histogram, see [SampledSeries#add].
  void add(SampledSeries series, long nanos, long arrival, byte[] message) {
    series.add(nanos, arrival, message);
    execution.hold(series.takeGrown());
  }

  /// Ends all series after their last samples.
  void end() {
    if (!byLabels.isEmpty()) {
      byAlias.clear();
    }
    List<SampledSeries> all = List.copyOf(all());
    long samples = 0;
    for (SampledSeries series : all) {
      samples += series.waiting();
    }
    if (samples > SHARED_LEAST) {
      execution.share(all.size(), i -> all.get(i).end());
    } else {
      all.forEach(SampledSeries::end);
    }
    for (SampledSeries series : all) {
      execution.hold(series.takeGrown());
    }
  }

  private Collection<SampledSeries> all() {
    return byLabels.isEmpty() ? byAlias.values() : byLabels.values();
  }

  /// Drops series without samples: a histogram may have no sum.
  void dropEmpty() {
    all().removeIf(series -> series.samples() == 0);
  }

  /// All series in the order of their labels. Series that are only found by another form of their
  /// names are not there when others have the names themselves.
  ///
  /// @throws QueryException.Refused when several metrics show as the name, and none has it
  public List<SampledSeries> sorted() {
    List<SampledSeries> all = new ArrayList<>(all());
    all.sort(Comparator.comparing(SampledSeries::labels));
    if (byLabels.isEmpty()) {
      for (int i = 1; i < all.size(); i++) {
        requireApart(all.get(i - 1), all.get(i));
      }
    }
    return Collections.unmodifiableList(all);
  }

  private static void requireApart(SampledSeries one, SampledSeries other) {
    Labels labels = one.labels();
    String name = labels.get(Labels.NAME);
    String ofOne = one.own().get(Labels.NAME);
    String ofOther = other.own().get(Labels.NAME);
    if (name.equals(other.labels().get(Labels.NAME)) && !ofOne.equals(ofOther)) {
      throw new QueryException.Refused(
          Labels.NAME,
          "several metrics show as it, got %s; ask for one of %s by its own name"
              .formatted(name, new TreeSet<>(List.of(ofOne, ofOther))));
    }
    if (labels.equals(other.labels())) {
      throw new QueryException.Refused(
          "labels",
          "several series show as %s: %s and %s; ask for labels by their own names"
              .formatted(labels.all(), one.own().all(), other.own().all()));
    }
  }
}
