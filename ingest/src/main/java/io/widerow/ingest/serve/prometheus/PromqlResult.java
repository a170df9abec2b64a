package io.widerow.ingest.serve.prometheus;

import io.widerow.query.output.OutputBuffer;
import io.widerow.query.promql.GoNumber;
import io.widerow.query.promql.run.PromqlValue;
import io.widerow.query.promql.run.Row;
import io.widerow.query.promql.run.SampleSource;
import io.widerow.query.promql.run.StepTimes;
import io.widerow.query.series.HistogramValue;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.IntFunction;
import java.util.function.IntPredicate;
import java.util.function.IntToDoubleFunction;
import java.util.function.IntToLongFunction;
import org.jspecify.annotations.Nullable;

/// Writes the value of an expression. Numbers are texts, native histograms objects:
///
/// ```
///   {"count":"4","sum":"5","buckets":[[0,"1","2","4"]]}     0: the upper bound is a value of it
/// ```
///
/// - Threads: one.
final class PromqlResult {
  /// Which bounds are values of a bucket: both, the lower one, the upper one, none.
  private static final char[] CLOSED_CODES = {'3', '1', '0', '2'};

  private static final long MILLIS = 1_000; // of a second

  private final StepTimes steps;
  private final boolean isInstant;
  private final long limit; // of series
  private final OutputBuffer json;
  private boolean truncated;

  PromqlResult(StepTimes steps, boolean isInstant, long limit, OutputBuffer json) {
    this.steps = steps;
    this.isInstant = isInstant;
    this.limit = limit;
    this.json = json;
  }

  private <T> List<T> first(List<T> all) {
    truncated = all.size() > limit;
    return truncated ? all.subList(0, (int) limit) : all;
  }

  /// Whether there were more series than the limit.
  boolean isTruncated() {
    return truncated;
  }

  /// Writes a value, from the name of its type on.
  void put(PromqlValue value) {
    switch (value) {
      case PromqlValue.Text(String text) -> {
        json.put("string\",\"result\":[");
        putTime(steps.fromMillis());
        json.put(',');
        ApiResponses.putText(json, text);
      }
      case PromqlValue.Scalars(double[] values) when isInstant -> {
        json.put("scalar\",\"result\":[");
        putTime(steps.fromMillis());
        json.put(',');
        ApiResponses.putText(json, GoNumber.json(values[0]));
      }
      case PromqlValue.Scalars scalars -> putRows(List.of(scalars.row()), false);
      case PromqlValue.Rows(var all, boolean ordered) -> putRows(all, ordered);
      case PromqlValue.Samples(var all) -> putSamples(all);
    }
  }

  private void putRows(List<Row> all, boolean ordered) {
    List<Row> rows = new ArrayList<>(all);
    rows.removeIf(row -> !row.hasAny());
    if (!ordered || !isInstant) {
      rows.sort(Comparator.comparing(Row::labels));
    }
    json.put(isInstant ? "vector\",\"result\":[" : "matrix\",\"result\":[");
    String comma = "";
    for (Row row : first(rows)) {
      json.put(comma);
      json.put("{\"metric\":");
      ApiResponses.putLabels(json, row.labels());
      if (isInstant) {
        HistogramValue histogram = row.histogram(0);
        json.put(histogram == null ? ",\"value\":" : ",\"histogram\":");
        putPoint(steps.time(0), row.value(0), histogram);
        json.put('}');
      } else {
        putPoints(steps.count(), row::has, steps::time, row::value, row::histogram);
      }
      comma = ",";
    }
  }

  private void putSamples(List<SampleSource.Samples> all) {
    json.put("matrix\",\"result\":[");
    String comma = "";
    for (SampleSource.Samples samples : first(all)) {
      json.put(comma);
      json.put("{\"metric\":");
      ApiResponses.putLabels(json, samples.labels());
      putPoints(
          samples.millis().length,
          _ -> true,
          i -> samples.millis()[i],
          i -> samples.values()[i],
          samples::histogram);
      comma = ",";
    }
  }

  /// Writes the numbers of a series, then its histograms, and the end of its object.
  private void putPoints(
      int count,
      IntPredicate has,
      IntToLongFunction time,
      IntToDoubleFunction number,
      IntFunction<@Nullable HistogramValue> histogram) {
    for (boolean ofHistograms : new boolean[] {false, true}) {
      String before = ofHistograms ? ",\"histograms\":[" : ",\"values\":[";
      boolean some = false;
      for (int i = 0; i < count; i++) {
        HistogramValue each = has.test(i) ? histogram.apply(i) : null;
        if (has.test(i) && ofHistograms == (each != null)) {
          json.put(some ? "," : before);
          putPoint(time.applyAsLong(i), number.applyAsDouble(i), each);
          some = true;
        }
      }
      json.put(some ? "]" : "");
    }
    json.put('}');
  }

  private void putPoint(long millis, double value, @Nullable HistogramValue histogram) {
    json.put('[');
    putTime(millis);
    json.put(',');
    if (histogram == null) {
      putNumber(value);
    } else {
      putHistogram(histogram);
    }
    json.put(']');
  }

  private void putNumber(double value) {
    json.put('"');
    json.put(GoNumber.json(value));
    json.put('"');
  }

  private void putHistogram(HistogramValue histogram) {
    json.put("{\"count\":");
    putNumber(histogram.count());
    json.put(",\"sum\":");
    putNumber(histogram.sum());
    String before = ",\"buckets\":[[";
    for (HistogramValue.Bucket bucket : histogram.buckets()) {
      json.put(before);
      before = ",[";
      int closed = (bucket.closedAbove() ? 0 : 1) + (bucket.closedBelow() ? 0 : 2);
      json.put(CLOSED_CODES[closed]);
      json.put(',');
      putNumber(bucket.lower());
      json.put(',');
      putNumber(bucket.upper());
      json.put(',');
      putNumber(bucket.count());
      json.put(']');
    }
    json.put(before.equals(",[") ? "]}" : "}");
  }

  /// Seconds, with as many decimals as it takes.
  private void putTime(long millis) {
    if (millis >= 0 && millis % MILLIS == 0) {
      json.putLong(millis / MILLIS);
    } else {
      json.put(GoNumber.plain(millis / 1e3));
    }
  }
}
