package io.widerow.query.promql.run;

import io.widerow.query.logql.GoQuotes;
import io.widerow.query.promql.GoNumber;
import io.widerow.query.promql.PromqlException;
import io.widerow.query.promql.PromqlExpr.Aggregate;
import io.widerow.query.promql.PromqlExpr.Aggregator;
import io.widerow.query.promql.PromqlExpr.Place;
import io.widerow.query.series.HistogramValue;
import io.widerow.query.series.Labels;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// An aggregation of rows: each group of them becomes a row, or some of its rows are kept.
///
/// - Threads: one.
final class Aggregations {
  private final Aggregate of;
  private final int steps;
  private final Annotations annotations;
  private final Map<Labels, List<Row>> groups = new LinkedHashMap<>();

  Aggregations(Aggregate of, List<Row> rows, int steps, Annotations annotations) {
    this.of = of;
    this.annotations = annotations;
    this.steps = steps;
    for (Row row : rows) {
      groups.computeIfAbsent(group(row.labels()), _ -> new ArrayList<>()).add(row);
    }
  }

  private Labels group(Labels labels) {
    if (of.without()) {
      return LabelEdits.unnamed(LabelEdits.without(labels, of.labels()));
    }
    return of.labels().isEmpty() ? LabelEdits.NONE : LabelEdits.only(labels, of.labels());
  }

  /// The result of an operator without parameter, or of a quantile.
  ///
  /// @param parameters by step; null without one
  List<Row> run(double @Nullable [] parameters) {
    List<Row> result = new ArrayList<>();
    double[] values = new double[groups.values().stream().mapToInt(List::size).max().orElse(0)];
    groups.forEach((labels, rows) -> {
      Row row = Row.empty(labels, steps);
      for (int step = 0; step < steps; step++) {
        int count = 0;
        int histograms = 0;
        for (Row each : rows) {
          if (each.hasNumber(step)) {
            values[count++] = each.value(step);
          } else if (each.has(step)) {
            histograms++;
          }
        }
        if (histograms > 0) {
          count = withHistograms(rows, step, count, histograms, row);
        }
        if (count > 0) {
          row.values()[step] =
              value(values, count, parameters == null ? Double.NaN : parameters[step]);
        }
      }
      result.add(row);
    });
    return result;
  }

  /// Adds the histograms of a group, or counts them.
  ///
  /// @param numbers how many numbers there are, too
  /// @return how many numbers the value is to be computed from
  private int withHistograms(List<Row> rows, int step, int numbers, int histograms, Row to) {
    return switch (of.operator()) {
      case COUNT, GROUP -> {
        to.values()[step] = of.operator() == Aggregator.COUNT ? numbers + histograms : 1;
        yield 0;
      }
      case SUM, AVG -> {
        total(rows, step, numbers, to);
        yield 0;
      }
      default -> {
        ignored();
        yield numbers;
      }
    };
  }

  /// Sets the sum or the mean of the histograms of a group, unless there are numbers, too.
  private void total(List<Row> rows, int step, int numbers, Row to) {
    Place place = of.of().place();
    if (numbers > 0) {
      annotations.warn(place, "encountered a mix of histograms and floats for aggregation");
      return;
    }
    HistogramTotal total = new HistogramTotal();
    for (Row row : rows) {
      HistogramValue histogram = row.histogram(step);
      if (histogram != null && !total.add(histogram)) {
        annotations.warnOfSchemas("", place);
        return;
      }
    }
    total.annotate(annotations, place);
    HistogramValue made = total.value(of.operator() == Aggregator.AVG);
    if (made != null) {
      to.set(step, made);
    }
  }

  private void ignored() {
    annotations.info(
        of.of().place(),
        "ignored histogram in %s aggregation"
            .formatted(of.operator().name().toLowerCase(Locale.ROOT)));
  }

  private double value(double[] values, int count, double parameter) {
    return switch (of.operator()) {
      case SUM -> sum(values, count);
      case AVG -> KahanSum.mean(values, 0, count);
      case COUNT -> count;
      case GROUP -> 1;
      case MIN, MAX -> extreme(values, count);
      case STDVAR -> Window.variance(values, 0, count);
      case STDDEV -> Math.sqrt(Window.variance(values, 0, count));
      case QUANTILE -> Window.quantile(parameter, Arrays.copyOf(values, count));
      default -> throw new IllegalArgumentException("not of one value: " + of.operator());
    };
  }

  private static double sum(double[] values, int count) {
    KahanSum sum = new KahanSum();
    for (int i = 0; i < count; i++) {
      sum.add(values[i]);
    }
    return sum.value();
  }

  private double extreme(double[] values, int count) {
    boolean most = of.operator() == Aggregator.MAX;
    double found = values[0];
    for (int i = 1; i < count; i++) {
      if (Double.isNaN(found) || (most ? values[i] > found : values[i] < found)) {
        found = values[i];
      }
    }
    return found;
  }

  /// The rows with the greatest or least values of each group.
  ///
  /// @param counts how many at a step
  List<Row> ranked(double[] counts) {
    boolean most = of.operator() == Aggregator.TOPK;
    for (double count : counts) {
      if (Double.isNaN(count)) {
        throw PromqlException.ofExecution("Parameter value is NaN");
      }
      if (!(Math.abs(count) < Long.MAX_VALUE)) {
        throw PromqlException.ofExecution(
            "Scalar value %s overflows int64".formatted(GoNumber.shortest(count)));
      }
    }
    List<Row> result = new ArrayList<>();
    for (List<Row> rows : groups.values()) {
      List<Row> kept = new ArrayList<>();
      rows.forEach(row -> kept.add(Row.empty(row.labels(), steps)));
      for (int step = 0; step < steps; step++) {
        Ranking ranking = new Ranking(rows, step, (long) counts[step], most);
        for (int i = 0; i < rows.size(); i++) {
          if (rows.get(i).hasNumber(step)) {
            ranking.add(i);
          } else if (rows.get(i).has(step)) {
            ignored();
          }
        }
        for (int i = 0; i < ranking.size(); i++) {
          int row = ranking.row(i);
          kept.get(row).values()[step] = rows.get(row).value(step);
        }
      }
      if (steps == 1) { // in the order of their values
        kept.removeIf(row -> !row.hasAny());
        kept.sort((one, other) -> rank(one.value(0), other.value(0), most));
      }
      result.addAll(kept);
    }
    return result;
  }

  /// NaN is last in both orders.
  static int rank(double one, double other, boolean descending) {
    if (Double.isNaN(one) || Double.isNaN(other)) {
      return Boolean.compare(Double.isNaN(one), Double.isNaN(other));
    }
    return one == other ? 0 : (one < other) == descending ? 1 : -1;
  }

  /// How often each value occurs, as a row with the value in a label.
  List<Row> counted(String label) {
    if (label.isEmpty()) {
      throw PromqlException.ofExecution(
          "invalid label name " + GoQuotes.quoted(label) + " in aggregation");
    }
    Map<Labels, Row> result = new LinkedHashMap<>();
    groups.forEach((group, rows) -> {
      for (Row row : rows) {
        for (int step = 0; step < steps; step++) {
          if (row.has(step)) {
            HistogramValue histogram = row.histogram(step);
            String text =
                histogram == null ? GoNumber.plain(row.value(step)) : histogram.toString();
            Labels labels = LabelEdits.with(group, label, text);
            double[] counts =
                result.computeIfAbsent(labels, _ -> Row.empty(labels, steps)).values();
            counts[step] = Row.isNone(counts[step]) ? 1 : counts[step] + 1;
          }
        }
      }
    });
    return List.copyOf(result.values());
  }
}
