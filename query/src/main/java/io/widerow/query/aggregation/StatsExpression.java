package io.widerow.query.aggregation;

import java.util.List;

/// A number that is computed from the aggregates of a group: `count(level >= error) / count`. A
/// closed set.
///
/// A missing operand makes the result missing, and so does a division by zero. Sums, differences
/// and products of whole numbers are whole as long as they fit in 64 bits.
///
/// - Threads: any; immutable.
sealed interface StatsExpression {
  /// An aggregate.
  ///
  /// @param measure its place among those of the query
  record Of(int measure) implements StatsExpression {}

  /// A number.
  record Constant(Cell value) implements StatsExpression {}

  /// Two numbers.
  ///
  /// @param sign one of `+ - * /`
  record Binary(char sign, StatsExpression left, StatsExpression right)
      implements StatsExpression {}

  /// The value for a group.
  ///
  /// @param aggregates of the group, in the order of the query
  static Cell value(StatsExpression of, List<Cell> aggregates) {
    return switch (of) {
      case Of(int measure) -> aggregates.get(measure);
      case Constant(Cell value) -> value;
      case Binary(char sign, StatsExpression left, StatsExpression right) ->
          value(sign, value(left, aggregates), value(right, aggregates));
    };
  }

  private static Cell value(char sign, Cell left, Cell right) {
    if (!left.isNumber() || !right.isNumber()) {
      return Cell.MISSING;
    }
    boolean whole = left.kind() == Cell.Kind.WHOLE && right.kind() == Cell.Kind.WHOLE;
    if (whole && sign != '/') {
      try {
        return Cell.of(
            switch (sign) {
              case '+' -> Math.addExact(left.whole(), right.whole());
              case '-' -> Math.subtractExact(left.whole(), right.whole());
              default -> Math.multiplyExact(left.whole(), right.whole());
            });
      } catch (ArithmeticException _) {
        // more than 64 bits: the nearest double
      }
    }
    double a = left.number();
    double b = right.number();
    double value =
        switch (sign) {
          case '+' -> a + b;
          case '-' -> a - b;
          case '*' -> a * b;
          default -> b == 0 ? Double.NaN : a / b;
        };
    return Double.isNaN(value) ? Cell.MISSING : Cell.of(value);
  }
}
