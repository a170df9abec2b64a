package io.widerow.query.logql.run;

import io.widerow.query.QueryException;
import io.widerow.query.logql.Metric;
import io.widerow.query.logql.Metric.Operator;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// Operations on two values: of numbers with series, and of series whose labels are equal.
///
/// - Threads: one.
final class Operations {
  private static final long MEMBER_BYTES = 64; // of a series, in a table of keys

  private final Execution execution;
  private final Metric.Binary binary;
  private final int steps;

  Operations(Execution execution, Metric.Binary binary, int steps) {
    this.execution = execution;
    this.binary = binary;
    this.steps = steps;
  }

  MetricRun.Value of(MetricRun.Value left, MetricRun.Value right) {
    if (left.isNumber() && right.isNumber()) {
      Series both = each(left.series().getFirst(), right.series().getFirst(), false);
      return new MetricRun.Value(true, List.of(both));
    }
    if (left.isNumber() || right.isNumber()) {
      List<Series> result = new ArrayList<>();
      for (Series one : left.isNumber() ? right.series() : left.series()) {
        Series other = (left.isNumber() ? left : right).series().getFirst();
        result.add(
            left.isNumber()
                ? each(other, one, true).withLabels(one.labels())
                : each(one, other, false));
      }
      return new MetricRun.Value(false, result);
    }
    List<Series> result =
        binary.operator().isOfSets()
            ? sets(left.series(), right.series())
            : pairs(left.series(), right.series());
    return new MetricRun.Value(false, result);
  }

  /// The labels that must be equal, in a table.
  private LabelSet key(Series series) {
    execution.check();
    Metric.Labels on = binary.on();
    LabelSet labels = series.labels();
    if (on == null) {
      execution.hold(MEMBER_BYTES);
      return labels;
    }
    LabelSet key = on.without() ? labels.without(on.names()) : labels.only(on.names());
    execution.hold(MEMBER_BYTES + key.bytes());
    return key;
  }

  private List<Series> pairs(List<Series> left, List<Series> right) {
    Map<LabelSet, Series> byKey = new HashMap<>();
    for (Series one : right) {
      LabelSet key = key(one);
      requireOne(byKey.put(key, one) == null, key);
    }
    Map<LabelSet, Series> met = new HashMap<>();
    List<Series> result = new ArrayList<>();
    for (Series one : left) {
      LabelSet key = key(one);
      Series other = byKey.get(key);
      if (other != null) {
        requireOne(met.put(key, one) == null, key);
        result.add(each(one, other, false).withLabels(key));
      }
    }
    return result;
  }

  private static void requireOne(boolean is, LabelSet key) {
    if (!is) {
      throw new QueryException.Refused(
          "query", "several series of one side have the labels %s that are matched".formatted(key));
    }
  }

  /// @param keepsRight whether a comparison keeps the right number; else the left one
  private Series each(Series left, Series right, boolean keepsRight) {
    Series result = new Series(left.labels(), steps, execution);
    Operator operator = binary.operator();
    for (int step = 0; step < steps; step++) {
      if (!left.has(step) || !right.has(step)) {
        continue;
      }
      double one = left.at(step);
      double other = right.at(step);
      if (!operator.isComparison()) {
        result.set(step, number(operator, one, other));
      } else if (binary.isBool()) {
        result.set(step, holds(operator, one, other) ? 1 : 0);
      } else if (holds(operator, one, other)) {
        result.set(step, keepsRight ? other : one);
      }
    }
    return result;
  }

  private static double number(Operator operator, double one, double other) {
    return switch (operator) {
      case PLUS -> one + other;
      case MINUS -> one - other;
      case TIMES -> one * other;
      case DIVIDED -> one / other;
      case MODULO -> one % other;
      case POWER -> Math.pow(one, other);
      default -> throw new IllegalStateException(operator + " gives no number");
    };
  }

  private static boolean holds(Operator operator, double one, double other) {
    return switch (operator) {
      case EQUAL -> one == other;
      case NOT_EQUAL -> one != other;
      case LESS -> one < other;
      case LESS_OR_EQUAL -> one <= other;
      case GREATER -> one > other;
      case GREATER_OR_EQUAL -> one >= other;
      default -> throw new IllegalStateException(operator + " compares nothing");
    };
  }

  private List<Series> sets(List<Series> left, List<Series> right) {
    List<Series> result = new ArrayList<>();
    Operator operator = binary.operator();
    Map<LabelSet, List<Series>> rightByKey = byKey(right);
    for (Series one : left) {
      List<Series> others = rightByKey.getOrDefault(key(one), List.of());
      result.add(operator == Operator.OR ? one : kept(one, others, operator == Operator.AND));
    }
    if (operator == Operator.OR) {
      Map<LabelSet, List<Series>> leftByKey = byKey(left);
      for (Series one : right) {
        List<Series> others = leftByKey.getOrDefault(key(one), List.of());
        result.add(kept(one, others, false));
      }
    }
    return merged(result);
  }

  private Map<LabelSet, List<Series>> byKey(List<Series> series) {
    Map<LabelSet, List<Series>> byKey = new HashMap<>();
    for (Series one : series) {
      byKey.computeIfAbsent(key(one), _ -> new ArrayList<>()).add(one);
    }
    return byKey;
  }

  /// The samples of the steps at which another has one, or at which none has.
  private Series kept(Series one, List<Series> others, boolean whereThere) {
    Series kept = new Series(one.labels(), steps, execution);
    for (int i = 0; i < steps; i++) {
      execution.check();
      int step = i;
      if (one.has(i) && others.stream().anyMatch(other -> other.has(step)) == whereThere) {
        kept.set(i, one.at(i));
      }
    }
    return kept;
  }

  /// One series for equal labels: with `or` either side may have some of the steps.
  private List<Series> merged(List<Series> series) {
    Map<LabelSet, Series> byLabels = new LinkedHashMap<>();
    for (Series one : series) {
      Series known = byLabels.putIfAbsent(one.labels(), one);
      if (known != null) {
        Series both = new Series(one.labels(), steps, execution);
        for (int i = 0; i < steps; i++) {
          if (known.has(i) || one.has(i)) {
            both.set(i, known.has(i) ? known.at(i) : one.at(i));
          }
        }
        byLabels.put(one.labels(), both);
      }
    }
    return byLabels.values().stream().filter(one -> !one.isEmpty()).toList();
  }
}
