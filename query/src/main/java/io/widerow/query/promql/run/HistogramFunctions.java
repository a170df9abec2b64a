package io.widerow.query.promql.run;

import io.widerow.query.logql.GoQuotes;
import io.widerow.query.promql.PromqlExpr.Place;
import io.widerow.query.series.Labels;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Quantiles and fractions of classic histograms: of series that differ in `le` alone.
///
/// - Threads: one.
final class HistogramFunctions {
  private final Annotations annotations;
  private final Place place;
  private final int steps;
  private final Map<Labels, Map<Row, Double>> histograms = new LinkedHashMap<>();

  /// Computes a number from the buckets at a step.
  @FunctionalInterface
  interface Figure {
    double of(HistogramBuckets buckets, int step);
  }

  /// @param place of the buckets in the text of the query
  HistogramFunctions(List<Row> rows, Place place, int steps, Annotations annotations) {
    this.annotations = annotations;
    this.place = place;
    this.steps = steps;
    for (Row row : rows) {
      Double bound = bound(row);
      if (bound != null) {
        Labels labels = LabelEdits.without(row.labels(), List.of("le"));
        histograms.computeIfAbsent(labels, _ -> new LinkedHashMap<>()).put(row, bound);
      }
    }
  }

  /// Number of the histograms.
  int count() {
    return histograms.size();
  }

  /// A row for each histogram.
  ///
  /// @param isQuantile whether repaired buckets are reported
  List<Row> run(boolean isQuantile, Figure figure) {
    List<Row> result = new ArrayList<>();
    histograms.forEach((labels, rows) -> {
      Row made = Row.empty(LabelEdits.unnamed(labels), steps);
      for (int step = 0; step < steps; step++) {
        HistogramBuckets buckets = buckets(rows, step);
        if (buckets != null) {
          made.values()[step] = figure.of(buckets, step);
          if (isQuantile && buckets.isRepaired()) {
            annotations.info(
                place,
                "input to histogram_quantile needed to be fixed for monotonicity (see"
                    + " https://prometheus.io/docs/prometheus/latest/querying/functions/"
                    + "#histogram_quantile)"
                    + named(labels));
          }
        }
      }
      result.add(made);
    });
    return result;
  }

  private static String named(Labels labels) {
    String name = labels.get(Labels.NAME);
    return name.isEmpty() ? "" : " for metric name " + GoQuotes.quoted(name);
  }

  private @Nullable Double bound(Row row) {
    String text = row.labels().get("le");
    try {
      return switch (text) {
        case "+Inf", "Inf", "inf", "+inf" -> Double.POSITIVE_INFINITY;
        case "-Inf", "-inf" -> Double.NEGATIVE_INFINITY;
        default -> Double.parseDouble(text);
      };
    } catch (NumberFormatException none) {
      annotations.warn(
          place,
          "bucket label \"le\" is missing or has a malformed value of "
              + GoQuotes.quoted(text)
              + named(row.labels()));
      return null;
    }
  }

  private static @Nullable HistogramBuckets buckets(Map<Row, Double> rows, int step) {
    List<HistogramBuckets.Bucket> all = new ArrayList<>();
    rows.forEach((row, bound) -> {
      if (row.has(step)) {
        all.add(new HistogramBuckets.Bucket(bound, row.value(step)));
      }
    });
    return all.isEmpty() ? null : new HistogramBuckets(all);
  }
}
