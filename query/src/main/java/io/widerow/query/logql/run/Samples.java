package io.widerow.query.logql.run;

import io.widerow.query.logql.Metric;
import io.widerow.rollup.RollupFigure;
import io.widerow.storage.sketch.AttributeFigures;
import io.widerow.storage.sketch.Extreme;
import io.widerow.storage.sketch.NumberCounts;
import io.widerow.storage.sketch.NumberSum;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// The samples of one series in buckets of time. Every window is made up of whole buckets.
///
/// ```
///   steps      |       |       |         start + i * step
///   windows    [-----------)             range; the buckets are as wide as the greatest common
///                      [-----------)     divisor of range and step
///   buckets    |   |   |   |   |   |
/// ```
///
/// - Threads: one.
final class Samples {
  static final long BUCKET_BYTES = 320; // without the arrays of its sum and values

  private static final long ORDER_BYTES = 96; // of a bucket
  private static final double SECOND = 1e9;
  private static final long NONE = Long.MIN_VALUE; // no bucket

  /// Samples are expected up to an edge that is nearer than this many distances between samples.
  private static final double NEAR = 1.1;

  /// Empty [NumberCounts], and what a window has of them.
  static final long VALUES_BYTES = 400;

  private final Map<Long, Bucket> buckets = new HashMap<>();
  private final boolean keepsValues; // the function needs each sample
  private final boolean counts; // the function needs the number of samples alone
  private long valuesBytes;
  private Bucket current; // that of the last sample
  private long lastNumber = NONE;
  private long[] numbers = new long[0]; // of the buckets, sorted, once they are complete
  private Bucket[] sorted = new Bucket[0];

  /// @param range the function
  Samples(Metric.Range range) {
    this.keepsValues =
        switch (range.function()) {
          case QUANTILE_OVER_TIME, STDDEV_OVER_TIME, STDVAR_OVER_TIME -> true;
          default -> false;
        };
    this.counts =
        switch (range.function()) {
          case COUNT_OVER_TIME, ABSENT_OVER_TIME -> true;
          case RATE -> range.unwrap() == null;
          default -> false;
        };
    this.current = new Bucket(keepsValues);
  }

  /// The aggregates of the samples of a bucket, or of a window.
  private static final class Bucket {
    private long count;
    private final NumberSum sum = new NumberSum(); // the order of samples cannot be seen
    private double least = Double.NaN;
    private double greatest = Double.NaN;
    private long firstNanos = Long.MAX_VALUE;
    private double first;
    private long lastNanos = Long.MIN_VALUE;
    private double last;
    private double resets; // what a counter had before each fall, when samples come in order
    private final @Nullable NumberCounts values;

    /// @param keeps whether each sample is needed
    Bucket(boolean keeps) {
      this.values = keeps ? new NumberCounts() : null;
    }

    /// Returns by how many bytes it has grown.
    long add(long nanos, double value, long weight) {
      long before = bytes();
      count += weight;
      addTimes(value, weight);
      extremes(value, value);
      resets += lastNanos != Long.MIN_VALUE && value < last ? last : 0;
      if (nanos < firstNanos) {
        firstNanos = nanos;
        first = value;
      }
      if (nanos >= lastNanos) {
        lastNanos = nanos;
        last = value;
      }
      NumberCounts each = values;
      if (each != null) {
        each.add(value, weight);
      }
      return bytes() - before;
    }

    /// The same for all samples of a group of the store. Returns by how many bytes it has grown.
    long add(AttributeFigures figures) {
      long before = bytes();
      if (figures.has(RollupFigure.SUM)) {
        sum.add(figures.sum());
      }
      if (figures.has(RollupFigure.LENGTHS)) {
        sum.add((double) figures.lengths());
        count += figures.count();
      } else if (values != null) {
        values.addAll(figures.numbers());
        count += figures.numbers().total();
      } else if (figures.has(RollupFigure.SUM)) {
        count += figures.sum().count();
      } else {
        double extreme = extreme(figures).number();
        extremes(extreme, extreme);
        count++;
      }
      return bytes() - before;
    }

    private long bytes() {
      return sum.bytes() + (values == null ? 0 : values.bytes());
    }

    private void addTimes(double value, long weight) {
      double times = (double) weight;
      double product = value * times;
      sum.add(product);
      if (weight > 1 && Double.isFinite(product)) {
        sum.add(Math.fma(value, times, -product)); // what rounding has lost
      }
    }

    double sum() {
      return sum.value();
    }

    private void extremes(double low, double high) {
      least = Double.isNaN(least) || low < least ? low : least;
      greatest = Double.isNaN(greatest) || high > greatest ? high : greatest;
    }

    void add(Bucket later) {
      resets += later.resets + (lastNanos != Long.MIN_VALUE && later.first < last ? last : 0);
      count += later.count;
      sum.add(later.sum);
      extremes(later.least, later.greatest);
      if (later.firstNanos < firstNanos) {
        firstNanos = later.firstNanos;
        first = later.first;
      }
      if (later.lastNanos >= lastNanos) {
        lastNanos = later.lastNanos;
        last = later.last;
      }
      if (values != null && later.values != null) {
        values.addAll(later.values);
      }
    }
  }

  /// Adds a sample to a bucket.
  ///
  /// @return bytes of memory that it took
  long add(long bucket, long nanos, double value, long weight) {
    long made = open(bucket);
    if (counts) {
      current.count += weight;
      return made;
    }
    long grown = current.add(nanos, value, weight);
    valuesBytes += keepsValues ? grown : 0;
    return made + grown;
  }

  /// Adds the samples of a group of the store to a bucket.
  ///
  /// @return bytes of memory that they took
  long add(long bucket, AttributeFigures figures) {
    long made = open(bucket);
    long grown = current.add(figures);
    valuesBytes += keepsValues ? grown : 0;
    return made + grown;
  }

  /// True when no event of a group has a number.
  static boolean isNone(AttributeFigures figures) {
    if (figures.has(RollupFigure.LENGTHS)) {
      return figures.count() == 0;
    }
    if (figures.has(RollupFigure.NUMBERS)) {
      return figures.numbers().total() == 0;
    }
    return figures.has(RollupFigure.SUM) ? figures.sum().count() == 0 : !extreme(figures).isAny();
  }

  private static Extreme extreme(AttributeFigures figures) {
    return figures.has(RollupFigure.MIN) ? figures.least() : figures.greatest();
  }

  /// Makes a bucket the current one. Returns bytes of memory that it took.
  private long open(long bucket) {
    if (lastNumber == bucket) {
      return 0;
    }
    lastNumber = bucket;
    Bucket known = buckets.get(bucket);
    if (known != null) {
      current = known;
      return 0;
    }
    current = new Bucket(keepsValues);
    buckets.put(bucket, current);
    return BUCKET_BYTES + (keepsValues ? VALUES_BYTES : 0);
  }

  /// Heap memory, at most, for a window over all buckets: its table while it grows, the order of
  /// its numbers, and the order of the buckets.
  long windowBytes() {
    return 4 * valuesBytes + (keepsValues ? VALUES_BYTES : 0) + ORDER_BYTES * buckets.size();
  }

  /// Ends the adding.
  void complete() {
    if (buckets.size() == 1) { // of many series of one window
      numbers = new long[] {lastNumber};
      sorted = new Bucket[] {current};
      return;
    }
    TreeMap<Long, Bucket> inOrder = new TreeMap<>(buckets);
    numbers = inOrder.keySet().stream().mapToLong(Long::longValue).toArray();
    sorted = inOrder.values().toArray(Bucket[]::new);
  }

  /// Drops all samples.
  void clear() {
    buckets.clear();
    lastNumber = NONE;
    numbers = new long[0];
    sorted = new Bucket[0];
  }

  /// Sets the value of a step from the buckets of its window, if there is any sample in them.
  ///
  /// @param from the first bucket
  /// @param until after the last one
  /// @param endNanos the end of the window
  void evaluate(
      Metric.Range range, long from, long until, long endNanos, int step, LogqlSeries out) {
    Bucket window = window(place(from), place(until));
    if (window.count > 0) {
      out.set(
          step,
          range.function() == Metric.RangeFunction.RATE_COUNTER
              ? counterRate(window, endNanos - range.rangeNanos(), endNanos)
              : value(range, window));
    }
  }

  private Bucket window(int from, int until) {
    if (until - from == 1) {
      return sorted[from];
    }
    Bucket window = new Bucket(keepsValues);
    for (int i = from; i < until; i++) {
      window.add(sorted[i]);
    }
    return window;
  }

  private int place(long bucket) {
    int at = Arrays.binarySearch(numbers, bucket);
    return at < 0 ? -at - 1 : at;
  }

  private static double value(Metric.Range range, Bucket window) {
    double seconds = range.rangeNanos() / 1e9;
    return switch (range.function()) {
      case COUNT_OVER_TIME -> window.count;
      case RATE -> (range.unwrap() == null ? window.count : window.sum()) / seconds;
      case BYTES_OVER_TIME, SUM_OVER_TIME -> window.sum();
      case BYTES_RATE -> window.sum() / seconds;
      case ABSENT_OVER_TIME -> 1;
      case AVG_OVER_TIME -> window.sum() / window.count;
      case MIN_OVER_TIME -> window.least;
      case MAX_OVER_TIME -> window.greatest;
      case FIRST_OVER_TIME -> window.first;
      case LAST_OVER_TIME -> window.last;
      case STDVAR_OVER_TIME -> variance(window);
      case STDDEV_OVER_TIME -> Math.sqrt(variance(window));
      case QUANTILE_OVER_TIME -> quantile(range.parameter(), window);
      case RATE_COUNTER -> throw new IllegalStateException("it depends on the window's edges");
    };
  }

  /// The increase of a counter a second, extrapolated to the edges of the window where samples are
  /// near them, as Prometheus does; 0 for a single sample.
  private static double counterRate(Bucket window, long startNanos, long endNanos) {
    if (window.count < 2) {
      return 0;
    }
    double increase = window.last - window.first + window.resets;
    double toStart = (window.firstNanos - startNanos) / SECOND;
    double toEnd = (endNanos - window.lastNanos) / SECOND;
    double sampled = (window.lastNanos - window.firstNanos) / SECOND;
    double between = sampled / (window.count - 1);
    double near = between * NEAR;
    if (toStart >= near) {
      toStart = between / 2;
    }
    if (increase > 0 && window.first >= 0) { // a counter is not negative before its first sample
      toStart = Math.min(toStart, sampled * (window.first / increase));
    }
    if (toEnd >= near) {
      toEnd = between / 2;
    }
    double seconds = (endNanos - startNanos) / SECOND;
    return increase * ((sampled + toStart + toEnd) / sampled) / seconds;
  }

  private static double variance(Bucket window) {
    return Objects.requireNonNull(window.values).variance(window.sum() / window.count);
  }

  private static double quantile(double wanted, Bucket window) {
    if (Double.isNaN(wanted)) {
      return Double.NaN;
    }
    if (wanted < 0) {
      return Double.NEGATIVE_INFINITY;
    }
    if (wanted > 1) {
      return Double.POSITIVE_INFINITY;
    }
    NumberCounts values = Objects.requireNonNull(window.values);
    long total = values.total();
    double rank = wanted * (total - 1);
    long low = (long) Math.floor(rank);
    double weight = rank - low;
    return values.at(low) * (1 - weight) + values.at(Math.min(low + 1, total - 1)) * weight;
  }
}
