package io.widerow.storage.embedded;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.event.EventBatch;
import io.widerow.event.EventId;
import io.widerow.faults.FileJournal;
import io.widerow.faults.NumberedEvents;
import io.widerow.faults.Seeds;
import io.widerow.faults.SimDisk;
import io.widerow.faults.Slice;
import io.widerow.faults.StoreDriver;
import io.widerow.faults.StoreModel;
import io.widerow.faults.StoreReading;
import io.widerow.faults.TestClock;
import io.widerow.storage.Durability;
import io.widerow.storage.LaneWriter;
import io.widerow.storage.Scan;
import io.widerow.storage.StorageException;
import io.widerow.storage.StoreConfig;
import io.widerow.storage.StoreView;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Goal: a snapshot is a store that shows everything acknowledged before its request, no batch in
/// part, and never changes with its original. After a power cut at any moment of its creation it is
/// complete or absent, and the original is unharmed. Method: the simulated disk; between any two
/// operations of a snapshot the store performs all its kinds of work, and crashed copies of the
/// disk are opened. The seed is the test's name; to replay one, run with `-Dseed=<n>`. Number of
/// runs: `-Dsnapshots=<n>`.
@Tag("deep")
class StoreSnapshotTest {
  private static final int RUNS = Slice.of("snapshots", 1, 3);
  private static final int STEPS = 4;
  private static final long START_NANOS = 1_700_000_000_000_000_000L;
  private static final Path STORE = Path.of("/store");
  private static final Path COPIES = Path.of("/copies");

  private static final AtomicLong CRASHES = new AtomicLong();

  private final LateTasks background = new LateTasks();
  private boolean
      between; // true between two operations of a snapshot, except during the work there

  @AfterAll
  static void itWasCut() {
    assertTrue(CRASHES.get() > 0, "never cut");
  }

  static List<Long> seeds() {
    return Seeds.of(RUNS);
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void whatWasAcknowledgedIsInIt(long seed) {
    var random = new SplittableRandom(seed);
    var clock = new TestClock(START_NANOS);
    var disk = new SimDisk(random.nextLong());
    disk.createDirectory(COPIES);
    disk.forceDirectory(Path.of("/"));
    try (var driver = new StoreDriver(random.split())) {
      EmbeddedStore store = EmbeddedStoreModelTest.open(disk, clock, random.split(), background);
      disk.beforeEach(() -> {
        if (between) {
          between = false;
          goOn(store, driver, clock, random);
          crash(disk, clock, driver, random);
          between = true;
        }
      });
      for (int step = 0; step < STEPS; step++) {
        for (int i = random.nextInt(6); i > 0; i--) {
          goOn(store, driver, clock, random);
        }
        Set<Long> promised = numbers(driver);
        Path target = COPIES.resolve("s" + step);
        between = true;
        StoreSnapshot.Report report = store.snapshot(target);
        between = false;
        assertEquals(target, report.directory());
        check(disk.restart(), target, clock, promised, driver);
        check(disk.crash(random.nextBoolean()), target, clock, promised, driver);
        goOn(store, driver, clock, random);
        check(disk.restart(), target, clock, promised, driver);
      }
      driver.commit(store, Durability.DISK);
      background.close(store);
    }
    assertEquals(STEPS, disk.list(COPIES).size(), "unfinished snapshots are deleted");
  }

  /// One random piece of work of the store.
  private void goOn(
      EmbeddedStore store, StoreDriver driver, TestClock clock, SplittableRandom random) {
    switch (random.nextInt(6)) {
      case 0, 1 -> driver.append(store, clock.wallNanos(), 12);
      case 2, 3 -> driver.commit(store, Durability.DISK);
      case 4 -> background.run();
      default -> {
        background.run(); // a lane has two sets of rows, and nothing else empties them
        clock.advance(random.nextInt(2) * 3_600_000_000_000L);
        store.maintain();
        driver.commit(store, Durability.DISK);
      }
    }
  }

  /// Numbers of acknowledged events that nothing replaces.
  private static Set<Long> numbers(StoreDriver driver) {
    Set<Long> numbers = new HashSet<>();
    for (StoreModel.Written event : driver.acknowledged.all()) {
      if (!event.own()) {
        numbers.add(event.number());
      }
    }
    return numbers;
  }

  /// Checks what a power cut now leaves: every snapshot under its final name is complete, and so is
  /// the store.
  private void crash(SimDisk disk, TestClock clock, StoreDriver driver, SplittableRandom random) {
    if (random.nextInt(16) > 0) {
      return;
    }
    CRASHES.incrementAndGet();
    SimDisk left = disk.crash(random.nextBoolean());
    Set<Long> promised = numbers(driver);
    for (Path path : left.list(COPIES)) {
      if (!path.toString().endsWith(".tmp")) {
        check(left, path, clock, Set.of(), driver);
      }
    }
    check(left, STORE, clock, promised, driver);
  }

  /// Opens a store on a copy of the disk twice and compares it with the written events.
  private static void check(
      SimDisk disk, Path directory, TestClock clock, Set<Long> promised, StoreDriver driver) {
    Set<Long> first = read(disk, directory, clock, driver);
    Set<Long> lost = new HashSet<>(promised);
    lost.removeAll(first);
    assertEquals(Set.of(), lost, "lost from " + directory);
    assertEquals(first, read(disk, directory, clock, driver), "opened again");
  }

  private static Set<Long> read(SimDisk disk, Path directory, TestClock clock, StoreDriver driver) {
    StoreConfig config =
        StoreConfig.at(directory)
            .withLanes(2, 4)
            .withMemory(8L << 20, Duration.ofMinutes(1))
            .withJournal(1 << 20, 4 << 20)
            .withDiskReserveBytes(0)
            .withAges(Duration.ofMinutes(1), null);
    try (EmbeddedStore store = FileJournal.openStore(config, disk, clock);
        StoreView view = store.view()) {
      assertEquals(List.of(), store.statistics().damage());
      Set<Long> numbers = new HashSet<>();
      EventId last = EventId.LEAST;
      for (StoreModel.Shown event :
          StoreReading.read(view, _ -> true, 0, Long.MAX_VALUE / 2, Scan.all())) {
        assertTrue(last.compareTo(event.id()) <= 0, "order at " + event);
        assertTrue(numbers.add(event.number()), "twice: " + event);
        last = event.id();
      }
      checkBatches(numbers, driver);
      return numbers;
    }
  }

  /// Batches are present whole or not at all. Events with ids of their own may be replaced.
  private static void checkBatches(Set<Long> numbers, StoreDriver driver) {
    driver.noted.forEach((_, batch) -> {
      List<Boolean> there =
          batch.stream()
              .filter(event -> !event.own())
              .map(event -> numbers.contains(event.number()))
              .distinct()
              .toList();
      assertTrue(there.size() <= 1, "half a batch is there: " + batch);
    });
  }

  @Test
  void itHasAllThatCameBeforeWhateverIsInIt() {
    var disk = new SimDisk(1);
    var clock = new TestClock(START_NANOS);
    disk.createDirectory(COPIES);
    try (var batch = new EventBatch(1 << 12, 1 << 12);
        EmbeddedStore store = open(disk, clock)) {
      long[] next = {0};
      // One batch after the other, each acknowledged before the next, to the lanes in turn.
      disk.beforeEach(() -> {
        if (between) {
          between = false;
          for (int i = 0; i < 3; i++) {
            LaneWriter lane = store.lane((int) (next[0] % 2));
            batch.clear();
            NumberedEvents.add(batch, 10 * next[0]++);
            lane.append(batch, 0, (_, why) -> fail(why));
            lane.commit(Durability.DISK);
          }
          between = true;
        }
      });
      for (int i = 0; i < 5; i++) {
        long before = next[0];
        between = true;
        store.snapshot(COPIES.resolve("s" + i));
        between = false;
        List<Long> there = numbersOf(disk.restart(), COPIES.resolve("s" + i), clock);
        assertTrue(there.size() >= before, there.size() + " of " + before);
        for (int n = 0; n < there.size(); n++) {
          assertEquals(10L * n, there.get(n), "a prefix");
        }
      }
    }
  }

  private static void fail(Object why) {
    throw new AssertionError(why);
  }

  private static List<Long> numbersOf(SimDisk disk, Path directory, TestClock clock) {
    try (EmbeddedStore store = open(disk, clock, directory);
        StoreView view = store.view()) {
      return StoreReading.read(view, _ -> true, 0, Long.MAX_VALUE / 2, Scan.all()).stream()
          .map(StoreModel.Shown::number)
          .sorted()
          .toList();
    }
  }

  private static EmbeddedStore open(SimDisk disk, TestClock clock) {
    return open(disk, clock, STORE);
  }

  private static EmbeddedStore open(SimDisk disk, TestClock clock, Path directory) {
    StoreConfig config =
        StoreConfig.at(directory)
            .withLanes(2, 4)
            .withBuckets(60, Map.of())
            .withMemory(8L << 20, Duration.ofMinutes(1))
            .withDiskReserveBytes(0);
    return new EmbeddedStore(
        new StoreOpener(config, disk, clock, Runnable::run)
            .open(_ -> new FileJournal.Factory(disk, config, 1 << 10)));
  }

  @Test
  void nothingIsReplaced() {
    var disk = new SimDisk(1);
    disk.createDirectory(COPIES);
    try (EmbeddedStore store = open(disk, new TestClock(START_NANOS))) {
      store.snapshot(COPIES.resolve("s"));
      var refused = assertThrows(StorageException.class, () -> store.snapshot(COPIES.resolve("s")));
      assertTrue(String.valueOf(refused.getMessage()).contains("exists"), refused.toString());
      assertThrows(StorageException.class, () -> store.snapshot(Path.of("/nowhere/s")));
    }
    assertEquals(List.of(COPIES.resolve("s")), disk.list(COPIES));
  }

  @Test
  void aFullOrFailingDiskLeavesNothing() {
    for (int fault = 0; fault < 60; fault++) {
      var disk = new SimDisk(fault);
      disk.createDirectory(COPIES);
      try (var driver = new StoreDriver(new SplittableRandom(fault));
          EmbeddedStore store = open(disk, new TestClock(START_NANOS))) {
        driver.append(store, START_NANOS, 12);
        driver.commit(store, Durability.DISK);
        long at = disk.operations() + 1 + fault;
        disk.failOperations(at, at + 1);
        boolean failed = false;
        try {
          store.snapshot(COPIES.resolve("s"));
        } catch (StorageException refused) {
          failed = true;
        }
        disk.failOperations(Long.MAX_VALUE, Long.MAX_VALUE);
        List<Path> left = disk.list(COPIES);
        if (failed && !left.isEmpty()) { // it was complete, and only its entry was not forced
          check(disk.restart(), left.getFirst(), new TestClock(START_NANOS), Set.of(), driver);
        }
        assertFalse(!failed && fault < 10, "operation " + fault + " should have failed");
        driver.append(store, START_NANOS, 12);
        driver.commit(store, Durability.DISK); // goes on
      }
    }
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void aStoppedStoreIsCopiedAsItIs(long seed) {
    var random = new SplittableRandom(seed);
    var clock = new TestClock(START_NANOS);
    var disk = new SimDisk(random.nextLong());
    disk.createDirectory(COPIES);
    disk.forceDirectory(Path.of("/"));
    try (var driver = new StoreDriver(random.split())) {
      EmbeddedStore store = EmbeddedStoreModelTest.open(disk, clock, random.split(), background);
      for (int i = 0; i < 30; i++) {
        goOn(store, driver, clock, random);
      }
      driver.commit(store, Durability.DISK);
      SimDisk killed = disk.crash(random.nextBoolean());
      Path target = COPIES.resolve("s");
      StoreSnapshot.ofStopped(
          killed,
          STORE,
          target,
          _ -> new FileJournal.Factory(killed, StoreConfig.at(STORE), 1 << 10));
      Set<Long> promised = numbers(driver);
      check(killed.crash(random.nextBoolean()), target, clock, promised, driver);
      check(killed, STORE, clock, promised, driver);
      check(killed, target, clock, promised, driver);
      background.close(store);
    }
  }
}
