package io.widerow.query.logql.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.faults.Seeds;
import io.widerow.faults.Slice;
import io.widerow.query.QueryBudget;
import io.widerow.query.QueryException;
import io.widerow.query.QueryMemory;
import io.widerow.query.StoreDirectory;
import io.widerow.query.StoreDirectory.Stored;
import io.widerow.query.logql.LogQuery;
import io.widerow.query.logql.LogqlParser;
import io.widerow.query.logql.Metric;
import io.widerow.query.logql.line.LabelMapping;
import io.widerow.query.logql.run.PlainMetric.Sample;
import io.widerow.storage.StoreConfig;
import io.widerow.storage.StoreView;
import io.widerow.storage.embedded.EmbeddedStore;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Goal: answers to LogQL are what a plain interpreter makes of the same lines, half of them in
/// segments and half in open rows. Method: generated queries, each of them as text and as a few
/// words of Java; `-Dseed=<n>` replays, `-Dlogql.queries=1000` asks more.
@Timeout(600)
class LogqlOracleTest {
  private static final int EVENTS = 300;
  private static final int QUERIES = Slice.of("logql.queries", 12, 60);
  private static final long SECOND = 1_000_000_000L;

  private final LabelMapping labels = new LabelMapping(LabelMapping.DEFAULT);
  private final QueryMemory memory = new QueryMemory(64 << 20);

  static List<Long> seeds() {
    return Seeds.of(2);
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void answersAreThoseOfThePlainInterpreter(long seed, @TempDir Path directory) {
    SplittableRandom random = new SplittableRandom(seed);
    Map<Stored, PlainLine> events = PlainLine.some(random, EVENTS);
    List<Stored> stored = new ArrayList<>(events.keySet());
    List<PlainLine> lines = new ArrayList<>(events.values());
    StoreConfig config = StoreConfig.at(directory.resolve("s")).withJournal(1 << 20, 4 << 20);
    try (EmbeddedStore store = EmbeddedStore.open(config, Runnable::run)) {
      StoreDirectory.append(store, stored.subList(0, EVENTS / 2));
      store.sealAll();
      StoreDirectory.append(store, stored.subList(EVENTS / 2, EVENTS));
      try (StoreView view = store.view()) {
        for (int i = 0; i < QUERIES; i++) {
          checkLines(view, new PlainQuery(random), lines, random.nextBoolean());
          checkNumbers(view, new PlainMetric(random), lines, random);
        }
      }
    }
    assertEquals(0, memory.bytesUsed(), "all memory is given back");
  }

  private LogqlContext execution(StoreView view) {
    return new LogqlContext(view, labels, QueryBudget.DEFAULT, memory);
  }

  private void checkLines(
      StoreView view, PlainQuery query, List<PlainLine> lines, boolean backward) {
    Map<LabelSet, List<String>> expected = new TreeMap<>();
    for (PlainLine each : backward ? lines.reversed() : lines) {
      PlainLine line = each.copy();
      if (query.run(line)) {
        Map<String, String> all = line.all();
        expected
            .computeIfAbsent(new LabelSet(new TreeMap<>(all)), _ -> new ArrayList<>())
            .add(line.nanos + " " + line.text);
      }
    }
    try (LogqlContext execution = execution(view)) {
      StreamEntries all = new StreamEntries(execution, false);
      new LogRun(execution, (LogQuery) LogqlParser.parse(query.text()), all)
          .read(PlainLine.START, PlainLine.START + 600 * SECOND, backward, 10_000);
      Map<LabelSet, List<String>> found = new TreeMap<>();
      ShownStreams.of(all)
          .forEach((stream, entries) -> {
            LabelSet known = stream.without(List.of("__error_details__"));
            for (ShownStreams.Entry entry : entries) {
              found
                  .computeIfAbsent(known, _ -> new ArrayList<>())
                  .add(entry.timeNanos() + " " + entry.text());
            }
          });
      sortFailed(expected); // their details made several streams of them
      sortFailed(found);
      assertEquals(expected, found, query.text());
    }
  }

  private static void sortFailed(Map<LabelSet, List<String>> streams) {
    streams.forEach((stream, lines) -> {
      if (stream.labels().containsKey("__error__")) {
        lines.sort(null);
      }
    });
  }

  private void checkNumbers(
      StoreView view, PlainMetric metric, List<PlainLine> lines, SplittableRandom random) {
    long start = PlainLine.START + random.nextInt(120) * SECOND + random.nextInt(2) * 123_456_789L;
    Steps steps =
        metric.isInstant()
            ? Steps.at(start)
            : new Steps(start, (30L + 15L * random.nextInt(3)) * SECOND, 1 + random.nextInt(8));
    Metric parsed = (Metric) LogqlParser.parse(metric.text());
    String what = metric.text() + " at " + steps;
    try (LogqlContext execution = execution(view)) {
      if (metric.fails(steps, lines)) {
        QueryException refused =
            assertThrows(
                QueryException.Refused.class,
                () -> new MetricRun(execution, steps).run(parsed),
                what);
        assertTrue(String.valueOf(refused.getMessage()).contains("pipeline error"), what);
        return;
      }
      List<LogqlSeries> series = new MetricRun(execution, steps).run(parsed).series();
      for (int i = 0; i < steps.count(); i++) {
        compare(metric.at(steps.at(i), lines), series, i, metric.hasTies(), what);
      }
    }
  }

  private static void compare(
      Collection<Sample> expected, List<LogqlSeries> series, int step, boolean ties, String what) {
    TreeMap<String, Double> wanted = new TreeMap<>();
    TreeMap<String, Double> found = new TreeMap<>();
    int number = 0;
    for (Sample sample : expected) {
      String key = ties ? "" : new LabelSet(new TreeMap<>(sample.labels())).toString();
      wanted.put(key + (ties ? rank(sample.value(), number++) : ""), sample.value());
    }
    number = 0;
    for (LogqlSeries one : series) {
      if (one.has(step)) {
        String key = ties ? "" : one.labels().toString();
        found.put(key + (ties ? rank(one.at(step), number++) : ""), one.at(step));
      }
    }
    String where = what + ", step " + step + ": " + wanted + " and " + found;
    assertEquals(wanted.size(), found.size(), where);
    List<Double> values = ties ? sorted(wanted.values()) : List.copyOf(wanted.values());
    List<Double> others = ties ? sorted(found.values()) : List.copyOf(found.values());
    if (!ties) {
      assertEquals(wanted.keySet(), found.keySet(), where);
    }
    for (int i = 0; i < values.size(); i++) {
      double value = values.get(i);
      double delta = Double.isFinite(value) ? Math.abs(value) * 1e-9 + 1e-9 : 1e-9;
      assertEquals(value, others.get(i), delta, where);
    }
  }

  private static String rank(double value, int number) {
    return value + " " + number;
  }

  private static List<Double> sorted(Collection<Double> values) {
    return values.stream().sorted().toList();
  }
}
