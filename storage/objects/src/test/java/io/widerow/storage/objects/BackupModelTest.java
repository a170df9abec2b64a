package io.widerow.storage.objects;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.event.AttributeName;
import io.widerow.faults.FileJournal;
import io.widerow.faults.Seeds;
import io.widerow.faults.SimDisk;
import io.widerow.faults.Slice;
import io.widerow.faults.StoreDriver;
import io.widerow.faults.StoreModel;
import io.widerow.faults.StoreReading;
import io.widerow.faults.TestClock;
import io.widerow.rollup.RollupDefinition;
import io.widerow.rollup.RollupField;
import io.widerow.rollup.RollupFigure;
import io.widerow.rollup.RollupShape;
import io.widerow.storage.Durability;
import io.widerow.storage.Filter;
import io.widerow.storage.LaneArrivals;
import io.widerow.storage.Scan;
import io.widerow.storage.StoreConfig;
import io.widerow.storage.StoreView;
import io.widerow.storage.embedded.DeletionControl;
import io.widerow.storage.embedded.EmbeddedStore;
import io.widerow.storage.embedded.StoreOpener;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Goal: whatever happens to the store, its process, its disk and the place of the backup, a
/// restore to any time gives the store as it was at the cut that it names: its events with their
/// ids, its rollups, saved queries and deletions, and the retries that it knows; and no id is given
/// twice. Method: random operations on a store on the simulated disk, its backup to simulated
/// objects with faults, kills and power cuts; after each operation the store is read. Then stores
/// are restored to random times, and read. The seed is the test's name; to replay one, run with
/// `-Dseed=<n>`.
class BackupModelTest {
  private static final long START_NANOS = 1_700_000_000_000_000_000L;
  private static final int STEPS = 60;
  private static final int RESTORES = 6;
  private static final AtomicLong FAULTS = new AtomicLong();
  private static final AtomicLong KILLS = new AtomicLong();
  private static final AtomicLong CUTS = new AtomicLong();
  private static final AtomicLong DELETIONS = new AtomicLong();
  private static final AtomicLong DELETED = new AtomicLong();

  private final TreeMap<Long, State> states = new TreeMap<>(); // by the time from which they hold
  private final TestClock clock = new TestClock(START_NANOS);
  private final Set<Long> acknowledged = new TreeSet<>(); // notes
  private final Set<Long> lost = new TreeSet<>(); // notes that a crash may have taken
  private SimDisk disk = new SimDisk(0);
  private int objectBytes;
  private int restored;
  private long counterLimit;
  private RetentionOptions retention = RetentionOptions.of(Duration.ofDays(7), 35);

  /// What a store shows.
  ///
  /// @param notes those that are acknowledged
  private record State(
      List<StoreModel.Shown> events, Set<String> settings, Set<Long> notes, long noteLimit) {}

  static List<Long> seeds() {
    return Seeds.of(Slice.of("backups", 8, 60));
  }

  @AfterAll
  static void allHappened() {
    Slice.met("faults of the objects", FAULTS.get(), 100);
    Slice.met("kills", KILLS.get(), 50);
    Slice.met("restored cuts", CUTS.get(), 100);
    Slice.met("deletions", DELETIONS.get(), 20);
    Slice.met("deleted objects", DELETED.get(), 100);
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void eachCutIsRestored(long seed) {
    run(seed);
  }

  /// The same, for the test of planted bugs.
  void run(long seed) {
    var random = new SplittableRandom(seed);
    disk = new SimDisk(random.nextLong());
    var objects = new SimulatedObjects(random.split());
    objectBytes = 1 << random.nextInt(20); // one frame or many
    int lanes = 1 + random.nextInt(3);
    retention =
        new RetentionOptions(
            Duration.ofMinutes(random.nextInt(90)),
            random.nextInt(4),
            Duration.ofMinutes(30),
            Duration.ofMinutes(random.nextInt(1, 20)),
            Duration.ofMinutes(random.nextInt(10)));
    try (StoreDriver driver = new StoreDriver(random)) {
      EmbeddedStore store = open(Path.of("/store"), lanes, random);
      Backup backup = backup(store, objects);
      objects.failOneIn(random.nextInt(3) == 0 ? 0 : 3 + random.nextInt(20));
      for (int step = 0; step < STEPS; step++) {
        clock.advance(1 + random.nextLong(2_000_000_000L));
        switch (random.nextInt(10)) {
          case 0, 1 -> objects.killAfter(1 + random.nextInt(8));
          case 2 -> disk.cutPowerAt(disk.operations() + 1 + random.nextInt(60));
          default -> {}
        }
        try {
          act(store, backup, driver, random);
        } catch (SimulatedObjects.Killed | SimDisk.PowerCut _) {
          objects.kill(true);
          KILLS.incrementAndGet();
          store = again(store, lanes, driver, random, true);
          backup = backup(store, objects);
        }
        disk.cutPowerAt(Long.MAX_VALUE);
        String reason = String.valueOf(backup.status().reason());
        assertFalse(reason.contains("is not there"), () -> "frames went: " + reason);
        if (random.nextInt(20) == 0) {
          boolean killed = random.nextBoolean();
          if (!killed) {
            objects.kill(true);
            driver.commit(store, Durability.DISK);
            acknowledge(driver);
            clock.advance(1);
            look(store, driver);
            clock.advance(1);
            backup.close();
          }
          lanes = random.nextInt(3) == 0 ? 1 + random.nextInt(3) : lanes;
          store = again(store, lanes, driver, random, killed);
          backup = backup(store, objects);
        }
        objects.kill(true);
        look(store, driver);
      }
      finish(store, backup, objects, driver, random);
      store.close();
    }
    FAULTS.addAndGet(objects.faults());
  }

  private void act(
      EmbeddedStore store, Backup backup, StoreDriver driver, SplittableRandom random) {
    switch (random.nextInt(18)) {
      case 0, 1, 2, 3 -> driver.append(store, clock.wallNanos(), 30);
      case 4, 5, 6 -> {
        driver.commit(store, Durability.DISK);
        acknowledge(driver);
      }
      case 7 -> driver.commitUnforced(store);
      case 8 -> clock.advance(random.nextLong(1_800_000_000_000L));
      case 9 -> {
        store.maintain();
        driver.commit(store, Durability.DISK);
        acknowledge(driver);
      }
      case 10, 11, 12, 13 -> backup.step();
      case 14 -> backup.checkpoint();
      case 15 -> changeRollups(store, random);
      case 16 -> delete(store, driver, random);
      default -> {
        backup.step();
        backup.checkpoint();
        clock.advance(1);
        backup.step();
      }
    }
  }

  private void acknowledge(StoreDriver driver) {
    Set<Long> open = new HashSet<>();
    driver.appended.values().forEach(all -> all.forEach(event -> open.add(event.number())));
    driver.unforced.values().stream()
        .flatMap(List::stream)
        .forEach(all -> all.forEach(event -> open.add(event.number())));
    driver.noted.forEach((note, _) -> {
      if (!open.contains(note) && !lost.contains(note)) {
        acknowledged.add(note);
      }
    });
  }

  private static void changeRollups(EmbeddedStore store, SplittableRandom random) {
    String name = "r" + random.nextInt(3);
    if (store.rollups().all().stream().anyMatch(each -> each.name().equals(name))) {
      store.rollups().unset(name);
      return;
    }
    var shape =
        new RollupShape(
            1,
            List.of(AttributeName.of("value")),
            List.of(new RollupField(AttributeName.of("n"), RollupFigure.ALL)));
    store.rollups().set(new RollupDefinition(name, "*", shape, "sum(number)", null));
  }

  /// Deletes half of what is shown.
  private void delete(EmbeddedStore store, StoreDriver driver, SplittableRandom random) {
    driver.commit(store, Durability.DISK);
    acknowledge(driver);
    double least = random.nextInt(100) / 4.0;
    Filter filter =
        new Filter.Compare(
            AttributeName.of("value"),
            Filter.Comparison.GREATER_OR_EQUAL,
            new Filter.Literal.Fraction(least));
    var asked = new DeletionControl.Asked(List.of(), Long.MIN_VALUE, Long.MAX_VALUE, "v", filter);
    try (StoreView view = store.view()) {
      int id = store.deletions().plan(asked, view).id();
      var _ = store.deletions().run(id);
      DELETIONS.incrementAndGet();
    } catch (IllegalArgumentException nothingMatches) {
      assertTrue(String.valueOf(nothingMatches.getMessage()).contains("nothing matches"));
    }
  }

  /// The store of the next process.
  private EmbeddedStore again(
      EmbeddedStore store, int lanes, StoreDriver driver, SplittableRandom random, boolean killed) {
    if (killed) {
      disk = random.nextBoolean() ? disk.restart() : disk.crash(random.nextBoolean());
    } else {
      store.close();
    }
    lost.addAll(driver.noted.keySet());
    lost.removeAll(acknowledged);
    driver.appended.clear();
    driver.unforced.clear();
    clock.advance(1);
    return open(Path.of("/store"), lanes, random);
  }

  private EmbeddedStore open(Path directory, int lanes, SplittableRandom random) {
    StoreConfig config =
        StoreConfig.at(directory)
            .withLanes(lanes, lanes * 2)
            .withBuckets(60, Map.of())
            .withMemory(4L * (1 << 20) * lanes, Duration.ofMinutes(1 + random.nextInt(20)))
            .withJournal(1 << 20, 4 << 20)
            .withDiskReserveBytes(0)
            .withAges(Duration.ofMinutes(random.nextInt(30)), null);
    int fileBytes = 1 << random.nextInt(8, 13);
    SimDisk now = disk;
    return new EmbeddedStore(
        new StoreOpener(config, now, clock, Runnable::run)
            .open(_ -> new FileJournal.Factory(now, config, fileBytes)));
  }

  private Backup backup(EmbeddedStore store, SimulatedObjects objects) {
    var options =
        new BackupOptions(
            Duration.ZERO, Duration.ofMinutes(20), 1L << 40, objectBytes, "host", retention);
    return new Backup(store::backup, objects, options, clock::monotonicNanos);
  }

  /// Notes what the store shows from now on, if that has changed.
  private void look(EmbeddedStore store, StoreDriver driver) {
    State now = state(store, driver);
    if (states.isEmpty() || !states.lastEntry().getValue().equals(now)) {
      states.put(clock.wallNanos(), now);
    }
    try (StoreView view = store.view()) {
      counterLimit =
          Math.max(counterLimit, Collections.max(((LaneArrivals) view.arrivals()).laneLimits()));
    }
  }

  private State state(EmbeddedStore store, StoreDriver driver) {
    try (StoreView view = store.view()) {
      Set<String> settings = new TreeSet<>();
      store.rollups().all().forEach(each -> settings.add(each.toString()));
      store.deletions().all().forEach(each -> settings.add("d-" + each.id()));
      long limit = driver.noted.keySet().stream().mapToLong(Long::longValue).max().orElse(-1);
      return new State(
          StoreReading.read(view, _ -> true, 0, Long.MAX_VALUE / 2, Scan.all()),
          settings,
          Set.copyOf(acknowledged),
          limit + 1);
    }
  }

  private void finish(
      EmbeddedStore store,
      Backup backup,
      SimulatedObjects objects,
      StoreDriver driver,
      SplittableRandom random) {
    objects.failOneIn(0);
    driver.append(store, clock.wallNanos(), 30);
    driver.commit(store, Durability.DISK);
    acknowledge(driver);
    look(store, driver);
    clock.advance(60_000_000_000L);
    backup.step();
    backup.checkpoint();
    clock.advance(60_000_000_000L);
    backup.checkpoint();
    backup.step();
    assertEquals("shipping", backup.status().state(), () -> backup.status().toString());
    assertEquals(0, backup.status().behindNanos());
    long end = clock.wallNanos();
    assertEquals(states.lastEntry().getValue().events(), restore(objects, end, random).events());
    if (random.nextBoolean()) {
      objects.failOneIn(10);
    }
    SimulatedObjects whole = objects.withDeleted(Kept.OBJECT);
    for (int i = 0; i < RESTORES; i++) {
      long at = START_NANOS + random.nextLong(end - START_NANOS);
      State shown = restore(objects, at, random);
      if (at >= end - retention.keep().toNanos()) {
        assertEquals(restore(whole, at, random), shown, "a second that is kept");
      }
    }
    DELETED.addAndGet(objects.deleted().size());
  }

  /// Restores to a time, and compares.
  private State restore(SimulatedObjects objects, long nanos, SplittableRandom random) {
    Path target = Path.of("/restored" + restored++);
    Restore.Result result = null;
    while (result == null) {
      try {
        result =
            new Restore(
                    objects,
                    disk,
                    target,
                    (at, path) -> _ -> new FileJournal.Factory(at, StoreConfig.at(path), 1 << 10),
                    Runnable::run,
                    1)
                .run(nanos);
      } catch (ObjectsException.Away _) {
        result = null; // another try goes on
      } catch (ObjectsException.Damaged damaged) {
        throw new AssertionError("what was shipped cannot be restored", damaged);
      } catch (ObjectsException.NotThere early) {
        return new State(List.of(), Set.of(), Set.of(), 0);
      }
    }
    Instant cut = Instant.parse(result.cut());
    long cutNanos = cut.getEpochSecond() * 1_000_000_000L + cut.getNano();
    assertTrue(cutNanos <= nanos, () -> cut + " is after the time that was asked for");
    var expected = states.floorEntry(cutNanos).getValue();
    Set<Long> notes = new TreeSet<>();
    State shown;
    try (StoreDriver driver = new StoreDriver(random);
        EmbeddedStore store = open(target, 1 + random.nextInt(3), random)) {
      assertEquals(List.of(), store.statistics().damage());
      store.lane(0).notes((_, note) -> notes.add(ByteBuffer.wrap(note).getLong()));
      shown = state(store, driver);
      try (StoreView view = store.view()) {
        long next = Collections.max(((LaneArrivals) view.arrivals()).laneLimits());
        assertTrue(next > counterLimit, "numbers are given twice: " + next);
      }
    }
    assertEquals(expected.events(), shown.events(), () -> "events at " + cut);
    assertEquals(expected.settings(), shown.settings(), () -> "settings at " + cut);
    Set<Long> unknown = new TreeSet<>(expected.notes());
    unknown.removeAll(notes);
    assertEquals(Set.of(), unknown, "retries that are unknown");
    notes.removeIf(note -> note < expected.noteLimit());
    assertEquals(Set.of(), notes, "retries of later batches are known");
    CUTS.incrementAndGet();
    return shown;
  }
}
