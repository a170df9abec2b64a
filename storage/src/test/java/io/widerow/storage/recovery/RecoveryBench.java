package io.widerow.storage.recovery;

import io.widerow.event.EventBatch;
import io.widerow.faults.AccessLogEvents;
import io.widerow.storage.Durability;
import io.widerow.storage.LaneWriter;
import io.widerow.storage.StoreConfig;
import io.widerow.storage.embedded.EmbeddedStore;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/// Question: how long does opening take with 100 MB of journal frames to replay and seal? The
/// journal is that of a store whose rows were never sealed, copied while open, as a crash would
/// leave it.
@State(Scope.Benchmark)
@BenchmarkMode(Mode.SingleShotTime)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
@Warmup(iterations = 2)
@Measurement(iterations = 5)
@Fork(1)
public class RecoveryBench {
  private static final long JOURNAL_BYTES = 100_000_000;
  private static final int BATCH_EVENTS = 1_000;

  private Path directory = Path.of(".");
  private final ExecutorService executor =
      Executors.newFixedThreadPool(3, Thread.ofPlatform().daemon().factory()); // as the daemon has
  private long events;

  @Setup
  public void setUp() throws IOException {
    directory = Files.createTempDirectory(Path.of("target"), "recovery").toAbsolutePath();
    StoreConfig config =
        StoreConfig.at(directory.resolve("crashed"))
            .withDiskReserveBytes(0)
            .withMemory(4L << 30, Duration.ofDays(1))
            .withJournal(64 << 20, 1L << 30);
    // The rows have room for all, so the executor only gets journal files.
    try (EmbeddedStore store = EmbeddedStore.open(config, Runnable::run);
        var batch = new EventBatch(1 << 20, 16 << 20)) {
      LaneWriter lane = store.lane(0);
      var source = AccessLogEvents.of(1);
      while (store.statistics().journalBytesWritten() < JOURNAL_BYTES) {
        batch.clear();
        source.fill(batch, BATCH_EVENTS);
        lane.append(
            batch,
            0,
            (index, why) -> {
              throw new IllegalStateException(index + ": " + why);
            });
        lane.commit(Durability.OS);
      }
      events = source.made();
      copy(config.directory(), directory.resolve("image"));
    }
    System.out.printf("%d events in 100 MB of frames%n", events);
  }

  @Setup(Level.Invocation)
  public void crash() throws IOException {
    copy(directory.resolve("image"), directory.resolve("store"));
  }

  @Benchmark
  public void recover() {
    StoreConfig config = StoreConfig.at(directory.resolve("store")).withDiskReserveBytes(0);
    try (EmbeddedStore store = EmbeddedStore.open(config, executor)) {
      if (store.recovery().eventsReplayed() != events) {
        throw new IllegalStateException(store.recovery() + " of " + events);
      }
    }
  }

  @TearDown(Level.Invocation)
  public void clear() throws IOException {
    delete(directory.resolve("store"));
  }

  @TearDown
  public void tearDown() throws IOException {
    executor.shutdownNow();
    delete(directory);
  }

  private static void copy(Path source, Path target) throws IOException {
    try (var files = Files.walk(source)) {
      files.forEach(file -> {
        try {
          Files.copy(file, target.resolve(source.relativize(file)));
        } catch (IOException failure) {
          throw new UncheckedIOException(failure);
        }
      });
    }
  }

  private static void delete(Path root) throws IOException {
    List<Path> deepestFirst;
    try (var files = Files.walk(root)) {
      deepestFirst = files.sorted(Comparator.reverseOrder()).toList();
    }
    for (Path path : deepestFirst) {
      Files.delete(path);
    }
  }
}
