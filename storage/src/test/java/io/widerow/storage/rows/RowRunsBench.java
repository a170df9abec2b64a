package io.widerow.storage.rows;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.widerow.event.AttributeName;
import io.widerow.event.EventBatch;
import io.widerow.event.EventLayout;
import io.widerow.event.PartitionKey;
import io.widerow.event.TimeUuid;
import io.widerow.storage.EventCursor;
import io.widerow.storage.Filter;
import io.widerow.storage.Grouping;
import io.widerow.storage.Scan;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/// Question: what does a sample of an open row cost as a part of a run, compared with the filter on
/// each event alone?
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
public class RowRunsBench {
  private static final int EVENTS = 100_000;
  private static final PartitionKey KEY = new PartitionKey(0, 60, "hits", 0);
  private static final AttributeName VALUE = AttributeName.of("value");

  private final Filter filter = new Filter.Exists(VALUE);
  private final RowMemory memory = new RowMemory(64 << 20, 1);
  private final OpenRows rows = Objects.requireNonNull(OpenRows.tryOpen(0, memory, 0, 0));
  private Run run = new Run(rows.memory(), false);

  /// How many series take turns.
  @Param({"200", "5000"})
  public int series;

  /// Fills the row.
  @Setup
  public void fill() {
    byte[] type = KEY.type().getBytes(UTF_8);
    try (var batch = new EventBatch(1 << 16, 1 << 20)) {
      for (int i = 0; i < EVENTS; i++) {
        long nanos = i / series * 15_000_000_000L;
        batch.clear();
        batch.begin(type, 0, type.length, nanos);
        text(batch, "code", i % 10 == 0 ? "500" : "200");
        text(batch, "instance", "10.0.0.%d:9100".formatted(i % series / 20));
        text(batch, "job", "api");
        text(batch, "path", "/v1/path-" + i % 20);
        byte[] value = VALUE.toString().getBytes(UTF_8);
        batch.putDouble(value, 0, value.length, i);
        long at = batch.end() == null ? rows.copyIn(batch.memory(), 0, length(batch)) : -1;
        EventLayout.setIdTail(rows.memory(), at, TimeUuid.tailOf(nanos, 1, i));
        if (!rows.add(rows.row(KEY), at)) {
          throw new IllegalStateException("no room for event " + i);
        }
      }
    }
    run = rows.row(KEY).runs().getFirst();
    if (run.size() != EVENTS || runs() != EVENTS || filter() != EVENTS) {
      throw new IllegalStateException("they find different events");
    }
  }

  private static int length(EventBatch batch) {
    return EventLayout.length(batch.memory(), 0);
  }

  private static void text(EventBatch batch, String name, String value) {
    byte[] utf8 = name.getBytes(UTF_8);
    batch.putString(utf8, 0, utf8.length, value.getBytes(UTF_8));
  }

  @TearDown
  public void close() {
    rows.close();
    memory.close();
  }

  private RunCursor.Entries entries() {
    return RunCursor.Entries.from(rows.memory(), Long.MAX_VALUE, run, 0);
  }

  private static long weight(EventCursor opened) {
    long weight = 0;
    try (EventCursor cursor = opened) {
      while (cursor.next() == EventCursor.Step.EVENT) {
        weight += cursor.event().weight();
      }
    }
    return weight;
  }

  @Benchmark
  @OperationsPerInvocation(EVENTS)
  public long runs() {
    return weight(new RowRuns(entries(), new Grouping.Runs(VALUE, List.of()), Scan.all(), filter));
  }

  @Benchmark
  @OperationsPerInvocation(EVENTS)
  public long filter() {
    return weight(new RunCursor(entries(), false, false, Scan.all(), 0, filter, null));
  }
}
