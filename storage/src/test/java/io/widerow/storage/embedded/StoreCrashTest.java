package io.widerow.storage.embedded;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.event.EventBatch;
import io.widerow.event.EventId;
import io.widerow.faults.Seeds;
import io.widerow.faults.SimDisk;
import io.widerow.faults.StoreDriver;
import io.widerow.faults.StoreModel;
import io.widerow.faults.StoreReading;
import io.widerow.faults.TestClock;
import io.widerow.storage.Durability;
import io.widerow.storage.LaneWriter;
import io.widerow.storage.Scan;
import io.widerow.storage.StoreView;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Goal: after a power cut at any moment, with any unforced data lost or kept, the store opens by
/// itself and shows everything it acknowledged, each event once and in order. It shows a group in
/// flight whole or not at all. The same holds after another cut while it opens. Method: random
/// operations on the simulated disk; before every disk operation, crashed copies of the disk are
/// opened and compared with what was acknowledged by then. The seed is the test's name; to replay
/// one, run with `-Dseed=<n>`. Number of runs: `-Dcrashes=<n>`.
class StoreCrashTest {
  private static final int RUNS = Integer.getInteger("crashes", 18);
  private static final long STATES_LEAST = 20_000;
  private static final AtomicLong STATES = new AtomicLong();
  private static final long START_NANOS = 1_700_000_000_000_000_000L;

  private final List<Runnable> background = new ArrayList<>();

  static List<Long> seeds() {
    return Seeds.of(RUNS);
  }

  @AfterAll
  static void enoughStatesWereSeen() {
    System.out.println(STATES + " crash states");
    if (Long.getLong("seed") == null) {
      assertTrue(STATES.get() >= STATES_LEAST, STATES + " crash states");
    }
  }

  static List<Long> thinSeeds() {
    return Seeds.of(Math.max(1, RUNS / 3));
  }

  /// Thin history moves into wide buckets, and every one of these steps is cut.
  @ParameterizedTest(name = "seed {0}")
  @MethodSource("thinSeeds")
  void thinHistoryThatWasAcknowledgedIsThere(long seed) {
    crashes(seed, random -> new StoreDriver(random).withThinHistory(Duration.ofDays(1_500)));
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void whatWasAcknowledgedIsThere(long seed) {
    crashes(seed, StoreDriver::new);
  }

  private void crashes(long seed, Function<SplittableRandom, StoreDriver> drivers) {
    var random = new SplittableRandom(seed);
    var clock = new TestClock(START_NANOS);
    var disk = new SimDisk(random.nextLong());
    background.clear();
    try (StoreDriver driver = drivers.apply(random.split())) {
      SplittableRandom crashes = random.split();
      disk.beforeEach(() -> crashAndCheck(disk, clock, driver, crashes));
      EmbeddedStore store = EmbeddedStoreModelTest.open(disk, clock, random, background::add);
      for (int step = 0; step < 20; step++) {
        if (random.nextInt(4) == 0) {
          runBackground();
        }
        switch (random.nextInt(8)) {
          case 0, 1, 2 -> driver.append(store, clock.wallNanos(), 12);
          case 3 -> driver.commit(store, Durability.DISK);
          case 4 -> fillJournals(store, driver, clock.wallNanos(), random.nextInt(6));
          case 5 -> {
            driver.commitUnforced(store);
            if (random.nextBoolean()) {
              store.maintain(); // the witness must not tell of what is not forced
              runBackground();
            }
            clock.advance(random.nextLong(3_600_000_000_000L));
          }
          case 6 -> {
            runBackground(); // a lane has two sets of rows, and nothing else empties them
            clock.advance(random.nextInt(2) * 3_600_000_000_000L);
            if (random.nextBoolean()) {
              driver.append(store, clock.wallNanos(), 12);
              driver.commit(store, Durability.DISK); // so that none is due for a second
              driver.append(store, clock.wallNanos(), 12);
            }
            store.maintain();
            if (random.nextBoolean()) {
              driver.commitUnforced(store); // has sealed what no force has covered
              runBackground();
            }
            driver.commit(store, Durability.DISK);
            fillJournals(
                store, driver, clock.wallNanos(), random.nextInt(6)); // before it is sealed
          }
          default -> {
            driver.commit(store, Durability.DISK);
            close(store);
            store = EmbeddedStoreModelTest.open(disk, clock, random, background::add);
          }
        }
      }
      driver.commit(store, Durability.DISK);
      close(store);
    }
  }

  /// Seals and merges late, while the lanes go on.
  private void runBackground() {
    while (!background.isEmpty()) {
      background.removeFirst().run();
    }
  }

  private void fillJournals(EmbeddedStore store, StoreDriver driver, long nowNanos, int groups) {
    for (int left = groups; left > 0; left--) {
      driver.append(store, nowNanos, 12);
      driver.commit(store, Durability.DISK);
    }
  }

  private void close(EmbeddedStore store) {
    runBackground();
    store.sealAll();
    runBackground();
    store.close();
  }

  private static void crashAndCheck(
      SimDisk disk, TestClock clock, StoreDriver driver, SplittableRandom random) {
    for (int copy = 0; copy < 2; copy++) {
      SimDisk left = disk.crash(random.nextBoolean());
      while (random.nextInt(4) == 0) {
        left = cutWhileOpening(left, clock, random);
      }
      openAndCheck(left, clock, driver, random);
    }
  }

  private static void openAndCheck(
      SimDisk disk, TestClock clock, StoreDriver driver, SplittableRandom random) {
    int next = random.nextInt(4);
    try (EmbeddedStore store = EmbeddedStoreModelTest.open(disk, clock, random);
        StoreView view = store.view()) {
      Set<Long> numbers = check(view, driver);
      for (int lane = 0; lane < store.lanes(); lane++) {
        checkNotes(store.lane(lane), numbers, driver);
      }
      assertEquals(
          disk.list(Path.of("/store/segments")).size(),
          store.statistics().segments(),
          "what the crash left is deleted");
      if (next == 0) {
        goOn(store, numbers);
      }
    }
    STATES.incrementAndGet();
    if (next == 1) { // what one open drops, a later one must not bring back
      openAndCheck(disk.crash(random.nextBoolean()), clock, driver, random);
    }
  }

  /// Each lane is told every note once: those of batches whose events are present, and no others.
  private static void checkNotes(LaneWriter lane, Set<Long> numbers, StoreDriver driver) {
    Set<Long> told = new HashSet<>();
    lane.notes((_, note) -> {
      long number = ByteBuffer.wrap(note).getLong();
      assertTrue(told.add(number), "told twice: " + number);
    });
    driver.noted.forEach((note, batch) -> {
      for (StoreModel.Written event : batch) {
        if (!event.own()) {
          boolean there = numbers.contains(event.number());
          assertEquals(
              there, told.contains(note), "note of " + event + ", which is there: " + there);
        }
      }
    });
  }

  private static SimDisk cutWhileOpening(SimDisk disk, TestClock clock, SplittableRandom random) {
    disk.cutPowerAt(disk.operations() + 1 + random.nextInt(30));
    try {
      EmbeddedStoreModelTest.open(disk, clock, random);
    } catch (SimDisk.PowerCut cut) {
      STATES.incrementAndGet();
    }
    return disk.crash(random.nextBoolean());
  }

  /// @return numbers of the events present
  private static Set<Long> check(StoreView view, StoreDriver driver) {
    List<StoreModel.Shown> shown =
        StoreReading.read(view, _ -> true, 0, Long.MAX_VALUE / 2, Scan.all());
    Set<Long> numbers = new HashSet<>();
    EventId last = EventId.LEAST;
    for (StoreModel.Shown event : shown) {
      assertTrue(last.compareTo(event.id()) <= 0, "order at " + event);
      assertTrue(numbers.add(event.number()), "twice: " + event);
      last = event.id();
    }
    Set<Long> flying = new HashSet<>();
    Map<String, Set<Long>> ownFlying = new HashMap<>();
    List<List<StoreModel.Written>> groups = new ArrayList<>(driver.appended.values());
    driver.unforced.values().forEach(groups::addAll);
    for (List<StoreModel.Written> group : groups) {
      checkGroup(group, numbers);
      for (StoreModel.Written event : group) {
        flying.add(event.number());
        ownFlying.computeIfAbsent(keyOf(event), _ -> new HashSet<>()).add(event.number());
      }
    }
    Set<Long> acknowledged = new HashSet<>();
    for (StoreModel.Written event : driver.acknowledged.all()) {
      acknowledged.add(event.number());
      boolean replaced =
          event.own()
              && ownFlying.getOrDefault(keyOf(event), Set.of()).stream()
                  .anyMatch(numbers::contains);
      assertTrue(numbers.contains(event.number()) || replaced, "lost: " + event);
    }
    List<Long> invented = new ArrayList<>(numbers);
    invented.removeAll(acknowledged);
    invented.removeAll(flying);
    assertEquals(List.of(), invented, "shown, and never written or replaced");
    return numbers;
  }

  /// Events written after the crash get new ids, also at times of earlier events.
  private static void goOn(EmbeddedStore store, Set<Long> numbers) {
    Set<Long> all = new HashSet<>(numbers);
    byte[] name = StoreModel.NUMBER.toString().getBytes(StandardCharsets.UTF_8);
    try (var batch = new EventBatch(1 << 12, 1 << 12)) {
      for (String each : StoreDriver.TYPES) {
        byte[] type = each.getBytes(StandardCharsets.UTF_8);
        for (int i = 0; i < 4; i++) {
          long number = 1_000_000L + all.size();
          batch.begin(type, 0, type.length, START_NANOS);
          batch.putLong(name, 0, name.length, number);
          assertNull(batch.end());
          all.add(number);
        }
      }
      store.lane(0).append(batch, 0, (_, why) -> assertNull(why));
      store.lane(0).commit(Durability.DISK);
    }
    try (StoreView view = store.view()) {
      Set<Long> shown = new HashSet<>();
      StoreReading.read(view, _ -> true, 0, Long.MAX_VALUE / 2, Scan.all())
          .forEach(event -> shown.add(event.number()));
      assertEquals(all, shown, "after more was written");
    }
  }

  /// A lane's group is present whole or not at all. Events with ids of their own may replace each
  /// other, so they do not count.
  private static void checkGroup(List<StoreModel.Written> group, Set<Long> numbers) {
    List<Boolean> there =
        group.stream()
            .filter(event -> !event.own())
            .map(event -> numbers.contains(event.number()))
            .distinct()
            .toList();
    assertTrue(there.size() <= 1, "half a group is there: " + group);
  }

  private static String keyOf(StoreModel.Written event) {
    return event.type() + " " + event.ownId();
  }
}
