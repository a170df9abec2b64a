package io.widerow.ingest.alert;

import io.widerow.event.EventView;
import io.widerow.query.QueryBudget;
import io.widerow.query.QueryException;
import io.widerow.query.QueryExecution;
import io.widerow.query.QueryMemory;
import io.widerow.query.RangeQuery;
import io.widerow.query.RangeReader;
import io.widerow.query.fields.KnownFields;
import io.widerow.query.logql.Metric;
import io.widerow.query.logql.line.LabelMapping;
import io.widerow.query.logql.run.LogqlContext;
import io.widerow.query.logql.run.LogqlLimits;
import io.widerow.query.logql.run.LogqlSeries;
import io.widerow.query.logql.run.MetricRun;
import io.widerow.query.logql.run.Steps;
import io.widerow.query.promql.PromqlException;
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
import io.widerow.storage.EventCursor.Step;
import io.widerow.storage.EventStore;
import io.widerow.storage.Filter;
import io.widerow.storage.StoreView;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;
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
    return new Pass(store.view());
  }

  /// Evaluations over one view of the store.
  final class Pass implements GroupEvaluation.Results, AutoCloseable {
    private final StoreView view;

    private Pass(StoreView view) {
      this.view = view;
    }

    /// The same view without events that arrived at a position or later. It is closed with this
    /// one.
    Pass before(String arrived) {
      try {
        return new Pass(view.arrivedWithin(null, Arrivals.parse(arrived)));
      } catch (IllegalArgumentException ofCluster) {
        throw new QueryException.Refused("as-seen", String.valueOf(ofCluster.getMessage()));
      }
    }

    /// The same view without events that arrived before a position. It is closed with this one.
    Pass since(String arrived) {
      return new Pass(view.arrivedWithin(Arrivals.parse(arrived), null));
    }

    StoreView view() {
      return view;
    }

    /// The result at one time.
    ///
    /// @param recorded samples that the store does not have yet
    /// @throws RuntimeException of the query when there is none
    @Override
    public List<RuleSample> of(RuleExpr expr, long millis, RecordedSamples recorded) {
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

    @Override
    public List<RuleSample> ofTemplate(String text, long millis, RecordedSamples recorded) {
      return promql(text, PromqlParser.parse("query", text), StepTimes.at(millis), recorded)
          .getFirst();
    }

    /// The results at several times.
    List<List<RuleSample>> promql(
        String text, PromqlExpr expr, StepTimes steps, RecordedSamples recorded) {
      try (QueryExecution execution = new QueryExecution(view, BUDGET, memory)) {
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

    /// The first of several times at which an expression may read an event of this view that is not
    /// left out; null when it reads none at any of them.
    ///
    /// @param leaveOut events that do not count
    @Nullable Long firstReading(RuleExpr expr, StepTimes times, Predicate<EventView> leaveOut) {
      Map<Filter, RangeQuery> opened = new HashMap<>();
      long until = (times.time(times.count() - 1) + 1) * NANOS_PER_MILLISECOND;
      try (LogqlContext execution = new LogqlContext(view, labels, known, limits, BUDGET, memory)) {
        execution.whenOpened(query -> opened.merge(query.filter(), query, Pass::both));
        open(execution, expr, times, opened);
        for (RangeQuery query : opened.values()) {
          until = Math.max(until, query.untilNanos());
        }
        Long first = null;
        for (RangeQuery query : List.copyOf(opened.values())) {
          Long nanos = firstEvent(execution, query, leaveOut);
          if (nanos != null) {
            long back = (until - 1 - nanos) / NANOS_PER_MILLISECOND / times.stepMillis();
            int at = Math.toIntExact(Math.max(0, times.count() - 1 - back));
            long time = times.time(ofFixedTimes(expr) ? 0 : at);
            first = first == null ? time : Math.min(first, time);
          }
        }
        return first;
      } catch (PromqlException | QueryException unknown) {
        return times.time(0); // events of this view alone are no operands of it
      }
    }

    private void open(
        LogqlContext execution, RuleExpr expr, StepTimes times, Map<Filter, RangeQuery> opened) {
      switch (expr) {
        case RuleExpr.Promql(String text, PromqlExpr parsed) -> {
          SampleSource samples = StoreSamples.of(execution, parsed, labels.attributes());
          PromqlValue _ =
              new PromqlBlocks(
                      execution, samples, times, StepTimes.LOOKBACK_MILLIS, new Annotations(text))
                  .run(parsed);
        }
        case RuleExpr.Logql(String _, Metric metric) -> {
          Steps steps =
              new Steps(
                  times.fromMillis() * NANOS_PER_MILLISECOND,
                  times.stepMillis() * NANOS_PER_MILLISECOND,
                  times.count());
          metric.forEachRange(range -> new MetricRun(execution, steps).run(range));
        }
        case RuleExpr.Aggregate(AlertRule rule) -> {
          RangeQuery query = rule.question().query();
          long every = rule.question().figures().everyNanos();
          opened.put(
              query.filter(),
              query.withRange(
                  times.fromMillis() * NANOS_PER_MILLISECOND - every,
                  times.time(times.count() - 1) * NANOS_PER_MILLISECOND));
        }
      }
    }

    private static RangeQuery both(RangeQuery one, RangeQuery other) {
      return one.withRange(
          Math.min(one.fromNanos(), other.fromNanos()),
          Math.max(one.untilNanos(), other.untilNanos()));
    }

    private static boolean ofFixedTimes(RuleExpr expr) {
      return expr instanceof RuleExpr.Promql promql && ExprParts.of(promql.expr()).isOfFixedTime();
    }

    private static @Nullable Long firstEvent(
        QueryExecution execution, RangeQuery query, Predicate<EventView> leaveOut) {
      if (query.fromNanos() >= query.untilNanos()) {
        return null;
      }
      try (RangeReader reader = execution.open(query.withFields(null))) {
        while (reader.nextWhenReady() == Step.EVENT) {
          if (!leaveOut.test(reader.event())) {
            return reader.event().timeNanos();
          }
        }
      }
      return null;
    }

    @Override
    public void close() {
      view.close();
    }
  }
}
