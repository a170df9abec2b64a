package io.widerow.storage.embedded;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.faults.Seeds;
import io.widerow.faults.SimDisk;
import io.widerow.faults.Slice;
import io.widerow.faults.StoreDriver;
import io.widerow.faults.StoreModel;
import io.widerow.faults.StoreReading;
import io.widerow.faults.TestClock;
import io.widerow.storage.Durability;
import io.widerow.storage.Scan;
import io.widerow.storage.StoreView;
import io.widerow.storage.embedded.DeletionControl.Plan;
import io.widerow.storage.embedded.DeletionControl.Standing;
import io.widerow.storage.manifest.Deletion.State;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Goal: a deletion removes events with ids of their own, all writes of them, also where buckets of
/// several widths overlap; it discards every journal file that had any of them, and reports up to
/// which LSN; a power cut at any moment leaves all or nothing. Method: a store on a simulated disk
/// with journal files of a few groups and several lanes, compared with a plain map; before its
/// operations, copies of the disk as a cut leaves it are opened with other lanes and widths, and
/// compared.
class DeletionJournalTest {
  private static final Duration LATE = Duration.ofHours(3);
  private static final int ROUNDS = 6;
  private static final int CUT_ONE_IN = 40;

  private static int states;
  private static int files;
  private static int ownIds;

  private SplittableRandom cuts = new SplittableRandom(0);
  private TestClock clock = new TestClock(0);
  private List<Long> before = List.of();
  private List<Long> after = List.of();
  private boolean begun;

  static List<Long> seeds() {
    return Seeds.of(Slice.of("deletioncrashes", 2, 6));
  }

  @AfterAll
  static void enoughWasSeen() {
    System.out.printf(
        "%d crash states, %d journal files, %d events with ids of their own%n",
        states, files, ownIds);
    Slice.met("journal files that a deletion had to pass", files, 15);
    Slice.met("ids that went", ownIds, 2);
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void everyWriteAndEveryJournalFileGoes(long seed) {
    var random = new SplittableRandom(seed);
    cuts = random.split();
    clock = new TestClock(1_700_000_000_000_000_000L);
    var disk = new SimDisk(random.nextLong());
    var deletions = new ModelDeletions(random);
    try (var driver = new StoreDriver(random).withYoungEvents(LATE);
        EmbeddedStore store = EmbeddedStoreModelTest.open(disk, clock, random)) {
      for (int round = 0; round < ROUNDS; round++) {
        for (int batch = 0; batch < 6; batch++) {
          driver.append(store, clock.wallNanos(), 12);
          driver.commit(store, Durability.DISK);
        }
        if (random.nextInt(3) == 0) {
          EmbeddedStoreModelTest.changeLayout(store, random);
        }
        if (round < ROUNDS - 3 && random.nextBoolean()) {
          store.sealAll();
        }
        clock.advance(random.nextLong(1_200_000_000_000L));
        store.maintain();
      }
      StoreModel model = driver.acknowledged;
      ModelDeletions.Drawn drawn = deletions.draw(model, List.of());
      Plan plan = deletions.plan(store, model, drawn);
      while (plan == null) {
        drawn = deletions.draw(model, List.of());
        plan = deletions.plan(store, model, drawn);
      }
      assertNotNull(plan);
      ownIds += (int) model.all().stream().filter(drawn.test()).filter(e -> e.own()).count();
      before = numbers(store);
      after = model.without(drawn.test()).numbers(_ -> true, 0, Long.MAX_VALUE);
      int id = plan.id();
      files += (int) journals(disk).values().stream().mapToLong(List::size).sum();
      disk.beforeEach(() -> cut(disk, id));
      deletions.run(store, model, plan, drawn);
      begun = true;
      assertEquals(after, numbers(store), "hidden at once");
      deletions.finish(store);
      disk.beforeEach(() -> {});
      assertEquals(after, numbers(store));
      requireNoJournal(store, disk, driver, id);
      try (StoreView view = store.view()) {
        var _ = StoreReading.check(view, model, _ -> true, 0, Long.MAX_VALUE / 2);
      }
    }
  }

  /// The next events begin new files, and the next seal lets the old ones go.
  private void requireNoJournal(EmbeddedStore store, SimDisk disk, StoreDriver driver, int id) {
    Map<Integer, Long> said = store.deletions().get(id).proof().journals();
    assertFalse(said.isEmpty(), "a lane had something");
    for (int look = 0; look < 50 && !store.deletions().standing(id).journals().isEmpty(); look++) {
      driver.append(store, clock.wallNanos(), 3);
      driver.commit(store, Durability.DISK);
      store.sealAll();
      store.maintain();
    }
    Standing standing = store.deletions().standing(id);
    assertEquals(List.of(), standing.journals());
    assertEquals(said, standing.journalsGoneTo());
    Map<Integer, List<Long>> left = journals(disk);
    said.forEach((lane, lsn) ->
        assertTrue(
            left.getOrDefault(lane, List.of()).stream().allMatch(first -> first > lsn),
            () -> "lane %d gone to %d, files from %s".formatted(lane, lsn, left.get(lane))));
  }

  /// The first LSN of each journal file, by lane, in order.
  private static Map<Integer, List<Long>> journals(SimDisk disk) {
    Map<Integer, List<Long>> journals = new HashMap<>();
    for (Path file : disk.files()) {
      String name = file.getFileName().toString();
      if (name.endsWith(".jnl")) {
        journals
            .computeIfAbsent(Integer.parseInt(name.substring(0, 4), 16), _ -> new ArrayList<>())
            .add(Long.parseUnsignedLong(name.substring(5, 21), 16));
      }
    }
    return journals;
  }

  private static List<Long> numbers(EmbeddedStore store) {
    try (StoreView view = store.view()) {
      return StoreReading.read(view, _ -> true, 0, Long.MAX_VALUE / 2, Scan.all()).stream()
          .map(StoreModel.Shown::number)
          .sorted()
          .toList();
    }
  }

  private void cut(SimDisk disk, int id) {
    if (cuts.nextInt(CUT_ONE_IN) != 0) {
      return;
    }
    states++;
    SimDisk left = disk.crash(cuts.nextBoolean());
    try (EmbeddedStore store = EmbeddedStoreModelTest.open(left, clock, cuts)) {
      List<Long> shown = numbers(store);
      boolean goes = store.deletions().get(id).state() != State.PLANNED;
      assertTrue(goes || !begun, "it had begun");
      assertEquals(goes ? after : before, shown);
      store.sealAll();
      for (int look = 0; look < 12; look++) {
        store.maintain();
      }
      assertEquals(shown, numbers(store));
      if (goes) {
        assertEquals(State.DONE, store.deletions().get(id).state());
        assertEquals(0, store.deletions().verify(id));
      }
    }
  }
}
