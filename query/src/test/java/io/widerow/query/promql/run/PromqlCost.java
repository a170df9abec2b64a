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
          Measured alone = new Measured(times);
          Measured helped = new Measured(times);
          measure(sealed, each, hours, List.of(alone, helped));
          System.out.printf(
              Locale.ROOT,
              "| %s | %.1f | %.1f | %.1f |%s%n",
              each.name,
              alone.median(alone.processor),
              alone.median(alone.wall),
              helped.median(helped.wall),
              alone.result == helped.result
                  ? ""
                  : " results %s and %s".formatted(alone.result, helped.result));
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

  /// Processor times of the thread and wall times, in milliseconds, and the sum of the result.
  private static final class Measured {
    private final double[] processor;
    private final double[] wall;
    private double result;

    Measured(int times) {
      processor = new double[times];
      wall = new double[times];
    }

    double median(double[] of) {
      Arrays.sort(of);
      return of[of.length / 2];
    }
  }

  /// Asks in turn without and with helpers, so that other work of the machine falls on both.
  private static void measure(
      SealedStore sealed, Question question, long hours, List<Measured> both) {
    List<ReadingThreads> threads = List.of(ReadingThreads.NONE, QueryThreads.start());
    int times = both.getFirst().wall.length;
    try (StoreView view = sealed.store().view()) {
      PromqlCost cost = new PromqlCost(view, hours);
      long end = System.nanoTime() + 2 * WARM_NANOS;
      for (int i = 0; i < times; i += System.nanoTime() < end ? 0 : 1) {
        for (int k = 0; k < both.size(); k++) {
          sealed.store().readWith(threads.get(k));
          Measured into = both.get(k);
          long start = System.nanoTime();
          long startProcessor = THREADS.getCurrentThreadCpuTime();
          cost.ask(question);
          into.processor[i] = (THREADS.getCurrentThreadCpuTime() - startProcessor) / 1e6;
          into.wall[i] = (System.nanoTime() - start) / 1e6;
          into.result = cost.result;
        }
      }
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
