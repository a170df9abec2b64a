package io.widerow.query.promql.run;

import io.widerow.query.promql.PromqlExpr.Place;
import io.widerow.query.series.HistogramSum;
import io.widerow.query.series.HistogramValue;
import io.widerow.query.series.HistogramValue.Hint;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The sum or the mean of native histograms, of a window or a group: first in plain numbers, for
/// the buckets of the result, then number by number without the errors of rounding.
///
/// - Threads: one.
final class HistogramTotal {
  private final List<HistogramValue> all = new ArrayList<>();
  private @Nullable HistogramSum sum;
  private boolean reset; // one of them is known to begin again
  private boolean notReset;

  /// Adds a histogram; false when its buckets are of another kind.
  boolean add(HistogramValue histogram) {
    reset |= histogram.hint() == Hint.RESET;
    notReset |= histogram.hint() == Hint.NOT_RESET;
    all.add(histogram);
    HistogramSum to = sum;
    if (to == null) {
      sum = new HistogramSum(histogram);
      return true;
    }
    return to.add(histogram, 1);
  }

  /// The sum, or the mean; null of nothing.
  @Nullable HistogramValue value(boolean mean) {
    HistogramSum of = sum;
    if (of == null || all.size() == 1) {
      return of == null ? null : of.value();
    }
    List<HistogramValue> alike = new ArrayList<>();
    for (HistogramValue each : all) {
      HistogramSum placed = new HistogramSum(of.value().emptied(true));
      boolean _ = placed.add(each, 1);
      alike.add(placed.value());
    }
    return HistogramValue.folded(
        alike,
        of.value().hint(),
        numbers -> mean ? KahanSum.mean(numbers, 0, numbers.length) : KahanSum.sum(numbers));
  }

  /// Reports what is odd.
  void annotate(Annotations annotations, Place place) {
    HistogramSum of = sum;
    if (of != null) {
      annotations.informOfReconciled(of.isReconciled(), "aggregation", place);
    }
    if (reset && notReset) {
      annotations.warn(place, "conflicting counter resets during histogram aggregation");
    }
  }
}
