package io.widerow.storage.embedded;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.faults.FileJournal;
import io.widerow.faults.Seeds;
import io.widerow.faults.SimDisk;
import io.widerow.faults.Slice;
import io.widerow.faults.StoreDriver;
import io.widerow.faults.TestClock;
import io.widerow.storage.Durability;
import io.widerow.storage.LaneArrivals;
import io.widerow.storage.StoreConfig;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Goal: the events that a tail has brought elsewhere from a drained store, and the events that the
/// tail still finds after its last position, are together everything acknowledged, each event once,
/// whenever the power is cut and whatever was released; and released events leave nothing behind.
/// Method: random appends, commits, rounds of the tail, releases of any of its positions, restarts
/// with another number of lanes, on the simulated disk; before disk operations, crashed copies of
/// the disk are opened and the tail continues there. The seed is the test's name; to replay one,
/// run with `-Dseed=<n>`. Number of runs: `-Dcrashes=<n>`.
class SpoolCrashTest {
  private static final int RUNS = Slice.of("crashes", 4, 18);
  private static final long STATES_LEAST = 2_000;
  private static final AtomicLong STATES = new AtomicLong();
  private static final long START_NANOS = 1_700_000_000_000_000_000L;
  private static final int STEPS = 40;

  static List<Long> seeds() {
    return Seeds.of(RUNS);
  }

  @AfterAll
  static void enoughStatesWereSeen() {
    Slice.met("crash states", STATES.get(), STATES_LEAST);
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void whatIsNotReleasedIsThere(long seed) {
    new Run(seed).run();
  }

  /// Opens a drained store with a random configuration. Its retention counts for nothing.
  private static EmbeddedStore open(
      SimDisk disk, TestClock clock, SplittableRandom random, Executor background) {
    int lanes = 1 + random.nextInt(3);
    StoreConfig config =
        StoreConfig.at(Path.of("/store"))
            .withLanes(lanes, lanes * (1 + random.nextInt(3)))
            .withBuckets(60, Map.of())
            .withMemory(4L * (1 << 20) * lanes, Duration.ofMinutes(1 + random.nextInt(60)))
            .withJournal(1 << 20, 4 << 20)
            .withDiskReserveBytes(0)
            .withAges(Duration.ZERO, Duration.ofHours(1));
    int fileBytes = 1 << random.nextInt(8, 13); // of one group or of many
    return new EmbeddedStore(
        new StoreOpener(config, disk, clock, background)
            .drained()
            .open(_ -> new FileJournal.Factory(disk, config, fileBytes)));
  }

  /// One run.
  private static final class Run {
    private final SplittableRandom random;
    private final SplittableRandom crashes;
    private final TestClock clock = new TestClock(START_NANOS);
    private final LateTasks background = new LateTasks();
    private final SimDisk disk;
    private final StoreDriver driver;
    private final SpoolTail tail = new SpoolTail();
    private final FirstFinding finding = new FirstFinding();

    Run(long seed) {
      random = new SplittableRandom(seed);
      crashes = random.split();
      disk = new SimDisk(random.nextLong());
      driver = new StoreDriver(random.split());
    }

    void run() {
      disk.beforeEach(() -> finding.check(this::crashAndCheck));
      try (driver) {
        finding.operate(this::operate);
      }
    }

    private void operate() {
      EmbeddedStore store = open(disk, clock, random, background);
      for (int step = 0; step < STEPS; step++) {
        if (random.nextInt(3) == 0) {
          background.run();
        }
        switch (random.nextInt(10)) {
          case 0, 1, 2 -> driver.append(store, clock.wallNanos(), 12);
          case 3 -> driver.commit(store, Durability.DISK);
          case 4, 5 -> tail.take(store);
          case 6 -> release(store, random.nextBoolean() ? tail.position() : any(tail));
          case 7, 8 -> seal(store);
          default -> {
            driver.commit(store, Durability.DISK);
            background.close(store);
            store = open(disk, clock, random, background);
            if (random.nextBoolean()) {
              release(store, tail.position());
            }
          }
        }
      }
      driver.commit(store, Durability.DISK);
      tail.take(store);
      drainAndCheck(store, tail, background::run);
      background.close(store);
      StoreCrashes.check(tail.numbers(), driver);
    }

    private @Nullable LaneArrivals any(SpoolTail from) {
      return from.anyPosition(random);
    }

    private void seal(EmbeddedStore store) {
      background.run(); // a lane has two sets of rows, and nothing else empties them
      driver.append(store, clock.wallNanos(), 12);
      driver.commit(store, Durability.DISK);
      if (random.nextBoolean()) {
        tail.take(store);
        driver.append(store, clock.wallNanos(), 12); // so that a part is released
        driver.commit(store, Durability.DISK);
        release(store, tail.position());
      }
      clock.advance(random.nextInt(2) * 3_600_000_000_000L);
      store.maintain();
      driver.commit(store, Durability.DISK);
    }

    private void crashAndCheck() {
      if (crashes.nextInt(3) == 0) {
        crashAndCheck(disk, tail, 0);
      }
    }

    /// Goes on with what a power cut leaves.
    private void crashAndCheck(SimDisk running, SpoolTail brought, int depth) {
      SimDisk left = running.crash(crashes.nextBoolean());
      SpoolTail goesOn = brought.copy();
      try (EmbeddedStore store = open(left, clock, crashes, Runnable::run)) {
        if (crashes.nextBoolean()) {
          release(store, goesOn.position());
          store.sealAll();
        }
        goesOn.take(store);
        Set<Long> numbers = goesOn.numbers();
        StoreCrashes.check(numbers, driver);
        StoreCrashes.checkNotes(store.lane(0), numbers, driver);
        assertEquals(
            left.list(Path.of("/store/segments")).size(), store.statistics().segments(), "files");
        STATES.incrementAndGet();
        if (depth == 0 && crashes.nextInt(4) == 0) {
          crashAndCheck(left, crashes.nextBoolean() ? brought : goesOn, 1);
        }
        drainAndCheck(store, goesOn, () -> {});
        assertEquals(List.of(), left.list(Path.of("/store/segments")), "files that are not needed");
      }
    }
  }

  private static void release(EmbeddedStore store, @Nullable LaneArrivals to) {
    if (to != null) {
      store.release(to);
    }
  }

  /// When everything is released nothing stays, and nothing comes back.
  private static void drainAndCheck(EmbeddedStore store, SpoolTail tail, Runnable background) {
    LaneArrivals all = tail.position();
    assertTrue(all != null, "a round was made");
    store.release(all);
    background.run();
    store.sealAll();
    background.run();
    store.maintain();
    background.run();
    assertEquals(0, store.statistics().segments(), "segments that are not needed");
    assertEquals(0, store.statistics().openEvents(), "open rows that are not needed");
    assertEquals(new Pending(0, 0), store.pending(all));
    assertEquals(0, tail.take(store), "taken after everything");
  }
}
