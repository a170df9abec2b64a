package io.widerow.query.series;

import io.widerow.query.series.HistogramValue.Bucket;
import java.util.List;

/// Estimates of the values that a native histogram counts. Within a bucket values are spread
/// exponentially; within the zero bucket and buckets with bounds of their own, evenly.
///
/// - Threads: any.
public final class HistogramEstimate {
  private HistogramEstimate() {}

  /// The value below which a share of the values lies. NaN when it lies among values that are NaN.
  public static double quantile(double quantile, HistogramValue of) {
    if (quantile < 0 || quantile > 1) {
      return quantile < 0 ? Double.NEGATIVE_INFINITY : Double.POSITIVE_INFINITY;
    }
    if (of.count == 0 || Double.isNaN(quantile)) {
      return Double.NaN;
    }
    boolean forward = Double.isNaN(of.sum) || quantile < 0.5;
    double rank = (forward ? quantile : 1 - quantile) * of.count;
    List<Bucket> all = forward ? of.buckets() : of.buckets().reversed();
    if (all.isEmpty()) {
      return Double.NaN;
    }
    Bucket bucket = all.getFirst();
    double counted = 0;
    for (Bucket each : all) {
      bucket = each;
      counted += each.count();
      if (counted >= rank) {
        break;
      }
    }
    double lower = bucket.lower();
    double upper = bucket.upper();
    if (of.isCustom()) {
      if (lower == Double.NEGATIVE_INFINITY) {
        if (upper <= 0) {
          return upper;
        }
        lower = 0;
      } else if (upper == Double.POSITIVE_INFINITY) {
        return lower;
      }
    } else if (lower < 0 && upper > 0) {
      lower = of.isPositive() ? 0 : lower;
      upper = of.isNegative() ? 0 : upper;
    }
    counted = Math.min(counted, of.count);
    if (counted < rank) {
      return Double.isNaN(of.sum) ? Double.NaN : forward ? upper : lower;
    }
    rank = forward ? rank - (counted - bucket.count()) : counted - rank;
    return within(lower, upper, rank / bucket.count(), of.isCustom());
  }

  private static double within(double lower, double upper, double share, boolean evenly) {
    if (evenly || (lower <= 0 && upper >= 0)) {
      return lower + (upper - lower) * share;
    }
    double low = log2(Math.abs(lower));
    double high = log2(Math.abs(upper));
    return lower > 0
        ? Math.pow(2, low + (high - low) * share)
        : -Math.pow(2, high + (low - high) * (1 - share));
  }

  private static double log2(double value) {
    return Math.log(value) / Math.log(2);
  }

  /// The share of the values above one bound and up to another.
  public static double fraction(double lower, double upper, HistogramValue of) {
    if (of.count == 0 || Double.isNaN(lower) || Double.isNaN(upper)) {
      return Double.NaN;
    }
    return lower >= upper ? 0 : (rank(upper, of) - rank(lower, of)) / of.count;
  }

  /// How many values are at most as large.
  private static double rank(double value, HistogramValue of) {
    double rank = 0;
    for (Bucket bucket : of.buckets()) {
      double lower = bucket.lower();
      double upper = bucket.upper();
      boolean isZero = lower <= 0 && upper >= 0;
      if (isZero) {
        lower = of.isPositive() ? 0 : lower;
        upper = of.isNegative() ? 0 : upper;
      }
      if (lower >= value) {
        return rank;
      }
      if (upper > value) {
        return rank + bucket.count() * share(value, lower, upper, isZero || of.isCustom());
      }
      rank += bucket.count();
    }
    return rank;
  }

  /// The share of the values of a bucket that are at most as large.
  static double share(double value, double lower, double upper, boolean evenly) {
    if (evenly) {
      return Double.isInfinite(lower) ? 1 : (value - lower) / (upper - lower);
    }
    double low = log2(Math.abs(lower));
    double high = log2(Math.abs(upper));
    double at = log2(Math.abs(value));
    return value > 0 ? (at - low) / (high - low) : 1 - (at - high) / (low - high);
  }

  /// The variance, as if the values of a bucket were all in its middle.
  public static double variance(HistogramValue of) {
    double mean = of.sum / of.count;
    double sum = 0;
    double error = 0;
    for (Bucket bucket : of.buckets()) {
      double delta = middle(bucket, of.isCustom()) - mean;
      double term = bucket.count() * delta * delta - error;
      double next = sum + term;
      error = Double.isInfinite(next) ? 0 : (next - sum) - term;
      sum = next;
    }
    return sum / of.count;
  }

  private static double middle(Bucket bucket, boolean isCustom) {
    if (isCustom) {
      return (bucket.upper() + bucket.lower()) / 2;
    }
    if (bucket.lower() <= 0 && bucket.upper() >= 0) {
      return 0;
    }
    double middle = Math.sqrt(bucket.upper() * bucket.lower());
    return bucket.upper() < 0 ? -middle : middle;
  }
}
