package io.widerow.storage.segment;

import io.widerow.event.AttributeName;
import io.widerow.event.AttributeValue;
import io.widerow.event.Text;
import io.widerow.faults.MemoryDisk;
import io.widerow.faults.TestEvent;
import io.widerow.storage.EventCursor;
import io.widerow.storage.Filter;
import io.widerow.storage.Scan;
import io.widerow.storage.scan.SegmentCursor;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/// Question: what does it cost to seal an access-log line, to read it back as text, and to search
/// it?
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(1)
@Warmup(iterations = 4, time = 2)
@Measurement(iterations = 4, time = 2)
public class SegmentBench {
  private static final int EVENTS = 10_000;
  private static final Path FILE = Path.of("bench.seg");

  private final MemoryDisk disk = new MemoryDisk();
  private final AttributeValue value = new AttributeValue();
  private List<TestEvent> events = List.of();
  private Segment segment;

  /// Loads the log once and writes the segment that is scanned.
  @Setup(Level.Trial)
  public void write() {
    events = SegmentSizes.access();
    SegmentSizes.write(disk, FILE, events, SegmentProfile.SEALED);
    segment = Segment.open(disk, FILE, new UUID(1, 2), 1);
  }

  @Benchmark
  @OperationsPerInvocation(EVENTS)
  public long seal() {
    return SegmentSizes.bytes(events, SegmentProfile.SEALED);
  }

  @Benchmark
  @OperationsPerInvocation(EVENTS)
  public long scan() {
    long bytes = 0;
    try (EventCursor cursor = SegmentCursor.open(segment, SegmentSizes.key(events), Scan.all())) {
      while (cursor.next() == EventCursor.Step.EVENT) {
        bytes += cursor.event().find(AttributeName.BODY, value) ? value.length() : 0;
      }
    }
    return bytes;
  }

  /// Searches for a word that one line in a thousand has, and reads those lines.
  @Benchmark
  @OperationsPerInvocation(EVENTS)
  public long word() {
    long bytes = 0;
    Filter word = new Filter.Contains(AttributeName.BODY, Text.of("Liferea"));
    try (EventCursor cursor =
        SegmentCursor.open(segment, SegmentSizes.key(events), Scan.all().withFilter(word))) {
      while (cursor.next() == EventCursor.Step.EVENT) {
        bytes += cursor.event().find(AttributeName.BODY, value) ? value.length() : 0;
      }
    }
    return bytes;
  }
}
