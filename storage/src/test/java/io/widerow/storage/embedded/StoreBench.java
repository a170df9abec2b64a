package io.widerow.storage.embedded;

import io.widerow.event.AttributeName;
import io.widerow.event.AttributeValue;
import io.widerow.event.EventBatch;
import io.widerow.event.PartitionKey;
import io.widerow.faults.AccessLogEvents;
import io.widerow.storage.Durability;
import io.widerow.storage.EventCursor;
import io.widerow.storage.LaneWriter;
import io.widerow.storage.PartitionInfo;
import io.widerow.storage.Scan;
import io.widerow.storage.StoreConfig;
import io.widerow.storage.StoreView;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
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

/// Question: what does an event cost from batch to commit, including sealing, and to read back:
/// from one partition, from 16 merged partitions, among the latest 100? Access-log lines with new
/// times, 1,000 a batch and commit.
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 2)
@Measurement(iterations = 5, time = 2)
@Fork(1)
public class StoreBench {
  private static final int BATCH_EVENTS = 1_000;
  private static final int BATCHES = 64; // prepared, then written in rotation
  private static final int READ_EVENTS = 400_000;
  private static final int LATEST = 100;

  /// A store that is written to.
  @State(Scope.Benchmark)
  public static class Written {
    @Param({"OS", "DISK"})
    Durability durability = Durability.OS;

    Opened opened = Opened.NONE;
    EventBatch[] batches = new EventBatch[0];
    int next;

    @Setup
    public void setUp() throws IOException {
      opened = Opened.of(1);
      batches = new EventBatch[BATCHES];
      var source = AccessLogEvents.of(1);
      for (int i = 0; i < BATCHES; i++) {
        batches[i] = new EventBatch(1 << 19, 1 << 22);
        source.fill(batches[i], BATCH_EVENTS);
      }
    }

    @TearDown
    public void tearDown() throws IOException {
      opened.close();
      for (EventBatch batch : batches) {
        batch.close();
      }
    }
  }

  /// A store that is read: sealed, in one partition or in 16 shards of one bucket.
  @State(Scope.Benchmark)
  public static class Read {
    Opened one = Opened.NONE;
    Opened sixteen = Opened.NONE;
    final AttributeValue body = new AttributeValue();

    @Setup
    public void setUp() throws IOException {
      one = filled(1);
      sixteen = filled(16);
    }

    private static Opened filled(int shards) throws IOException {
      Opened opened = Opened.of(shards);
      var source = new AccessLogEvents(AccessLogEvents.REAL_LOG, 1, Opened.START, 200_000, 0.02);
      try (var batch = new EventBatch(1 << 19, 1 << 22)) {
        for (int i = 0; i < READ_EVENTS / BATCH_EVENTS; i++) {
          batch.clear();
          source.fill(batch, BATCH_EVENTS);
          opened.append(batch, i, Durability.OS);
        }
      }
      opened.store().sealAll();
      return opened;
    }

    @TearDown
    public void tearDown() throws IOException {
      one.close();
      sixteen.close();
    }
  }

  /// An open store in a directory of its own.
  record Opened(Path directory, EmbeddedStore store, ExecutorService background) {
    static final java.time.Instant START = java.time.Instant.parse("2026-11-20T19:00:00Z");

    /// Placeholder before the store is open; never used.
    @SuppressWarnings("NullAway")
    static final Opened NONE = new Opened(Path.of("."), null, null);

    static Opened of(int shards) throws IOException {
      Path directory = Files.createTempDirectory(Path.of("target"), "bench");
      ExecutorService background = Executors.newSingleThreadExecutor();
      StoreConfig config =
          StoreConfig.at(directory.resolve("store").toAbsolutePath())
              .withLanes(1, shards)
              .withDiskReserveBytes(0);
      return new Opened(directory, EmbeddedStore.open(config, background), background);
    }

    void append(EventBatch batch, long placement, Durability durability) {
      LaneWriter lane = store.lane(0);
      lane.append(
          batch,
          placement,
          (index, why) -> {
            throw new IllegalStateException(index + ": " + why);
          });
      lane.commit(durability);
    }

    long read(int limit, boolean descending, AttributeValue body) {
      try (StoreView view = store.view()) {
        List<PartitionKey> keys =
            view.partitions(_ -> true, 0, Long.MAX_VALUE / 2).stream()
                .map(PartitionInfo::key)
                .toList();
        long bytes = 0;
        int events = 0;
        try (EventCursor cursor = view.open(keys, Scan.all().withDescending(descending))) {
          while (events < limit && cursor.next() == EventCursor.Step.EVENT) {
            bytes += cursor.event().find(AttributeName.BODY, body) ? body.length() : 0;
            events++;
          }
        }
        if (events < limit) {
          throw new IllegalStateException("only " + events);
        }
        return bytes;
      }
    }

    void close() throws IOException {
      store.close();
      background.shutdown();
      List<Path> deepestFirst;
      try (var files = Files.walk(directory)) {
        deepestFirst = files.sorted(Comparator.reverseOrder()).toList();
      }
      for (Path path : deepestFirst) {
        Files.delete(path);
      }
    }
  }

  @Benchmark
  @OperationsPerInvocation(BATCH_EVENTS)
  public void appendAndCommit(Written state) {
    EventBatch batch = state.batches[state.next++ % BATCHES];
    state.opened.append(batch, state.next, state.durability);
  }

  @Benchmark
  @OperationsPerInvocation(READ_EVENTS)
  public long scanOnePartition(Read state) {
    return state.one.read(READ_EVENTS, false, state.body);
  }

  @Benchmark
  @OperationsPerInvocation(READ_EVENTS)
  public long mergeSixteenPartitions(Read state) {
    return state.sixteen.read(READ_EVENTS, false, state.body);
  }

  @Benchmark
  public long latestHundred(Read state) {
    return state.one.read(LATEST, true, state.body);
  }
}
