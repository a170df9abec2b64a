package io.widerow.query.promql.run;

import io.widerow.query.promql.PromqlFunction;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// Samples of a series in a window of time, open at its start: `(end - range, end]`.
///
/// - Threads: one.
final class Window {
  private static final double EXACT_BELOW = 0x1p53; // sums of whole numbers

  private final long[] millis;
  private final double[] values;
  private final long rangeMillis;
  private int from;
  private int until;
  private long end;
  private long @Nullable [] sums; // of the first samples, see `sums()`; empty when they cannot be

  /// @param samples in ascending order of times, without markers
  Window(SampleSource.Samples samples, long rangeMillis) {
    this.millis = samples.millis();
    this.values = samples.values();
    this.rangeMillis = rangeMillis;
  }

  /// Moves the window to a later end, or an equal one.
  void moveTo(long newEnd) {
    end = newEnd;
    while (until < millis.length && millis[until] <= end) {
      until++;
    }
    while (from < until && millis[from] <= end - rangeMillis) {
      from++;
    }
  }

  /// Number of samples in it.
  int count() {
    return until - from;
  }

  /// The value of a function over the window; [Row#NONE] when it has none.
  ///
  /// @param parameter of functions that have one
  /// @param nowMillis time of the step, from which predictions count
  double apply(PromqlFunction function, double parameter, long nowMillis) {
    if (count() == 0) {
      return Row.NONE;
    }
    return switch (function) {
      case AVG_OVER_TIME -> hasSums() ? wholeSum() / count() : KahanSum.mean(values, from, until);
      case SUM_OVER_TIME -> hasSums() ? wholeSum() : sum();
      case COUNT_OVER_TIME -> count();
      case PRESENT_OVER_TIME -> 1;
      case FIRST_OVER_TIME -> values[from];
      case LAST_OVER_TIME -> values[until - 1];
      case MIN_OVER_TIME -> extreme(false);
      case MAX_OVER_TIME -> extreme(true);
      case STDVAR_OVER_TIME -> variance();
      case STDDEV_OVER_TIME -> Math.sqrt(variance());
      case QUANTILE_OVER_TIME -> quantile(parameter, Arrays.copyOfRange(values, from, until));
      case CHANGES -> changes();
      case RESETS -> resets();
      case RATE -> extrapolated(true, true);
      case INCREASE -> extrapolated(true, false);
      case DELTA -> extrapolated(false, false);
      case IRATE -> instant(true);
      case IDELTA -> instant(false);
      case DERIV -> count() < 2 ? Row.NONE : line(millis[from]).slope;
      case PREDICT_LINEAR -> predicted(parameter, nowMillis);
      default -> throw new IllegalArgumentException("no function of a window: " + function);
    };
  }

  /// True when all samples are whole numbers of which any sum is exact: then a window's sum is the
  /// difference of two, with the bits of one that is added up sample by sample.
  private boolean hasSums() {
    long[] known = sums;
    if (known == null) {
      known = sums(values);
      sums = known;
    }
    return known.length > 0;
  }

  private static long[] sums(double[] of) {
    long[] made = new long[of.length + 1];
    double most = 0;
    for (int i = 0; i < of.length; i++) {
      long whole = (long) of[i];
      most += Math.abs(of[i]);
      if (whole != of[i] || !(most < EXACT_BELOW)) {
        return new long[0];
      }
      made[i + 1] = made[i] + whole;
    }
    return made;
  }

  private double wholeSum() {
    long[] known = Objects.requireNonNull(sums);
    return known[until] - known[from];
  }

  private double sum() {
    KahanSum sum = new KahanSum();
    for (int i = from; i < until; i++) {
      sum.add(values[i]);
    }
    return sum.value();
  }

  private double extreme(boolean most) {
    double found = values[from];
    for (int i = from + 1; i < until; i++) {
      double value = values[i];
      if (Double.isNaN(found) || (most ? value > found : value < found)) {
        found = value;
      }
    }
    return found;
  }

  private double variance() {
    return variance(values, from, until);
  }

  /// The population variance, by Welford's method.
  static double variance(double[] of, int first, int limit) {
    KahanSum mean = new KahanSum();
    KahanSum squares = new KahanSum();
    for (int i = first; i < limit; i++) {
      double delta = of[i] - mean.value();
      mean.add(delta / (i - first + 1));
      squares.add(delta * (of[i] - mean.value()));
    }
    return squares.value() / (limit - first);
  }

  /// A quantile between two values is on the line between them; NaN is the least value.
  ///
  /// @param of is sorted
  static double quantile(double quantile, double[] of) {
    if (of.length == 0 || Double.isNaN(quantile)) {
      return Double.NaN;
    }
    if (quantile < 0 || quantile > 1) {
      return quantile < 0 ? Double.NEGATIVE_INFINITY : Double.POSITIVE_INFINITY;
    }
    Arrays.sort(of); // NaN last
    int nans = 0;
    while (nans < of.length && Double.isNaN(of[of.length - 1 - nans])) {
      nans++;
    }
    double rank = quantile * (of.length - 1);
    int low = (int) Math.floor(rank);
    int high = Math.min(of.length - 1, low + 1);
    double weight = rank - Math.floor(rank);
    return place(of, low, nans) * (1 - weight) + place(of, high, nans) * weight;
  }

  private static double place(double[] sorted, int at, int nans) {
    return at < nans ? Double.NaN : sorted[at - nans];
  }

  private double changes() {
    int changes = 0;
    for (int i = from + 1; i < until; i++) {
      boolean bothNaN = Double.isNaN(values[i]) && Double.isNaN(values[i - 1]);
      changes += values[i] != values[i - 1] && !bothNaN ? 1 : 0;
    }
    return changes;
  }

  private double resets() {
    int resets = 0;
    for (int i = from + 1; i < until; i++) {
      resets += values[i] < values[i - 1] ? 1 : 0;
    }
    return resets;
  }

  private double extrapolated(boolean isCounter, boolean isRate) {
    if (count() < 2) {
      return Row.NONE;
    }
    double first = values[from];
    double result = values[until - 1] - first;
    if (isCounter) {
      for (int i = from + 1; i < until; i++) {
        result += values[i] < values[i - 1] ? values[i - 1] : 0;
      }
    }
    boolean risesFromZero = isCounter && result > 0 && first >= 0;
    double share = risesFromZero ? first / result : Double.POSITIVE_INFINITY;
    return result
        * extrapolation(millis[from], millis[until - 1], count(), end, rangeMillis, share, isRate);
  }

  /// The factor that makes the difference of the first and last sample in a window that of the
  /// window, or that of a second of it. To an edge near a sample it extrapolates, else by half a
  /// gap; and a counter not back beyond its zero.
  ///
  /// @param count of samples, at least 2
  /// @param end of the window, in milliseconds as all times
  /// @param share of the difference that the first sample is; infinite unless it is a counter
  /// @param isRate whether the difference is that of a second
  static double extrapolation(
      long first, long last, int count, long end, long range, double share, boolean isRate) {
    double sampled = (last - first) / 1e3;
    double gap = sampled / (count - 1);
    double near = gap * 1.1;
    double before = (first - (end - range)) / 1e3;
    double after = (end - last) / 1e3;
    before = Math.min(before >= near ? gap / 2 : before, sampled * share);
    after = after >= near ? gap / 2 : after;
    double factor = (sampled + before + after) / sampled;
    return isRate ? factor / (range / 1e3) : factor;
  }

  private double instant(boolean isRate) {
    if (count() < 2) {
      return Row.NONE;
    }
    double last = values[until - 1];
    double before = values[until - 2];
    if (!isRate) {
      return last - before;
    }
    double increase = last < before ? last : last - before;
    return increase / ((millis[until - 1] - millis[until - 2]) / 1e3);
  }

  private double predicted(double seconds, long nowMillis) {
    if (count() < 2) {
      return Row.NONE;
    }
    Line line = line(nowMillis);
    return line.slope * seconds + line.value;
  }

  /// A line through the samples by least squares.
  ///
  /// @param slope a second
  /// @param value at its time
  private record Line(double slope, double value) {}

  private Line line(long atMillis) {
    KahanSum sumX = new KahanSum();
    KahanSum sumY = new KahanSum();
    KahanSum sumXy = new KahanSum();
    KahanSum sumXx = new KahanSum();
    boolean constant = true;
    for (int i = from; i < until; i++) {
      double x = (millis[i] - atMillis) / 1e3;
      constant &= values[i] == values[from];
      sumX.add(x);
      sumY.add(values[i]);
      sumXy.add(x * values[i]);
      sumXx.add(x * x);
    }
    if (constant) {
      return Double.isInfinite(values[from])
          ? new Line(Double.NaN, Double.NaN)
          : new Line(0, values[from]);
    }
    double n = count();
    double covariance = sumXy.value() - sumX.value() * sumY.value() / n;
    double slope = covariance / (sumXx.value() - sumX.value() * sumX.value() / n);
    return new Line(slope, sumY.value() / n - slope * sumX.value() / n);
  }
}
