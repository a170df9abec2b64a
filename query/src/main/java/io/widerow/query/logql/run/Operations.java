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

  private final LogqlContext execution;
  private final Metric.Binary binary;
  private final int steps;

  Operations(LogqlContext execution, Metric.Binary binary, int steps) {
    this.execution = execution;
    this.binary = binary;
    this.steps = steps;
  }

  MetricRun.Value of(MetricRun.Value left, MetricRun.Value right) {
    if (left.isNumber() && right.isNumber()) {
      LogqlSeries both = each(left.series().getFirst(), right.series().getFirst(), false);
      return new MetricRun.Value(true, List.of(both));
    }
    if (left.isNumber() || right.isNumber()) {
      List<LogqlSeries> result = new ArrayList<>();
      for (LogqlSeries one : left.isNumber() ? right.series() : left.series()) {
        LogqlSeries other = (left.isNumber() ? left : right).series().getFirst();
        result.add(
            left.isNumber()
                ? each(other, one, true).withLabels(one.labels())
                : each(one, other, false));
      }
      return new MetricRun.Value(false, result);
    }
    List<LogqlSeries> result =
        binary.operator().isOfSets()
            ? sets(left.series(), right.series())
            : pairs(left.series(), right.series());
    return new MetricRun.Value(false, result);
  }

  /// The labels that must be equal, in a table.
  private LabelSet key(LogqlSeries series) {
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

  private List<LogqlSeries> pairs(List<LogqlSeries> left, List<LogqlSeries> right) {
    Map<LabelSet, LogqlSeries> byKey = new HashMap<>();
    for (LogqlSeries one : right) {
      LabelSet key = key(one);
      requireOne(byKey.put(key, one) == null, key);
    }
    Map<LabelSet, LogqlSeries> met = new HashMap<>();
    List<LogqlSeries> result = new ArrayList<>();
    for (LogqlSeries one : left) {
      LabelSet key = key(one);
      LogqlSeries other = byKey.get(key);
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
  private LogqlSeries each(LogqlSeries left, LogqlSeries right, boolean keepsRight) {
    LogqlSeries result = new LogqlSeries(left.labels(), steps, execution);
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

  private List<LogqlSeries> sets(List<LogqlSeries> left, List<LogqlSeries> right) {
    List<LogqlSeries> result = new ArrayList<>();
    Operator operator = binary.operator();
    Map<LabelSet, List<LogqlSeries>> rightByKey = byKey(right);
    for (LogqlSeries one : left) {
      List<LogqlSeries> others = rightByKey.getOrDefault(key(one), List.of());
      result.add(operator == Operator.OR ? one : kept(one, others, operator == Operator.AND));
    }
    if (operator == Operator.OR) {
      Map<LabelSet, List<LogqlSeries>> leftByKey = byKey(left);
      for (LogqlSeries one : right) {
        List<LogqlSeries> others = leftByKey.getOrDefault(key(one), List.of());
        result.add(kept(one, others, false));
      }
    }
    return merged(result);
  }

  private Map<LabelSet, List<LogqlSeries>> byKey(List<LogqlSeries> series) {
    Map<LabelSet, List<LogqlSeries>> byKey = new HashMap<>();
    for (LogqlSeries one : series) {
      byKey.computeIfAbsent(key(one), _ -> new ArrayList<>()).add(one);
    }
    return byKey;
  }

  /// The samples of the steps at which another has one, or at which none has.
  private LogqlSeries kept(LogqlSeries one, List<LogqlSeries> others, boolean whereThere) {
    LogqlSeries kept = new LogqlSeries(one.labels(), steps, execution);
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
  private List<LogqlSeries> merged(List<LogqlSeries> series) {
    Map<LabelSet, LogqlSeries> byLabels = new LinkedHashMap<>();
    for (LogqlSeries one : series) {
      LogqlSeries known = byLabels.putIfAbsent(one.labels(), one);
      if (known != null) {
        LogqlSeries both = new LogqlSeries(one.labels(), steps, execution);
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
