package io.widerow.query.aggregation;

import io.widerow.storage.Filter.Comparison;
import io.widerow.storage.FilterEvaluation;
import java.util.List;

/// A condition on the aggregates of a group: `count > 10 and count(status >= 500) / count > 0.05`.
/// A closed set.
///
/// - Threads: any; immutable.
sealed interface Having {
  /// Keeps every group.
  record Everything() implements Having {}

  /// Keeps groups that every part keeps.
  record And(List<Having> parts) implements Having {
    public And {
      parts = List.copyOf(parts);
    }
  }

  /// Keeps groups that a part keeps.
  record Or(List<Having> parts) implements Having {
    public Or {
      parts = List.copyOf(parts);
    }
  }

  /// Keeps groups that `inner` does not keep.
  record Not(Having inner) implements Having {}

  /// Keeps groups whose numbers compare this way; a missing one is in no order, and equals none.
  record Compare(StatsExpression left, Comparison comparison, StatsExpression right)
      implements Having {}

  static boolean keeps(Having having, List<Cell> aggregates) {
    return switch (having) {
      case Everything() -> true;
      case And(var parts) -> parts.stream().allMatch(part -> keeps(part, aggregates));
      case Or(var parts) -> parts.stream().anyMatch(part -> keeps(part, aggregates));
      case Not(Having inner) -> !keeps(inner, aggregates);
      case Compare(var left, Comparison comparison, var right) -> {
        Cell a = StatsExpression.value(left, aggregates);
        Cell b = StatsExpression.value(right, aggregates);
        yield (a.isNumber() && b.isNumber())
            ? FilterEvaluation.holds(comparison, Double.compare(a.number(), b.number()))
            : comparison == Comparison.NOT_EQUAL;
      }
    };
  }
}
