package io.widerow.query.logql.run;

import io.widerow.query.QueryBudget;
import io.widerow.query.QueryMemory;
import io.widerow.query.RangeQuery;
import io.widerow.query.RangeReader;
import io.widerow.query.ReadMode;
import io.widerow.query.SealedStore;
import io.widerow.query.StoreDirectory.Stored;
import io.widerow.query.TypeGlobs;
import io.widerow.query.aggregation.Aggregation;
import io.widerow.query.aggregation.StatsQuery;
import io.widerow.query.filter.FilterParser;
import io.widerow.query.logql.LogqlParser;
import io.widerow.query.logql.Metric;
import io.widerow.query.logql.line.LabelMapping;
import io.widerow.storage.EventCursor.Step;
import io.widerow.storage.Filter;
import io.widerow.storage.Grouping;
import io.widerow.storage.StoreView;
import java.io.IOException;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/// The cost of an aggregate in LogQL compared with the same aggregate of our own (`--stats`). The
/// goal is 1.2 times at most, in each form. The events are sealed, and the results are compared.
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
@Fork(1)
@Warmup(iterations = 4, time = 1)
@Measurement(iterations = 5, time = 1)
public class LogqlBench {
  private static final int EVENTS = 1_000_000;
  private static final int HOSTS = 100;
  private static final long STEP = 1_000_000L; // a millisecond
  private static final long START = 1_760_000_400_000_000_000L; // at an hour
  private static final List<String> REGIONS =
      List.of("us-east-1", "us-west-1", "us-west-2", "eu-west-1", "eu-central-1", "sa-east-1");

  /// The forms of the page about reading.
  public enum Form {
    COUNT("count", null, null, "sum(count_over_time(%s[1h]))", ""),
    COUNT_BY_REGION("count", "region", null, "sum by (region) (count_over_time(%s[1h]))", ""),
    COUNT_BY_HOST("count", "hostname", null, "sum by (hostname) (count_over_time(%s[1h]))", ""),
    COUNT_WHERE_NUMBER(
        "count",
        "region",
        "usage_user > 90",
        "sum by (region) (count_over_time(%s | usage_user > 90 [1h]))",
        ""),
    SUM("sum(usage_user)", null, null, "sum(sum_over_time(%s | unwrap usage_user [1h]))", ""),
    SUM_BY_REGION(
        "sum(usage_user)",
        "region",
        null,
        "sum by (region) (sum_over_time(%s | unwrap usage_user [1h]))",
        ""),
    SUM_OF_REGION(
        "sum(usage_user)",
        null,
        "region = \"us-east-1\"",
        "sum(sum_over_time(%s | unwrap usage_user [1h]))",
        ", region=\"us-east-1\""),
    AVG_BY_REGION(
        "avg(usage_user)",
        "region",
        null,
        "avg_over_time(%s | unwrap usage_user [1h]) by (region)",
        ""),
    MAX_BY_REGION(
        "max(usage_user)",
        "region",
        null,
        "max_over_time(%s | unwrap usage_user [1h]) by (region)",
        "");

    final String stats;
    final @Nullable String by;
    final @Nullable String where;
    final String logql;

    Form(String stats, @Nullable String by, @Nullable String where, String logql, String matchers) {
      this.stats = stats;
      this.by = by;
      this.where = where;
      this.logql = logql.formatted("{service_name=\"cpu\"" + matchers + "}");
    }
  }

  @Param public Form form = Form.COUNT;

  private final LabelMapping labels = new LabelMapping(LabelMapping.DEFAULT);
  private final QueryMemory memory = QueryMemory.unlimited();
  private SealedStore sealed;

  @Setup(Level.Trial)
  public void fill() throws IOException, InterruptedException {
    sealed = SealedStore.open("logql", config -> config);
    SplittableRandom random = new SplittableRandom(11);
    sealed.fill(EVENTS, Integer.MAX_VALUE, number -> event(number, random));
    double own = stats();
    double asked = logql();
    if (Math.abs(own - asked) > 1e-9 * Math.abs(own)) {
      throw new IllegalStateException("%s: %s and %s".formatted(form, own, asked));
    }
  }

  private static Stored event(int number, SplittableRandom random) {
    int host = number % HOSTS;
    return new Stored(
        "cpu",
        START + number * STEP,
        Map.of(
            "hostname", "host_" + host,
            "region", REGIONS.get(host % REGIONS.size()),
            "usage_user", (long) random.nextInt(101),
            "usage_system", (long) random.nextInt(101),
            "seq", (long) number));
  }

  @TearDown(Level.Trial)
  public void close() throws IOException {
    sealed.close();
  }

  /// The sum of the results of all groups.
  @Benchmark
  public double stats() {
    StatsQuery asked = Objects.requireNonNull(StatsQuery.parse(form.stats, form.by, null));
    String where = form.where;
    Filter filter = where == null ? new Filter.Everything() : FilterParser.parse(where, 0);
    Aggregation figures = new Aggregation(asked, _ -> {});
    RangeQuery query =
        RangeQuery.ALL
            .withTypes(new TypeGlobs(List.of("cpu")))
            .withFilter(filter)
            .withFields(asked.fields());
    Grouping fold = asked.fold();
    ReadMode mode = ReadMode.grouped(fold == null ? null : fold.withCells());
    try (StoreView view = sealed.store().view();
        RangeReader reader = RangeReader.open(view, query, mode, QueryBudget.DEFAULT, memory)) {
      while (reader.nextWhenReady() == Step.EVENT) {
        figures.add(reader.event());
      }
    }
    return figures.rows(ZoneOffset.UTC).stream()
        .mapToDouble(row -> Double.parseDouble(row.getLast().text()))
        .sum();
  }

  @Benchmark
  public double logql() {
    Metric metric = (Metric) LogqlParser.parse(form.logql);
    try (StoreView view = sealed.store().view();
        LogqlContext execution = new LogqlContext(view, labels, QueryBudget.DEFAULT, memory)) {
      Steps steps = Steps.at(START + EVENTS * STEP);
      return new MetricRun(execution, steps)
          .run(metric).series().stream().mapToDouble(series -> series.at(0)).sum();
    }
  }
}
