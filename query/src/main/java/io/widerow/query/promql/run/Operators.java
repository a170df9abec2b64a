package io.widerow.query.promql.run;

import io.widerow.query.promql.PromqlExpr.Operator;

/// The binary operators on two numbers.
///
/// - Threads: any.
final class Operators {
  private Operators() {}

  static double compute(Operator operator, double left, double right) {
    return switch (operator) {
      case ADD -> left + right;
      case SUBTRACT -> left - right;
      case MULTIPLY -> left * right;
      case DIVIDE -> left / right;
      case MODULO -> left % right;
      case POWER -> power(left, right);
      case ATAN2 -> Math.atan2(left, right);
      default -> holds(operator, left, right) ? 1 : 0;
    };
  }

  /// One to any power is one, as IEEE 754 has it.
  private static double power(double left, double right) {
    return left == 1 || (left == -1 && Double.isInfinite(right)) ? 1 : Math.pow(left, right);
  }

  static boolean holds(Operator operator, double left, double right) {
    return switch (operator) {
      case EQUAL -> left == right;
      case NOT_EQUAL -> left != right;
      case LESS -> left < right;
      case LESS_OR_EQUAL -> left <= right;
      case GREATER -> left > right;
      case GREATER_OR_EQUAL -> left >= right;
      default -> throw new IllegalArgumentException("no comparison: " + operator);
    };
  }

  /// What an operator gives for a pair: [Row#NONE] when a comparison does not hold.
  ///
  /// @param bool whether a comparison gives 0 or 1
  /// @param kept the value that a comparison keeps
  static double pair(Operator operator, boolean bool, double left, double right, double kept) {
    if (bool || !operator.isComparison()) {
      return compute(operator, left, right);
    }
    return holds(operator, left, right) ? kept : Row.NONE;
  }

  /// True when the results are other things than the series: they lose the name.
  static boolean renames(Operator operator, boolean bool) {
    return bool || (!operator.isComparison() && !operator.isSet());
  }
}
