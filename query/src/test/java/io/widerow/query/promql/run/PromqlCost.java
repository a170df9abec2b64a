package io.widerow.query.promql.run;

import io.widerow.query.QueryBudget;
import io.widerow.query.QueryExecution;
import io.widerow.query.QueryMemory;
import io.widerow.query.QueryThreads;
import io.widerow.query.SealedStore;
import io.widerow.query.StoreDirectory.Stored;
import io.widerow.query.promql.PromqlExpr;
import io.widerow.query.promql.PromqlParser;
import io.widerow.storage.ReadingThreads;
import io.widerow.storage.StoreView;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;

/// What do questions of PromQL cost, and how much sooner is the answer there with other threads?
/// 200 counters with a sample each 15 s, all sealed and merged. Prints medians: processor time and
/// wall time of one thread, and wall time with helpers.
///
/// ```
/// java -cp ... PromqlCost [hours] [times] [name]
/// ```
final class PromqlCost {
  private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();
  private static final long START_MILLIS = 1_760_000_400_000L; // at an hour
  private static final long HOUR_MILLIS = 3_600_000;
  private static final long EVERY_MILLIS = 15_000;
  private static final int SERIES = 200;
  private static final int PATHS = 20;
  private static final int HITS_MAX = 200;
  private static final long WARM_NANOS = 3_000_000_000L;

  /// A question over the last hours, or all of them.
  private record Question(String name, String text, long hours, long stepMillis) {}

  private static final List<Question> QUESTIONS =
      List.of(
          new Question("rate by label, 1 h by 15 s", "sum by (path) (rate(x[5m]))", 1, 15_000),
          new Question("topk of the rate, 1 h by 60 s", "topk(10, rate(x[5m]))", 1, 60_000),
          new Question("topk at an instant", "topk(10, x)", 0, 1),
          new Question("sum by label, 24 h by 60 s", "sum by (path) (x)", 24, 60_000),
          new Question("rate, all by 1 h", "rate(x[5m])", -1, HOUR_MILLIS),
          new Question("average, all by 1 h", "sum(avg_over_time(x[1h]))", -1, HOUR_MILLIS),
          new Question("average of an hour, 24 h by 60 s", "avg_over_time(x[1h])", 24, 60_000));

  private final StoreView view;
  private final long hours;
  private double result;

  private PromqlCost(StoreView view, long hours) {
    this.view = view;
    this.hours = hours;
  }

  public static void main(String[] args) throws IOException, InterruptedException {
    int hours = args.length > 0 ? Integer.parseInt(args[0]) : 50;
    int times = args.length > 1 ? Integer.parseInt(args[1]) : 9;
    String only = args.length > 2 ? args[2] : "";
    SplittableRandom random = new SplittableRandom(1);
    double[] values = new double[SERIES];
    try (SealedStore sealed = SealedStore.open("promql", config -> config)) {
      sealed.fill(
          (int) (hours * HOUR_MILLIS / EVERY_MILLIS) * SERIES,
          10,
          number -> {
            int series = number % SERIES;
            values[series] += random.nextInt(HITS_MAX);
            return new Stored("x", nanos(number / SERIES), attributes(series, values[series]));
          });
      sealed.merge();
      for (Question each : QUESTIONS) {
        if (each.name.contains(only)) {
          double[] alone = measure(sealed, each, hours, times, ReadingThreads.NONE);
          double[] helped = measure(sealed, each, hours, times, QueryThreads.start());
          System.out.printf(
              Locale.ROOT,
              "| %s | %.1f | %.1f | %.1f |%s%n",
              each.name,
              alone[0],
              alone[1],
              helped[1],
              alone[2] == helped[2] ? "" : " results %s and %s".formatted(alone[2], helped[2]));
        }
      }
    }
  }

  private static long nanos(int scrape) {
    return (START_MILLIS + scrape * EVERY_MILLIS) * 1_000_000;
  }

  private static Map<String, Object> attributes(int series, double value) {
    Map<String, Object> attributes = new TreeMap<>();
    attributes.put("code", series % 10 == 0 ? "500" : "200");
    attributes.put("instance", "10.0.0." + series / PATHS + ":9100");
    attributes.put("job", "api");
    attributes.put("path", "/v1/path-" + series % PATHS);
    attributes.put("value", value);
    return attributes;
  }

  /// Processor time of the thread, wall time, in milliseconds, and the sum of the result.
  private static double[] measure(
      SealedStore sealed, Question question, long hours, int times, ReadingThreads threads) {
    sealed.store().readWith(threads);
    double[] processor = new double[times];
    double[] wall = new double[times];
    try (StoreView view = sealed.store().view()) {
      PromqlCost cost = new PromqlCost(view, hours);
      long end = System.nanoTime() + WARM_NANOS;
      while (System.nanoTime() < end) {
        cost.ask(question);
      }
      for (int i = 0; i < times; i++) {
        long start = System.nanoTime();
        long startProcessor = THREADS.getCurrentThreadCpuTime();
        cost.ask(question);
        processor[i] = (THREADS.getCurrentThreadCpuTime() - startProcessor) / 1e6;
        wall[i] = (System.nanoTime() - start) / 1e6;
      }
      Arrays.sort(processor);
      Arrays.sort(wall);
      return new double[] {processor[times / 2], wall[times / 2], cost.result};
    }
  }

  private void ask(Question question) {
    long end = START_MILLIS + hours * HOUR_MILLIS;
    long length = (question.hours < 0 ? hours : question.hours) * HOUR_MILLIS;
    int count = (int) (length / question.stepMillis) + 1;
    StepTimes steps = new StepTimes(end - length, question.stepMillis, count);
    PromqlExpr expr = PromqlParser.parse("query", question.text);
    try (QueryExecution execution =
        new QueryExecution(view, QueryBudget.DEFAULT, QueryMemory.unlimited())) {
      PromqlValue.Rows rows =
          (PromqlValue.Rows)
              new PromqlBlocks(
                      execution,
                      StoreSamples.of(execution, expr, Set.of()),
                      steps,
                      StepTimes.LOOKBACK_MILLIS,
                      new Annotations(question.text))
                  .run(expr);
      result = 0;
      for (Row row : rows.all()) {
        for (int i = 0; i < count; i++) {
          result += row.has(i) ? row.value(i) : 0;
        }
      }
    }
  }
}
