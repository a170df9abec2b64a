package io.widerow.query.promql.run;

import io.widerow.query.logql.GoQuotes;
import io.widerow.query.promql.PromqlExpr.Place;
import io.widerow.query.series.HistogramEstimate;
import io.widerow.query.series.HistogramValue;
import io.widerow.query.series.Labels;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Quantiles and fractions of classic histograms, which are series that differ in `le` alone, and
/// of native ones.
///
/// - Threads: one.
final class HistogramFunctions {
  private final Annotations annotations;
  private final Place place;
  private final int steps;
  private final boolean isQuantile;
  private final Map<Labels, Map<Row, Double>> histograms = new LinkedHashMap<>();
  private final Map<Labels, Row> natives = new LinkedHashMap<>();

  /// @param place of the buckets in the text of the query
  HistogramFunctions(
      List<Row> rows, Place place, int steps, boolean isQuantile, Annotations annotations) {
    this.isQuantile = isQuantile;
    this.annotations = annotations;
    this.place = place;
    this.steps = steps;
    for (Row row : rows) {
      Labels labels = LabelEdits.without(row.labels(), List.of("le"));
      if (row.hasHistograms()) {
        natives.put(labels, row);
      }
      Double bound = row.hasNumbers() ? bound(row) : null;
      if (bound != null) {
        histograms.computeIfAbsent(labels, _ -> new LinkedHashMap<>()).put(row, bound);
      }
    }
  }

  /// Number of the histograms.
  int count() {
    return histograms.size() + natives.size();
  }

  /// A row for each histogram.
  ///
  /// @param first the quantile by step, or the lower bound of a fraction
  /// @param second its upper bound
  List<Row> run(double[] first, double[] second) {
    Map<Labels, Row> result = new LinkedHashMap<>();
    histograms.forEach((labels, rows) -> {
      Row made = Row.empty(LabelEdits.unnamed(labels), steps);
      result.put(labels, made);
      for (int step = 0; step < steps; step++) {
        HistogramBuckets buckets = buckets(rows, step);
        if (buckets == null) {
          continue;
        }
        if (isQuantile) {
          made.values()[step] = buckets.quantile(first[step]);
          if (buckets.isRepaired()) {
            annotations.info(
                place,
                "input to histogram_quantile needed to be fixed for monotonicity (see"
                    + " https://prometheus.io/docs/prometheus/latest/querying/functions/"
                    + "#histogram_quantile)"
                    + named(labels));
          }
        } else {
          made.values()[step] = buckets.fraction(first[step], second[step]);
        }
      }
    });
    natives.forEach((labels, row) -> {
      Row made =
          result.computeIfAbsent(labels, _ -> Row.empty(LabelEdits.unnamed(row.labels()), steps));
      for (int step = 0; step < steps; step++) {
        HistogramValue histogram = row.histogram(step);
        if (histogram != null && made.has(step)) {
          made.values()[step] = Row.NONE;
          annotations.warn(
              place, "vector contains a mix of classic and native histograms" + named(labels));
        } else if (histogram != null) {
          made.values()[step] = ofNative(histogram, labels, first[step], second[step]);
        }
      }
    });
    return List.copyOf(result.values());
  }

  private double ofNative(HistogramValue of, Labels labels, double first, double second) {
    boolean hasNaN = Double.isNaN(of.sum()) && of.count() > 0;
    double made =
        isQuantile
            ? HistogramEstimate.quantile(first, of)
            : HistogramEstimate.fraction(first, second, of);
    if (hasNaN && isQuantile && first >= 0 && first <= 1) {
      annotations.info(
          place,
          "input to histogram_quantile has NaN observations, result is %s"
                  .formatted(Double.isNaN(made) ? "NaN" : "skewed higher")
              + named(labels));
    } else if (hasNaN && !isQuantile) {
      annotations.info(
          place,
          "input to histogram_fraction has NaN observations, which are excluded from all fractions"
              + named(labels));
    }
    return made;
  }

  private static String named(Labels labels) {
    return Annotations.named(labels.get(Labels.NAME));
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
      if (row.hasNumber(step)) {
        all.add(new HistogramBuckets.Bucket(bound, row.value(step)));
      }
    });
    return all.isEmpty() ? null : new HistogramBuckets(all);
  }
}
