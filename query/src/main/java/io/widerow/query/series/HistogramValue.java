package io.widerow.query.series;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.DoubleUnaryOperator;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/// A native histogram: counts of values in buckets that grow exponentially, or that have bounds of
/// their own.
///
/// ```
///   schema n     bucket i of positive values holds (2^((i-1)/2^n), 2^(i/2^n)]
///   CUSTOM       bucket i holds (bound i-1, bound i]; the first is from -Inf, the last to +Inf
/// ```
///
/// Source: prometheus/docs `docs/specs/native_histograms.md`.
///
/// - Threads: any; never changed.
public final class HistogramValue {
  /// The schema of buckets with bounds of their own.
  public static final int CUSTOM = -53;

  static final double[] NO_BOUNDS = {};

  final int schema;
  final double zeroThreshold;
  final double zeroCount;
  final double count;
  final double sum;
  final Hint hint;
  final double[] bounds; // of CUSTOM
  final Counts positive;
  final Counts negative;

  /// What its sender tells of the histogram before.
  public enum Hint {
    UNKNOWN,
    RESET,
    NOT_RESET,
    GAUGE;

    /// The hint of a number of the wire.
    static Hint of(int number) {
      return switch (number) {
        case 1 -> RESET;
        case 2 -> NOT_RESET;
        case 3 -> GAUGE;
        default -> UNKNOWN;
      };
    }
  }

  /// The buckets of one sign that are not empty.
  ///
  /// @param at their numbers, ascending
  @SuppressWarnings("ArrayRecordComponent") // never changed
  record Counts(int[] at, double[] counts) {
    static final Counts NONE = new Counts(new int[0], new double[0]);

    /// Without empty buckets; those of equal numbers are one. Numbers ascend.
    static Counts of(int[] at, double[] counts) {
      int[] numbers = new int[at.length];
      double[] sums = new double[at.length];
      int size = 0;
      for (int i = 0; i < at.length; i++) {
        if (size > 0 && numbers[size - 1] == at[i]) {
          sums[size - 1] += counts[i];
        } else {
          if (size > 0 && sums[size - 1] == 0) {
            size--;
          }
          numbers[size] = at[i];
          sums[size++] = counts[i];
        }
      }
      if (size > 0 && sums[size - 1] == 0) {
        size--;
      }
      return new Counts(Arrays.copyOf(numbers, size), Arrays.copyOf(sums, size));
    }

    boolean isEmpty() {
      return at.length == 0;
    }

    double of(int number) {
      int place = Arrays.binarySearch(at, number);
      return place < 0 ? 0 : counts[place];
    }

    Counts map(DoubleUnaryOperator each) {
      return of(at, Arrays.stream(counts).map(each).toArray());
    }

    /// In buckets that are twice as wide, so many times.
    Counts coarser(int times) {
      if (times == 0) {
        return this;
      }
      int[] numbers = new int[at.length];
      for (int i = 0; i < at.length; i++) {
        numbers[i] = ((at[i] - 1) >> times) + 1;
      }
      return of(numbers, counts);
    }

    Counts plus(Counts other, double factor) {
      int[] numbers = new int[at.length + other.at.length];
      double[] sums = new double[numbers.length];
      int mine = 0;
      int others = 0;
      for (int i = 0; i < numbers.length; i++) {
        boolean isMine =
            others == other.at.length || (mine < at.length && at[mine] <= other.at[others]);
        numbers[i] = isMine ? at[mine] : other.at[others];
        sums[i] = isMine ? counts[mine++] : factor * other.counts[others++];
      }
      return of(numbers, sums);
    }

    /// Only buckets whose lower bound is not below a threshold.
    Counts above(double threshold, int schema) {
      int first = 0;
      while (first < at.length && bound(schema, at[first] - 1) < threshold) {
        first++;
      }
      return first == 0
          ? this
          : new Counts(
              Arrays.copyOfRange(at, first, at.length),
              Arrays.copyOfRange(counts, first, counts.length));
    }
  }

  /// A bucket, with its bounds.
  ///
  /// @param closedBelow whether its lower bound is one of its values
  /// @param closedAbove whether its upper bound is
  public record Bucket(
      double lower, double upper, boolean closedBelow, boolean closedAbove, double count) {}

  HistogramValue(
      int schema,
      double zeroThreshold,
      double zeroCount,
      double count,
      double sum,
      Hint hint,
      double[] bounds,
      Counts positive,
      Counts negative) {
    this.schema = schema;
    this.zeroThreshold = zeroThreshold;
    this.zeroCount = zeroCount;
    this.count = count;
    this.sum = sum;
    this.hint = hint;
    this.bounds = bounds;
    this.positive = positive;
    this.negative = negative;
  }

  /// A histogram from its parts.
  ///
  /// @param offset the number of the first positive bucket
  /// @param negativeOffset that of the first negative one
  public static HistogramValue of(
      int schema,
      double zeroThreshold,
      double zeroCount,
      double count,
      double sum,
      Hint hint,
      double[] bounds,
      int offset,
      double[] positive,
      int negativeOffset,
      double[] negative) {
    return new HistogramValue(
        schema,
        zeroThreshold,
        zeroCount,
        count,
        sum,
        hint,
        bounds,
        counts(offset, positive),
        counts(negativeOffset, negative));
  }

  private static Counts counts(int offset, double[] counts) {
    int[] at = new int[counts.length];
    for (int i = 0; i < at.length; i++) {
      at[i] = offset + i;
    }
    return Counts.of(at, counts);
  }

  public boolean isCustom() {
    return schema == CUSTOM;
  }

  public int schema() {
    return schema;
  }

  /// The upper bounds of its buckets, when they are its own.
  public double[] bounds() {
    return bounds.clone();
  }

  /// Its number of values.
  public double count() {
    return count;
  }

  /// The sum of its values.
  public double sum() {
    return sum;
  }

  public Hint hint() {
    return hint;
  }

  /// Whether it has buckets of positive values only, the zero bucket aside.
  boolean isPositive() {
    return negative.isEmpty() && !positive.isEmpty();
  }

  /// Whether it has buckets of negative values only, the zero bucket aside.
  boolean isNegative() {
    return positive.isEmpty() && !negative.isEmpty();
  }

  /// The upper bound of an exponential bucket.
  static double bound(int schema, int number) {
    if (schema <= 0) {
      long exponent = (long) number << -schema;
      return exponent >= 1024 ? Double.MAX_VALUE : Math.scalb(1.0, (int) Math.max(-1100, exponent));
    }
    int whole = number >> schema;
    double part = (double) (number - (whole << schema)) / (1 << schema);
    return whole >= 1024
        ? Double.MAX_VALUE
        : Math.scalb(part == 0 ? 1 : Math.pow(2, part), Math.max(-1100, whole));
  }

  /// All buckets that are not empty, in ascending order.
  public List<Bucket> buckets() {
    List<Bucket> all = new ArrayList<>();
    if (isCustom()) {
      for (int i = 0; i < positive.at.length; i++) {
        int number = positive.at[i];
        double lower = number == 0 ? Double.NEGATIVE_INFINITY : bounds[number - 1];
        double upper = number < bounds.length ? bounds[number] : Double.POSITIVE_INFINITY;
        all.add(new Bucket(lower, upper, number == 0, true, positive.counts[i]));
      }
      return all;
    }
    for (int i = negative.at.length - 1; i >= 0; i--) {
      double upper = -bound(schema, negative.at[i] - 1);
      double lower = -bound(schema, negative.at[i]);
      all.add(new Bucket(lower, upper, true, false, negative.counts[i]));
    }
    if (zeroCount > 0) {
      all.add(new Bucket(-zeroThreshold, zeroThreshold, true, true, zeroCount));
    }
    for (int i = 0; i < positive.at.length; i++) {
      double lower = bound(schema, positive.at[i] - 1);
      all.add(new Bucket(lower, bound(schema, positive.at[i]), false, true, positive.counts[i]));
    }
    return all;
  }

  /// The same with another hint.
  public HistogramValue with(Hint other) {
    return new HistogramValue(
        schema, zeroThreshold, zeroCount, count, sum, other, bounds, positive, negative);
  }

  /// An empty histogram with its buckets.
  ///
  /// @param withZero whether with its zero bucket, too
  public HistogramValue emptied(boolean withZero) {
    double threshold = withZero ? zeroThreshold : 0;
    return new HistogramValue(
        schema, threshold, 0, 0, 0, Hint.UNKNOWN, bounds, Counts.NONE, Counts.NONE);
  }

  /// True when its exponential buckets are wider than those of another.
  public boolean isCoarser(HistogramValue other) {
    return !isCustom() && !other.isCustom() && schema < other.schema;
  }

  /// The same in the exponential buckets of another, if those are wider.
  public HistogramValue inBucketsOf(HistogramValue other) {
    if (!other.isCoarser(this)) {
      return this;
    }
    int times = schema - other.schema;
    return new HistogramValue(
        other.schema,
        zeroThreshold,
        zeroCount,
        count,
        sum,
        hint,
        bounds,
        positive.coarser(times),
        negative.coarser(times));
  }

  public HistogramValue times(double factor) {
    return map(each -> each * factor, factor < 0);
  }

  /// Divided by zero it has no buckets.
  public HistogramValue dividedBy(double divisor) {
    HistogramValue all = divisor == 0 ? withoutBuckets() : this;
    return all.map(each -> each / divisor, 1 / divisor < 0);
  }

  /// The same with other numbers.
  ///
  /// @param negated whether their signs change: then it is no counter
  private HistogramValue map(DoubleUnaryOperator each, boolean negated) {
    return new HistogramValue(
        schema,
        zeroThreshold,
        each.applyAsDouble(zeroCount),
        each.applyAsDouble(count),
        each.applyAsDouble(sum),
        negated ? Hint.GAUGE : hint,
        bounds,
        positive.map(each),
        negative.map(each));
  }

  private HistogramValue withoutBuckets() {
    return new HistogramValue(
        schema, zeroThreshold, zeroCount, count, sum, hint, bounds, Counts.NONE, Counts.NONE);
  }

  /// One histogram of several with equal bounds.
  ///
  /// @param fold makes one number of theirs
  public static HistogramValue folded(
      List<HistogramValue> alike, Hint hint, ToDoubleFunction<double[]> fold) {
    HistogramValue first = alike.getFirst();
    return new HistogramValue(
        first.schema,
        first.zeroThreshold,
        folded(alike, each -> each.zeroCount, fold),
        folded(alike, each -> each.count, fold),
        folded(alike, each -> each.sum, fold),
        hint,
        first.bounds,
        foldedCounts(alike, each -> each.positive, fold),
        foldedCounts(alike, each -> each.negative, fold));
  }

  private static double folded(
      List<HistogramValue> of,
      ToDoubleFunction<HistogramValue> number,
      ToDoubleFunction<double[]> fold) {
    return fold.applyAsDouble(of.stream().mapToDouble(number).toArray());
  }

  private static Counts foldedCounts(
      List<HistogramValue> of,
      Function<HistogramValue, Counts> side,
      ToDoubleFunction<double[]> fold) {
    int[] at =
        of.stream()
            .flatMapToInt(each -> Arrays.stream(side.apply(each).at))
            .sorted()
            .distinct()
            .toArray();
    double[] counts = new double[at.length];
    for (int i = 0; i < at.length; i++) {
      int number = at[i];
      counts[i] = folded(of, each -> side.apply(each).of(number), fold);
    }
    return Counts.of(at, counts);
  }

  /// True when both have the same numbers.
  public boolean isSame(HistogramValue other) {
    return schema == other.schema
        && Double.compare(count, other.count) == 0
        && Double.compare(sum, other.sum) == 0
        && zeroThreshold == other.zeroThreshold
        && Double.compare(zeroCount, other.zeroCount) == 0
        && Arrays.equals(bounds, other.bounds)
        && isSame(positive, other.positive)
        && isSame(negative, other.negative);
  }

  private static boolean isSame(Counts one, Counts other) {
    return Arrays.equals(one.at, other.at) && Arrays.equals(one.counts, other.counts);
  }

  /// As Prometheus shows it in labels: `{count:3, sum:2, (1,2]:3}`.
  @Override
  public String toString() {
    StringBuilder text = new StringBuilder("{count:").append(plain(count));
    text.append(", sum:").append(plain(sum));
    for (Bucket bucket : buckets()) {
      text.append(", ")
          .append(bucket.closedBelow() ? '[' : '(')
          .append(plain(bucket.lower()))
          .append(',')
          .append(plain(bucket.upper()))
          .append(bucket.closedAbove() ? ']' : ')')
          .append(':')
          .append(plain(bucket.count()));
    }
    return text.append('}').toString();
  }

  private static String plain(double value) {
    if (Double.isInfinite(value)) {
      return value > 0 ? "+Inf" : "-Inf";
    }
    return value == Math.rint(value) && Math.abs(value) < 1e15
        ? Long.toString((long) value)
        : Double.toString(value);
  }

  /// The histogram of a message of Prometheus; null when it is none.
  public static @Nullable HistogramValue decode(byte[] message) {
    return HistogramDecoder.decode(message);
  }
}
