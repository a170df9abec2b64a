package io.widerow.storage.embedded;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.faults.Seeds;
import io.widerow.faults.SimDisk;
import io.widerow.faults.Slice;
import io.widerow.faults.StoreDriver;
import io.widerow.faults.StoreModel;
import io.widerow.faults.StoreModel.Written;
import io.widerow.faults.StoreReading;
import io.widerow.faults.TestClock;
import io.widerow.storage.Durability;
import io.widerow.storage.Scan;
import io.widerow.storage.ScanWatch;
import io.widerow.storage.StoreView;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Goal: aggregates of a rollup with `keep` equal a recount of all events ever committed and not
/// deleted, whichever of them retention hides or drops; and every event younger than every
/// retention is shown, once. Method: random operations (append, late, upsert, commit, merge,
/// repartition, deletion, reopen with other lanes and widths, layouts, rollups and policies changed
/// while it is open) against the store on a simulated disk and against a plain map. The seed is the
/// test's name; to replay one, run with `-Dseed=<n>`.
class KeptModelTest {
  private static final long HOUR = 3_600_000_000_000L;
  private static final long DAY = 24 * HOUR;
  private static final long START_NANOS = 1_700_000_000_000_000_000L;
  private static final Duration LATE = Duration.ofHours(1);
  private static final int AGE_LEAST = 3; // hours
  private static final int STEPS = 24;

  private static long gone;
  private static long skipped;
  private static int deletions;
  private static int figureDeletions;

  private final ScanWatch watch = new ScanWatch(() -> {});
  private TestClock clock = new TestClock(0);
  private SplittableRandom random = new SplittableRandom(0);
  private ModelDeletions deleted = new ModelDeletions(random);

  static List<Long> seeds() {
    return Seeds.of(Slice.of("models", 12, 60));
  }

  @AfterAll
  static void muchWentAndWasDeleted() {
    System.out.printf(
        "%d events left figures, %d deletions, %d of them took figures; %d skipped%n",
        gone, deletions, figureDeletions, skipped);
    Slice.met("events that left figures", gone, 1_000);
    Slice.met("deletions", deletions, 30);
    Slice.met("deletions of figures", figureDeletions, 10);
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void figuresAreARecountOfWhatWasCommitted(long seed) {
    random = new SplittableRandom(seed);
    clock = new TestClock(START_NANOS);
    deleted = new ModelDeletions(random);
    var disk = new SimDisk(random.nextLong());
    try (var driver = new StoreDriver(random).withYoungEvents(LATE)) {
      EmbeddedStore store = open(disk);
      var keep = Duration.ofDays(400);
      store.rollups().set(FigureStore.rollup("kept", "*", random.nextBoolean() ? 1 : 60, keep));
      for (int step = 0; step < STEPS; step++) {
        switch (random.nextInt(14)) {
          case 0, 1, 2, 3 -> driver.append(store, clock.wallNanos(), 40);
          case 4, 5 -> driver.commit(store, EmbeddedStoreModelTest.durability(random));
          case 6, 7, 8 -> pass(store, driver, random.nextLong(2 * HOUR));
          case 9 -> check(store, driver.acknowledged);
          case 10 -> EmbeddedStoreModelTest.changeLayout(store, random);
          case 11 -> {
            if (random.nextBoolean()) {
              EmbeddedStoreModelTest.repartition(store, random);
            } else {
              EmbeddedStoreModelTest.changeRollups(store, random);
            }
          }
          case 12 -> {
            if (random.nextBoolean()) {
              changePolicy(store);
            } else {
              delete(store, driver);
            }
          }
          default -> {
            pass(store, driver, 0);
            store.close();
            store = open(disk);
            check(store, driver.acknowledged);
          }
        }
      }
      pass(store, driver, DAY);
      changePolicy(store);
      deleted.finish(store);
      driver.append(store, clock.wallNanos(), 40);
      delete(store, driver);
      deleted.finish(store);
      store.close();
      store = open(disk);
      check(store, driver.acknowledged);
      gone += gone(store, driver.acknowledged).size();
      deletions += deleted.count();
      store.close();
    }
  }

  private EmbeddedStore open(SimDisk disk) {
    return EmbeddedStoreModelTest.open(disk, clock, random);
  }

  /// Time passes, as a daemon sees it. All is committed before: an event is in the store when its
  /// retention is looked at.
  private void pass(EmbeddedStore store, StoreDriver driver, long nanos) {
    driver.commit(store, Durability.DISK);
    clock.advance(nanos);
    store.maintain();
    driver.commit(store, Durability.DISK);
  }

  private void changePolicy(EmbeddedStore store) {
    String type = StoreDriver.TYPES.get(random.nextInt(StoreDriver.TYPES.size()));
    Duration grace = random.nextBoolean() ? Duration.ZERO : Duration.ofMinutes(20);
    var age = Duration.ofHours(AGE_LEAST + random.nextLong(6));
    store.retention().set(RetentionStore.rule(random.nextInt(3) == 0 ? "*" : type, age, grace));
  }

  /// Deletes events, and with them the aggregates that may count some. The test cannot see events
  /// that are hidden and not dropped yet: then nothing is deleted.
  private void delete(EmbeddedStore store, StoreDriver driver) {
    pass(store, driver, 0);
    deleted.finish(store);
    long day = clock.wallNanos() / DAY * DAY;
    Set<Long> shown = shown(store);
    var model = driver.acknowledged.without(event -> !shown.contains(event.number()));
    ModelDeletions.Drawn drawn = deleted.draw(model, List.of(day, day - DAY, day - 2 * DAY));
    var plan = deleted.plan(store, model, drawn);
    if (plan == null) {
      return;
    }
    Predicate<Written> figures =
        event -> !shown.contains(event.number()) && drawn.mayConcern(event);
    long counted = driver.acknowledged.all().stream().filter(figures).count();
    if (counted != plan.figureEvents()) {
      skipped++;
      return;
    }
    deleted.run(store, driver.acknowledged, plan, drawn);
    driver.acknowledged.remove(figures);
    figureDeletions += counted > 0 ? 1 : 0;
    check(store, driver.acknowledged);
  }

  private static Set<Long> shown(EmbeddedStore store) {
    try (StoreView view = store.view()) {
      Set<Long> numbers = new HashSet<>();
      for (StoreModel.Shown each :
          StoreReading.read(view, _ -> true, 0, Long.MAX_VALUE / 2, Scan.all())) {
        assertTrue(numbers.add(each.number()), () -> "twice: " + each);
      }
      return numbers;
    }
  }

  /// Events that retention hides or has dropped.
  private static Set<Long> gone(EmbeddedStore store, StoreModel model) {
    Set<Long> gone = new HashSet<>(model.numbers(_ -> true, 0, Long.MAX_VALUE));
    gone.removeAll(shown(store));
    return gone;
  }

  private void check(EmbeddedStore store, StoreModel acknowledged) {
    StoreModel model = acknowledged;
    Set<Long> shown = shown(store);
    long young = clock.wallNanos() - AGE_LEAST * HOUR;
    for (Written each : model.all()) {
      assertTrue(
          each.timeNanos() < young || shown.contains(each.number()), () -> "hidden: " + each);
    }
    try (StoreView view = store.view()) {
      StoreModel there = model.without(event -> !shown.contains(event.number()));
      var _ = StoreReading.check(view, there, _ -> true, 0, Long.MAX_VALUE / 2);
    }
    assertEquals(expected(model), FigureStore.figures(store, watch));
    assertEquals(0, watch.missingMinutes(), "missing minutes");
  }

  /// Sum and number of events, by type, hour and value.
  private static Map<String, String> expected(StoreModel model) {
    Map<String, long[]> sums = new TreeMap<>();
    for (Written event : model.all()) {
      String group = "%s %d %s".formatted(event.type(), event.timeNanos() / HOUR, event.value());
      long[] sum = sums.computeIfAbsent(group, _ -> new long[2]);
      sum[0] += event.number();
      sum[1]++;
    }
    Map<String, String> expected = new TreeMap<>();
    sums.forEach((group, sum) -> expected.put(group, sum[0] + " of " + sum[1]));
    return expected;
  }
}
