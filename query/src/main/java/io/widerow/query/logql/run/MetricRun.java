package io.widerow.query.logql.run;

import com.google.re2j.Matcher;
import io.widerow.query.QueryException;
import io.widerow.query.logql.GroupReferences;
import io.widerow.query.logql.Metric;
import io.widerow.query.logql.Metric.SeriesFunction;
import io.widerow.query.logql.line.LineMemory;
import java.util.List;
import java.util.TreeMap;
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
      case Metric.LabelReplace replaced -> {
        Value inner = value(replaced.inner(), open(names.and(List.of(replaced.source()))));
        yield new Value(
            false, inner.series().stream().map(one -> replaced(replaced, one)).toList());
      }
      case Metric.Aggregate aggregate -> {
        requireInstant(aggregate.function());
        List<LogqlSeries> inner = value(aggregate.inner(), inside(aggregate, names)).series();
        yield new Value(
            false,
            isSumOfGroups(aggregate)
                ? inner
                : new VectorAggregation(execution, aggregate, steps.count()).of(inner));
      }
      case Metric.Binary binary -> {
        Metric.Labels on = binary.on();
        SeriesNames both = on == null || on.without() ? names : names.and(on.names());
        Metric.Many many = binary.many();
        both = many == null ? both : both.and(many.included());
        Value left = value(binary.left(), open(both));
        Value right = value(binary.right(), open(both));
        yield new Operations(execution, binary, steps.count()).of(left, right);
      }
    };
  }

  private void requireInstant(SeriesFunction function) {
    if (function == SeriesFunction.APPROX_TOPK && !steps.isInstant()) {
      throw new QueryException.Refused(
          "query", "approx_topk is only supported on instant queries; use topk over a range");
    }
  }

  private LogqlSeries replaced(Metric.LabelReplace replace, LogqlSeries series) {
    String source = series.labels().labels().getOrDefault(replace.source(), "");
    LineMemory memory = execution.lineMemory();
    memory.begin();
    Matcher found = replace.regex().matcher(memory.watched(source));
    if (!found.matches()) {
      return series;
    }
    String made = GroupReferences.expand(replace.replacement(), found, memory::reserveMade);
    TreeMap<String, String> labels = new TreeMap<>(series.labels().labels());
    labels.remove(replace.target());
    labels.values().removeIf(String::isEmpty); // as in Loki
    if (!made.isEmpty()) {
      labels.put(replace.target(), made);
    }
    LabelSet set = new LabelSet(labels);
    execution.hold(set.bytes());
    return series.withLabels(set);
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

  /// True for a sum of what can be counted in its groups already.
  private static boolean isSumOfGroups(Metric.Aggregate aggregate) {
    Metric.Labels grouping = aggregate.grouping();
    return aggregate.function() == SeriesFunction.SUM
        && aggregate.inner() instanceof Metric.Range range
        && range.function().isAdditive()
        && range.grouping() == null
        && (grouping == null || !grouping.without());
  }

  /// Which labels the series of an aggregation need. A sum of counts is the count of the group.
  private static SeriesNames inside(Metric.Aggregate aggregate, SeriesNames names) {
    Metric.@Nullable Labels grouping = aggregate.grouping();
    if (isSumOfGroups(aggregate)) {
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
