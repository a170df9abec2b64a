package io.widerow.loadgen.compare;

import java.util.Arrays;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.function.ToDoubleFunction;

/// The ratio of a figure of A to that of B over pairs of runs: the median of the pairs' ratios, and
/// its 95 % bootstrap confidence interval (the pairs are resampled with replacement).
///
/// @param medianA of A's runs
/// @param medianB of B's runs
/// @param ratio median of A / B over the pairs
/// @param low end of the interval
/// @param high end of the interval
public record PairedRatio(double medianA, double medianB, double ratio, double low, double high) {
  private static final int DRAWS = 10_000;
  private static final long SEED = 1;
  private static final int PAIRS_MIN = 3; // below, drawing again says nothing

  /// The ratio of a figure of each run.
  public static <T> PairedRatio of(PairedRuns<T> runs, ToDoubleFunction<? super T> figure) {
    return of(
        runs.a().stream().mapToDouble(figure).toArray(),
        runs.b().stream().mapToDouble(figure).toArray());
  }

  /// @param a a figure of A in each pair
  /// @param b the same figure of B
  public static PairedRatio of(double[] a, double[] b) {
    if (a.length != b.length || a.length == 0) {
      throw new IllegalArgumentException(
          "%d runs of A and %d of B are not pairs".formatted(a.length, b.length));
    }
    double[] ratios = new double[a.length];
    for (int i = 0; i < ratios.length; i++) {
      ratios[i] = a[i] / b[i];
    }
    SplittableRandom random = new SplittableRandom(SEED);
    double[] medians = new double[DRAWS];
    double[] drawn = new double[ratios.length];
    for (int draw = 0; draw < DRAWS; draw++) {
      for (int i = 0; i < drawn.length; i++) {
        drawn[i] = ratios[random.nextInt(ratios.length)];
      }
      medians[draw] = median(drawn);
    }
    Arrays.sort(medians);
    boolean known = ratios.length >= PAIRS_MIN;
    return new PairedRatio(
        median(a),
        median(b),
        median(ratios),
        known ? medians[(int) (DRAWS * 0.025)] : 0,
        known ? medians[(int) (DRAWS * 0.975)] : Double.POSITIVE_INFINITY);
  }

  public static double median(double[] values) {
    double[] sorted = values.clone();
    Arrays.sort(sorted);
    int middle = sorted.length / 2;
    return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
  }

  /// False when the interval holds 1 or a figure was 0: then nothing may be claimed.
  boolean isClaim() {
    return low > 1 || high < 1;
  }

  /// The interval as text.
  String span() {
    return low == 0 && high == Double.POSITIVE_INFINITY
        ? "too few pairs"
        : String.format(Locale.ROOT, "%.3f .. %.3f", low, high);
  }
}
