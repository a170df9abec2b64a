package io.widerow.storage.scan;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.widerow.event.AttributeKind;
import io.widerow.event.AttributeName;
import io.widerow.event.EventId;
import io.widerow.event.TimeUuid;
import io.widerow.faults.MemoryDisk;
import io.widerow.faults.TestEvent;
import io.widerow.storage.EventCursor;
import io.widerow.storage.Grouping;
import io.widerow.storage.Scan;
import io.widerow.storage.segment.Segment;
import io.widerow.storage.segment.SegmentProfile;
import io.widerow.storage.segment.SegmentSizes;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
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
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/// Question: what does it cost to count a sealed event by a field of few values and a time step,
/// with aggregation and event by event? One event a millisecond.
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(1)
@Warmup(iterations = 4, time = 2)
@Measurement(iterations = 4, time = 2)
public class FoldBench {
  private static final int EVENTS = 64 << 10;
  private static final Path FILE = Path.of("bench.seg");
  private static final AttributeName REGION = AttributeName.of("region");
  private static final List<String> REGIONS = List.of("eu-west", "eu-north", "us-east", "us-west");

  private final MemoryDisk disk = new MemoryDisk();
  private List<TestEvent> events = List.of();
  private Segment segment;

  /// Width of a step.
  @Param({"60000", "1000"})
  public int stepMillis;

  /// Writes the segment that is counted.
  @Setup(Level.Trial)
  public void write() {
    var random = new SplittableRandom(7);
    List<TestEvent> made = new ArrayList<>();
    for (int i = 0; i < EVENTS; i++) {
      long nanos = i * 1_000_000L;
      var id = new EventId(TimeUuid.timeOfNanos(nanos), TimeUuid.tailOf(nanos, 1, i));
      byte[] region = REGIONS.get(random.nextInt(REGIONS.size())).getBytes(UTF_8);
      Object value = TestEvent.Words.of(AttributeKind.STRING, region);
      made.add(new TestEvent(id, 0, "cpu", new TreeMap<>(Map.of(REGION, value))));
    }
    events = made;
    SegmentSizes.write(disk, FILE, events, SegmentProfile.SEALED);
    segment = Segment.open(disk, FILE, new UUID(1, 2), 1);
  }

  @Benchmark
  @OperationsPerInvocation(EVENTS)
  public long folded() {
    return weights(Scan.all().withFold(new Grouping(List.of(REGION), stepMillis * 1_000_000L)));
  }

  @Benchmark
  @OperationsPerInvocation(EVENTS)
  public long each() {
    return weights(Scan.all());
  }

  private long weights(Scan scan) {
    long weights = 0;
    try (EventCursor cursor = SegmentCursor.open(segment, SegmentSizes.key(events), scan)) {
      while (cursor.next() == EventCursor.Step.EVENT) {
        weights += cursor.event().weight() + cursor.event().timeNanos() / 1_000_000_000;
      }
    }
    return weights;
  }
}
