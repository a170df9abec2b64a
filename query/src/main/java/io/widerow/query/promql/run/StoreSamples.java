package io.widerow.query.promql.run;

import io.widerow.event.AttributeName;
import io.widerow.query.QueryExecution;
import io.widerow.query.logql.Matcher;
import io.widerow.query.promql.LabelNames;
import io.widerow.query.promql.PromqlException;
import io.widerow.query.promql.PromqlExpr;
import io.widerow.query.series.HistogramValue;
import io.widerow.query.series.Labels;
import io.widerow.query.series.SampleColumns;
import io.widerow.query.series.SampledSeries;
import io.widerow.query.series.SeriesRemarks;
import io.widerow.query.series.SeriesScan;
import io.widerow.query.series.SeriesSelector;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// The samples of a store.
///
/// - Threads: that of the execution.
/// - Memory: counted by the execution until it ends.
///
/// @param execution the query
/// @param logLabels see [SeriesSelector]
public record StoreSamples(QueryExecution execution, Set<AttributeName> logLabels)
    implements SampleSource {
  private static final int SERIES_MAX = 100_000;
  private static final long HISTOGRAM_BYTES = 1_000; // of one with 30 buckets

  /// The samples for an expression.
  ///
  /// @param labels attributes that are labels of every event that has them
  public static StoreSamples of(
      QueryExecution execution, PromqlExpr expr, Set<AttributeName> labels) {
    Set<AttributeName> all = SeriesSelector.attributes(LabelNames.of(expr));
    all.addAll(labels);
    return new StoreSamples(execution, all);
  }

  @Override
  public List<Samples> select(List<Matcher> matchers, long fromMillis, long lastMillis) {
    return select(
        matchers, List.of(new SeriesScan.Range(fromMillis, lastMillis)), SeriesRemarks.NONE);
  }

  @Override
  public List<Samples> select(
      List<Matcher> matchers, List<SeriesScan.Range> ranges, SeriesRemarks remarks) {
    long mark = execution.held();
    SeriesSelector selector = new SeriesSelector(matchers, logLabels);
    List<SampledSeries> all = SeriesScan.columns(execution, selector, ranges).sorted();
    if (all.size() > SERIES_MAX) {
      throw PromqlException.ofExecution(
          "%d series, and a selector may have %d: narrow it".formatted(all.size(), SERIES_MAX));
    }
    all.forEach(series -> series.remark(remarks));
    List<Samples> result = new ArrayList<>();
    long bytes = 0;
    for (SampledSeries series : all) {
      SampleColumns columns = series.takeColumns();
      long histograms = HISTOGRAM_BYTES * columns.histograms();
      execution.hold(histograms);
      result.add(samples(series.labels(), columns));
      bytes += (Long.BYTES + Double.BYTES) * (long) columns.count() + histograms;
    }
    execution.release(mark + bytes); // what the series held is garbage
    return result;
  }

  private static Samples samples(Labels labels, SampleColumns columns) {
    long[] millis = columns.millis();
    double[] values = columns.values();
    byte @Nullable [] @Nullable [] messages = columns.messages();
    if (messages == null) {
      return new Samples(labels, millis, values);
    }
    @Nullable HistogramValue[] histograms = new HistogramValue[millis.length];
    int kept = 0;
    for (int i = 0; i < millis.length; i++) {
      byte[] message = messages[i];
      HistogramValue histogram = message == null ? null : HistogramValue.decode(message);
      if (message == null || histogram != null) {
        millis[kept] = millis[i];
        values[kept] = values[i];
        histograms[kept++] = histogram;
      }
    }
    return new Samples(
        labels,
        Arrays.copyOf(millis, kept),
        Arrays.copyOf(values, kept),
        Arrays.copyOf(histograms, kept));
  }
}
