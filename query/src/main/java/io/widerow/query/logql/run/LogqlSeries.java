package io.widerow.query.logql.run;

import io.widerow.query.QueryExecution;
import java.util.BitSet;

/// Numbers at some of the steps of a query, with the labels they belong to.
///
/// - Threads: one.
public final class LogqlSeries {
  private final LabelSet labels;
  private final double[] values;
  private final BitSet there;

  /// @param execution holds its memory
  LogqlSeries(LabelSet labels, int steps, QueryExecution execution) {
    this(labels, zeros(steps, labels, execution), new BitSet(steps));
  }

  private static double[] zeros(int steps, LabelSet labels, QueryExecution execution) {
    execution.hold(bytes(labels, steps));
    return new double[steps];
  }

  private LogqlSeries(LabelSet labels, double[] values, BitSet there) {
    this.labels = labels;
    this.values = values;
    this.there = there;
  }

  /// The same number at every step.
  static LogqlSeries constant(LabelSet labels, int steps, double value, QueryExecution execution) {
    LogqlSeries series = new LogqlSeries(labels, steps, execution);
    for (int i = 0; i < steps; i++) {
      series.set(i, value);
    }
    return series;
  }

  /// The same samples with other labels.
  LogqlSeries withLabels(LabelSet newLabels) {
    return new LogqlSeries(newLabels, values, there);
  }

  public LabelSet labels() {
    return labels;
  }

  /// True when there is a number at a step.
  public boolean has(int step) {
    return there.get(step);
  }

  public double at(int step) {
    return values[step];
  }

  void set(int step, double value) {
    values[step] = value;
    there.set(step);
  }

  public boolean isEmpty() {
    return there.isEmpty();
  }

  public int steps() {
    return values.length;
  }

  private static long bytes(LabelSet labels, int steps) {
    return labels.bytes() + 64 + 9L * steps;
  }

  /// Heap memory in bytes.
  long bytes() {
    return bytes(labels, values.length);
  }
}
