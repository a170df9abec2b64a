package io.widerow.query.promql.run;

import io.widerow.event.AttributeName;
import io.widerow.query.QueryExecution;
import io.widerow.query.logql.Matcher;
import io.widerow.query.promql.LabelNames;
import io.widerow.query.promql.PromqlException;
import io.widerow.query.promql.PromqlExpr;
import io.widerow.query.series.HistogramValue;
import io.widerow.query.series.SampledSeries;
import io.widerow.query.series.SeriesScan;
import io.widerow.query.series.SeriesSelector;
import io.widerow.query.series.SeriesSet;
import io.widerow.query.series.XorSamples;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
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
    long mark = execution.held();
    SeriesScan.Range range = new SeriesScan.Range(fromMillis, lastMillis);
    SeriesSelector selector = new SeriesSelector(matchers, logLabels);
    SeriesSet found = SeriesScan.read(execution, selector, range, true);
    List<SampledSeries> all = found.sorted();
    if (all.size() > SERIES_MAX) {
      throw PromqlException.ofExecution(
          "%d series, and a selector may have %d: narrow it".formatted(all.size(), SERIES_MAX));
    }
    List<Samples> result = new ArrayList<>();
    XorSamples samples = new XorSamples();
    long bytes = 0;
    for (SampledSeries series : all) {
      if (!series.natives().isEmpty()) {
        execution.hold(HISTOGRAM_BYTES * series.samples());
        bytes += HISTOGRAM_BYTES * series.samples();
        result.add(withNatives(series));
        continue;
      }
      int count = series.chunks().stream().mapToInt(SampledSeries.Chunk::samples).sum();
      bytes += 2L * Long.BYTES * count;
      execution.hold(2L * Long.BYTES * count);
      long[] millis = new long[count];
      double[] values = new double[count];
      int at = 0;
      for (SampledSeries.Chunk chunk : series.chunks()) {
        samples.begin(chunk.bytes());
        while (samples.next()) {
          millis[at] = samples.millis();
          values[at++] = Double.longBitsToDouble(samples.valueBits());
        }
      }
      result.add(new Samples(series.labels(), millis, values));
    }
    execution.release(mark + bytes); // the chunks are garbage
    return result;
  }

  private static Samples withNatives(SampledSeries series) {
    TreeMap<Long, HistogramValue> histograms = new TreeMap<>();
    for (SampledSeries.Native each : series.natives()) {
      HistogramValue histogram = HistogramValue.decode(each.message());
      if (histogram != null) {
        histograms.put(each.millis(), histogram);
      }
    }
    TreeMap<Long, Double> values = new TreeMap<>();
    XorSamples samples = new XorSamples();
    for (SampledSeries.Chunk chunk : series.chunks()) {
      samples.begin(chunk.bytes());
      while (samples.next()) {
        values.put(samples.millis(), Double.longBitsToDouble(samples.valueBits()));
      }
    }
    histograms.keySet().forEach(time -> values.put(time, 0.0));
    long[] millis = values.keySet().stream().mapToLong(each -> each).toArray();
    double[] numbers = values.values().stream().mapToDouble(each -> each).toArray();
    @Nullable HistogramValue[] all = new HistogramValue[millis.length];
    for (int i = 0; i < all.length; i++) {
      all[i] = histograms.get(millis[i]);
    }
    return new Samples(series.labels(), millis, numbers, all);
  }
}
