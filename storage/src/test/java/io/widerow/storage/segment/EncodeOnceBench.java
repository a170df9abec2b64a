package io.widerow.storage.segment;

import io.widerow.event.EventBatch;
import io.widerow.event.EventLayout;
import io.widerow.event.PartitionKey;
import io.widerow.event.RecordView;
import io.widerow.event.TimeUuid;
import io.widerow.faults.AccessLogEvents;
import io.widerow.faults.MemoryDisk;
import io.widerow.faults.TestEvent;
import io.widerow.storage.codec.ByteSink;
import io.widerow.storage.disk.Throttle;
import io.widerow.storage.journal.FrameEncoder;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.time.Instant;
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
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/// Question: what does an event cost that is compressed into a journal frame and sealed later, and
/// what does it cost when its group becomes a block at once? Such a block can be copied into a
/// segment only if no other one of its partition has events of the same time, because the blocks of
/// a partition follow each other: with one sender all can, with two that send at the same time none
/// can, and their events are sealed as they are today.
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(1)
@Warmup(iterations = 4, time = 2)
@Measurement(iterations = 5, time = 2)
public class EncodeOnceBench {
  private static final int EVENTS = 40_000;
  private static final int HOSTS = 100;
  private static final long START_NANOS = 1_700_000_000_000_000_000L;
  private static final long STEP_NANOS = 50_000;
  private static final UUID STORE = new UUID(1, 2);
  private static final Path FILE = Path.of("once.seg");
  private static final PartitionKey KEY = new PartitionKey(0, 60, "once", 0);

  /// What the events are.
  public enum Kind {
    ACCESS,
    BROKER,
    METRICS
  }

  @Param public Kind kind = Kind.ACCESS;

  /// Events of a frame, and of a block that is made at once.
  @Param({"250", "1000", "5000"})
  public int group;

  /// Senders of the partition, which take turns event by event, and send groups.
  @Param({"1", "2"})
  public int senders;

  private final EventBatch batch = new EventBatch(1 << 20, 64 << 20);
  private final RecordView view = new RecordView();
  private final MemoryDisk disk = new MemoryDisk();
  private final FrameEncoder frames = new FrameEncoder(STORE, 0, true);
  private final SegmentMemory memory = new SegmentMemory(SegmentProfile.SEALED);
  private final BlockWriter block = new BlockWriter(SegmentProfile.SEALED, Throttle.NONE);
  private final SegmentChecksum checksum = new SegmentChecksum(STORE, 1);
  private final ByteSink out = new ByteSink();
  private final ByteSink copied = new ByteSink();
  private final long[] offsets = new long[EVENTS + 1];

  @Setup(Level.Trial)
  public void generate() {
    switch (kind) {
      case ACCESS -> {
        var start = Instant.parse("2026-11-20T19:00:00Z");
        new AccessLogEvents(AccessLogEvents.REAL_LOG, 1, start, 20_000, 0).fill(batch, EVENTS);
      }
      case BROKER -> {
        List<TestEvent> broker = SegmentSizes.broker();
        for (int i = 0; i < EVENTS; i++) {
          SegmentSizes.put(batch, broker.get(i % broker.size()), START_NANOS + i * STEP_NANOS);
        }
      }
      case METRICS -> {
        List<TestEvent> metrics = SegmentSizes.metrics(EVENTS, HOSTS, 1);
        for (int i = 0; i < EVENTS; i++) {
          SegmentSizes.put(batch, metrics.get(i), START_NANOS + i * STEP_NANOS);
        }
      }
    }
    for (int i = 0; i < EVENTS; i++) {
      view.show(batch.memory(), offsets[i]);
      long nanos = TimeUuid.nanosOf(view.idTime(), view.idTail());
      EventLayout.setIdTail(batch.memory(), offsets[i], TimeUuid.tailOf(nanos, 1, 1_000L + i));
      offsets[i + 1] = offsets[i] + EventLayout.alignedLength(view.length());
    }
  }

  @TearDown(Level.Trial)
  public void close() {
    block.close();
    memory.close();
    frames.close();
    batch.close();
  }

  /// The frames of the groups, and later one segment of all of them.
  @Benchmark
  @OperationsPerInvocation(EVENTS)
  public long frameAndSeal() {
    return frame() + seal();
  }

  @Benchmark
  @OperationsPerInvocation(EVENTS)
  public long frame() {
    long bytes = 0;
    for (int from = 0; from < EVENTS; from += group) {
      int limit = Math.min(EVENTS, from + group);
      MemorySegment events = batch.memory().asSlice(offsets[from], offsets[limit] - offsets[from]);
      bytes += frames.encode(1, 0, limit, 0, events, limit - from, 0).byteSize();
    }
    return bytes;
  }

  @Benchmark
  @OperationsPerInvocation(EVENTS)
  public long seal() {
    disk.delete(FILE);
    try (var writer = new SegmentWriter(disk.create(FILE), STORE, 1, memory, true)) {
      writer.begin(KEY);
      for (int i = 0; i < EVENTS; i++) {
        writer.add(view.show(batch.memory(), offsets[i]));
      }
      return writer.finish().bytes();
    }
  }

  /// A block of each group, with the tokens for the filter.
  @Benchmark
  @OperationsPerInvocation(EVENTS)
  public long blockAtOnce() {
    long bytes = 0;
    for (int from = 0; from < EVENTS; from += group) {
      int limit = Math.min(EVENTS, from + group);
      for (int i = from; i < limit; i++) {
        block.add(view.show(batch.memory(), offsets[i]));
      }
      out.clear();
      block.finish(limit - from, out, checksum, 0);
      bytes += out.length() + block.tokens().size();
    }
    return bytes;
  }

  /// Blocks of what each sender sends, in place of frames, and later one segment: of these blocks
  /// where they follow each other, of the events where they do not. A bound: the segment's index,
  /// filters and cells of copied blocks are not made.
  @Benchmark
  @OperationsPerInvocation(EVENTS)
  public long onceAndSeal() {
    long bytes = 0;
    out.clear();
    copied.clear();
    int turn = group * senders;
    boolean follow = true; // no two blocks have events of the same time
    long greatest = -1;
    for (int from = 0; from < EVENTS; from += turn) {
      for (int sender = 0; sender < senders; sender++) {
        int start = out.length();
        int events = 0;
        for (int i = from + sender; i < Math.min(EVENTS, from + turn); i += senders) {
          block.add(view.show(batch.memory(), offsets[i]));
          follow &= events > 0 || i > greatest;
          greatest = Math.max(greatest, i);
          events++;
        }
        if (events > 0) {
          block.finish(events, out, checksum, 0);
          bytes += block.tokens().size();
          int length = out.length() - start;
          copied.put(out.bytes(), start, length);
          bytes += checksum.of(out.bytes(), start, length, 0); // what lay there is right
          bytes += checksum.of(copied.bytes(), start, length, 1); // for its place in the segment
        }
      }
    }
    return bytes + out.length() + (follow ? copied.length() : seal());
  }
}
