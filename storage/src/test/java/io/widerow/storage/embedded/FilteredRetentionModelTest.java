package io.widerow.storage.embedded;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.event.AttributeName;
import io.widerow.event.TypeGlob;
import io.widerow.faults.Seeds;
import io.widerow.faults.SimDisk;
import io.widerow.faults.Slice;
import io.widerow.faults.StoreDriver;
import io.widerow.faults.StoreModel;
import io.widerow.faults.StoreModel.Written;
import io.widerow.faults.StoreReading;
import io.widerow.faults.TestClock;
import io.widerow.storage.Durability;
import io.widerow.storage.Filter;
import io.widerow.storage.Filter.Comparison;
import io.widerow.storage.Filter.Literal;
import io.widerow.storage.RetentionSettings;
import io.widerow.storage.RetentionSettings.Where;
import io.widerow.storage.StoreView;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Goal: a store shows exactly the events that no policy with a filter hides, also from cells and
/// rollups, whatever was sealed, merged, joined, repartitioned, written again, deleted or removed;
/// a policy that is taken back within its grace shows its events again; and what policies without
/// grace hide leaves the files; also after a power cut at any moment of a removal. Method: as
/// [EmbeddedStoreModelTest], with policies that hide by random values. The seed is the test's name.
class FilteredRetentionModelTest {
  private static final long START_NANOS = 1_700_000_000_000_000_000L;
  private static final long MINUTE = 60_000_000_000L;
  private static final Duration LATE = Duration.ofMinutes(90);
  private static final Duration LONG = Duration.ofDays(29);
  private static final AttributeName VALUE = AttributeName.of("value");
  private static final List<String> GLOBS =
      List.of("*", "*c*", StoreDriver.TYPES.get(0), StoreDriver.TYPES.get(3));
  private static long hidden;
  private static long removed;
  private static long shownAgain;
  private static long states;

  private SplittableRandom random = new SplittableRandom(0);
  private SplittableRandom cuts = new SplittableRandom(0);
  private SimDisk disk = new SimDisk(0);
  private TestClock clock = new TestClock(START_NANOS);
  private final List<Drawn> policies = new ArrayList<>();

  /// A policy, for the model.
  private record Drawn(String glob, double least, long ageNanos, Duration grace) {
    boolean hides(Written event, long nowNanos) {
      long from = Math.floorDiv(nowNanos - ageNanos, MINUTE) * MINUTE;
      return event.timeNanos() < from
          && event.value() >= least
          && TypeGlob.matches(glob, event.type());
    }

    Filter filter() {
      return new Filter.Compare(VALUE, Comparison.GREATER_OR_EQUAL, new Literal.Fraction(least));
    }

    String where() {
      return "value >= " + least;
    }
  }

  static List<Long> seeds() {
    return Seeds.of(Slice.of("models", 8, 70));
  }

  @AfterAll
  static void policiesDidSomething() {
    System.out.printf(
        "%d hidden, %d removed, %d shown again, %d crash states%n",
        hidden, removed, shownAgain, states);
    Slice.met("hidden events", hidden, 500);
    Slice.met("removed events", removed, 100);
    Slice.met("events shown again", shownAgain, 50);
    Slice.met("crash states", states, 100);
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void storeShowsWhatNoPolicyHides(long seed) {
    random = new SplittableRandom(seed);
    clock = new TestClock(START_NANOS);
    var deleted = new ModelDeletions(random);
    disk = new SimDisk(random.nextLong());
    cuts = random.split();
    try (StoreDriver driver = new StoreDriver(random).withYoungEvents(LATE)) {
      EmbeddedStore store = EmbeddedStoreModelTest.open(disk, clock, random);
      for (int step = 0; step < 60; step++) {
        switch (random.nextInt(15)) {
          case 0, 1, 2, 3 -> driver.append(store, clock.wallNanos(), 40);
          case 4, 5 -> driver.commit(store, EmbeddedStoreModelTest.durability(random));
          case 6, 7 -> pass(store, driver, random.nextLong(2 * 60 * MINUTE));
          case 8, 9 -> check(store, driver.acknowledged);
          case 10 -> EmbeddedStoreModelTest.changeLayout(store, random);
          case 11 -> {
            if (random.nextBoolean()) {
              EmbeddedStoreModelTest.repartition(store, random);
            } else {
              EmbeddedStoreModelTest.changeRollups(store, random);
            }
          }
          case 12 -> {
            pass(store, driver, 0);
            changePolicy(store, driver.acknowledged);
            check(store, driver.acknowledged);
          }
          case 13 -> {
            pass(store, driver, 0);
            StoreModel shown = shown(driver.acknowledged);
            ModelDeletions.Drawn drawn = deleted.draw(shown, List.of());
            var plan = deleted.plan(store, shown, drawn);
            if (plan != null) {
              deleted.run(store, driver.acknowledged, plan, drawn);
            }
          }
          default -> {
            pass(store, driver, 0);
            store.close();
            store = EmbeddedStoreModelTest.open(disk, clock, random);
            check(store, driver.acknowledged);
          }
        }
      }
      pass(store, driver, 26 * 60 * MINUTE);
      changePolicy(store, driver.acknowledged);
      deleted.finish(store);
      check(store, driver.acknowledged);
      checkRemoved(store, driver);
      store.close();
    }
  }

  private void pass(EmbeddedStore store, StoreDriver driver, long nanos) {
    driver.commit(store, Durability.DISK);
    clock.advance(nanos);
    disk.beforeEach(() -> cut(driver.acknowledged));
    store.maintain();
    disk.beforeEach(() -> {});
    driver.commit(store, Durability.DISK);
  }

  /// What a power cut leaves here shows the same.
  private void cut(StoreModel model) {
    if (cuts.nextInt(60) != 0) {
      return;
    }
    try (EmbeddedStore left =
        EmbeddedStoreModelTest.open(disk.crash(cuts.nextBoolean()), clock, cuts)) {
      left.acceptClock(); // hours have passed since its time was saved
      check(left, model);
      left.maintain();
      check(left, model);
      states++;
    }
  }

  private StoreModel shown(StoreModel model) {
    long now = clock.wallNanos();
    return model.without(event -> policies.stream().anyMatch(each -> each.hides(event, now)));
  }

  private void check(EmbeddedStore store, StoreModel model) {
    StoreModel shown = shown(model);
    hidden += model.all().size() - shown.all().size();
    try (StoreView view = store.view()) {
      StoreReading.check(view, shown, _ -> true, 0, Long.MAX_VALUE / 2);
      String type = StoreDriver.TYPES.get(random.nextInt(StoreDriver.TYPES.size()));
      Predicate<String> types = random.nextBoolean() ? type::equals : _ -> true;
      List<Long> times = model.all().stream().map(Written::timeNanos).sorted().toList();
      if (!times.isEmpty()) {
        long from = times.get(random.nextInt(times.size())) / 100 * 100;
        StoreReading.check(view, shown, types, from, from + random.nextLong(240) * MINUTE);
      }
    }
  }

  /// Sets a policy, or takes one back whose grace is not over.
  private void changePolicy(EmbeddedStore store, StoreModel model) {
    List<Drawn> held = policies.stream().filter(each -> each.grace.equals(LONG)).toList();
    if (!held.isEmpty() && random.nextBoolean()) {
      Drawn back = held.get(random.nextInt(held.size()));
      int before = shown(model).all().size();
      store.retention().filtered().unset(back.glob, new Where(" " + back.where(), back.filter()));
      policies.remove(back);
      shownAgain += shown(model).all().size() - before;
      return;
    }
    var age = Duration.ofMinutes(120 + random.nextLong(600));
    Duration grace = random.nextBoolean() ? Duration.ZERO : LONG;
    var drawn =
        new Drawn(
            GLOBS.get(random.nextInt(GLOBS.size())),
            random.nextInt(100) / 4.0,
            age.toNanos(),
            grace);
    boolean isThere =
        policies.stream()
            .anyMatch(each -> each.glob.equals(drawn.glob) && each.least == drawn.least);
    if (isThere || model.all().stream().noneMatch(e -> TypeGlob.matches(drawn.glob, e.type()))) {
      return;
    }
    long now = clock.wallNanos();
    long expected = shown(model).all().stream().filter(each -> drawn.hides(each, now)).count();
    var rule = RetentionStore.rule(drawn.glob, age, grace);
    long planned =
        store.retention().filtered().plan(rule, drawn.where(), drawn.filter()).stream()
            .mapToLong(RetentionSettings.Going::events)
            .sum();
    assertEquals(expected, planned, "planned");
    var _ = store.retention().filtered().set(rule, drawn.where(), drawn.filter());
    policies.add(drawn);
  }

  /// Policies without grace have removed what they hide, but for shares that are too small.
  private void checkRemoved(EmbeddedStore store, StoreDriver driver) {
    pass(store, driver, 26 * 60 * MINUTE);
    pass(store, driver, MINUTE);
    long now = clock.wallNanos();
    for (RetentionSettings.Standing standing : store.retention().filtered().policies()) {
      Drawn drawn =
          policies.stream()
              .filter(each ->
                  standing.policy().glob().equals(each.glob)
                      && each.where().equals(standing.where()))
              .findFirst()
              .orElseThrow();
      if (drawn.grace.isZero()) {
        long matching =
            driver.acknowledged.all().stream().filter(each -> drawn.hides(each, now)).count();
        assertTrue(
            standing.hidden().events() <= driver.acknowledged.all().size() / 10,
            () -> "%d of %d are still there".formatted(standing.hidden().events(), matching));
        removed += matching - standing.hidden().events();
      }
    }
    check(store, driver.acknowledged);
  }
}
