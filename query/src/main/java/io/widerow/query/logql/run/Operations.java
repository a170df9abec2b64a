package io.widerow.query.logql.run;

import io.widerow.query.QueryException;
import io.widerow.query.logql.Metric;
import io.widerow.query.logql.Metric.Operator;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/// Operations on two values: of numbers with series, and of series whose labels are equal.
///
/// - Threads: one.
final class Operations {
  private static final long MEMBER_BYTES = 64; // of a series, in a table of keys

  private final LogqlContext execution;
  private final Metric.Binary binary;
  private final int steps;
  private boolean numbers; // on both sides

  Operations(LogqlContext execution, Metric.Binary binary, int steps) {
    this.execution = execution;
    this.binary = binary;
    this.steps = steps;
  }

  MetricRun.Value of(MetricRun.Value left, MetricRun.Value right) {
    if (left.isNumber() && right.isNumber()) { // a comparison of these has no sample to keep
      numbers = true;
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

  /// The labels that must be equal, in a table. One without a value is as none.
  private LabelSet key(LogqlSeries series) {
    execution.check();
    Metric.Labels on = binary.on();
    LabelSet labels = series.labels();
    if (on == null) {
      execution.hold(MEMBER_BYTES);
      return labels.withoutEmpty();
    }
    LabelSet key = on.without() ? labels.without(on.names()) : labels.only(on.names());
    execution.hold(MEMBER_BYTES + key.bytes());
    return key.withoutEmpty();
  }

  /// Series of one side, the "many", each with the one of the other side whose labels agree.
  private List<LogqlSeries> pairs(List<LogqlSeries> left, List<LogqlSeries> right) {
    Metric.Many many = binary.many();
    boolean manyRight = many != null && !many.left();
    Map<LabelSet, List<LogqlSeries>> ones = byKey(manyRight ? left : right);
    ones.values().forEach(group -> requireOne(group, manyRight ? "left" : "right"));
    Map<LabelSet, LogqlSeries> made = new LinkedHashMap<>();
    Map<LabelSet, BitSet> met = new HashMap<>(); // steps of a key, or of the result of one
    for (LogqlSeries each : manyRight ? right : left) {
      LabelSet key = key(each);
      for (LogqlSeries one : ones.getOrDefault(key, List.of())) {
        LabelSet labels = labels(each.labels(), one.labels(), key);
        requireFirst(many == null ? key : labels, each, one, met);
        LogqlSeries value = manyRight ? each(one, each, false) : each(each, one, false);
        merge(value.withLabels(labels), made);
      }
    }
    return made.values().stream().filter(series -> !series.isEmpty()).toList();
  }

  private void merge(LogqlSeries series, Map<LabelSet, LogqlSeries> made) {
    LogqlSeries known = made.putIfAbsent(series.labels(), series);
    for (int step = 0; known != null && step < steps; step++) {
      if (series.has(step)) {
        known.set(step, series.at(step));
      }
    }
  }

  /// The labels of a result: those that were matched, or all of the many side and the included
  /// ones.
  private LabelSet labels(LabelSet many, LabelSet one, LabelSet key) {
    Metric.Many sides = binary.many();
    if (sides == null) {
      return key;
    }
    if (sides.included().isEmpty()) {
      return many.withoutEmpty();
    }
    TreeMap<String, String> labels = new TreeMap<>(many.withoutEmpty().labels());
    for (String name : sides.included()) {
      String value = one.labels().getOrDefault(name, "");
      if (value.isEmpty()) {
        labels.remove(name);
      } else {
        labels.put(name, value);
      }
    }
    LabelSet made = new LabelSet(labels);
    execution.hold(made.bytes());
    return made;
  }

  private void requireOne(List<LogqlSeries> group, String side) {
    for (int step = 0; group.size() > 1 && step < steps; step++) {
      int at = step;
      if (group.stream().filter(series -> series.has(at)).limit(2).count() > 1) {
        throw new QueryException.Refused(
            "query",
            ("found duplicate series on the %s hand-side;many-to-many matching not allowed:"
                    + " matching labels must be unique on one side: %s")
                .formatted(side, group.getFirst().labels()));
      }
    }
  }

  /// @param result of which each step may have one pair
  private void requireFirst(
      LabelSet result, LogqlSeries each, LogqlSeries one, Map<LabelSet, BitSet> met) {
    BitSet before = met.computeIfAbsent(result, _ -> new BitSet());
    for (int step = 0; step < steps; step++) {
      boolean again = before.get(step) && each.has(step) && one.has(step);
      if (again) {
        throw new QueryException.Refused(
            "query",
            "multiple matches for labels: "
                + (binary.many() == null
                    ? "many-to-one matching must be explicit (group_left/group_right)"
                    : "grouping labels must ensure unique matches")
                + ": "
                + result);
      }
      before.set(step, before.get(step) || (each.has(step) && one.has(step)));
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
        result.set(step, operator.number(one, other));
      } else if (binary.isBool() || numbers) {
        result.set(step, operator.holds(one, other) ? 1 : 0);
      } else if (operator.holds(one, other)) {
        result.set(step, keepsRight ? other : one);
      }
    }
    return result;
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
