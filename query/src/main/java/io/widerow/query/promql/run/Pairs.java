package io.widerow.query.promql.run;

import io.widerow.query.promql.PromqlExpr.Binary;
import io.widerow.query.promql.PromqlExpr.Operator;
import io.widerow.query.series.HistogramSum;
import io.widerow.query.series.HistogramTrim;
import io.widerow.query.series.HistogramValue;
import io.widerow.query.series.HistogramValue.Hint;
import org.jspecify.annotations.Nullable;

/// A binary operation on two values, which are numbers or native histograms.
///
/// - Threads: one.
///
/// @param of the operation
record Pairs(Binary of, Annotations annotations) {
  /// Gives a step the result; leaves it without a value when there is none.
  ///
  /// @param leftHistogram null when the left value is a number
  /// @param rightHistogram null when the right value is a number
  /// @param kept the number that a comparison keeps
  void put(
      Row to,
      int step,
      double left,
      @Nullable HistogramValue leftHistogram,
      double right,
      @Nullable HistogramValue rightHistogram,
      double kept) {
    if (leftHistogram == null && rightHistogram == null) {
      to.values()[step] =
          of.operator().isTrim()
              ? incompatible("float", "float")
              : Operators.pair(of.operator(), of.bool(), left, right, kept);
      return;
    }
    if (leftHistogram != null && rightHistogram != null) {
      both(to, step, leftHistogram, rightHistogram);
    } else if (leftHistogram != null) {
      switch (of.operator()) {
        case MULTIPLY -> to.set(step, leftHistogram.times(right));
        case DIVIDE -> to.set(step, leftHistogram.dividedBy(right));
        case TRIM_ABOVE -> to.set(step, HistogramTrim.of(leftHistogram, right, true));
        case TRIM_BELOW -> to.set(step, HistogramTrim.of(leftHistogram, right, false));
        default -> to.values()[step] = incompatible("histogram", "float");
      }
    } else if (rightHistogram != null && of.operator() == Operator.MULTIPLY) {
      to.set(step, rightHistogram.times(left));
    } else {
      to.values()[step] = incompatible("float", "histogram");
    }
  }

  private void both(Row to, int step, HistogramValue left, HistogramValue right) {
    Operator operator = of.operator();
    if (operator == Operator.ADD || operator == Operator.SUBTRACT) {
      HistogramValue sum =
          operator == Operator.ADD
              ? sum(left, right, 1, "addition")
              : sum(left, right, -1, "subtraction");
      if (sum != null) {
        to.set(step, sum);
      }
    } else if (operator == Operator.EQUAL || operator == Operator.NOT_EQUAL) {
      boolean holds = left.isSame(right) == (operator == Operator.EQUAL);
      if (of.bool()) {
        to.values()[step] = holds ? 1 : 0;
      } else if (holds) {
        to.set(step, left);
      }
    } else {
      to.values()[step] = incompatible("histogram", "histogram");
    }
  }

  /// Reports values that the operator is not defined for.
  ///
  /// @return no value
  private double incompatible(String left, String right) {
    String sign = of.operator().sign;
    annotations.info(
        of.place(),
        "incompatible sample types encountered for binary operator \"%s\": %s %s %s"
            .formatted(sign, left, sign, right));
    return Row.NONE;
  }

  private @Nullable HistogramValue sum(
      HistogramValue left, HistogramValue right, double factor, String what) {
    HistogramSum sum = new HistogramSum(left);
    if (!sum.add(right, factor)) {
      annotations.warnOfSchemas("", of.place());
      return null;
    }
    annotations.informOfReconciled(sum.isReconciled(), what, of.place());
    if (sum.isConflicting()) {
      annotations.warn(of.place(), "conflicting counter resets during histogram " + what);
    }
    return factor < 0 ? sum.value().with(Hint.GAUGE) : sum.value();
  }
}
