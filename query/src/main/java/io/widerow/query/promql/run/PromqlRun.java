package io.widerow.query.promql.run;

import io.widerow.query.promql.GoNumber;
import io.widerow.query.promql.PromqlException;
import io.widerow.query.promql.PromqlExpr;
import io.widerow.query.promql.PromqlExpr.Aggregate;
import io.widerow.query.promql.PromqlExpr.At;
import io.widerow.query.promql.PromqlExpr.Binary;
import io.widerow.query.promql.PromqlExpr.Call;
import io.widerow.query.promql.PromqlExpr.Place;
import io.widerow.query.promql.PromqlExpr.Range;
import io.widerow.query.promql.PromqlExpr.Selector;
import io.widerow.query.promql.PromqlExpr.Subquery;
import io.widerow.query.promql.PromqlExpr.Timing;
import io.widerow.query.promql.PromqlExpr.ValueType;
import io.widerow.query.promql.PromqlFunction;
import io.widerow.query.promql.PromqlPrinter;
import io.widerow.query.promql.run.PromqlValue.Rows;
import io.widerow.query.promql.run.PromqlValue.Scalars;
import io.widerow.query.series.HistogramEstimate;
import io.widerow.query.series.HistogramValue;
import io.widerow.query.series.Labels;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.function.DoubleUnaryOperator;
import java.util.function.IntPredicate;
import java.util.function.LongConsumer;
import java.util.function.ToDoubleFunction;

/// Evaluates an expression at all steps of a query at once.
///
/// - Threads: one.
/// - Memory: the rows of the operands and the samples of one selector at a time, reported before
///   they are allocated.
public final class PromqlRun {
  private static final long DEFAULT_STEP_MILLIS = 60_000;
  private static final long ROW_BYTES = 96;

  private static final Set<PromqlFunction> COUNTING =
      EnumSet.of(PromqlFunction.RATE, PromqlFunction.INCREASE, PromqlFunction.IRATE);

  private final SampleSource source;
  private final StepTimes whole;
  private final long lookbackMillis;
  private final Annotations annotations;
  private final LongConsumer memory;
  private final Helpers helpers;
  private StepTimes steps;

  /// @param whole the times of the query
  /// @param part those of them at which the expression is evaluated
  /// @param lookbackMillis how old the latest sample may be
  /// @param memory takes bytes before they are allocated, and may refuse
  /// @param helpers share the work with this thread
  public PromqlRun(
      SampleSource source,
      StepTimes whole,
      StepTimes part,
      long lookbackMillis,
      Annotations annotations,
      LongConsumer memory,
      Helpers helpers) {
    this.helpers = helpers;
    this.source = source;
    this.whole = whole;
    this.lookbackMillis = lookbackMillis;
    this.annotations = annotations;
    this.memory = memory;
    this.steps = part;
  }

  /// The value of the expression.
  ///
  /// @throws PromqlException when it has none
  public PromqlValue run(PromqlExpr expr) {
    PromqlExpr bare = expr.bare();
    if (expr.type() == ValueType.MATRIX && whole.count() > 1) {
      throw PromqlException.ofRequest(
          "invalid parameter \"query\": invalid expression type \"range vector\" for range query,"
              + " must be Scalar or instant Vector");
    }
    return switch (bare) {
      case PromqlExpr.TextLiteral(String text, Place _) -> {
        if (whole.stepMillis() > 0) {
          throw PromqlException.ofRequest(
              "invalid parameter \"query\": invalid expression type \"string\" for range query,"
                  + " must be Scalar or instant Vector");
        }
        yield new PromqlValue.Text(text);
      }
      case Range range -> windows(samples(range), range);
      case Subquery subquery -> windows(samples(subquery), subquery);
      default -> bare.type() == ValueType.SCALAR ? new Scalars(scalars(bare)) : rows(bare);
    };
  }

  /// Only the samples in the window of an instant query.
  private PromqlValue windows(List<SampleSource.Samples> all, PromqlExpr of) {
    long end = ends(timing(of))[0];
    long range = range(of);
    return new PromqlValue.Samples(
        all.stream()
            .map(each -> each.within(end - range, end))
            .filter(each -> each.millis().length > 0)
            .sorted(Comparator.comparing(SampleSource.Samples::labels))
            .toList());
  }

  private static Timing timing(PromqlExpr of) {
    return switch (of) {
      case Selector selector -> selector.timing();
      case Range range -> range.of().timing();
      case Subquery subquery -> subquery.timing();
      default -> throw new IllegalArgumentException("no samples: " + of);
    };
  }

  private long range(PromqlExpr of) {
    return switch (of) {
      case Range(var _, var range, var _) -> positive(range);
      case Subquery(var _, var range, var _, var _, var _) -> positive(range);
      default -> lookbackMillis;
    };
  }

  private long positive(PromqlExpr duration) {
    long millis = millis(constant(duration));
    if (millis <= 0) {
      throw PromqlException.ofExecution(
          "duration must be greater than 0, got " + PromqlPrinter.print(duration));
    }
    return millis;
  }

  private static long millis(double seconds) {
    if (!(Math.abs(seconds) < Long.MAX_VALUE / 1e6)) {
      throw PromqlException.ofExecution("duration out of range: " + GoNumber.shortest(seconds));
    }
    return Math.round(seconds * 1e3);
  }

  /// The value of a duration, in seconds.
  private double constant(PromqlExpr expr) {
    return scalars(expr)[0];
  }

  /// When the samples of a selector are taken, by step.
  private long[] ends(Timing timing) {
    PromqlExpr offset = timing.offset();
    long before = offset == null ? 0 : millis(constant(offset));
    long[] ends = new long[steps.count()];
    for (int i = 0; i < ends.length; i++) {
      ends[i] =
          switch (timing.at()) {
                case null -> steps.time(i);
                case At.Time(long millis) -> millis;
                case At.Start _ -> whole.fromMillis();
                case At.End _ -> whole.last();
              }
              - before;
    }
    return ends;
  }

  private void hold(long rows) {
    memory.accept(rows * (ROW_BYTES + (long) Double.BYTES * steps.count()));
  }

  /// A value for each step.
  private double[] scalars(PromqlExpr expr) {
    return switch (expr) {
      case PromqlExpr.NumberLiteral(double value, var _, var _) -> filled(value);
      case PromqlExpr.Parentheses(var of, var _) -> scalars(of);
      case PromqlExpr.Signed(boolean negative, var of, var _) -> {
        double[] values = scalars(of);
        yield negative ? each(values, value -> -value) : values;
      }
      case Binary(var operator, var left, var right, var _, var _, var _) -> {
        double[] one = scalars(left);
        double[] other = scalars(right);
        double[] result = values();
        for (int i = 0; i < result.length; i++) {
          result[i] = Operators.compute(operator, one[i], other[i]);
        }
        yield result;
      }
      case Call call -> scalarCall(call);
      default -> throw new IllegalArgumentException("no scalar: " + expr);
    };
  }

  private double[] values() {
    memory.accept((long) Double.BYTES * steps.count());
    return new double[steps.count()];
  }

  private double[] filled(double value) {
    double[] values = values();
    Arrays.fill(values, value);
    return values;
  }

  private double[] each(double[] of, DoubleUnaryOperator operator) {
    double[] mapped = values();
    Arrays.setAll(mapped, i -> operator.applyAsDouble(of[i]));
    return mapped;
  }

  private double[] times() {
    double[] times = values();
    for (int i = 0; i < times.length; i++) {
      times[i] = steps.time(i) / 1e3;
    }
    return times;
  }

  private double[] scalarCall(Call call) {
    List<PromqlExpr> arguments = call.arguments();
    return switch (call.function()) {
      case TIME -> times();
      case PI -> filled(Math.PI);
      case START -> filled(whole.fromMillis() / 1e3);
      case END -> filled(whole.last() / 1e3);
      case STEP -> filled(whole.stepMillis() / 1e3);
      case RANGE -> filled((whole.last() - whole.fromMillis()) / 1e3);
      case MIN_OF, MAX_OF -> {
        boolean most = call.function() == PromqlFunction.MAX_OF;
        double[] one = scalars(arguments.getFirst());
        double[] other = scalars(arguments.getLast());
        double[] result = values();
        for (int i = 0; i < result.length; i++) {
          result[i] = most ? Math.max(one[i], other[i]) : Math.min(one[i], other[i]);
        }
        yield result;
      }
      case SCALAR_OF -> RowLists.onlyValues(rows(arguments.getFirst()).all(), filled(Double.NaN));
      default -> throw new IllegalArgumentException("no scalar: " + call.function());
    };
  }

  private Rows rows(PromqlExpr expr) {
    return switch (expr) {
      case Selector selector -> new Rows(latest(selector, false));
      case PromqlExpr.Parentheses(var of, var _) -> rows(of);
      case PromqlExpr.Signed(boolean negative, var of, var _) -> {
        Rows rows = rows(of);
        yield negative ? negated(rows.all()) : rows;
      }
      case Aggregate aggregate -> aggregate(aggregate);
      case Binary binary -> binary(binary);
      case Call call -> call(call);
      default -> throw new IllegalArgumentException("no vector: " + expr);
    };
  }

  /// The latest sample of each series at each step.
  ///
  /// @param times whether the values are the times of the samples
  private List<Row> latest(Selector selector, boolean times) {
    long[] ends = ends(selector.timing());
    List<SampleSource.Samples> all = select(selector, ends, lookbackMillis);
    hold(all.size());
    return RowLists.withValues(
        all.stream().map(each -> each.latest(ends, lookbackMillis, times)).toList());
  }

  /// @param ends of the windows, which do not descend
  private List<SampleSource.Samples> select(Selector selector, long[] ends, long range) {
    List<SampleSource.Samples> all =
        new ArrayList<>(
            source.select(
                selector.matchers(),
                StepTimes.windows(ends, range),
                annotations.at(selector.place())));
    all.sort(Comparator.comparing(SampleSource.Samples::labels));
    return all;
  }

  /// The samples that the windows of all steps need, without markers.
  private List<SampleSource.Samples> samples(PromqlExpr of) {
    return switch (of) {
      case Range range ->
          select(range.of(), ends(range.of().timing()), range(range)).stream()
              .map(SampleSource.Samples::unmarked)
              .toList();
      case Subquery subquery -> subquery(subquery);
      case PromqlExpr.Parentheses(var inner, var _) -> samples(inner);
      default -> throw new IllegalArgumentException("no samples: " + of);
    };
  }

  private List<SampleSource.Samples> subquery(Subquery subquery) {
    long[] ends = ends(subquery.timing());
    long range = range(subquery);
    PromqlExpr given = subquery.step();
    long step = given == null ? DEFAULT_STEP_MILLIS : positive(given);
    long before = ends[0] - range;
    long first = Math.floorDiv(before, step) * step + step;
    long last = ends[ends.length - 1];
    if (last < first) {
      return List.of();
    }
    long count = (last - first) / step + 1;
    if (count > Integer.MAX_VALUE / 2) {
      throw PromqlException.ofExecution("a subquery of %d steps".formatted(count));
    }
    StepTimes outer = steps;
    steps = new StepTimes(first, step, (int) count);
    try {
      List<SampleSource.Samples> result = new ArrayList<>();
      for (Row row : rows(subquery.of()).all()) {
        result.add(samples(row));
      }
      return result;
    } finally {
      steps = outer;
    }
  }

  private SampleSource.Samples samples(Row row) {
    memory.accept((long) Long.BYTES * steps.count());
    long[] millis = new long[steps.count()];
    for (int i = 0; i < millis.length; i++) {
      millis[i] = steps.time(i);
    }
    return row.samples(millis).unmarked();
  }

  private Rows negated(List<Row> rows) {
    hold(2L * rows.size());
    return RowLists.merged(
        rows.stream()
            .map(row -> {
              Labels labels = LabelEdits.unnamed(row.labels());
              Row numbers = row.map(labels, value -> -value);
              return row.hasHistograms()
                  ? numbers.joined(row.mapHistograms(labels, each -> each.times(-1)))
                  : numbers;
            })
            .toList());
  }

  private Rows renamed(List<Row> rows, DoubleUnaryOperator operator) {
    hold(rows.size());
    return RowLists.merged(
        rows.stream().map(row -> row.map(LabelEdits.unnamed(row.labels()), operator)).toList());
  }

  private Rows aggregate(Aggregate of) {
    List<Row> rows = rows(of.of()).all();
    Aggregations aggregations = new Aggregations(of, rows, steps.count(), annotations);
    PromqlExpr parameter = of.parameter();
    hold(rows.size());
    return switch (of.operator()) {
      case TOPK, BOTTOMK -> {
        double[] counts = parameter == null ? filled(0) : scalars(parameter);
        yield new Rows(RowLists.withValues(aggregations.ranked(counts)), true);
      }
      case COUNT_VALUES -> new Rows(aggregations.counted(parameter == null ? "" : text(parameter)));
      case QUANTILE -> {
        double[] quantiles = parameter == null ? filled(0) : scalars(parameter);
        if (parameter != null) {
          annotations.warnOfQuantiles(quantiles, parameter.place());
        }
        yield new Rows(aggregations.run(quantiles));
      }
      default -> new Rows(aggregations.run(null));
    };
  }

  private Rows binary(Binary of) {
    if (of.matching() != null) {
      List<Row> left = rows(of.left()).all();
      List<Row> right = rows(of.right()).all();
      hold(left.size() + right.size());
      return RowLists.merged(
          RowLists.withValues(new Matches(of, left, right, steps.count(), annotations).run()));
    }
    boolean scalarFirst = of.left().type() == ValueType.SCALAR;
    List<Row> rows = rows(scalarFirst ? of.right() : of.left()).all();
    double[] scalars = scalars(scalarFirst ? of.left() : of.right());
    boolean renames = Operators.renames(of.operator(), of.bool());
    hold(rows.size());
    Pairs pairs = new Pairs(of, annotations);
    List<Row> result = new ArrayList<>();
    for (Row row : rows) {
      Row made =
          Row.empty(renames ? LabelEdits.unnamed(row.labels()) : row.labels(), steps.count());
      for (int i = 0; i < scalars.length; i++) {
        if (row.has(i)) {
          double value = row.value(i);
          HistogramValue histogram = row.histogram(i);
          if (scalarFirst) {
            pairs.put(made, i, scalars[i], null, value, histogram, value);
          } else {
            pairs.put(made, i, value, histogram, scalars[i], null, value);
          }
        }
      }
      result.add(made);
    }
    return RowLists.merged(RowLists.withValues(result));
  }

  private static String text(PromqlExpr expr) {
    return ((PromqlExpr.TextLiteral) expr.bare()).text();
  }

  private Rows call(Call call) {
    PromqlFunction function = call.function();
    List<PromqlExpr> arguments = call.arguments();
    DoubleUnaryOperator operator = ElementFunctions.of(function);
    if (operator != null) {
      return arguments.isEmpty()
          ? new Rows(List.of(new Row(LabelEdits.NONE, each(times(), operator))))
          : renamed(rows(arguments.getFirst()).all(), operator);
    }
    return switch (function) {
      case VECTOR_OF ->
          new Rows(List.of(new Row(LabelEdits.NONE, scalars(arguments.getFirst()).clone())));
      case ABSENT -> absent(call);
      case ABSENT_OVER_TIME -> absentOverTime(call);
      case TIMESTAMP -> timestamp(call);
      case SORT, SORT_DESC -> sorted(call);
      case CLAMP, CLAMP_MIN, CLAMP_MAX, ROUND -> withScalars(call);
      case LABEL_REPLACE ->
          RowLists.merged(
              LabelFunctions.replace(
                  rows(arguments.getFirst()).all(),
                  text(arguments.get(1)),
                  text(arguments.get(2)),
                  text(arguments.get(3)),
                  text(arguments.get(4))));
      case LABEL_JOIN ->
          RowLists.merged(
              LabelFunctions.join(
                  rows(arguments.getFirst()).all(),
                  text(arguments.get(1)),
                  text(arguments.get(2)),
                  arguments.stream().skip(3).map(PromqlRun::text).toList()));
      case HISTOGRAM_QUANTILE, HISTOGRAM_FRACTION -> histogram(call);
      case HISTOGRAM_AVG -> ofNatives(call, of -> of.sum() / of.count());
      case HISTOGRAM_COUNT -> ofNatives(call, HistogramValue::count);
      case HISTOGRAM_SUM -> ofNatives(call, HistogramValue::sum);
      case HISTOGRAM_STDVAR -> ofNatives(call, HistogramEstimate::variance);
      case HISTOGRAM_STDDEV -> ofNatives(call, of -> Math.sqrt(HistogramEstimate.variance(of)));
      default -> overTime(call);
    };
  }

  private Rows overTime(Call call) {
    PromqlFunction function = call.function();
    List<PromqlExpr> arguments = call.arguments();
    int window = function == PromqlFunction.QUANTILE_OVER_TIME ? 1 : 0;
    PromqlExpr of = arguments.get(window).bare();
    double[] parameters = filled(Double.NaN);
    if (arguments.size() > 1) {
      PromqlExpr parameter = arguments.get(1 - window);
      parameters = scalars(parameter);
      if (window == 1) {
        annotations.warnOfQuantiles(parameters, parameter.place());
      }
    }
    long[] ends = ends(timing(of));
    long range = range(of);
    List<SampleSource.Samples> all = samples(of);
    hold(all.size());
    Row[] rows =
        new RangeFunctions.Call(function, range, of.place(), annotations)
            .rows(all, ends, parameters, steps, helpers);
    List<Row> result = new ArrayList<>();
    for (int i = 0; i < rows.length; i++) {
      if (rows[i].hasAny()) {
        result.add(rows[i]);
        if (COUNTING.contains(function) && rows[i].hasNumbers()) {
          annotations.informOfCounter(all.get(i).labels().get(Labels.NAME), of.place());
        }
      }
    }
    return RowLists.merged(result);
  }

  private Rows absent(Call call) {
    PromqlExpr of = call.arguments().getFirst();
    List<Row> rows = rows(of).all();
    return absent(of, step -> rows.stream().anyMatch(row -> row.has(step)));
  }

  private Rows absentOverTime(Call call) {
    PromqlExpr of = call.arguments().getFirst().bare();
    long[] ends = ends(timing(of));
    long range = range(of);
    boolean[] present = new boolean[ends.length];
    for (SampleSource.Samples samples : samples(of)) {
      Window window = new Window(samples, range); // counts histograms, too
      for (int i = 0; i < present.length; i++) {
        window.moveTo(ends[i]);
        present[i] |= window.count() > 0;
      }
    }
    return absent(of instanceof Range range1 ? range1.of() : of, step -> present[step]);
  }

  private Rows absent(PromqlExpr of, IntPredicate isPresent) {
    Row row = Row.empty(LabelFunctions.ofAbsent(of), steps.count());
    for (int i = 0; i < steps.count(); i++) {
      if (!isPresent.test(i)) {
        row.values()[i] = 1;
      }
    }
    return new Rows(RowLists.withValues(List.of(row)));
  }

  private Rows timestamp(Call call) {
    PromqlExpr of = call.arguments().getFirst();
    if (of.bare() instanceof Selector selector) {
      return renamed(latest(selector, true), value -> value);
    }
    double[] times = times();
    List<Row> result = new ArrayList<>();
    for (Row row : rows(of).all()) {
      Row made = Row.empty(LabelEdits.unnamed(row.labels()), times.length);
      for (int i = 0; i < times.length; i++) {
        made.values()[i] = row.has(i) ? times[i] : Row.NONE;
      }
      result.add(made);
    }
    return RowLists.merged(result);
  }

  private Rows sorted(Call call) {
    Rows rows = rows(call.arguments().getFirst());
    if (whole.stepMillis() > 0) {
      annotations.warn(
          call.place(),
          "sort is ineffective for range queries since results are always ordered by labels");
      return rows;
    }
    boolean descending = call.function() == PromqlFunction.SORT_DESC;
    List<Row> sorted = new ArrayList<>(rows.all());
    sorted.removeIf(row -> !row.hasNumbers());
    if (steps.count() == 1) {
      sorted.sort((one, other) -> Aggregations.rank(one.value(0), other.value(0), descending));
    }
    return new Rows(sorted, true);
  }

  private Rows withScalars(Call call) {
    List<PromqlExpr> arguments = call.arguments();
    List<Row> rows = rows(arguments.getFirst()).all();
    double[] first = arguments.size() > 1 ? scalars(arguments.get(1)) : filled(1);
    double[] second = arguments.size() > 2 ? scalars(arguments.get(2)) : first;
    hold(rows.size());
    List<Row> result = new ArrayList<>();
    for (Row row : rows) {
      Row made = Row.empty(LabelEdits.unnamed(row.labels()), steps.count());
      for (int i = 0; i < first.length; i++) {
        if (row.hasNumber(i)) {
          made.values()[i] =
              ElementFunctions.apply(call.function(), row.value(i), first[i], second[i]);
        }
      }
      result.add(made);
    }
    return RowLists.merged(RowLists.withValues(result));
  }

  private Rows histogram(Call call) {
    boolean isQuantile = call.function() == PromqlFunction.HISTOGRAM_QUANTILE;
    List<PromqlExpr> arguments = call.arguments();
    double[] first = scalars(arguments.getFirst());
    double[] second = isQuantile ? first : scalars(arguments.get(1));
    if (isQuantile) {
      annotations.warnOfQuantiles(first, arguments.getFirst().place());
    }
    PromqlExpr buckets = arguments.getLast();
    HistogramFunctions histograms =
        new HistogramFunctions(
            rows(buckets).all(), buckets.place(), steps.count(), isQuantile, annotations);
    hold(histograms.count());
    return RowLists.merged(RowLists.withValues(histograms.run(first, second)));
  }

  /// A number of each native histogram.
  private Rows ofNatives(Call call, ToDoubleFunction<HistogramValue> figure) {
    List<Row> rows = rows(call.arguments().getFirst()).all();
    hold(rows.size());
    return RowLists.merged(
        RowLists.withValues(
            rows.stream()
                .map(row -> row.ofHistograms(LabelEdits.unnamed(row.labels()), figure))
                .toList()));
  }
}
