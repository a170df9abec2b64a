package io.widerow.storage.embedded;

import io.widerow.event.AttributeName;
import io.widerow.event.LayoutOverride;
import io.widerow.event.PartitionWeights;
import io.widerow.event.RetentionPolicy.Source;
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
import io.widerow.storage.StoreConfig;
import io.widerow.storage.StoreView;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Goal: whatever is done to a store, and in whatever order, it shows exactly the committed events
/// that were not deleted, each event once and the latest write of each id, in one order, both ways,
/// for any range and any types; and counts by minute and aggregates by group match the events, also
/// from cells. Method: random operations (append, late, upsert, commit, seal, merge, repartition,
/// deletion by filter, reopen with other lanes, shards and bucket widths, layouts and rollups
/// changed while it is open) against the store on a simulated disk and against a plain map; compare
/// in between and at the end. The seed is the test's name; to replay one, run with `-Dseed=<n>`.
/// [KeptModelTest] adds retention, and aggregates that outlive it.
class EmbeddedStoreModelTest {
  /// A bucket of 45 minutes begins in an hour whose partitions are joined, and ends after it.
  private static final long HOUR_AND_45_MINUTES = 6_535_996_980_309_028_296L;

  private static final long START_NANOS = 1_700_000_000_000_000_000L;
  private static int deletions;
  private static int moved;

  static List<Long> seeds() {
    List<Long> seeds = new ArrayList<>(Seeds.of(Slice.of("models", 14, 70)));
    if (Long.getLong("seed") == null) {
      seeds.add(HOUR_AND_45_MINUTES);
    }
    return seeds;
  }

  @AfterAll
  static void cellsWereUsed() {
    Slice.met("minutes counted from cells", StoreReading.cells(), 1_000);
    Slice.met("deletions", deletions, 100);
    Slice.met("moved segments", moved, 100);
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void storeShowsWhatWasCommitted(long seed) {
    run(seed, Duration.ofHours(2), StoreDriver::new, _ -> {});
  }

  /// The same of a store whose merged segments are kept elsewhere, some of them for a while.
  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void storeShowsWhatIsKeptElsewhere(long seed) {
    var random = new SplittableRandom(seed);
    var place = new MemoryPlace(Duration.ZERO);
    run(
        seed,
        Duration.ofHours(2),
        StoreDriver::new,
        store -> {
          place.move(store, random, 1 + random.nextInt(2));
          if (random.nextInt(20) == 0) {
            place.recall(store);
          }
        });
    moved += place.moved();
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void storeShowsThinHistoryThatWasCommitted(long seed) {
    Duration late = Duration.ofDays(1_500);
    run(seed, late, random -> new StoreDriver(random).withThinHistory(late), _ -> {});
  }

  private static void run(
      long seed,
      Duration late,
      Function<SplittableRandom, StoreDriver> drivers,
      Consumer<EmbeddedStore> eachStep) {
    var random = new SplittableRandom(seed);
    var clock = new TestClock(START_NANOS);
    var disk = new SimDisk(random.nextLong());
    var gone = new ModelDeletions(random);
    try (StoreDriver driver = drivers.apply(random)) {
      EmbeddedStore store = open(disk, clock, random);
      for (int step = 0; step < 50; step++) {
        switch (random.nextInt(15)) {
          case 0, 1, 2, 3, 4 -> driver.append(store, clock.wallNanos(), 40);
          case 5, 6, 7 -> driver.commit(store, durability(random));
          case 8 -> clock.advance(random.nextLong(3_600_000_000_000L));
          case 9 -> {
            store.maintain();
            driver.commit(store, Durability.DISK);
          }
          case 10 -> check(store, driver.acknowledged, random, late);
          case 11 -> changeLayout(store, random);
          case 12 -> {
            if (random.nextBoolean()) {
              repartition(store, random);
            } else {
              changeRollups(store, random);
            }
          }
          case 13 -> {
            driver.commit(store, Durability.DISK);
            List<Long> times =
                driver.acknowledged.all().stream()
                    .map(event -> event.timeNanos() / 100 * 100)
                    .sorted()
                    .toList();
            gone.begin(store, driver.acknowledged, gone.draw(driver.acknowledged, times));
          }
          default -> {
            driver.commit(store, Durability.DISK);
            store.close();
            store = open(disk, clock, random);
            eachStep.accept(store);
            check(store, driver.acknowledged, random, late);
          }
        }
        eachStep.accept(store);
      }
      driver.commit(store, Durability.DISK);
      clock.advance(Duration.ofDays(1).toNanos());
      store.maintain();
      eachStep.accept(store);
      check(store, driver.acknowledged, random, late);
      gone.finish(store);
      check(store, driver.acknowledged, random, late);
      deletions += gone.count();
      store.close();
    }
  }

  /// Fixes the width or the shards of some types, lets the store choose, or takes that back.
  static void changeLayout(EmbeddedStore store, SplittableRandom random) {
    int[] widths = {LayoutOverride.AUTO, LayoutOverride.UNSAID, 1, 15, 45, 60, 1_440};
    int[] shards = {LayoutOverride.AUTO, 1, 2, 4, 8};
    String type = StoreDriver.TYPES.get(random.nextInt(StoreDriver.TYPES.size()));
    String glob = random.nextInt(3) == 0 ? "*" : type;
    boolean isSet =
        store.layout().rules().stream()
            .anyMatch(
                each -> each.rule().glob().equals(glob) && each.rule().source() == Source.API);
    switch (random.nextInt(6)) {
      case 0 -> {
        if (isSet) {
          store.layout().unset(glob);
        }
      }
      case 1 -> // types and weights so small that layouts follow rates and sizes
          store
              .layout()
              .configure(
                  List.of(
                      new LayoutOverride(
                          "*", LayoutOverride.AUTO, LayoutOverride.AUTO, Source.CONFIG)),
                  new PartitionWeights(1 << 10, 1 + random.nextInt(100), 1, 1 << 10),
                  random.nextInt(4) > 0);
      default -> {
        int number = shards[random.nextInt(shards.length)] * store.lanes();
        int width = widths[random.nextInt(widths.length)];
        var _ = store.layout().set(new LayoutOverride(glob, width, number, Source.API));
      }
    }
  }

  /// Defines a rollup that answers [StoreReading]'s question, another, or removes one.
  static void changeRollups(EmbeddedStore store, SplittableRandom random) {
    String name = "r" + random.nextInt(3);
    boolean isSet = store.rollups().all().stream().anyMatch(each -> each.name().equals(name));
    if (isSet && random.nextBoolean()) {
      store.rollups().unset(name);
      return;
    }
    String type = StoreDriver.TYPES.get(random.nextInt(StoreDriver.TYPES.size()));
    var field =
        new RollupField(
            AttributeName.of("n"),
            random.nextInt(4) == 0 ? RollupFigure.COUNT.bit : RollupFigure.ALL);
    store
        .rollups()
        .set(
            new RollupDefinition(
                name,
                random.nextBoolean() ? "*" : type,
                new RollupShape(
                    random.nextBoolean() ? 1 : 60,
                    List.of(AttributeName.of("value")),
                    List.of(field)),
                "sum(number)",
                null));
  }

  /// Writes what weighs too much or too little again under other keys.
  static void repartition(EmbeddedStore store, SplittableRandom random) {
    var weights = new PartitionWeights(1L << 40, 1 + random.nextInt(60), 1, 1);
    try {
      var asked = new RepartitionControl.Asked(_ -> true, 0, Long.MAX_VALUE, weights);
      var _ = store.repartition().run(asked);
    } catch (InterruptedException unexpected) {
      throw new AssertionError(unexpected);
    }
  }

  static EmbeddedStore open(SimDisk disk, TestClock clock, SplittableRandom random) {
    return open(disk, clock, random, Runnable::run);
  }

  static EmbeddedStore open(
      SimDisk disk, TestClock clock, SplittableRandom random, Executor background) {
    int lanes = 1 + random.nextInt(3);
    int[] widths = {1, 15, 45, 60, 360, 1_440};
    StoreConfig config =
        StoreConfig.at(Path.of("/store"))
            .withLanes(lanes, lanes * (1 + random.nextInt(3)))
            .withBuckets(
                widths[random.nextInt(widths.length)],
                Map.of(StoreDriver.TYPES.getFirst(), widths[random.nextInt(widths.length)]))
            .withMemory(4L * (1 << 20) * lanes, Duration.ofMinutes(1 + random.nextInt(60)))
            .withJournal(1 << 20, 4 << 20)
            .withDiskReserveBytes(0)
            .withAges(Duration.ofMinutes(random.nextInt(30)), null);
    int fileBytes = 1 << random.nextInt(8, 13); // of one group or of many
    return new EmbeddedStore(
        new StoreOpener(config, disk, clock, background)
            .open(_ -> new FileJournal.Factory(disk, config, fileBytes)));
  }

  static Durability durability(SplittableRandom random) {
    return List.of(Durability.values()).get(random.nextInt(3));
  }

  static void check(EmbeddedStore store, StoreModel model, SplittableRandom random, Duration late) {
    try (StoreView view = store.view()) {
      StoreReading.check(view, model, _ -> true, 0, Long.MAX_VALUE / 2);
      String type = StoreDriver.TYPES.get(random.nextInt(StoreDriver.TYPES.size()));
      Predicate<String> types = random.nextBoolean() ? type::equals : _ -> true;
      List<Long> times = model.all().stream().map(StoreModel.Written::timeNanos).sorted().toList();
      if (!times.isEmpty()) {
        long from = times.get(random.nextInt(times.size())) + random.nextInt(3) - 1;
        long until = from + random.nextLong(late.toNanos());
        // Ids that clients bring divide time at ticks, so ranges of the model do as well.
        StoreReading.check(view, model, types, from / 100 * 100, until / 100 * 100);
      }
    }
  }
}
