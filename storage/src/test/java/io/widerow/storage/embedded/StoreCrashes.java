package io.widerow.storage.embedded;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.event.EventBatch;
import io.widerow.event.EventId;
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
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.Executor;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// Random operations on a store, and power cuts before its operations on the disk: each time,
/// copies of the disk as the cut leaves it are opened and compared with the events acknowledged by
/// then.
///
/// - Threads: one.
final class StoreCrashes {
  static final long START_NANOS = 1_700_000_000_000_000_000L;

  /// A machine with the directory of one store, whose power can be cut.
  interface Machine extends AutoCloseable {
    /// Opens the store with a random configuration.
    EmbeddedStore open(SplittableRandom random, Executor background);

    /// Runs before each operation on the disk.
    void beforeEach(Runnable look);

    /// The machine after a power cut now. This machine continues.
    Machine crash(SplittableRandom random);

    /// Cuts the power at the n-th operation from now: it throws [SimDisk.PowerCut].
    void cutPowerIn(int operations);

    /// How often groups are written and sealed at first, so that journal files are used again.
    default int rounds() {
      return 0;
    }

    /// Number of files in the directory of the segments.
    int segmentFiles();

    @Override
    default void close() {}
  }

  private final LateTasks background = new LateTasks();

  private final Machine machine;
  private final TestClock clock;
  private final SplittableRandom random;
  private final StoreDriver driver;
  private final SplittableRandom crashes;
  private final int oneIn;
  private long states;
  private final FirstFinding finding = new FirstFinding();

  /// @param oneIn at how many operations the power is cut once, at random
  private StoreCrashes(
      Machine machine,
      TestClock clock,
      SplittableRandom random,
      StoreDriver driver,
      SplittableRandom crashes,
      int oneIn) {
    this.machine = machine;
    this.clock = clock;
    this.random = random;
    this.driver = driver;
    this.crashes = crashes;
    this.oneIn = oneIn;
  }

  /// @param machines makes one that is empty
  /// @param drivers makes what writes events
  /// @param oneIn at how many operations the power is cut once, at random
  /// @return number of states that were opened
  static long run(
      long seed,
      BiFunction<SplittableRandom, TestClock, Machine> machines,
      Function<SplittableRandom, StoreDriver> drivers,
      int oneIn) {
    var random = new SplittableRandom(seed);
    var clock = new TestClock(START_NANOS);
    try (Machine machine = machines.apply(random, clock);
        StoreDriver driver = drivers.apply(random.split())) {
      SplittableRandom crashes = random.split();
      var run = new StoreCrashes(machine, clock, random, driver, crashes, oneIn);
      machine.beforeEach(() -> run.finding.check(run::crashAndCheck));
      run.finding.operate(run::operate);
      return run.states;
    }
  }

  private void operate() {
    EmbeddedStore store = machine.open(random, background);
    for (int round = 0; round < machine.rounds(); round++) {
      fillJournals(store, driver, clock.wallNanos(), 1 + random.nextInt(4));
      store.sealAll();
      background.run();
    }
    for (int step = 0; step < 20; step++) {
      if (random.nextInt(4) == 0) {
        background.run();
      }
      if (random.nextInt(20) == 0) {
        EmbeddedStoreModelTest.changeRollups(store, random);
      }
      switch (random.nextInt(8)) {
        case 0, 1, 2 -> driver.append(store, clock.wallNanos(), 12);
        case 3 -> driver.commit(store, Durability.DISK);
        case 4 -> fillJournals(store, driver, clock.wallNanos(), random.nextInt(6));
        case 5 -> {
          driver.commitUnforced(store);
          if (random.nextBoolean()) {
            store.maintain(); // the witness must not list unforced groups
            background.run();
          }
          clock.advance(random.nextLong(3_600_000_000_000L));
        }
        case 6 -> {
          background.run(); // a lane has two sets of rows, and nothing else empties them
          clock.advance(random.nextInt(2) * 3_600_000_000_000L);
          if (random.nextBoolean()) {
            driver.append(store, clock.wallNanos(), 12);
            driver.commit(store, Durability.DISK); // so that none is due for a second
            driver.append(store, clock.wallNanos(), 12);
          }
          store.maintain();
          if (random.nextBoolean()) {
            driver.commitUnforced(store); // has sealed what no force has covered
            background.run();
          }
          driver.commit(store, Durability.DISK);
          fillJournals(store, driver, clock.wallNanos(), random.nextInt(6)); // before it is sealed
        }
        default -> {
          driver.commit(store, Durability.DISK);
          background.close(store);
          store = machine.open(random, background);
        }
      }
    }
    driver.commit(store, Durability.DISK);
    background.close(store);
  }

  private void fillJournals(EmbeddedStore store, StoreDriver driver, long nowNanos, int groups) {
    for (int left = groups; left > 0; left--) {
      driver.append(store, nowNanos, 12);
      driver.commit(store, Durability.DISK);
    }
  }

  private void crashAndCheck() {
    if (oneIn <= 1 || crashes.nextInt(oneIn) == 0) {
      for (int copy = 0; copy < 2; copy++) {
        crashAndCheck(machine);
      }
    }
  }

  private void crashAndCheck(Machine running) {
    try (Machine left = running.crash(crashes)) {
      if (crashes.nextInt(4) == 0) {
        EmbeddedStore opened = cutWhileOpening(left);
        try {
          crashAndCheck(left);
        } finally {
          if (opened != null) {
            left.cutPowerIn(Integer.MAX_VALUE);
            opened.close();
          }
        }
      } else {
        openAndCheck(left);
      }
    }
  }

  private void openAndCheck(Machine left) {
    int next = crashes.nextInt(4);
    try (EmbeddedStore store = left.open(crashes, Runnable::run);
        StoreView view = store.view()) {
      Set<Long> numbers = check(view, driver);
      for (int lane = 0; lane < store.lanes(); lane++) {
        checkNotes(store.lane(lane), numbers, driver);
      }
      assertEquals(
          left.segmentFiles(), store.statistics().segments(), "what the crash left is deleted");
      if (next == 0) {
        goOn(store, numbers);
      }
    }
    states++;
    if (next == 1) { // what one open drops, a later one must not bring back
      try (Machine again = left.crash(crashes)) {
        openAndCheck(again);
      }
    }
  }

  /// Each lane gets every note once: the notes of batches whose events are present, and no others.
  static void checkNotes(LaneWriter lane, Set<Long> numbers, StoreDriver driver) {
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

  /// @return the store if it was open before the power was cut
  private @Nullable EmbeddedStore cutWhileOpening(Machine left) {
    left.cutPowerIn(1 + crashes.nextInt(30));
    try {
      return left.open(crashes, Runnable::run);
    } catch (SimDisk.PowerCut cut) {
      states++;
      return null;
    }
  }

  /// @return numbers of the events present
  private static Set<Long> check(StoreView view, StoreDriver driver) {
    List<StoreModel.Shown> shown =
        StoreReading.read(view, _ -> true, 0, Long.MAX_VALUE / 2, Scan.all());
    long _ = StoreReading.checkCounts(view, _ -> true, 0, Long.MAX_VALUE / 2, shown);
    Set<Long> numbers = new HashSet<>();
    EventId last = EventId.LEAST;
    for (StoreModel.Shown event : shown) {
      assertTrue(last.compareTo(event.id()) <= 0, "order at " + event);
      assertTrue(numbers.add(event.number()), "twice: " + event);
      last = event.id();
    }
    check(numbers, driver);
    return numbers;
  }

  /// Everything acknowledged is there, groups in flight are there whole or not at all, and nothing
  /// else.
  static void check(Set<Long> numbers, StoreDriver driver) {
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
    assertEquals(List.of(), invented, "never written or replaced");
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
