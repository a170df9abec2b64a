package io.widerow.query.series;

import io.widerow.query.series.HistogramValue.Bucket;
import io.widerow.query.series.HistogramValue.Counts;

/// Cuts off the values of a native histogram that are above a bound, or below it. The bucket in
/// which the bound lies is divided. The new sum takes all values of a bucket as lying in its
/// middle.
///
/// - Threads: one.
public final class HistogramTrim {
  private final HistogramValue of;
  private final double cut;
  private final boolean above; // whether values above are cut off
  private double sum;
  private double count;
  private boolean changed;

  private HistogramTrim(HistogramValue of, double cut, boolean above) {
    this.of = of;
    this.cut = cut;
    this.above = above;
  }

  /// The histogram without the values above a bound, or below it.
  public static HistogramValue of(HistogramValue histogram, double cut, boolean above) {
    return new HistogramTrim(histogram, cut, above).run();
  }

  private HistogramValue run() {
    if (cut == (above ? Double.POSITIVE_INFINITY : Double.NEGATIVE_INFINITY)) {
      return of;
    }
    Counts negative = side(of.negative, true);
    double zero = of.zeroCount > 0 ? kept(zeroBucket()) : of.zeroCount;
    Counts positive = side(of.positive, false);
    return changed
        ? new HistogramValue(
            of.schema, of.zeroThreshold, zero, count, sum, of.hint, of.bounds, positive, negative)
        : of;
  }

  private Bucket zeroBucket() {
    double lower = of.isPositive() ? 0 : -of.zeroThreshold;
    double upper = of.isNegative() ? 0 : of.zeroThreshold;
    return new Bucket(lower, upper, true, true, of.zeroCount);
  }

  private Counts side(Counts counts, boolean isNegative) {
    double[] left = new double[counts.counts().length];
    for (int i = 0; i < left.length; i++) {
      left[i] = kept(bucket(counts, i, isNegative));
    }
    return Counts.of(counts.at(), left);
  }

  private Bucket bucket(Counts counts, int i, boolean isNegative) {
    int number = counts.at()[i];
    double count = counts.counts()[i];
    if (of.isCustom()) {
      double lower = number == 0 ? Double.NEGATIVE_INFINITY : of.bounds[number - 1];
      double upper = number < of.bounds.length ? of.bounds[number] : Double.POSITIVE_INFINITY;
      return new Bucket(lower, upper, false, true, count);
    }
    double near = HistogramValue.bound(of.schema, number - 1);
    double far = HistogramValue.bound(of.schema, number);
    return isNegative
        ? new Bucket(-far, -near, true, false, count)
        : new Bucket(near, far, false, true, count);
  }

  /// Counts what is left of a bucket.
  private double kept(Bucket bucket) {
    double lower = bucket.lower();
    double upper = bucket.upper();
    boolean evenly = of.isCustom() || (lower <= 0 && upper >= 0);
    if (lower == Double.NEGATIVE_INFINITY && upper > 0 && upper < Double.POSITIVE_INFINITY) {
      if (cut < 0) {
        return add(bucket, 0, 0); // nobody knows where its values are
      }
      lower = 0;
    }
    if (Double.isInfinite(lower) || Double.isInfinite(upper)) {
      return ofOpen(bucket, lower, upper);
    }
    if (above ? cut >= upper : cut <= lower) {
      return add(bucket, bucket.count(), middle(lower, upper, evenly));
    }
    if (above ? cut <= lower : cut >= upper) {
      return add(bucket, 0, 0);
    }
    double below = HistogramEstimate.share(cut, lower, upper, evenly);
    return above
        ? add(bucket, bucket.count() * below, middle(lower, cut, evenly))
        : add(bucket, bucket.count() * (1 - below), middle(cut, upper, evenly));
  }

  /// A bucket without an end is kept as a whole, or not.
  private double ofOpen(Bucket bucket, double lower, double upper) {
    boolean isFirst = Double.isInfinite(lower);
    boolean isWhole = isFirst && Double.isInfinite(upper);
    boolean reaches = isFirst ? above : !above;
    if (isWhole || !reaches) {
      boolean beyond = !isWhole && isFirst && cut <= Double.NEGATIVE_INFINITY;
      return add(bucket, beyond ? bucket.count() : 0, 0);
    }
    if (Double.isInfinite(cut)) {
      return add(bucket, 0, 0);
    }
    double at = isFirst ? Math.min(cut, upper) : Math.max(cut, lower);
    return add(bucket, bucket.count(), at);
  }

  private double add(Bucket bucket, double left, double middle) {
    changed |= left != bucket.count();
    count += left;
    sum += left == 0 ? 0 : left * middle;
    return left;
  }

  private static double middle(double lower, double upper, boolean evenly) {
    return evenly ? (lower + upper) / 2 : Math.signum(lower + upper) * Math.sqrt(lower * upper);
  }
}
