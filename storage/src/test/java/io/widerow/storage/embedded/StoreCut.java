package io.widerow.storage.embedded;

import io.widerow.faults.CutDisk;
import io.widerow.faults.PlantLoader;
import io.widerow.faults.StoreDriver;
import io.widerow.faults.TestClock;
import io.widerow.storage.StoreConfig;
import io.widerow.storage.journal.ChronicleJournalFactory;
import io.widerow.storage.maintenance.MergePace;
import io.widerow.storage.maintenance.Merger;
import io.widerow.storage.manifest.Manifest;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.ToLongBiFunction;
import java.util.stream.Stream;

/// Power cuts under a whole store with the real journal: [StoreCrashes] on a [CutDisk]. The events
/// are large and the journal files small, so that a lane goes through several. It runs in classes
/// of a [PlantLoader] with [#HOOKS].
///
/// - Threads: one.
final class StoreCut implements ToLongBiFunction<Path, Long> {
  /// Hooks of the loader: they note the forces of the journal and let merges go on at once.
  static final List<PlantLoader.Cut> HOOKS =
      Stream.concat(
              CutDisk.FORCES.stream(),
              Stream.of(
                  PlantLoader.Cut.to(Merger.class, "isTime", MergePace.class, "await", "goOn")))
          .toList();

  private static final long CONFIG_FILE_BYTES = 1 << 20; // the least
  private static final long FILE_BYTES = 288 << 10; // holds the longest frame of 1 MiB files
  private static final int BODY_BYTES_MAX = 100 << 10;
  private static final long LANE_BYTES = 16 << 20; // so that no append waits for a seal
  private static final long JOURNAL_BYTES = 256 << 20;
  private static final int ONE_IN = 10;

  /// @param work an empty directory
  /// @param seed of the operations and of the cuts
  /// @return number of states that were opened
  @Override
  public long applyAsLong(Path work, Long seed) {
    return run(work, seed);
  }

  /// @param work an empty directory
  /// @return number of states that were opened
  static long run(Path work, long seed) {
    return StoreCrashes.run(
        seed,
        (random, clock) -> RealMachine.empty(work, random.nextLong(), clock),
        random -> new StoreDriver(random).withBodies(BODY_BYTES_MAX),
        ONE_IN);
  }

  /// A directory of the real disk, below a common one, with the store in it.
  private record RealMachine(CutDisk disk, Path work, AtomicInteger images, TestClock clock)
      implements StoreCrashes.Machine {
    private static final String STORE = "store";

    static RealMachine empty(Path work, long seed, TestClock clock) {
      var images = new AtomicInteger();
      try {
        Path first = Files.createDirectory(next(work, images));
        return new RealMachine(CutDisk.on(first, seed), work, images, clock);
      } catch (IOException failure) {
        throw new UncheckedIOException(failure);
      }
    }

    private static Path next(Path work, AtomicInteger images) {
      return work.resolve("disk-" + images.getAndIncrement());
    }

    private Path store() {
      return disk.directory().resolve(STORE);
    }

    @Override
    public EmbeddedStore open(SplittableRandom random, Executor background) {
      int lanes = 1 + random.nextInt(2);
      int[] widths = {1, 60, 1_440};
      StoreConfig config =
          StoreConfig.at(store())
              .withLanes(lanes, lanes * (1 + random.nextInt(2)))
              .withBuckets(widths[random.nextInt(widths.length)], Map.of())
              .withMemory(LANE_BYTES * lanes, Duration.ofMinutes(1 + random.nextInt(60)))
              .withJournal(CONFIG_FILE_BYTES, JOURNAL_BYTES)
              .withDiskReserveBytes(0)
              .withAges(Duration.ofMinutes(random.nextInt(30)), null);
      return new EmbeddedStore(
          new StoreOpener(config, disk, clock, background)
              .open(id ->
                  ChronicleJournalFactory.of(
                      config.directory(), FILE_BYTES, disk, id, background)));
    }

    @Override
    public void beforeEach(Runnable look) {
      disk.beforeEach(look);
    }

    @Override
    public StoreCrashes.Machine crash(SplittableRandom random) {
      boolean lucky = random.nextBoolean();
      CutDisk left = disk.cut(next(work, images), lucky, random.nextBoolean());
      return new RealMachine(left, work, images, clock);
    }

    @Override
    public void cutPowerIn(int operations) {
      disk.cutPowerIn(operations);
    }

    @Override
    public int rounds() {
      return 5;
    }

    @Override
    public int segmentFiles() {
      return disk.list(store().resolve(Manifest.SEGMENTS)).size();
    }

    @Override
    public void close() {
      disk.delete();
    }
  }
}
