package io.widerow.ingest.alert;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.widerow.ingest.LocalStore;
import io.widerow.ingest.config.AlertmanagerAddress;
import io.widerow.ingest.config.DaemonConfig;
import io.widerow.ingest.decode.IncomingBatch;
import io.widerow.ingest.lane.BatchOutcome;
import io.widerow.ingest.lane.BatchPool;
import io.widerow.ingest.lane.Lanes;
import io.widerow.ingest.lane.SpinThenParkWaitStrategy;
import io.widerow.query.QueryMemory;
import io.widerow.query.fields.KnownFields;
import io.widerow.query.logql.line.LabelMapping;
import io.widerow.query.logql.run.LogqlLimits;
import io.widerow.query.promql.PromqlParser;
import io.widerow.query.promql.run.StepTimes;
import io.widerow.storage.Durability;
import io.widerow.storage.EventStore;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;

/// A store with lanes and an engine of rules, whose clock and executor a test moves.
final class RuleBed implements AutoCloseable {
  static final long SECOND = 1_000;
  static final long MINUTE = 60 * SECOND;

  final long start;
  final Path rules;
  final QueryMemory memory = new QueryMemory(1 << 26);
  private final Path data;
  private final Queue<Runnable> tasks = new ArrayDeque<>();
  private final List<AlertmanagerAddress> alertmanagers;
  EventStore store;
  Lanes lanes;
  AlertEngine engine;
  long now; // milliseconds
  private final long lateMillis;
  private final int laneCount;

  RuleBed(Path directory, AlertmanagerAddress... alertmanagers) throws IOException {
    this(directory, 1, 0, 0, alertmanagers);
  }

  /// @param laneCount lanes of the store
  /// @param lateMillis for how long evaluations are made again
  /// @param days how long ago the clock begins, in addition to an hour
  RuleBed(
      Path directory,
      int laneCount,
      long lateMillis,
      int days,
      AlertmanagerAddress... alertmanagers)
      throws IOException {
    long hours = Math.floorDiv(Instant.now().getEpochSecond(), 3_600) - 1 - 24L * days;
    this.start = hours * 60 * MINUTE;
    this.now = start;
    this.laneCount = laneCount;
    this.lateMillis = lateMillis;
    this.data = directory.resolve("store");
    this.rules = Files.createDirectories(directory.resolve("rules"));
    this.alertmanagers = List.of(alertmanagers);
    store = openStore();
    lanes = openLanes();
    engine = openEngine();
  }

  private EventStore openStore() {
    return LocalStore.open(
        DaemonConfig.of(
            Map.of(
                "data",
                data.toString(),
                "lanes",
                String.valueOf(laneCount),
                "disk-reserve-bytes",
                "0")));
  }

  private Lanes openLanes() {
    Lanes opened =
        new Lanes(
            store,
            new Lanes.Settings(64, 1_000, 1 << 12, 900),
            () -> new SpinThenParkWaitStrategy(10_000),
            new BatchPool(1 << 24, 1 << 16, 64),
            new SimpleMeterRegistry(),
            () -> now / 1_000);
    opened.start();
    return opened;
  }

  private RuleReader reader() {
    LabelMapping labels = new LabelMapping(DaemonConfig.at(data).lokiLabels());
    return new RuleReader(store, memory, new KnownFields(), labels, LogqlLimits.DEFAULT);
  }

  private AlertEngine openEngine() {
    return AlertEngine.of(
        reader(),
        memory,
        lanes,
        1 << 16,
        new RuleDirectory(rules, MINUTE),
        new Alertmanagers(alertmanagers, MINUTE, new TreeMap<>(), () -> now * 1_000_000),
        new AlertEngine.Settings(MINUTE, 0, lateMillis, "http://w", new TreeMap<>()),
        () -> now * 1_000_000,
        tasks::add);
  }

  /// Another process on the same store.
  void restart() {
    engine.stop();
    lanes.close();
    store.close();
    store = openStore();
    lanes = openLanes();
    engine = openEngine();
  }

  void file(String name, String text) throws IOException {
    Path file = rules.resolve(name);
    Files.createDirectories(rules.relativize(file).getNameCount() > 1 ? file.getParent() : rules);
    Files.writeString(file, text);
    boolean _ = engine.reload(true);
  }

  /// Stores an event with a whole number.
  void event(String type, long millis, String name, long value) {
    TreeMap<String, Object> all = new TreeMap<>();
    all.put(name, value);
    write(type, millis, all);
  }

  /// Stores a sample.
  ///
  /// @param labels names and values
  void sample(String metric, long millis, double value, String... labels) {
    TreeMap<String, Object> all = new TreeMap<>();
    for (int i = 0; i < labels.length; i += 2) {
      all.put(labels[i], labels[i + 1]);
    }
    all.put("value", value);
    write(metric, millis, all);
  }

  private void write(String type, long millis, Map<String, Object> all) {
    IncomingBatch batch = lanes.begin(now * 1_000_000);
    add(batch, type, millis, all);
    store(batch);
  }

  private static void add(IncomingBatch batch, String type, long millis, Map<String, Object> all) {
    byte[] typeBytes = type.getBytes(StandardCharsets.UTF_8);
    batch.events.begin(typeBytes, 0, typeBytes.length, millis * 1_000_000);
    all.forEach((name, each) -> {
      byte[] bytes = name.getBytes(StandardCharsets.UTF_8);
      if (each instanceof Double number) {
        batch.events.putDouble(bytes, 0, bytes.length, number);
      } else if (each instanceof Long number) {
        batch.events.putLong(bytes, 0, bytes.length, number);
      } else {
        byte[] text = each.toString().getBytes(StandardCharsets.UTF_8);
        batch.events.putString(bytes, 0, bytes.length, text);
      }
    });
    assertEquals(true, batch.end());
  }

  /// Stores samples of a metric with the label `job` in one batch.
  ///
  /// @param values by job
  void samples(String metric, long millis, Map<String, Double> values) {
    IncomingBatch batch = lanes.begin(now * 1_000_000);
    for (Map.Entry<String, Double> each : values.entrySet()) {
      TreeMap<String, Object> all = new TreeMap<>();
      all.put("job", each.getKey());
      all.put("value", each.getValue());
      add(batch, metric, millis, all);
    }
    store(batch);
  }

  private void store(IncomingBatch batch) {
    CompletableFuture<BatchOutcome> done = new CompletableFuture<>();
    lanes.write(batch, null, Durability.DISK, done::complete);
    BatchOutcome outcome = done.join();
    assertEquals(BatchOutcome.Stored.class, outcome.getClass(), outcome.toString());
  }

  /// Sets the clock, and evaluates what is due.
  void at(long millisSinceStart) {
    now = start + millisSinceStart;
    engine.tick();
    while (!tasks.isEmpty()) {
      tasks.remove().run();
    }
  }

  /// Evaluates every ten seconds up to a time.
  void until(long millisSinceStart) {
    while (now < start + millisSinceStart) {
      at(now - start + 10 * SECOND);
    }
  }

  List<String> history() {
    List<String> lines = new ArrayList<>();
    engine.history(start - 60 * MINUTE, now + MINUTE, lines::add);
    return lines;
  }

  /// The result of a query: labels and value, in order.
  List<String> query(String expression, long millis) {
    try (RuleReader.Pass pass = reader().open()) {
      return pass
          .promql(
              expression,
              PromqlParser.parse("query", expression),
              StepTimes.at(millis),
              new RecordedSamples())
          .getFirst()
          .stream()
          .map(each -> each.labels().map() + " " + each.value())
          .sorted()
          .toList();
    }
  }

  @Override
  public void close() {
    engine.stop();
    lanes.close();
    store.close();
    assertEquals(0, memory.bytesUsed());
  }
}
