package io.widerow.query.promql.run;

import io.widerow.query.promql.PromqlException;
import io.widerow.query.series.HistogramValue;
import io.widerow.query.series.HistogramValue.Hint;
import io.widerow.query.series.Labels;
import java.util.Arrays;
import java.util.function.DoubleUnaryOperator;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/// The values of a series by step: numbers, or native histograms. [#NONE] stands where it has
/// neither.
///
/// - Threads: one.
public final class Row {
  /// No value: the bits of the marker that no sample has once it was read.
  static final double NONE = Double.longBitsToDouble(SampleSource.STALE_BITS);

  private final Labels labels;
  private final double[] values; // 0 where there is a histogram
  private @Nullable HistogramValue @Nullable [] histograms; // null while there is none

  Row(Labels labels, double[] values) {
    this(labels, values, null);
  }

  Row(Labels labels, double[] values, @Nullable HistogramValue @Nullable [] histograms) {
    this.labels = labels;
    this.values = values;
    this.histograms = histograms;
  }

  /// A row without values.
  static Row empty(Labels labels, int steps) {
    double[] values = new double[steps];
    Arrays.fill(values, NONE);
    return new Row(labels, values);
  }

  static boolean isNone(double value) {
    return Double.doubleToRawLongBits(value) == SampleSource.STALE_BITS;
  }

  /// The labels, with the name if it has one.
  public Labels labels() {
    return labels;
  }

  double[] values() {
    return values;
  }

  /// True when the series has a value at a step.
  public boolean has(int step) {
    return !isNone(values[step]);
  }

  /// The value at a step that has one.
  public double value(int step) {
    return values[step];
  }

  /// The native histogram at a step; null without one.
  public @Nullable HistogramValue histogram(int step) {
    @Nullable HistogramValue[] all = histograms;
    return all == null ? null : all[step];
  }

  /// True when the series has a number at a step.
  boolean hasNumber(int step) {
    return has(step) && histogram(step) == null;
  }

  boolean hasNumbers() {
    for (int i = 0; i < values.length; i++) {
      if (hasNumber(i)) {
        return true;
      }
    }
    return false;
  }

  boolean hasHistograms() {
    return histograms != null;
  }

  /// Gives a step a histogram.
  void set(int step, HistogramValue histogram) {
    @Nullable HistogramValue[] all = histograms;
    if (all == null) {
      all = new HistogramValue[values.length];
      histograms = all;
    }
    all[step] = histogram;
    values[step] = 0;
  }

  /// Gives a step the value that another row has there.
  void copy(Row from, int step) {
    copy(from, step, step);
  }

  /// The same where another row has it at another step.
  void copy(Row from, int its, int step) {
    HistogramValue histogram = from.histogram(its);
    if (histogram == null) {
      values[step] = from.values[its];
    } else {
      set(step, histogram);
    }
  }

  /// Each histogram replaced, and no numbers.
  Row mapHistograms(Labels other, Function<HistogramValue, @Nullable HistogramValue> operator) {
    Row mapped = empty(other, values.length);
    for (int i = 0; i < values.length; i++) {
      HistogramValue histogram = histogram(i);
      HistogramValue made = histogram == null ? null : operator.apply(histogram);
      if (made != null) {
        mapped.set(i, made);
      }
    }
    return mapped;
  }

  /// A number of each histogram.
  Row ofHistograms(Labels other, ToDoubleFunction<HistogramValue> figure) {
    Row made = empty(other, values.length);
    for (int i = 0; i < values.length; i++) {
      HistogramValue histogram = histogram(i);
      if (histogram != null) {
        made.values[i] = figure.applyAsDouble(histogram);
      }
    }
    return made;
  }

  /// True when the series has a value at any step.
  public boolean hasAny() {
    for (double value : values) {
      if (!isNone(value)) {
        return true;
      }
    }
    return false;
  }

  /// Its values as samples. Where counters began again is forgotten: a sample may be there twice.
  SampleSource.Samples samples(long[] millis) {
    @Nullable HistogramValue[] all = histograms;
    if (all != null) {
      all = all.clone();
      for (int i = 0; i < all.length; i++) {
        HistogramValue each = all[i];
        all[i] = each == null || each.hint() == Hint.GAUGE ? each : each.with(Hint.UNKNOWN);
      }
    }
    return new SampleSource.Samples(labels, millis, values, all);
  }

  /// The same values of a series with other labels.
  Row of(Labels other) {
    return new Row(other, values, histograms);
  }

  /// Each number replaced; histograms are left out.
  Row map(Labels other, DoubleUnaryOperator operator) {
    double[] mapped = new double[values.length];
    for (int i = 0; i < mapped.length; i++) {
      mapped[i] = hasNumber(i) ? operator.applyAsDouble(values[i]) : NONE;
    }
    return new Row(other, mapped);
  }

  /// This row with the values of another part of its series.
  Row joined(Row other) {
    @Nullable HistogramValue[] all = histograms;
    Row both = new Row(labels, values.clone(), all == null ? null : all.clone());
    for (int step = 0; step < values.length; step++) {
      if (other.has(step)) {
        if (both.has(step)) {
          throw PromqlException.ofExecution("vector cannot contain metrics with the same labelset");
        }
        both.copy(other, step);
      }
    }
    return both;
  }
}
