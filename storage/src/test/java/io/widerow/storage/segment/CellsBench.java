package io.widerow.storage.segment;

import io.widerow.faults.MemoryDisk;
import io.widerow.faults.TestEvent;
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
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/// What do cells cost when an access-log line is sealed? Written, and read back to be verified, as
/// sealing does, with and without them.
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(3)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 4, time = 1)
public class CellsBench {
  private static final Path FILE = Path.of("bench.seg");
  private static final int EVENTS = 10_000;
  private static final UUID STORE = new UUID(1, 2);

  private final MemoryDisk disk = new MemoryDisk();
  private final SegmentMemory memory = new SegmentMemory(SegmentProfile.SEALED);
  private List<TestEvent> events = List.of();

  @Param({"false", "true"})
  public boolean cells;

  @Setup(Level.Trial)
  public void load() {
    events = SegmentSizes.access();
  }

  @Benchmark
  @OperationsPerInvocation(EVENTS)
  public long seal() {
    disk.delete(FILE);
    try (SegmentWriter writer = new SegmentWriter(disk.create(FILE), STORE, 1, memory, cells)) {
      writer.begin(SegmentSizes.key(events));
      events.forEach(writer::add);
      long bytes = writer.finish().bytes();
      try (Segment segment = Segment.open(disk, FILE, STORE, 1)) {
        segment.verify();
      }
      return bytes;
    }
  }
}
