package io.widerow.ingest.alert;

import io.widerow.query.QueryBudget;
import io.widerow.query.QueryException;
import io.widerow.query.QueryExecution;
import io.widerow.query.QueryMemory;
import io.widerow.query.fields.KnownFields;
import io.widerow.query.logql.Metric;
import io.widerow.query.logql.line.LabelMapping;
import io.widerow.query.logql.run.LogqlContext;
import io.widerow.query.logql.run.LogqlLimits;
import io.widerow.query.logql.run.LogqlSeries;
import io.widerow.query.logql.run.MetricRun;
import io.widerow.query.logql.run.Steps;
import io.widerow.query.promql.PromqlExpr;
import io.widerow.query.promql.PromqlParser;
import io.widerow.query.promql.run.Annotations;
import io.widerow.query.promql.run.PromqlBlocks;
import io.widerow.query.promql.run.PromqlValue;
import io.widerow.query.promql.run.Row;
import io.widerow.query.promql.run.SampleSource;
import io.widerow.query.promql.run.StepTimes;
import io.widerow.query.promql.run.StoreSamples;
import io.widerow.query.series.Labels;
import io.widerow.storage.Arrivals;
import io.widerow.storage.EventStore;
import io.widerow.storage.Filter;
import io.widerow.storage.LaneArrivals;
import io.widerow.storage.StoreView;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// Evaluates expressions of rules over a store.
///
/// - Threads: any; a [Pass] is of one.
public final class RuleReader {
  private static final long NANOS_PER_MILLISECOND = 1_000_000;
  private static final QueryBudget BUDGET =
      new QueryBudget(QueryBudget.DEFAULT.partitionsMax(), Long.MAX_VALUE, Duration.ofSeconds(30));

  private final EventStore store;
  private final QueryMemory memory;
  private final KnownFields known;
  private final LabelMapping labels;
  private final LogqlLimits limits;

  /// @param memory that all queries share
  /// @param known the counted fields of sealed blocks
  public RuleReader(
      EventStore store,
      QueryMemory memory,
      KnownFields known,
      LabelMapping labels,
      LogqlLimits limits) {
    this.store = store;
    this.memory = memory;
    this.known = known;
    this.labels = labels;
    this.limits = limits;
  }

  EventStore store() {
    return store;
  }

  /// Reads what the store has now.
  Pass open() {
    return new Pass(store.view(), null);
  }

  /// Evaluations over one view of the store.
  final class Pass implements AutoCloseable {
    private final StoreView view;
    private final @Nullable Filter seen;

    private Pass(StoreView view, @Nullable Filter seen) {
      this.view = view;
      this.seen = seen;
    }

    /// The same view without events that arrived later. It is closed with this one.
    ///
    /// @throws IllegalArgumentException when the store has several lanes, whose positions no filter
    ///   compares
    Pass asOf(String arrived) {
      if (Arrivals.parse(arrived) instanceof LaneArrivals lanes && lanes.laneLimits().size() == 1) {
        return new Pass(view, new Filter.ArrivedBefore(lanes.limitOf(0)));
      }
      throw new QueryException.Refused(
          "as-seen", "needs evaluations of a store with one lane, got position " + arrived);
    }

    private void limit(QueryExecution execution) {
      if (seen != null) {
        execution.seeOnly(seen);
      }
    }

    StoreView view() {
      return view;
    }

    /// The result at one time.
    ///
    /// @param recorded samples that the store does not have yet
    /// @throws RuntimeException of the query when there is none
    List<RuleSample> evaluate(RuleExpr expr, long millis, RecordedSamples recorded) {
      return switch (expr) {
        case RuleExpr.Promql(String text, PromqlExpr parsed) ->
            promql(text, parsed, StepTimes.at(millis), recorded).getFirst();
        case RuleExpr.Logql(String _, Metric metric) ->
            logql(metric, Steps.at(millis * NANOS_PER_MILLISECOND));
        case RuleExpr.Aggregate(AlertRule rule) -> {
          Evaluation.Value value =
              Evaluation.of(rule, view, millis * NANOS_PER_MILLISECOND, memory);
          recorded.show(value);
          yield value.isBeyond()
              ? List.of(new RuleSample(new Labels(List.of()), value.number()))
              : List.of();
        }
      };
    }

    /// The result of an expression of a template.
    List<RuleSample> query(String text, long millis, RecordedSamples recorded) {
      return promql(text, PromqlParser.parse("query", text), StepTimes.at(millis), recorded)
          .getFirst();
    }

    /// The results at several times.
    List<List<RuleSample>> promql(
        String text, PromqlExpr expr, StepTimes steps, RecordedSamples recorded) {
      try (QueryExecution execution = new QueryExecution(view, BUDGET, memory)) {
        limit(execution);
        SampleSource samples = recorded.over(StoreSamples.of(execution, expr, labels.attributes()));
        PromqlValue value =
            new PromqlBlocks(
                    execution, samples, steps, StepTimes.LOOKBACK_MILLIS, new Annotations(text))
                .run(expr);
        List<Row> rows =
            switch (value) {
              case PromqlValue.Rows(var all, boolean _) -> all;
              case PromqlValue.Scalars scalars -> List.of(scalars.row());
              default ->
                  throw new QueryException.Refused("expr", "rule result is not a vector or scalar");
            };
        List<List<RuleSample>> results = new ArrayList<>();
        for (int i = 0; i < steps.count(); i++) {
          List<RuleSample> result = new ArrayList<>();
          for (Row row : rows) {
            if (row.histogram(i) != null) {
              throw new QueryException.Refused(
                  "expr",
                  "rule result is a native histogram, at %s; use histogram_quantile or another"
                          .formatted(row.labels())
                      + " function of histograms");
            }
            if (row.has(i)) {
              result.add(new RuleSample(row.labels(), row.value(i)));
            }
          }
          results.add(result);
        }
        return results;
      }
    }

    private List<RuleSample> logql(Metric metric, Steps at) {
      try (LogqlContext execution = new LogqlContext(view, labels, known, limits, BUDGET, memory)) {
        limit(execution);
        List<RuleSample> result = new ArrayList<>();
        for (LogqlSeries series : new MetricRun(execution, at).run(metric).series()) {
          if (series.has(0)) {
            result.add(
                new RuleSample(Labels.of(new TreeMap<>(series.labels().labels())), series.at(0)));
          }
        }
        return result;
      }
    }

    @Override
    public void close() {
      view.close();
    }
  }
}
