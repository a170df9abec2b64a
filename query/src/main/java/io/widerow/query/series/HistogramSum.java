package io.widerow.query.series;

import io.widerow.query.series.HistogramValue.Counts;
import io.widerow.query.series.HistogramValue.Hint;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/// Adds and subtracts native histograms whose buckets may differ: exponential ones get the coarser
/// buckets and the wider zero bucket of both, those with own bounds the bounds that both have.
///
/// - Threads: one.
public final class HistogramSum {
  private HistogramValue value;
  private boolean reconciled;
  private boolean conflicting;

  /// Starts with a histogram.
  public HistogramSum(HistogramValue first) {
    value = first;
  }

  public HistogramValue value() {
    return value;
  }

  /// True when own bounds differed.
  public boolean isReconciled() {
    return reconciled;
  }

  /// True when the hints of two histograms contradict each other.
  public boolean isConflicting() {
    return conflicting;
  }

  /// Adds a multiple of another histogram.
  ///
  /// @param factor 1 or -1
  /// @return false when one has exponential buckets and the other one bounds of its own
  public boolean add(HistogramValue other, double factor) {
    HistogramValue mine = value;
    if (mine.isCustom() != other.isCustom()) {
      return false;
    }
    Hint hint = hint(mine.hint, other.hint);
    value =
        mine.isCustom()
            ? custom(mine, other, factor, hint)
            : exponential(mine, other, factor, hint);
    return true;
  }

  private Hint hint(Hint mine, Hint other) {
    if (mine == other) {
      return mine;
    }
    if (mine == Hint.GAUGE || other == Hint.GAUGE) {
      return Hint.GAUGE;
    }
    conflicting |= mine != Hint.UNKNOWN && other != Hint.UNKNOWN;
    return Hint.UNKNOWN;
  }

  private static HistogramValue exponential(
      HistogramValue one, HistogramValue two, double factor, Hint hint) {
    Zero zero = new Zero(one.zeroCount, one.zeroThreshold);
    Zero other = new Zero(two.zeroCount, two.zeroThreshold);
    while (zero.threshold != other.threshold) {
      if (zero.threshold > other.threshold) {
        other = Zero.of(two, zero.threshold);
      }
      if (other.threshold > zero.threshold) {
        zero = Zero.of(one, other.threshold);
      }
    }
    int schema = Math.min(one.schema, two.schema);
    return new HistogramValue(
        schema,
        zero.threshold,
        zero.count + factor * other.count,
        one.count + factor * two.count,
        one.sum + factor * two.sum,
        hint,
        HistogramValue.NO_BOUNDS,
        side(one, one.positive, zero, schema).plus(side(two, two.positive, zero, schema), factor),
        side(one, one.negative, zero, schema).plus(side(two, two.negative, zero, schema), factor));
  }

  private static Counts side(HistogramValue of, Counts counts, Zero zero, int schema) {
    Counts above =
        zero.threshold > of.zeroThreshold ? counts.above(zero.threshold, of.schema) : counts;
    return above.coarser(of.schema - schema);
  }

  /// A zero bucket.
  private record Zero(double count, double threshold) {
    /// The zero bucket of a histogram with a larger threshold. When that lies within a bucket, its
    /// bound is the threshold.
    static Zero of(HistogramValue of, double larger) {
      double threshold = larger;
      boolean again = true;
      double count = 0;
      while (again) {
        double before = threshold;
        count = of.zeroCount;
        for (Counts side : new Counts[] {of.positive, of.negative}) {
          for (int i = 0; i < side.at().length; i++) {
            if (HistogramValue.bound(of.schema, side.at()[i] - 1) >= threshold) {
              break;
            }
            count += side.counts()[i];
            threshold = Math.max(threshold, HistogramValue.bound(of.schema, side.at()[i]));
          }
        }
        again = threshold > before;
      }
      return new Zero(count, threshold);
    }
  }

  private HistogramValue custom(HistogramValue one, HistogramValue two, double factor, Hint hint) {
    boolean same = Arrays.equals(one.bounds, two.bounds);
    reconciled |= !same;
    double[] bounds = same ? one.bounds : common(one.bounds, two.bounds);
    Counts counts =
        same
            ? one.positive.plus(two.positive, factor)
            : mapped(one, bounds).plus(mapped(two, bounds), factor);
    return new HistogramValue(
        HistogramValue.CUSTOM,
        0,
        0,
        one.count + factor * two.count,
        one.sum + factor * two.sum,
        hint,
        bounds,
        counts,
        Counts.NONE);
  }

  private static double[] common(double[] one, double[] two) {
    return Arrays.stream(one).filter(bound -> Arrays.binarySearch(two, bound) >= 0).toArray();
  }

  /// The counts in buckets of some of its bounds.
  private static Counts mapped(HistogramValue of, double[] bounds) {
    int[] at = new int[of.positive.at().length];
    int bucket = 0;
    for (int i = 0; i < at.length; i++) {
      int number = of.positive.at()[i];
      while (bucket < bounds.length
          && (number >= of.bounds.length || bounds[bucket] < of.bounds[number])) {
        bucket++;
      }
      at[i] = bucket;
    }
    return Counts.of(at, of.positive.counts());
  }

  /// Whether a counter began again between two histograms.
  public static boolean isReset(HistogramValue before, HistogramValue now) {
    if (now.hint == Hint.RESET || now.hint == Hint.NOT_RESET) {
      return now.hint == Hint.RESET;
    }
    if (now.count < before.count || now.isCustom() != before.isCustom()) {
      return true;
    }
    if (now.isCustom()) {
      double[] bounds = common(before.bounds, now.bounds);
      return isLower(mapped(now, bounds), mapped(before, bounds));
    }
    if (now.schema > before.schema || now.zeroThreshold < before.zeroThreshold) {
      return true;
    }
    Zero zero = new Zero(before.zeroCount, before.zeroThreshold);
    if (now.zeroThreshold > before.zeroThreshold) {
      zero = Zero.of(before, now.zeroThreshold);
    }
    return zero.threshold != now.zeroThreshold
        || now.zeroCount < zero.count
        || isLower(now.positive, side(before, before.positive, zero, now.schema))
        || isLower(now.negative, side(before, before.negative, zero, now.schema));
  }

  private static boolean isLower(Counts now, Counts before) {
    for (int i = 0; i < before.at().length; i++) {
      if (now.of(before.at()[i]) < before.counts()[i]) {
        return true;
      }
    }
    return false;
  }

  /// The sum of two histograms; null when their buckets are of different kinds.
  public static @Nullable HistogramSum of(HistogramValue one, HistogramValue two, double factor) {
    HistogramSum sum = new HistogramSum(one);
    return sum.add(two, factor) ? sum : null;
  }
}
