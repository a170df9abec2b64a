package io.widerow.query.logql.run;

import io.widerow.query.logql.Metric;
import io.widerow.query.logql.Metric.SeriesFunction;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Evaluates numbers at each step.
///
/// - Threads: one.
public final class MetricRun {
  private final LogqlContext execution;
  private final Steps steps;

  /// The value of an expression: one number at each step, or series.
  ///
  /// @param isNumber true for the first; then there is one series, without labels
  public record Value(boolean isNumber, List<LogqlSeries> series) {
    public Value {
      series = List.copyOf(series);
    }
  }

  public MetricRun(LogqlContext execution, Steps steps) {
    this.execution = execution;
    this.steps = steps;
  }

  public Value run(Metric metric) {
    return value(metric, SeriesNames.all());
  }

  /// Computes the value of an expression. The memory of the values inside the expression is
  /// released.
  private Value value(Metric metric, SeriesNames names) {
    long mark = execution.held();
    Value value = made(metric, names);
    long bytes = 0;
    for (LogqlSeries one : value.series()) {
      bytes += one.bytes();
    }
    execution.release(Math.min(execution.held(), mark + bytes));
    return value;
  }

  private Value made(Metric metric, SeriesNames names) {
    execution.check();
    return switch (metric) {
      case Metric.Literal(double number) ->
          new Value(
              true,
              List.of(LogqlSeries.constant(LabelSet.EMPTY, steps.count(), number, execution)));
      case Metric.VectorOf(double number) ->
          new Value(
              false,
              List.of(LogqlSeries.constant(LabelSet.EMPTY, steps.count(), number, execution)));
      case Metric.Range range -> new Value(false, range(range, names));
      case Metric.Aggregate aggregate -> {
        List<LogqlSeries> inner = value(aggregate.inner(), inside(aggregate, names)).series();
        yield new Value(
            false, new VectorAggregation(execution, aggregate, steps.count()).of(inner));
      }
      case Metric.Binary binary -> {
        Metric.Labels on = binary.on();
        SeriesNames both = on == null || on.without() ? names : names.and(on.names());
        Value left = value(binary.left(), open(both));
        Value right = value(binary.right(), open(both));
        yield new Operations(execution, binary, steps.count()).of(left, right);
      }
    };
  }

  /// A single group for a sum over an operation would change the operation.
  private static SeriesNames open(SeriesNames names) {
    return new SeriesNames(false, names.names(), names.without());
  }

  private List<LogqlSeries> range(Metric.Range range, SeriesNames names) {
    Metric.Labels grouping = range.grouping();
    SeriesNames of = grouping == null ? names : SeriesNames.all().grouped(grouping);
    return new RangeSamples(execution, range, steps, of).series();
  }

  /// Which labels the series of an aggregation need. A sum of counts is the count of the group.
  private static SeriesNames inside(Metric.Aggregate aggregate, SeriesNames names) {
    Metric.@Nullable Labels grouping = aggregate.grouping();
    boolean isSum =
        aggregate.function() == SeriesFunction.SUM
            && aggregate.inner() instanceof Metric.Range range
            && range.function().isAdditive();
    if (isSum && (grouping == null || !grouping.without())) {
      return SeriesNames.only(grouping == null ? List.of() : grouping.names());
    }
    if (aggregate.function().keepsSeries()) {
      SeriesNames outer = open(names);
      return grouping == null || grouping.without() ? outer : outer.and(grouping.names());
    }
    SeriesNames all = SeriesNames.all();
    return grouping == null || grouping.without() ? all : all.and(grouping.names());
  }
}
