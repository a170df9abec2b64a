package io.widerow.loadgen.compare;

import java.util.Arrays;
import java.util.Locale;
import java.util.SplittableRandom;

/// How much more of something A has than B, from runs that took turns: the median of the pairs'
/// ratios, and the span that holds it with 95 % confidence, by drawing the pairs again with
/// replacement.
///
/// @param medianA of A's runs
/// @param medianB of B's runs
/// @param ratio median of A / B over the pairs
/// @param low end of the span
/// @param high end of the span
public record PairedRatio(double medianA, double medianB, double ratio, double low, double high) {
  private static final int DRAWS = 10_000;
  private static final long SEED = 1;
  private static final int PAIRS_MIN = 3; // below, drawing again says nothing

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

  /// False when the span holds 1, or a figure was 0: then nothing may be claimed.
  boolean isClaim() {
    return low > 1 || high < 1;
  }

  /// The span, for people.
  String span() {
    return low == 0 && high == Double.POSITIVE_INFINITY
        ? "too few pairs"
        : String.format(Locale.ROOT, "%.3f .. %.3f", low, high);
  }
}
