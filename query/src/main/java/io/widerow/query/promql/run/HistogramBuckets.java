package io.widerow.query.promql.run;

import java.util.Arrays;
import java.util.Comparator;
import java.util.List;

/// The buckets of a classic histogram at a step: how many values are at most as large as a bound.
///
/// - Threads: one.
final class HistogramBuckets {
  /// A count that falls by less is a rounding error.
  private static final double SMALL = 1e-12;

  private final double[] bounds;
  private final double[] counts;
  private boolean repaired;

  /// A bucket.
  record Bucket(double bound, double count) {}

  /// @param all at least one, in any order; of equal bounds the counts are added
  HistogramBuckets(List<Bucket> all) {
    List<Bucket> sorted = all.stream().sorted(Comparator.comparingDouble(Bucket::bound)).toList();
    double[] merged = new double[sorted.size()];
    double[] sums = new double[sorted.size()];
    int size = 0;
    for (Bucket bucket : sorted) {
      if (size > 0 && merged[size - 1] == bucket.bound) {
        sums[size - 1] += bucket.count;
      } else {
        merged[size] = bucket.bound;
        sums[size++] = bucket.count;
      }
    }
    bounds = Arrays.copyOf(merged, size);
    counts = Arrays.copyOf(sums, size);
    repair();
  }

  private void repair() {
    double previous = counts[0];
    for (int i = 1; i < counts.length; i++) {
      double count = counts[i];
      if (count == previous) {
        continue;
      }
      boolean almost = Math.abs(count - previous) < SMALL * (Math.abs(count) + Math.abs(previous));
      if (almost) {
        counts[i] = previous;
      } else if (count < previous) {
        counts[i] = previous;
        repaired = true;
      } else {
        previous = count;
      }
    }
  }

  /// True when a count was lower than that of a lesser bound.
  boolean isRepaired() {
    return repaired;
  }

  private boolean isComplete() {
    return bounds.length >= 2 && bounds[bounds.length - 1] == Double.POSITIVE_INFINITY;
  }

  double quantile(double quantile) {
    if (Double.isNaN(quantile)) {
      return Double.NaN;
    }
    if (quantile < 0 || quantile > 1) {
      return quantile < 0 ? Double.NEGATIVE_INFINITY : Double.POSITIVE_INFINITY;
    }
    double all = counts[counts.length - 1];
    if (!isComplete() || all == 0 || Double.isNaN(all)) {
      return Double.NaN;
    }
    double rank = quantile * all;
    int last = bounds.length - 1;
    int at = 0;
    while (at < last && counts[at] < rank) {
      at++;
    }
    if (at == last) {
      return bounds[last - 1];
    }
    if (at == 0 && bounds[0] <= 0) {
      return bounds[0];
    }
    double start = at == 0 ? 0 : bounds[at - 1];
    double below = at == 0 ? 0 : counts[at - 1];
    return start + (bounds[at] - start) * ((rank - below) / (counts[at] - below));
  }

  /// The share of values above one bound and up to another.
  double fraction(double lower, double upper) {
    double all = counts[counts.length - 1];
    if (bounds[bounds.length - 1] != Double.POSITIVE_INFINITY
        || all == 0
        || Double.isNaN(all)
        || Double.isNaN(lower)
        || Double.isNaN(upper)) {
      return Double.NaN;
    }
    if (lower >= upper) {
      return 0;
    }
    return (rank(upper, false) - rank(lower, true)) / all;
  }

  /// How many values are at most as large. A bucket without an end has no values between its
  /// bounds: all lie at the finite one.
  private double rank(double value, boolean isLower) {
    double start = bounds[0] > 0 ? 0 : Double.NEGATIVE_INFINITY;
    double below = 0;
    for (int i = 0; i < bounds.length; i++) {
      if (value <= start) {
        return below;
      }
      if (value < bounds[i]) {
        if (Double.isInfinite(start)) {
          return isLower ? counts[i] : below;
        }
        return Double.isInfinite(bounds[i])
            ? below
            : below + (counts[i] - below) * (value - start) / (bounds[i] - start);
      }
      start = bounds[i];
      below = counts[i];
    }
    return below;
  }
}
