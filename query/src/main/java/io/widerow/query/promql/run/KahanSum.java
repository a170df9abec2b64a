package io.widerow.query.promql.run;

/// A sum with the error of its rounding (Kahan, Neumaier).
///
/// - Threads: one.
final class KahanSum {
  private double sum;
  private double error;

  void add(double value) {
    double next = sum + value;
    if (Double.isInfinite(next)) {
      error = 0;
    } else if (Math.abs(sum) >= Math.abs(value)) {
      error += (sum - next) + value;
    } else {
      error += (value - next) + sum;
    }
    sum = next;
  }

  double value() {
    return sum + error;
  }

  static double sum(double[] values) {
    KahanSum sum = new KahanSum();
    for (double value : values) {
      sum.add(value);
    }
    return sum.value();
  }

  /// The mean of numbers that may be too large to add up.
  static double mean(double[] values, int from, int until) {
    KahanSum sum = new KahanSum();
    for (int i = from; i < until; i++) {
      double before = sum.sum;
      double errorBefore = sum.error;
      sum.add(values[i]);
      if (Double.isInfinite(sum.sum) && i > from) {
        int count = i - from;
        return incremental(before / count, errorBefore / count, values, from, i, until);
      }
    }
    int count = until - from;
    return sum.sum / count + sum.error / count;
  }

  private static double incremental(
      double mean, double error, double[] values, int from, int next, int until) {
    KahanSum running = new KahanSum();
    running.sum = mean;
    running.error = error;
    for (int i = next; i < until; i++) {
      double count = i - from + 1;
      double share = (count - 1) / count;
      running.sum *= share;
      running.error *= share;
      running.add(values[i] / count);
    }
    return running.value();
  }
}
