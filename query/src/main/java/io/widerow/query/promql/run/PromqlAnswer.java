package io.widerow.query.promql.run;

import io.widerow.event.AttributeName;
import io.widerow.query.QueryException;
import io.widerow.query.QueryExecution;
import io.widerow.query.json.JsonException;
import io.widerow.query.json.JsonNode;
import io.widerow.query.logql.GoQuotes;
import io.widerow.query.logql.line.LabelMapping;
import io.widerow.query.promql.GoNumber;
import io.widerow.query.promql.PromqlException;
import io.widerow.query.promql.PromqlExpr;
import io.widerow.query.promql.PromqlParser;
import io.widerow.query.promql.PromqlPrinter;
import io.widerow.query.series.HistogramValue;
import io.widerow.query.series.Labels;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/// The value of an expression as texts, for people: of a store that is read here, or of a daemon.
///
/// @param all in the order of their labels, or in that of an instant query
/// @param remarks warnings and infos
public record PromqlAnswer(List<Series> all, List<String> remarks) {
  /// A series.
  ///
  /// @param name as a selector of it is written
  public record Series(String name, List<Point> points) {}

  /// A value: a number, or the count and the sum of a histogram.
  ///
  /// @param millis since the Unix epoch
  public record Point(long millis, String value) {}

  /// Parses an expression.
  ///
  /// @throws QueryException.Refused when it is none
  public static PromqlExpr parse(String query) {
    try {
      return PromqlParser.parse("query", query);
    } catch (PromqlException wrong) {
      throw new QueryException.Refused("query", String.valueOf(wrong.getMessage()));
    }
  }

  /// Evaluates an expression over a store.
  ///
  /// @param lookbackMillis how old the latest sample of a series may be
  public static PromqlAnswer of(
      QueryExecution execution, String query, StepTimes steps, long lookbackMillis) {
    PromqlExpr expr = parse(query);
    Set<AttributeName> labels = new LabelMapping(List.of("default")).attributes();
    Annotations annotations = new Annotations(query);
    try {
      StoreSamples samples = StoreSamples.of(execution, expr, labels);
      PromqlValue value =
          new PromqlBlocks(execution, samples, steps, lookbackMillis, annotations).run(expr);
      List<String> remarks = new ArrayList<>(annotations.warnings());
      remarks.addAll(annotations.infos());
      return new PromqlAnswer(series(value, steps), remarks);
    } catch (PromqlException wrong) {
      throw new QueryException.Refused("query", String.valueOf(wrong.getMessage()));
    }
  }

  private static List<Series> series(PromqlValue value, StepTimes steps) {
    return switch (value) {
      case PromqlValue.Text(String text) ->
          List.of(new Series("{}", List.of(new Point(steps.fromMillis(), text))));
      case PromqlValue.Scalars scalars -> List.of(of(scalars.row(), steps));
      case PromqlValue.Rows(var rows, boolean ordered) -> {
        List<Row> all = new ArrayList<>(rows);
        if (!ordered || steps.count() > 1) {
          all.sort(Comparator.comparing(Row::labels));
        }
        yield all.stream().filter(Row::hasAny).map(row -> of(row, steps)).toList();
      }
      case PromqlValue.Samples(var all) ->
          all.stream()
              .map(each ->
                  new Series(
                      name(each.labels()),
                      points(
                          each.millis().length,
                          i ->
                              new Point(
                                  each.millis()[i], text(each.values()[i], each.histogram(i))))))
              .toList();
    };
  }

  private static Series of(Row row, StepTimes steps) {
    return new Series(
        name(row.labels()),
        points(
            steps.count(),
            i ->
                row.has(i)
                    ? new Point(steps.time(i), text(row.value(i), row.histogram(i)))
                    : null));
  }

  private static List<Point> points(int count, IntFunction<@Nullable Point> point) {
    List<Point> points = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      Point each = point.apply(i);
      if (each != null) {
        points.add(each);
      }
    }
    return points;
  }

  private static String text(double value, @Nullable HistogramValue histogram) {
    return histogram == null
        ? GoNumber.json(value)
        : histogram(GoNumber.json(histogram.count()), GoNumber.json(histogram.sum()));
  }

  private static String histogram(String count, String sum) {
    return "count %s, sum %s".formatted(count, sum);
  }

  private static String name(Labels labels) {
    String name = labels.get(Labels.NAME);
    boolean bare = PromqlPrinter.isMetric(name);
    StringBuilder text = new StringBuilder(bare ? name : "");
    String before = "{";
    for (Labels.Label label : labels.all()) {
      if (!bare || !label.name().equals(Labels.NAME)) {
        text.append(before).append(PromqlPrinter.label(label.name())).append('=');
        text.append(GoQuotes.quoted(label.value()));
        before = ", ";
      }
    }
    return before.equals("{") ? text.isEmpty() ? "{}" : text.toString() : text + "}";
  }

  /// The response of a daemon.
  ///
  /// @throws QueryException.Remote when it is none
  public static PromqlAnswer ofJson(String json) {
    try {
      JsonNode whole = JsonNode.parse(json, JsonNode.DEPTH_MAX, _ -> {});
      List<String> remarks = new ArrayList<>();
      for (String member : List.of("warnings", "infos")) {
        JsonNode texts = whole.at(List.of(member));
        items(texts).forEach(each -> remarks.add(each.toString()));
      }
      JsonNode result = whole.at(List.of("data", "result"));
      JsonNode type = whole.at(List.of("data", "resultType"));
      if (result == null || type == null) {
        throw new QueryException.Remote("the response of the daemon has no result: " + json);
      }
      boolean isPoint = type.toString().equals("scalar") || type.toString().equals("string");
      return new PromqlAnswer(
          isPoint
              ? List.of(new Series("{}", List.of(point(result))))
              : items(result).stream().map(PromqlAnswer::series).toList(),
          remarks);
    } catch (JsonException | NumberFormatException | IndexOutOfBoundsException wrong) {
      throw new QueryException.Remote(
          "the response of the daemon is no JSON of Prometheus: " + json);
    }
  }

  private static List<JsonNode> items(@Nullable JsonNode list) {
    List<JsonNode> items = list == null ? null : list.items();
    return items == null ? List.of() : items;
  }

  private static Series series(JsonNode series) {
    List<Labels.Label> labels = new ArrayList<>();
    JsonNode metric = series.at(List.of("metric"));
    Map<String, JsonNode> members = metric == null ? null : metric.members();
    if (members != null) {
      members.forEach((name, value) -> labels.add(new Labels.Label(name, value.toString())));
    }
    List<Point> points = new ArrayList<>();
    for (String member : List.of("value", "histogram")) {
      JsonNode point = series.at(List.of(member));
      if (point != null) {
        points.add(point(point));
      }
    }
    for (String member : List.of("values", "histograms")) {
      items(series.at(List.of(member))).forEach(each -> points.add(point(each)));
    }
    points.sort(Comparator.comparingLong(Point::millis));
    return new Series(name(new Labels(labels)), points);
  }

  private static Point point(JsonNode pair) {
    List<JsonNode> items = items(pair);
    long millis = new BigDecimal(items.getFirst().toString()).movePointRight(3).longValue();
    JsonNode value = items.get(1);
    JsonNode count = value.at(List.of("count"));
    return new Point(
        millis,
        count == null
            ? value.toString()
            : histogram(count.toString(), String.valueOf(value.at(List.of("sum")))));
  }
}
