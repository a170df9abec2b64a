package io.widerow.query.logql.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.query.QueryBudget;
import io.widerow.query.QueryException;
import io.widerow.query.QueryMemory;
import io.widerow.query.StoreDirectory;
import io.widerow.query.StoreDirectory.Stored;
import io.widerow.query.logql.LogQuery;
import io.widerow.query.logql.LogqlParser;
import io.widerow.query.logql.Metric;
import io.widerow.query.logql.line.LabelMapping;
import io.widerow.storage.StoreConfig;
import io.widerow.storage.StoreView;
import io.widerow.storage.embedded.EmbeddedStore;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Goal: bytes are not read when the store can decide without them, and a cancelled query ends.
/// Method: compares the bytes read from the segment with the size of bodies that cannot be
/// compressed.
class LogqlPushdownTest {
  private static final int EVENTS = 4_000;
  private static final int BODY_CHARS = 400;
  private static final int SEGMENTS = 20;
  private static final int EACH = 1_000; // events of a segment
  private static final long SECOND = 1_000_000_000L;
  private static final long UNTIL = PlainLine.START + EVENTS / 10 * SECOND;

  private final QueryMemory memory = new QueryMemory(64 << 20);
  private final EmbeddedStore store;
  private final StoreView view;

  LogqlPushdownTest(@TempDir Path directory) {
    SplittableRandom random = new SplittableRandom(17);
    List<Stored> events = new ArrayList<>();
    for (int i = 0; i < EVENTS; i++) {
      StringBuilder body = new StringBuilder("begin ");
      while (body.length() < BODY_CHARS) {
        body.append((char) ('!' + random.nextInt(90)));
      }
      Map<String, Object> attributes = new TreeMap<>();
      attributes.put("body", body.toString());
      attributes.put("level", i % 4 == 0 ? "error" : "info");
      attributes.put(i % 2 == 0 ? "took.ms" : "took_ms", (long) (i % 100));
      attributes.put("env", i % 2 == 0 ? "prod" : "dev");
      attributes.put("whole", i % 3 == 0);
      String type = i % 10 == 0 ? "other" : "shop";
      events.add(new Stored(type, PlainLine.START + i * SECOND / 10, attributes));
    }
    StoreConfig config = StoreConfig.at(directory.resolve("s")).withJournal(8 << 20, 64 << 20);
    store = EmbeddedStore.open(config, Runnable::run);
    StoreDirectory.append(store, events);
    store.sealAll();
    view = store.view();
  }

  @AfterEach
  void close() {
    view.close();
    store.close();
  }

  private LogqlContext execution() {
    return new LogqlContext(
        view, new LabelMapping(LabelMapping.DEFAULT), QueryBudget.DEFAULT, memory);
  }

  private long bytesRead(String query, double expected) {
    return cost(query, expected).bytesRead();
  }

  private LogqlContext cost(String query, double expected) {
    try (LogqlContext execution = execution()) {
      Metric metric = (Metric) LogqlParser.parse(query);
      double sum = 0;
      for (LogqlSeries series : new MetricRun(execution, Steps.at(UNTIL)).run(metric).series()) {
        sum += series.at(0);
      }
      assertEquals(expected, sum, query);
      return execution;
    }
  }

  @Test
  void numbersAreComparedAndAddedWithoutLines() {
    long bodies = (long) EVENTS * BODY_CHARS / 2;
    LogqlContext compared =
        cost("sum by (env) (count_over_time({service_name=\"shop\"} | took_ms > 89 [1h]))", 360);
    assertEquals(360, compared.eventsKept(), "the store decides");
    assertTrue(compared.bytesRead() < bodies / 20, () -> compared.bytesRead() + " bytes");
    LogqlContext added =
        cost("sum(sum_over_time({service_name=\"other\"} | unwrap took_ms [1h]))", 40 * 450);
    assertEquals(400, added.eventsKept());
    assertTrue(added.bytesRead() < bodies / 20, () -> added.bytesRead() + " bytes");
    assertEquals(0, cost("sum(count_over_time({env=\"dev\"} | took_ms < 0 [1h]))", 0).eventsKept());
  }

  /// A truth value is no text: its line decides whether it matches, the store the other label.
  @Test
  void eventsThatOnlyTheirLinesDecideAreSelectedFirst() {
    for (String text : List.of("tr.*", "fals.")) {
      String query =
          "sum(count_over_time({env=\"prod\", whole=~\"%s\", service_name=\"shop\"}[1h]))"
              .formatted(text);
      LogqlContext counted = cost(query, text.equals("tr.*") ? 533 : 1_067);
      assertEquals(1_600, counted.eventsKept(), "of these, a line decides each");
    }
  }

  @Test
  void countsByLabelReadNoBodies() {
    long bodies = (long) EVENTS * BODY_CHARS / 2; // they need more than half a byte a character
    for (String query :
        List.of(
            "sum by (level, detected_level) (count_over_time({service_name=\"shop\"}"
                + " | drop __error__[1h]))",
            "sum by (env) (count_over_time({service_name=~\"sh.*\"} |= `` [1h]))",
            "sum(count_over_time({service_name=\"shop\"} | detected_level!=\"\" [1h]))",
            "count_over_time({service_name=\"shop\"}[1h])")) {
      assertTrue(bytesRead(query, 3_600) < bodies / 20, query);
    }
    assertTrue(
        bytesRead("sum(count_over_time({level=\"error\", env=\"prod\"}[1h]))", 1_000)
            < bodies / 20);
    assertTrue(bytesRead("sum(count_over_time({env=~\".+\"} |= \"begin\" [1h]))", 4_000) > bodies);
  }

  @Test
  void bodiesOfBlocksWithoutTheWordAreNotRead() {
    long bodies = (long) EVENTS * BODY_CHARS / 2;
    long none = bytesRead("count_over_time({} |= \" haystack \" [1h])", 0);
    assertTrue(none < bodies / 20, () -> none + " bytes");
  }

  @Test
  void windowsBeginAfterTheirStartAndHaveTheirEnd() {
    assertEquals(10, count("count_over_time({env=~\".+\"}[1s])", PlainLine.START + SECOND));
    assertEquals(1, count("count_over_time({env=~\".+\"}[1s])", PlainLine.START));
    assertEquals(0, count("count_over_time({env=~\".+\"}[1s])", PlainLine.START - 1));
    assertEquals(1, count("count_over_time({env=~\".+\"}[1s])", PlainLine.START + 1));
    assertEquals(
        10, count("count_over_time({env=~\".+\"}[1s] offset 5s)", PlainLine.START + 6 * SECOND));
  }

  /// The two ways to count: cells of minutes, and lines. Most events lie at the edges of windows.
  @Test
  void countsOfCellsAndOfLinesHaveTheSameWindows(@TempDir Path directory) {
    SplittableRandom random = new SplittableRandom(5);
    long minute = PlainLine.START / (60 * SECOND) * 60 * SECOND;
    List<Stored> events = new ArrayList<>();
    for (int i = 0; i < 300; i++) {
      long nanos =
          minute + random.nextInt(40) * 15L * SECOND + (i % 4 == 0 ? random.nextInt(3) - 1 : 0);
      events.add(new Stored("shop", nanos, new TreeMap<>(Map.of("body", "line " + i))));
    }
    events.sort((one, other) -> Long.compare(one.timeNanos(), other.timeNanos()));
    StoreConfig config = StoreConfig.at(directory).withJournal(8 << 20, 64 << 20);
    try (EmbeddedStore irregular = EmbeddedStore.open(config, Runnable::run)) {
      StoreDirectory.append(irregular, events.subList(0, 200));
      irregular.sealAll();
      StoreDirectory.append(irregular, events.subList(200, 300));
      try (StoreView of = irregular.view()) {
        for (String function : List.of("count_over_time", "rate", "absent_over_time")) {
          for (String window : List.of("[1m]", "[2m]", "[2m] offset 1m", "[1m] offset -3m")) {
            for (long off : new long[] {0, 1, -1, SECOND / 10, 30 * SECOND}) {
              for (int count : new int[] {1, 9}) {
                Steps steps = new Steps(minute + 120 * SECOND + off, 60 * SECOND, count);
                String query = "sum(" + function + "({service_name=\"shop\"} %s " + window + "))";
                String cells = points(of, query.formatted(""), steps);
                String lines = points(of, query.formatted("| line_format `x`"), steps);
                assertEquals(lines, cells, query + " at " + steps);
              }
            }
          }
        }
      }
    }
  }

  private String points(StoreView of, String query, Steps steps) {
    StringBuilder points = new StringBuilder();
    LabelMapping labels = new LabelMapping(LabelMapping.DEFAULT);
    try (var execution = new LogqlContext(of, labels, QueryBudget.DEFAULT, memory)) {
      Metric metric = (Metric) LogqlParser.parse(query);
      for (LogqlSeries one : new MetricRun(execution, steps).run(metric).series()) {
        points.append(one.labels());
        for (int i = 0; i < one.steps(); i++) {
          points.append(one.has(i) ? " " + one.at(i) : " _");
        }
      }
    }
    return points.toString();
  }

  private double count(String query, long at) {
    try (LogqlContext execution = execution()) {
      Metric metric = (Metric) LogqlParser.parse("sum(" + query + ")");
      List<LogqlSeries> series = new MetricRun(execution, Steps.at(at)).run(metric).series();
      return series.isEmpty() ? 0 : series.getFirst().at(0);
    }
  }

  @Test
  void whatIsNotThereIsOne() {
    Metric metric =
        (Metric) LogqlParser.parse("absent_over_time({service_name=\"shop\", env=~\"p.*\"}[10s])");
    try (LogqlContext execution = execution()) {
      Steps steps = new Steps(UNTIL, 10 * SECOND, 3);
      List<LogqlSeries> series = new MetricRun(execution, steps).run(metric).series();
      assertEquals("{service_name=\"shop\"}", series.getFirst().labels().toString());
      assertEquals(
          List.of(false, true, true),
          List.of(series.getFirst().has(0), series.getFirst().has(1), series.getFirst().has(2)));
    }
  }

  @Test
  void aCancelledQueryEnds() {
    try (LogqlContext execution = execution()) {
      LogQuery query = (LogQuery) LogqlParser.parse("{env=\"prod\"} |~ \"zzzzzz\"");
      execution.cancel();
      QueryException stopped =
          assertThrows(
              QueryException.Stopped.class,
              () ->
                  new LogRun(execution, query, new StreamEntries(execution, false))
                      .read(PlainLine.START, UNTIL, true, 10));
      assertEquals("the query was cancelled", stopped.getMessage());
      Metric metric = (Metric) LogqlParser.parse("rate({env=\"prod\"}[1m])");
      assertThrows(
          QueryException.Stopped.class,
          () -> new MetricRun(execution, Steps.at(UNTIL)).run(metric));
    }
    assertEquals(0, memory.bytesUsed());
  }

  @Test
  void anAnswerThatIsTooLargeIsRefused() {
    QueryMemory little = new QueryMemory(300_000);
    try (LogqlContext execution =
        new LogqlContext(
            view, new LabelMapping(LabelMapping.DEFAULT), QueryBudget.DEFAULT, little)) {
      LogQuery query = (LogQuery) LogqlParser.parse("{}");
      assertThrows(
          QueryException.OverBudget.class,
          () ->
              new LogRun(execution, query, new StreamEntries(execution, false))
                  .read(PlainLine.START, UNTIL, true, 10_000));
    }
    assertEquals(0, little.bytesUsed());
  }

  /// Segments overlap in time: read in order, some would hold a block each until their turn.
  @Test
  void linesOfManySegmentsNeedTheMemoryOfOne(@TempDir Path directory) {
    StoreConfig config = StoreConfig.at(directory).withJournal(8 << 20, 64 << 20);
    try (EmbeddedStore many = EmbeddedStore.open(config, Runnable::run)) {
      for (int segment = 0; segment < SEGMENTS; segment++) {
        List<Stored> events = new ArrayList<>();
        for (int i = 0; i < EACH; i++) {
          String body = "line %d ".formatted(i * SEGMENTS + segment) + "x".repeat(BODY_CHARS);
          long nanos = PlainLine.START + (long) i * SECOND / 10 + segment;
          events.add(new Stored("shop", nanos, new TreeMap<>(Map.of("body", body))));
        }
        StoreDirectory.append(many, events);
        many.sealAll();
      }
      QueryMemory little = new QueryMemory(4L * EACH * BODY_CHARS); // a block while it is decoded
      try (StoreView all = many.view();
          LogqlContext execution =
              new LogqlContext(
                  all, new LabelMapping(LabelMapping.DEFAULT), QueryBudget.DEFAULT, little)) {
        Metric metric = (Metric) LogqlParser.parse("count_over_time({} |= `7 x` [1h])");
        double sum = 0;
        for (LogqlSeries series : new MetricRun(execution, Steps.at(UNTIL)).run(metric).series()) {
          sum += series.at(0);
        }
        assertEquals(SEGMENTS * EACH / 10.0, sum);
      }
      assertEquals(0, little.bytesUsed());
    }
  }
}
