package io.widerow.query.promql.run;

import io.widerow.query.promql.PromqlException;
import io.widerow.query.series.Labels;
import java.util.Arrays;
import java.util.function.DoubleUnaryOperator;

/// The values of a series by step. [#NONE] stands where it has none.
///
/// - Threads: one.
public final class Row {
  /// No value: the bits of the marker that no sample has once it was read.
  static final double NONE = Double.longBitsToDouble(SampleSource.STALE_BITS);

  private final Labels labels;
  private final double[] values;

  Row(Labels labels, double[] values) {
    this.labels = labels;
    this.values = values;
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

  /// True when the series has a value at any step.
  public boolean hasAny() {
    for (double value : values) {
      if (!isNone(value)) {
        return true;
      }
    }
    return false;
  }

  /// The same values of a series with other labels.
  Row of(Labels other) {
    return new Row(other, values);
  }

  /// Each value replaced.
  Row map(Labels other, DoubleUnaryOperator operator) {
    double[] mapped = new double[values.length];
    for (int i = 0; i < mapped.length; i++) {
      mapped[i] = isNone(values[i]) ? NONE : operator.applyAsDouble(values[i]);
    }
    return new Row(other, mapped);
  }

  /// This row with the values of another part of its series.
  Row joined(Row other) {
    double[] both = values.clone();
    for (int step = 0; step < both.length; step++) {
      if (other.has(step)) {
        if (!isNone(both[step])) {
          throw PromqlException.ofExecution("vector cannot contain metrics with the same labelset");
        }
        both[step] = other.value(step);
      }
    }
    return new Row(labels, both);
  }
}
