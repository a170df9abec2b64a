package io.widerow.query.promql.run;

import java.util.List;

/// What an expression evaluates to.
public sealed interface PromqlValue {
  /// A number a step.
  @SuppressWarnings("ArrayRecordComponent") // handed over
  record Scalars(double[] values) implements PromqlValue {
    /// As a series without labels.
    public Row row() {
      return new Row(LabelEdits.NONE, values);
    }
  }

  /// Rows, in the order in which an instant query shows them.
  ///
  /// @param ordered whether that order is a part of the result; else it is that of the labels
  record Rows(List<Row> all, boolean ordered) implements PromqlValue {
    public Rows(List<Row> all) {
      this(all, false);
    }
  }

  /// The samples of the windows of an instant query.
  record Samples(List<SampleSource.Samples> all) implements PromqlValue {}

  /// A text.
  record Text(String text) implements PromqlValue {}
}
