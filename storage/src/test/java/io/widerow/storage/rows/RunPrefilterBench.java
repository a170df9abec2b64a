package io.widerow.storage.rows;

import io.widerow.event.AttributeKind;
import io.widerow.event.AttributeName;
import io.widerow.event.AttributeValue;
import io.widerow.event.EventBatch;
import io.widerow.event.EventLayout;
import io.widerow.event.PartitionKey;
import io.widerow.event.RecordView;
import io.widerow.event.Text;
import io.widerow.event.TimeUuid;
import io.widerow.faults.AccessLogEvents;
import io.widerow.storage.Filter;
import io.widerow.storage.FilterEvaluation;
import io.widerow.storage.ScanWatch;
import java.lang.foreign.MemorySegment;
import java.time.Instant;
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

/// Question: what does it cost to search an event of an open row for a rare word, with the
/// prefilter and with the filter alone, in a process that also filters texts of segments and in one
/// that does not?
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 4, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(2)
public class RunPrefilterBench {
  private static final int EVENTS = 100_000;
  private static final PartitionKey KEY = new PartitionKey(0, 60, "apache.access", 0);

  private final Filter filter = new Filter.Contains(AttributeName.BODY, Text.of("Liferea"));
  private final RowMemory memory = new RowMemory(64 << 20, 1);
  private final OpenRows rows = Objects.requireNonNull(OpenRows.tryOpen(0, memory, 0, 0));
  private final RecordView view = new RecordView();
  private final AttributeValue value = new AttributeValue();
  private Run run = new Run(rows.memory(), false);

  /// Whether the filter has processed texts of segments.
  @Param({"true", "false"})
  public boolean segments;

  /// Fills the row.
  @Setup
  public void fill() {
    try (var batch = new EventBatch(1 << 20, 64 << 20)) {
      new AccessLogEvents(AccessLogEvents.REAL_LOG, 1, Instant.EPOCH, 20_000, 0)
          .fill(batch, EVENTS);
      long from = 0;
      for (int arrival = 0; arrival < EVENTS; arrival++) {
        int length = EventLayout.length(batch.memory(), from);
        long at = rows.copyIn(batch.memory(), from, length);
        EventLayout.setIdTail(rows.memory(), at, TimeUuid.tailOf(0, 1, arrival));
        if (!rows.add(rows.row(KEY), at)) {
          throw new IllegalStateException("no room for event " + arrival);
        }
        from += EventLayout.alignedLength(length);
      }
    }
    run = rows.row(KEY).runs().getFirst();
    if (run.size() != EVENTS || prefilter() != filter()) {
      throw new IllegalStateException("they find different events");
    }
    if (segments) {
      filterTextsInArrays();
    }
  }

  private void filterTextsInArrays() {
    byte[] text = new byte[300];
    value.setText(AttributeKind.STRING, MemorySegment.ofArray(text), 0, 300);
    Text needle = Text.of("Liferea");
    for (int i = 0; i < 100_000; i++) {
      if (needle.isIn(value.memory(), value.offset(), value.length())) {
        throw new IllegalStateException("found in zeros");
      }
    }
  }

  @TearDown
  public void close() {
    rows.close();
    memory.close();
  }

  @Benchmark
  @OperationsPerInvocation(EVENTS)
  public int prefilter() {
    RunPrefilter prefilter = new RunPrefilter(rows.memory(), run, filter);
    int found = 0;
    for (int from = 0; from < EVENTS; from += ScanWatch.EVENTS_BETWEEN) {
      prefilter.lookThrough(from, Math.min(EVENTS, from + ScanWatch.EVENTS_BETWEEN));
      for (int at = prefilter.next(from); at >= 0; at = prefilter.next(at + 1)) {
        found++;
      }
    }
    return found;
  }

  @Benchmark
  @OperationsPerInvocation(EVENTS)
  public int filter() {
    int found = 0;
    for (int i = 0; i < EVENTS; i++) {
      view.show(rows.memory(), run.eventOffset(i));
      found += FilterEvaluation.keeps(filter, view, value) ? 1 : 0;
    }
    return found;
  }
}
