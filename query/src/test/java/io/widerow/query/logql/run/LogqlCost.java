package io.widerow.query.logql.run;

import io.widerow.query.QueryBudget;
import io.widerow.query.QueryMemory;
import io.widerow.query.RangeQuery;
import io.widerow.query.RangeReader;
import io.widerow.query.ReadMode;
import io.widerow.query.SealedStore;
import io.widerow.query.StoreDirectory.Stored;
import io.widerow.query.aggregation.Aggregation;
import io.widerow.query.aggregation.StatsQuery;
import io.widerow.query.filter.FilterParser;
import io.widerow.query.logql.LogQuery;
import io.widerow.query.logql.LogqlParser;
import io.widerow.query.logql.Metric;
import io.widerow.query.logql.line.LabelMapping;
import io.widerow.query.output.JsonLinesWriter;
import io.widerow.query.output.OutputBuffer;
import io.widerow.storage.EventCursor.Step;
import io.widerow.storage.Filter;
import io.widerow.storage.Grouping;
import io.widerow.storage.StoreView;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.function.ToDoubleFunction;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// What does a question about fields cost through LogQL, compared with `--stats` and the filters of
/// the store? Both ways in turn over lines of an access log with seven fields, four types and 25
/// hours, all sealed. Prints processor time of the thread, medians, and the median of the ratios of
/// pairs, which other load on the machine hardly changes. The results are compared.
///
/// ```
/// java -cp ... LogqlCost loadgen/logs/apache_access.log [events] [pairs] [name]
/// ```
final class LogqlCost {
  private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();
  private static final Pattern LINE =
      Pattern.compile(
          "(\\S+) \\S+ \\S+ \\[[^]]+] \"(\\S+) (\\S+)[^\"]*\" (\\d{3}) (\\d+|-) \"([^\"]*)\""
              + " \"([^\"]*)\".*");
  private static final long START = 1_760_000_400_000_000_000L; // at an hour
  private static final long HOUR = 3_600_000_000_000L;
  private static final long RANGE = 25 * HOUR;
  private static final long WARM_NANOS = 3_000_000_000L;
  private static final List<String> TYPES = List.of("shop", "web", "api", "static");

  /// Aggregates: `stats`, `by`, `every` and `where`, and LogQL with its step; an instant without.
  private record Aggregates(
      String name,
      String stats,
      @Nullable String by,
      @Nullable String every,
      @Nullable String where,
      String logql,
      long stepNanos) {
    static Aggregates counting(String name, String where, String logql) {
      return new Aggregates(
          name, "count", null, null, where, "sum(count_over_time(" + logql + "[25h]))", 0);
    }
  }

  /// Events: `where`, and LogQL.
  private record Lines(
      String name, @Nullable String where, String logql, long limit, long fromNanos) {}

  private static final List<Aggregates> AGGREGATES =
      List.of(
          new Aggregates("count", "count", null, null, null, "sum(count_over_time({}[25h]))", 0),
          new Aggregates(
              "count by minute",
              "count",
              null,
              "1m",
              null,
              "sum(count_over_time({}[1m]))",
              60_000_000_000L),
          new Aggregates(
              "count by status",
              "count",
              "status",
              null,
              null,
              "sum by (status) (count_over_time({}[25h]))",
              0),
          new Aggregates(
              "count by status and hour",
              "count",
              "status",
              "1h",
              null,
              "sum by (status) (count_over_time({}[1h]))",
              HOUR),
          new Aggregates(
              "p99(bytes) by status",
              "p99(bytes)",
              "status",
              null,
              null,
              "quantile_over_time(0.99, {} | unwrap bytes [25h]) by (status)",
              0),
          new Aggregates(
              "top 10 clients by sum(bytes)",
              "sum(bytes)",
              "client",
              null,
              null,
              "topk(10, sum by (client) (sum_over_time({} | unwrap bytes [25h])))",
              0),
          new Aggregates(
              "avg(bytes) by status and hour",
              "avg(bytes)",
              "status",
              "1h",
              null,
              "avg_over_time({} | unwrap bytes [1h]) by (status)",
              HOUR),
          new Aggregates(
              "max(bytes) by type",
              "max(bytes)",
              "type",
              null,
              null,
              "max_over_time({} | unwrap bytes [25h]) by (service_name)",
              0),
          new Aggregates(
              "distinct(client)",
              "distinct(client)",
              null,
              null,
              null,
              "count(sum by (client) (count_over_time({} | client!=\"\" [25h])))",
              0),
          Aggregates.counting("status = 404", "status = 404", "{status=\"404\"}"),
          Aggregates.counting("status = 404, a stage", "status = 404", "{} | status=404 "),
          Aggregates.counting("bytes > 100000", "bytes > 100000", "{} | bytes > 100000 "),
          Aggregates.counting(
              "a text in the body", "body contains \"presentations\"", "{} |= `presentations` "),
          Aggregates.counting(
              "a rare text in the body", "body contains \"robots.txt\"", "{} |= `robots.txt` "),
          Aggregates.counting("an absent text", "body contains \"zzyzx\"", "{} |= `zzyzx` "),
          Aggregates.counting(
              "an expression on the body",
              "body ~ \"GET /(images|files)/\"",
              "{} |~ `GET /(images|files)/` "),
          Aggregates.counting(
              "an expression on the agent",
              "agent ~ \"Chrome/3[0-9]\"",
              "{agent=~`.*Chrome/3[0-9].*`}"),
          Aggregates.counting(
              "an expression on the path", "path ~ \"^/blog/.*/$\"", "{} | path=~`/blog/.*/` "));

  private static final List<Lines> LINES =
      List.of(
          new Lines("latest 100", null, "{}", 100, START),
          new Lines("latest 100 of a type", "type = \"web\"", "{service_name=\"web\"}", 100, START),
          new Lines("latest 100 of status 404", "status = 404", "{status=\"404\"}", 100, START),
          new Lines("one hour in order", null, "{}", Long.MAX_VALUE, START + RANGE - HOUR));

  private final LabelMapping labels = new LabelMapping(LabelMapping.DEFAULT);
  private final QueryMemory memory = QueryMemory.unlimited();
  private final SealedStore sealed;
  private final int pairs;
  private final String only; // in the names of the questions that are asked

  private LogqlCost(SealedStore sealed, int pairs, String name) {
    this.sealed = sealed;
    this.pairs = pairs;
    this.only = name;
  }

  public static void main(String[] args) throws IOException, InterruptedException {
    int events = args.length > 1 ? Integer.parseInt(args[1]) : 1_000_000;
    int pairs = args.length > 2 ? Integer.parseInt(args[2]) : 9;
    List<Map<String, Object>> lines = lines(Path.of(args[0]));
    SplittableRandom random = new SplittableRandom(11);
    try (SealedStore sealed = SealedStore.open("logql", config -> config)) {
      sealed.fill(
          events,
          10,
          number ->
              new Stored(
                  TYPES.get(random.nextInt(TYPES.size())),
                  START + (long) ((double) number / events * RANGE) + 1,
                  lines.get(random.nextInt(lines.size()))));
      sealed.merge();
      LogqlCost cost = new LogqlCost(sealed, pairs, args.length > 3 ? args[3] : "");
      for (Aggregates each : AGGREGATES) {
        cost.measure(each.name, view -> cost.stats(each, view), view -> cost.logql(each, view));
      }
      cost.measure("index/stats", cost::count, cost::indexStats);
      cost.measure("index/volume by type", cost::count, cost::volume);
      for (Lines each : LINES) {
        cost.measure(each.name, view -> cost.json(each, view), view -> cost.streams(each, view));
      }
    }
  }

  private static List<Map<String, Object>> lines(Path file) throws IOException {
    List<Map<String, Object>> lines = new ArrayList<>();
    for (String line : Files.readAllLines(file)) {
      Matcher parts = LINE.matcher(line);
      Map<String, Object> event = new TreeMap<>();
      if (parts.matches()) {
        event.put("client", parts.group(1));
        event.put("method", parts.group(2));
        event.put("path", parts.group(3));
        event.put("status", Long.parseLong(parts.group(4)));
        if (!parts.group(5).equals("-")) {
          event.put("bytes", Long.parseLong(parts.group(5)));
        }
        event.put("referrer", parts.group(6));
        event.put("agent", parts.group(7));
        event.put("body", parts.group(2) + " " + parts.group(3));
      } else {
        event.put("body", line);
      }
      lines.add(event);
    }
    return lines;
  }

  private void measure(
      String name, ToDoubleFunction<StoreView> own, ToDoubleFunction<StoreView> asked) {
    if (!name.contains(only)) {
      return;
    }
    double[] owns = new double[pairs];
    double[] others = new double[pairs];
    double[] ratios = new double[pairs];
    double result = 0;
    double other = 0;
    try (StoreView view = sealed.store().view()) {
      long end = System.nanoTime() + WARM_NANOS;
      while (System.nanoTime() < end) {
        result = own.applyAsDouble(view);
        other = asked.applyAsDouble(view);
      }
      for (int pair = 0; pair < pairs; pair++) {
        double one = 0;
        double two = 0;
        for (int turn = 0; turn < 2; turn++) {
          long start = THREADS.getCurrentThreadCpuTime();
          if ((turn + pair) % 2 == 0) {
            result = own.applyAsDouble(view);
            one = (THREADS.getCurrentThreadCpuTime() - start) / 1e6;
          } else {
            other = asked.applyAsDouble(view);
            two = (THREADS.getCurrentThreadCpuTime() - start) / 1e6;
          }
        }
        owns[pair] = one;
        others[pair] = two;
        ratios[pair] = two / one;
      }
    }
    Arrays.sort(owns);
    Arrays.sort(others);
    Arrays.sort(ratios);
    System.out.printf(
        Locale.ROOT,
        "| %s | %.2f | %.2f | %.2f |%s%n",
        name,
        owns[pairs / 2],
        others[pairs / 2],
        ratios[pairs / 2],
        Math.abs(result - other) <= 1e-3 * Math.abs(result)
            ? ""
            : " results %s and %s".formatted(result, other));
  }

  private Filter filter(@Nullable String where) {
    return where == null ? new Filter.Everything() : FilterParser.parse(where, 0);
  }

  /// The sum of the results of all groups, at most ten of them.
  private double stats(Aggregates of, StoreView view) {
    StatsQuery asked = Objects.requireNonNull(StatsQuery.parse(of.stats, of.by, of.every));
    if ("client".equals(of.by)) {
      asked = asked.withOrder("sum(bytes) desc").withLimit(10);
    }
    Aggregation figures = new Aggregation(asked, _ -> {});
    RangeQuery query =
        RangeQuery.ALL
            .withRange(START, START + RANGE)
            .withFilter(filter(of.where))
            .withFields(asked.fields());
    Grouping fold = asked.fold();
    ReadMode mode = ReadMode.grouped(fold == null ? null : fold.withCells());
    try (RangeReader reader = RangeReader.open(view, query, mode, QueryBudget.DEFAULT, memory)) {
      while (reader.nextWhenReady() == Step.EVENT) {
        figures.add(reader.event());
      }
    }
    return figures.rows(ZoneOffset.UTC).stream()
        .filter(row -> !row.getLast().text().isEmpty())
        .mapToDouble(row -> Double.parseDouble(row.getLast().text()))
        .sum();
  }

  private double count(StoreView view) {
    return stats(AGGREGATES.getFirst(), view);
  }

  private double indexStats(StoreView view) {
    try (LogqlContext execution = new LogqlContext(view, labels, QueryBudget.DEFAULT, memory)) {
      Volumes.Stats stats = new Volumes(execution).stats(List.of(), START, START + RANGE + 1);
      if (stats.bytes() == 0 || stats.streams() != TYPES.size()) {
        throw new IllegalStateException(stats.toString());
      }
      return stats.entries();
    }
  }

  /// The number of events, for the comparison of results.
  private double volume(StoreView view) {
    try (LogqlContext execution = new LogqlContext(view, labels, QueryBudget.DEFAULT, memory)) {
      LogQuery all = new LogQuery(List.of(), List.of());
      List<LogqlSeries> volumes =
          new Volumes(execution)
              .volume(all, List.of("service_name"), Steps.at(START + RANGE), RANGE, 10);
      if (volumes.size() != TYPES.size()) {
        throw new IllegalStateException(volumes.size() + " types");
      }
    }
    return count(view);
  }

  private double logql(Aggregates of, StoreView view) {
    Metric metric = (Metric) LogqlParser.parse(of.logql);
    try (LogqlContext execution = new LogqlContext(view, labels, QueryBudget.DEFAULT, memory)) {
      Steps steps =
          of.stepNanos == 0
              ? Steps.at(START + RANGE)
              : Steps.of(START + of.stepNanos, START + RANGE, of.stepNanos);
      double sum = 0;
      for (LogqlSeries series : new MetricRun(execution, steps).run(metric).series()) {
        for (int i = 0; i < series.steps(); i++) {
          sum += series.has(i) ? series.at(i) : 0;
        }
      }
      return sum;
    }
  }

  /// The number of lines.
  private double json(Lines of, StoreView view) {
    RangeQuery query =
        RangeQuery.ALL
            .withRange(of.fromNanos, START + RANGE + 1)
            .withFilter(filter(of.where))
            .withLimit(of.limit)
            .withDescending(true);
    JsonLinesWriter writer = new JsonLinesWriter(ZoneOffset.UTC);
    OutputBuffer out = new OutputBuffer(1 << 16);
    double lines = 0;
    try (RangeReader reader =
        RangeReader.open(view, query, ReadMode.IN_ORDER, QueryBudget.DEFAULT, memory)) {
      while (reader.nextWhenReady() == Step.EVENT) {
        writer.event(reader.event(), out);
        lines++;
      }
    }
    return lines;
  }

  private double streams(Lines of, StoreView view) {
    OutputBuffer out = new OutputBuffer(1 << 16);
    try (LogqlContext execution = new LogqlContext(view, labels, QueryBudget.DEFAULT, memory)) {
      StreamEntries entries = new StreamEntries(execution, true);
      new LogRun(execution, (LogQuery) LogqlParser.parse(of.logql), entries)
          .read(of.fromNanos, START + RANGE + 1, true, of.limit);
      LokiJson.streams(entries, execution, out);
      return entries.count();
    }
  }
}
