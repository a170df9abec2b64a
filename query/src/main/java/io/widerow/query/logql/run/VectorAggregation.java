package io.widerow.query.logql.run;

import io.widerow.query.logql.Metric;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// Functions of several series: `sum by (level) (...)`, `topk(5, ...)`.
///
/// - Threads: one.
final class VectorAggregation {
  private static final long MEMBER_BYTES = 64; // in a group, and in the order of a step

  private final LogqlContext execution;
  private final Metric.Aggregate aggregate;
  private final int steps;

  VectorAggregation(LogqlContext execution, Metric.Aggregate aggregate, int steps) {
    this.execution = execution;
    this.aggregate = aggregate;
    this.steps = steps;
  }

  List<LogqlSeries> of(List<LogqlSeries> series) {
    Map<LabelSet, List<LogqlSeries>> groups = new LinkedHashMap<>();
    execution.hold(MEMBER_BYTES * series.size());
    for (LogqlSeries one : series) {
      LabelSet key = key(one.labels());
      List<LogqlSeries> group = groups.get(key);
      if (group == null) {
        execution.hold(key.bytes());
        group = new ArrayList<>();
        groups.put(key, group);
      }
      group.add(one);
    }
    List<LogqlSeries> result = new ArrayList<>();
    List<Map.Entry<LabelSet, List<LogqlSeries>>> inOrder = new ArrayList<>(groups.entrySet());
    inOrder.sort(Map.Entry.comparingByKey()); // mostly they are
    for (Map.Entry<LabelSet, List<LogqlSeries>> group : inOrder) {
      if (aggregate.function().keepsSeries()) {
        result.addAll(chosen(group.getValue()));
      } else {
        LabelSet labels = group.getKey();
        result.add(combined(isWithout() ? labels.withoutEmpty() : labels, group.getValue()));
      }
    }
    sort(result);
    return result;
  }

  private boolean isWithout() {
    Metric.Labels grouping = aggregate.grouping();
    return grouping != null && grouping.without();
  }

  private LabelSet key(LabelSet labels) {
    Metric.Labels grouping = aggregate.grouping();
    if (grouping == null) {
      return LabelSet.EMPTY;
    }
    return grouping.without() ? labels.without(grouping.names()) : labels.only(grouping.names());
  }

  private LogqlSeries combined(LabelSet labels, List<LogqlSeries> members) {
    LogqlSeries combined = new LogqlSeries(labels, steps, execution);
    for (int step = 0; step < steps; step++) {
      execution.check();
      int count = 0;
      double sum = 0;
      double least = Double.NaN;
      double greatest = Double.NaN;
      for (LogqlSeries one : members) {
        if (one.has(step)) {
          double value = one.at(step);
          count++;
          sum += value;
          least = Double.isNaN(least) || value < least ? value : least;
          greatest = Double.isNaN(greatest) || value > greatest ? value : greatest;
        }
      }
      if (count > 0) {
        combined.set(
            step,
            switch (aggregate.function()) {
              case SUM -> sum;
              case AVG -> sum / count;
              case MIN -> least;
              case MAX -> greatest;
              case COUNT -> count;
              case STDVAR -> variance(members, step);
              case STDDEV -> Math.sqrt(variance(members, step));
              case TOPK, APPROX_TOPK, BOTTOMK, SORT, SORT_DESC ->
                  throw new IllegalStateException("no number of a group");
            });
      }
    }
    return combined;
  }

  /// Of one number it is 0, also of an infinite one.
  private static double variance(List<LogqlSeries> members, int step) {
    double mean = 0;
    double squares = 0;
    int count = 0;
    for (LogqlSeries one : members) {
      if (one.has(step)) {
        double value = one.at(step);
        double off = count == 0 ? 0 : value - mean;
        count++;
        mean = count == 1 ? value : mean + off / count;
        squares += off * (count == 1 ? 0 : value - mean);
      }
    }
    return squares / count;
  }

  /// The series of a group that are shown, at each step those with the greatest or least numbers.
  private List<LogqlSeries> chosen(List<LogqlSeries> members) {
    if (!aggregate.function().takesParameter()) {
      return members;
    }
    boolean greatest = aggregate.function() != Metric.SeriesFunction.BOTTOMK;
    List<LogqlSeries> shown =
        members.stream().map(one -> new LogqlSeries(one.labels(), steps, execution)).toList();
    for (int step = 0; step < steps; step++) {
      execution.check();
      int at = step;
      List<Integer> places = new ArrayList<>();
      for (int i = 0; i < members.size(); i++) {
        if (members.get(i).has(step)) {
          places.add(i);
        }
      }
      Comparator<Integer> order =
          (one, other) -> compare(members.get(one).at(at), members.get(other).at(at), greatest);
      places.sort(order); // stable: equal ones stay in the order of their labels
      int most = (int) Math.min(places.size(), aggregate.parameter());
      for (int place : places.subList(0, most)) {
        shown.get(place).set(step, members.get(place).at(step));
      }
    }
    return shown.stream().filter(one -> !one.isEmpty()).toList();
  }

  /// NaN comes last in either direction.
  private static int compare(double one, double other, boolean descending) {
    if (Double.isNaN(one) || Double.isNaN(other)) {
      return Boolean.compare(Double.isNaN(one), Double.isNaN(other));
    }
    return descending ? Double.compare(other, one) : Double.compare(one, other);
  }

  /// The order of a result for one instant. Over several steps series have no order.
  private void sort(List<LogqlSeries> series) {
    if (steps != 1 || !aggregate.function().keepsSeries()) {
      return;
    }
    boolean descending =
        switch (aggregate.function()) {
          case TOPK, APPROX_TOPK, SORT_DESC -> true;
          default -> false;
        };
    series.removeIf(LogqlSeries::isEmpty);
    series.sort((one, other) -> compare(one.at(0), other.at(0), descending));
  }
}
