package io.widerow.storage;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.faults.FileJournal;
import io.widerow.faults.Seeds;
import io.widerow.faults.SimDisk;
import io.widerow.faults.Slice;
import io.widerow.faults.StoreDriver;
import io.widerow.faults.StoreModel;
import io.widerow.faults.StoreReading;
import io.widerow.faults.TestClock;
import io.widerow.storage.embedded.EmbeddedStore;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Goal: the events that a later view shows and an earlier one does not are exactly the events that
/// arrived since the position of the earlier view, whatever was committed, sealed, merged, killed
/// or reopened with other lanes in between. Method: random runs on a simulated disk; each view is
/// compared with an earlier view as whole sets.
class ArrivalsTest {
  private static final int STEPS = 120;

  private final TestClock clock = new TestClock(1_700_000_000_000_000_000L);

  static List<Long> seeds() {
    return Seeds.of(Slice.of(4, 20));
  }

  private static StoreConfig config(int lanes) {
    return StoreConfig.at(Path.of("/store"))
        .withLanes(lanes, 2 * lanes)
        .withMemory(4L << 21, Duration.ofMinutes(1))
        .withJournal(1 << 20, 4 << 20)
        .withDiskReserveBytes(0)
        .withAges(Duration.ZERO, null);
  }

  private EmbeddedStore open(SimDisk disk, int lanes) {
    StoreConfig config = config(lanes);
    return FileJournal.openStore(config, disk, clock);
  }

  private static Set<Long> numbers(StoreView view, Scan scan) {
    List<StoreModel.Shown> shown = StoreReading.read(view, _ -> true, 0, Long.MAX_VALUE / 2, scan);
    Set<Long> numbers = new TreeSet<>();
    shown.forEach(event -> numbers.add(event.number()));
    assertEquals(shown.size(), numbers.size(), "an event twice");
    return numbers;
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void whatCameSinceIsTheDifferenceOfTwoViews(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    SimDisk disk = new SimDisk(seed);
    EmbeddedStore store = open(disk, 2);
    Set<Long> before = new TreeSet<>();
    Arrivals position = null;
    try (StoreDriver driver = new StoreDriver(random)) {
      for (int step = 0; step < STEPS; step++) {
        driver.append(store, clock.wallNanos(), 8);
        clock.advance(random.nextLong(Duration.ofMinutes(3).toNanos()));
        if (random.nextBoolean()) { // the other lanes have events that are not shown yet
          store.lane(random.nextInt(store.lanes())).commit(Durability.DISK);
        }
        if (random.nextInt(8) == 0) {
          store.maintain();
        }
        if (random.nextInt(15) == 0) {
          driver.commit(store, Durability.DISK);
          store.sealAll();
        }
        if (random.nextInt(20) == 0) {
          SimDisk killed = disk.restart();
          store.close();
          disk = random.nextBoolean() ? killed : disk;
          store = open(disk, 1 + random.nextInt(4));
        }
        try (StoreView view = store.view()) {
          Set<Long> now = numbers(view, Scan.all());
          if (position != null) {
            Set<Long> since = new TreeSet<>(now);
            since.removeAll(before);
            assertEquals(since, numbers(view, Scan.all().withSince(position)), "step " + step);
            assertEquals(
                since,
                numbers(view, Scan.all().withSince(position).withDescending(true)),
                "descending, step " + step);
          }
          if (random.nextInt(3) == 0 || position == null) {
            before = now;
            position = Arrivals.parse(view.arrivals().toString());
          }
        }
      }
    }
    store.close();
  }

  @Test
  void whatIsOlderIsNotLookedAt() {
    try (EmbeddedStore store = open(new SimDisk(7), 1);
        StoreDriver driver = new StoreDriver(new SplittableRandom(7))) {
      driver.append(store, clock.wallNanos(), 100);
      driver.commit(store, Durability.DISK);
      Arrivals position;
      try (StoreView view = store.view()) {
        position = view.arrivals();
        assertTrue(view.partitions(_ -> true, 0, Long.MAX_VALUE, position).isEmpty(), "open");
      }
      store.sealAll(); // into segments that are newer than the position
      clock.advance(Duration.ofHours(5).toNanos());
      try (StoreView view = store.view()) {
        position = view.arrivals();
      }
      store.maintain(); // merged into another one
      assertTrue(store.statistics().merged() > 0);
      driver.append(store, clock.wallNanos(), 1);
      driver.commit(store, Durability.DISK);
      try (StoreView view = store.view()) {
        assertEquals(1, view.partitions(_ -> true, 0, Long.MAX_VALUE, position).size());
        assertEquals(1, numbers(view, Scan.all().withSince(position)).size());
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "a1.", "a1.5", "b1.1-2", "a1.x-2", "a1.1-", "a1.1--2"})
  void whatIsNoPositionIsRefused(String text) {
    assertThrows(IllegalArgumentException.class, () -> Arrivals.parse(text));
  }
}
