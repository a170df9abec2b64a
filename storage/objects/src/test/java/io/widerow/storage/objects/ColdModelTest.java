package io.widerow.storage.objects;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.faults.FileJournal;
import io.widerow.faults.Seeds;
import io.widerow.faults.SimDisk;
import io.widerow.faults.Slice;
import io.widerow.faults.StoreDriver;
import io.widerow.faults.StoreModel;
import io.widerow.faults.StoreReading;
import io.widerow.faults.TestClock;
import io.widerow.storage.Durability;
import io.widerow.storage.Scan;
import io.widerow.storage.StoreConfig;
import io.widerow.storage.StoreView;
import io.widerow.storage.embedded.EmbeddedStore;
import io.widerow.storage.embedded.StoreOpener;
import io.widerow.storage.maintenance.ColdControl;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Goal: whatever happens while segments are moved, the store shows what it showed: nothing is
/// lost, and nothing is shown twice. Method: random writes to a store on the simulated disk, moves
/// to simulated objects with faults, answers that are lost, bytes that are put wrongly, kills and
/// power cuts at any step of a move; after each the store is read. A backup, under the same prefix
/// or another one, runs beside it now and then, and the end is restored. The seed is the test's
/// name; to replay one, run with `-Dseed=<n>`.
class ColdModelTest {
  private static final long START_NANOS = 1_700_000_000_000_000_000L;
  private static final Path DIRECTORY = Path.of("/store");
  private static final int STEPS = 70;
  private static final AtomicLong KILLS = new AtomicLong();
  private static final AtomicLong MOVES = new AtomicLong();
  private static final AtomicLong DELETED = new AtomicLong();
  private static final AtomicLong FAULTS = new AtomicLong();

  private final TestClock clock = new TestClock(START_NANOS);
  private SimDisk disk = new SimDisk(0);
  private int lanes = 1;
  private boolean retains;
  private long shownFrom; // what is older may expire while segments are moved

  static List<Long> seeds() {
    return Seeds.of(Slice.of("cold", 8, 100));
  }

  @AfterAll
  static void allHappened() {
    Slice.met("kills while segments were moved", KILLS.get(), 100);
    Slice.met("moves", MOVES.get(), 100);
    Slice.met("deleted objects", DELETED.get(), 20);
    Slice.met("faults of the objects", FAULTS.get(), 50);
  }

  private static final class AllOfAge implements ColdControl.Choice {
    @Override
    public Duration after(String type) {
      return Duration.ofMinutes(30);
    }

    @Override
    public long bytesMin() {
      return 0;
    }
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void theStoreShowsWhatItShowed(long seed) {
    run(seed);
  }

  /// The same, for the test of planted bugs.
  void run(long seed) {
    var random = new SplittableRandom(seed);
    disk = new SimDisk(random.nextLong());
    lanes = 1 + random.nextInt(2);
    retains = random.nextInt(3) == 0;
    var objects = new SimulatedObjects(random.split());
    SimulatedObjects backedUp =
        random.nextBoolean() ? objects : new SimulatedObjects(random.split());
    boolean hasBackup = random.nextBoolean();
    try (StoreDriver driver = new StoreDriver(random)) {
      EmbeddedStore store = open(DIRECTORY, objects, random);
      ColdMover mover = mover(store, objects);
      Backup backup = hasBackup ? backup(store, backedUp, objects) : null;
      for (int step = 0; step < STEPS; step++) {
        switch (random.nextInt(8)) {
          case 0, 1 -> driver.append(store, clock.wallNanos(), 40);
          case 2 -> driver.commit(store, Durability.DISK);
          case 3 -> clock.advance(random.nextLong(3_600_000_000_000L));
          case 4 -> {
            driver.commit(store, Durability.DISK);
            store.maintain();
            driver.commit(store, Durability.DISK);
          }
          default -> {
            driver.commit(store, Durability.DISK);
            shownFrom = retains ? clock.wallNanos() - Duration.ofHours(6).toNanos() : 0;
            List<StoreModel.Shown> before = shown(store, objects);
            objects.failOneIn(random.nextInt(3) == 0 ? 3 + random.nextInt(10) : 0);
            objects.putWrongOneIn(random.nextInt(4) == 0 ? 2 : 0);
            boolean killed = move(mover, objects, random);
            if (killed || random.nextInt(8) == 0) {
              store = again(store, objects, random, killed);
              driver.appended.clear();
              mover = mover(store, objects);
              backup = hasBackup ? backup(store, backedUp, objects) : null;
            }
            assertEquals(before, shown(store, objects), "after a move");
          }
        }
        if (backup != null) {
          backup.step();
          backup.checkpoint();
        }
        if (!retains) {
          check(store, driver, objects);
        }
      }
      finish(store, mover, driver, objects, random);
      if (hasBackup) {
        restore(store, objects, backedUp, random);
      }
      DELETED.addAndGet(objects.deleted().size());
      FAULTS.addAndGet(objects.faults());
      store.close();
    }
  }

  /// Moves some segments; true when the process died.
  private boolean move(ColdMover mover, SimulatedObjects objects, SplittableRandom random) {
    switch (random.nextInt(3)) {
      case 0 -> objects.killAfter(1 + random.nextInt(8));
      case 1 -> disk.cutPowerAt(disk.operations() + 1 + random.nextInt(30));
      default -> {}
    }
    try {
      clock.advance(31_000_000_000L); // the last failure is over
      for (int i = 0; i < 5; i++) {
        MOVES.addAndGet(mover.step() ? 1 : 0);
      }
      if (random.nextInt(10) == 0) {
        recall(mover);
      }
      return false;
    } catch (SimulatedObjects.Killed | SimDisk.PowerCut _) {
      KILLS.incrementAndGet();
      return true;
    } catch (InterruptedException impossible) {
      throw new AssertionError(impossible);
    } finally {
      objects.kill(true);
      disk.cutPowerAt(Long.MAX_VALUE);
      objects.failOneIn(0);
      objects.putWrongOneIn(0);
    }
  }

  private static void recall(ColdMover mover) throws InterruptedException {
    try {
      var _ = mover.recall(_ -> true);
    } catch (ObjectsException.Away | ObjectsException.Damaged fault) {
      assertTrue(String.valueOf(fault.getMessage()).length() > 0);
    }
  }

  private void finish(
      EmbeddedStore store,
      ColdMover mover,
      StoreDriver driver,
      SimulatedObjects objects,
      SplittableRandom random) {
    driver.commit(store, Durability.DISK);
    objects.failOneIn(0);
    clock.advance(Duration.ofHours(30).toNanos());
    store.maintain();
    driver.commit(store, Durability.DISK);
    List<StoreModel.Shown> before = shown(store, objects);
    var _ = move(mover, new SimulatedObjects(random.split()), random);
    try {
      for (int i = 0; i < 20 && !mover.step(); i++) {
        clock.advance(40_000_000_000L);
      }
    } catch (InterruptedException | SimDisk.PowerCut impossible) {
      throw new AssertionError(impossible);
    }
    assertEquals(before, shown(store, objects), "at the end");
    Set<String> needed = new HashSet<>();
    store.cold().all().forEach(each -> needed.add(each.object()));
    assertTrue(objects.all().keySet().containsAll(needed), "an object is gone");
  }

  private void restore(
      EmbeddedStore store,
      SimulatedObjects cold,
      SimulatedObjects objects,
      SplittableRandom random) {
    objects.failOneIn(0);
    Backup backup = backup(store, objects, cold);
    backup.step();
    clock.advance(1_000_000_000L);
    var _ = backup.now();
    clock.advance(1_000_000_000L);
    backup.step();
    List<StoreModel.Shown> before = shown(store, cold);
    Path target = Path.of("/restored");
    new Restore(
            objects,
            disk,
            target,
            (at, path) -> _ -> new FileJournal.Factory(at, StoreConfig.at(path), 1 << 10),
            Runnable::run,
            1)
        .run(Long.MAX_VALUE);
    try (EmbeddedStore restored = open(target, new SimulatedObjects(random.split()), random)) {
      assertEquals(List.of(), restored.cold().all(), "a restored store has all of it");
      assertEquals(before, shown(restored, cold), "the restored store");
    }
  }

  private List<StoreModel.Shown> shown(EmbeddedStore store, SimulatedObjects objects) {
    objects.failOneIn(0); // readers are not part of it
    store.cold().readFrom(new ColdObjects(objects, Runnable::run));
    try (StoreView view = store.view()) {
      Scan scan = Scan.ofTime(shownFrom, Long.MAX_VALUE / 2);
      return StoreReading.read(view, _ -> true, shownFrom, Long.MAX_VALUE / 2, scan);
    }
  }

  private static void check(EmbeddedStore store, StoreDriver driver, SimulatedObjects objects) {
    objects.failOneIn(0);
    store.cold().readFrom(new ColdObjects(objects, Runnable::run));
    try (StoreView view = store.view()) {
      List<Long> numbers =
          StoreReading.read(view, _ -> true, 0, Long.MAX_VALUE / 2, Scan.all()).stream()
              .map(StoreModel.Shown::number)
              .sorted()
              .toList();
      assertEquals(driver.acknowledged.numbers(_ -> true, 0, Long.MAX_VALUE / 2), numbers);
    }
  }

  /// The store of the next process.
  private EmbeddedStore again(
      EmbeddedStore store, SimulatedObjects objects, SplittableRandom random, boolean killed) {
    if (killed) {
      disk = random.nextBoolean() ? disk.restart() : disk.crash(random.nextBoolean());
    } else {
      store.close();
    }
    clock.advance(1);
    EmbeddedStore opened = open(DIRECTORY, objects, random);
    assertEquals(List.of(), opened.statistics().damage());
    return opened;
  }

  private EmbeddedStore open(Path directory, SimulatedObjects objects, SplittableRandom random) {
    StoreConfig config =
        StoreConfig.at(directory)
            .withLanes(lanes, lanes * 2)
            .withBuckets(60, Map.of())
            .withMemory(4L * (1 << 20) * lanes, Duration.ofMinutes(1 + random.nextInt(20)))
            .withJournal(1 << 20, 4 << 20)
            .withDiskReserveBytes(0)
            .withAges(Duration.ofMinutes(random.nextInt(10)), null);
    int fileBytes = 1 << random.nextInt(8, 13);
    SimDisk now = disk;
    var store =
        new EmbeddedStore(
            new StoreOpener(config, now, clock, Runnable::run)
                .open(_ -> new FileJournal.Factory(now, config, fileBytes)));
    if (retains) {
      store.retain(null, Duration.ofHours(8));
    }
    store.cold().readFrom(new ColdObjects(objects, Runnable::run));
    return store;
  }

  private ColdMover mover(EmbeddedStore store, SimulatedObjects objects) {
    var options =
        new ColdOptions(new AllOfAge(), "host", Duration.ofMinutes(5), Duration.ofMinutes(20));
    return new ColdMover(store.cold(), objects, options, clock::monotonicNanos);
  }

  private Backup backup(EmbeddedStore store, SimulatedObjects objects, SimulatedObjects cold) {
    var retention =
        new RetentionOptions(
            Duration.ofMinutes(10),
            1,
            Duration.ofMinutes(30),
            Duration.ofMinutes(5),
            Duration.ofMinutes(5));
    var options =
        new BackupOptions(
            Duration.ZERO, Duration.ofMinutes(20), 1L << 40, 1 << 16, "host", retention);
    return new Backup(store::backup, objects, cold, options, clock::monotonicNanos);
  }
}
