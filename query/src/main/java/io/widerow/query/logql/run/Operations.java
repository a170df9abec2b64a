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
final class Operations {
  private Operations() {}

  static MetricRun.Value of(
      Metric.Binary binary, MetricRun.Value left, MetricRun.Value right, int steps) {
    if (left.isNumber() && right.isNumber()) {
      Series both = each(binary, left.series().getFirst(), right.series().getFirst(), false, steps);
      return new MetricRun.Value(true, List.of(both));
    }
    if (left.isNumber() || right.isNumber()) {
      List<Series> result = new ArrayList<>();
      for (Series one : left.isNumber() ? right.series() : left.series()) {
        Series other = (left.isNumber() ? left : right).series().getFirst();
        result.add(
            left.isNumber()
                ? each(binary, other, one, true, steps).withLabels(one.labels())
                : each(binary, one, other, false, steps));
      }
      return new MetricRun.Value(false, result);
    }
    List<Series> result =
        binary.operator().isOfSets()
            ? sets(binary, left.series(), right.series(), steps)
            : pairs(binary, left.series(), right.series(), steps);
    return new MetricRun.Value(false, result);
  }

  private static LabelSet key(Metric.Binary binary, LabelSet labels) {
    Metric.Labels on = binary.on();
    if (on == null) {
      return labels;
    }
    return on.without() ? labels.without(on.names()) : labels.only(on.names());
  }

  private static List<Series> pairs(
      Metric.Binary binary, List<Series> left, List<Series> right, int steps) {
    Map<LabelSet, Series> byKey = new HashMap<>();
    for (Series one : right) {
      LabelSet key = key(binary, one.labels());
      requireOne(byKey.put(key, one) == null, key);
    }
    Map<LabelSet, Series> met = new HashMap<>();
    List<Series> result = new ArrayList<>();
    for (Series one : left) {
      LabelSet key = key(binary, one.labels());
      Series other = byKey.get(key);
      if (other != null) {
        requireOne(met.put(key, one) == null, key);
        result.add(each(binary, one, other, false, steps).withLabels(key));
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
  private static Series each(
      Metric.Binary binary, Series left, Series right, boolean keepsRight, int steps) {
    Series result = new Series(left.labels(), steps);
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

  private static List<Series> sets(
      Metric.Binary binary, List<Series> left, List<Series> right, int steps) {
    List<Series> result = new ArrayList<>();
    Operator operator = binary.operator();
    Map<LabelSet, List<Series>> rightByKey = byKey(binary, right);
    for (Series one : left) {
      List<Series> others = rightByKey.getOrDefault(key(binary, one.labels()), List.of());
      result.add(
          operator == Operator.OR ? one : kept(one, others, operator == Operator.AND, steps));
    }
    if (operator == Operator.OR) {
      Map<LabelSet, List<Series>> leftByKey = byKey(binary, left);
      for (Series one : right) {
        List<Series> others = leftByKey.getOrDefault(key(binary, one.labels()), List.of());
        result.add(kept(one, others, false, steps));
      }
    }
    return merged(result, steps);
  }

  private static Map<LabelSet, List<Series>> byKey(Metric.Binary binary, List<Series> series) {
    Map<LabelSet, List<Series>> byKey = new HashMap<>();
    for (Series one : series) {
      byKey.computeIfAbsent(key(binary, one.labels()), _ -> new ArrayList<>()).add(one);
    }
    return byKey;
  }

  /// The samples of the steps at which another has one, or at which none has.
  private static Series kept(Series one, List<Series> others, boolean whereThere, int steps) {
    Series kept = new Series(one.labels(), steps);
    for (int i = 0; i < steps; i++) {
      int step = i;
      if (one.has(i) && others.stream().anyMatch(other -> other.has(step)) == whereThere) {
        kept.set(i, one.at(i));
      }
    }
    return kept;
  }

  /// One series for equal labels: with `or` either side may have some of the steps.
  private static List<Series> merged(List<Series> series, int steps) {
    Map<LabelSet, Series> byLabels = new LinkedHashMap<>();
    for (Series one : series) {
      Series known = byLabels.putIfAbsent(one.labels(), one);
      if (known != null) {
        Series both = new Series(one.labels(), steps);
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
