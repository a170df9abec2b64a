package io.widerow.query;

import io.widerow.event.AttributeName;
import io.widerow.query.output.CsvWriter;
import io.widerow.query.output.EventWriter;
import io.widerow.query.output.JsonLinesWriter;
import io.widerow.query.output.OutputBuffer;
import io.widerow.query.result.QueryResult;
import io.widerow.storage.StoreConfig;
import io.widerow.storage.StoreView;
import io.widerow.storage.embedded.EmbeddedStore;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/// What does a metrics event cost, from sealed blocks through the merge to five fields as text? Ten
/// hosts, eleven fields, sixteen shards, one event per millisecond.
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(1)
@Warmup(iterations = 5, time = 2)
@Measurement(iterations = 5, time = 2)
public class RangeWriterBench {
  private static final int EVENTS = 200_000;
  private static final int BATCH = 1_000;
  private static final int VALUES = 10;
  private static final long START = 1_763_666_100_000_000_000L;
  private static final int PIECE_BYTES = 256 << 10;
  private static final List<AttributeName> FIELDS =
      List.of(
          AttributeName.of("hostname"),
          AttributeName.of("region"),
          AttributeName.of("usage_1"),
          AttributeName.of("usage_2"),
          AttributeName.of("seq"));

  private final OutputBuffer sink = new OutputBuffer(2 * PIECE_BYTES);
  private Path directory;
  private EmbeddedStore store;

  @Setup
  public void fill() throws IOException {
    directory = Files.createTempDirectory("widerow-bench-");
    store = EmbeddedStore.open(StoreConfig.at(directory.resolve("store")), Runnable::run);
    var random = new SplittableRandom(7);
    for (int i = 0; i < EVENTS; i += BATCH) {
      List<StoreDirectory.Stored> batch = new ArrayList<>();
      for (int at = i; at < i + BATCH; at++) {
        batch.add(new StoreDirectory.Stored("cpu", START + at * 1_000_000L, values(at, random)));
      }
      StoreDirectory.append(store, batch);
    }
    store.sealAll();
  }

  private static Map<String, Object> values(int number, SplittableRandom random) {
    Map<String, Object> values = new HashMap<>();
    values.put("hostname", "host_" + number % 10);
    values.put("region", number % 10 < 5 ? "eu-central-1" : "us-west-2");
    values.put("seq", (long) number);
    for (int i = 0; i < VALUES; i++) {
      values.put("usage_" + i, (long) random.nextInt(101));
    }
    return values;
  }

  @Benchmark
  @OperationsPerInvocation(EVENTS)
  public long csv() {
    return write(new CsvWriter(ZoneOffset.UTC, FIELDS));
  }

  @Benchmark
  @OperationsPerInvocation(EVENTS)
  public long jsonLines() {
    return write(new JsonLinesWriter(ZoneOffset.UTC, FIELDS));
  }

  private long write(EventWriter writer) {
    long bytes = 0;
    RangeQuery query = RangeQuery.ALL.withFields(FIELDS);
    try (StoreView view = store.view();
        var answer =
            new QueryResult(
                RangeReader.open(view, query, QueryBudget.DEFAULT), writer, query.after())) {
      while (answer.writeNext(sink)) {
        if (sink.length() >= PIECE_BYTES) {
          bytes += sink.length();
          sink.clear();
        }
      }
      if (answer.events() != EVENTS) {
        throw new IllegalStateException(answer.events() + " events of " + EVENTS);
      }
    }
    return bytes;
  }

  @TearDown
  public void close() throws IOException {
    store.close();
    try (var files = Files.walk(directory)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    }
  }
}
