package io.widerow.storage.embedded;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import io.widerow.event.EventBatch;
import io.widerow.event.PartitionKey;
import io.widerow.faults.FileJournal;
import io.widerow.faults.SimDisk;
import io.widerow.faults.Slice;
import io.widerow.faults.StoreDriver;
import io.widerow.faults.StoreModel;
import io.widerow.faults.StoreReading;
import io.widerow.faults.TestClock;
import io.widerow.storage.Durability;
import io.widerow.storage.EventCursor;
import io.widerow.storage.Grouping;
import io.widerow.storage.PartitionInfo;
import io.widerow.storage.Scan;
import io.widerow.storage.ScanWatch;
import io.widerow.storage.StorageException;
import io.widerow.storage.StoreConfig;
import io.widerow.storage.StoreView;
import io.widerow.storage.WouldBlockException;
import io.widerow.storage.maintenance.ColdControl;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// A store whose closed hours are kept elsewhere: what reading them costs, and what happens while
/// the place does not answer.
class ColdReadsTest {
  private static final long START_NANOS = 1_700_000_000_000_000_000L;
  private static final Path DIRECTORY = Path.of("/store");
  private static final byte[] PLAIN = "plain".getBytes(UTF_8);
  private static final byte[] BODY = "body".getBytes(UTF_8);
  private static final Duration AGE = Duration.ofHours(3);

  private final TestClock clock = new TestClock(START_NANOS);
  private final MemoryPlace place = new MemoryPlace(AGE);
  private SimDisk disk = new SimDisk(1);
  private EmbeddedStore store = open();
  private final StoreDriver driver = new StoreDriver(new SplittableRandom(7)).withBodies(2_000);

  private EmbeddedStore open() {
    StoreConfig config =
        StoreConfig.at(DIRECTORY)
            .withMemory(16 << 20, Duration.ofMinutes(10))
            .withDiskReserveBytes(0)
            .withAges(Duration.ofMinutes(1), null);
    SimDisk now = disk;
    return new EmbeddedStore(
        new StoreOpener(config, now, clock, Runnable::run)
            .open(_ -> new FileJournal.Factory(now, config, 1 << 12)));
  }

  /// An old hour that is cold, and a new one.
  @BeforeEach
  void move() {
    write(Slice.of(20, 60));
    writePlain(8_000);
    write(1); // seals
    clock.advance(Duration.ofHours(6).toNanos());
    store.maintain();
    driver.commit(store, Durability.DISK);
    place.moveAll(store);
    write(5);
    assertTrue(place.moved() > 0, "nothing was moved");
  }

  private void write(int batches) {
    for (int i = 0; i < batches; i++) {
      driver.append(store, clock.wallNanos(), 100);
      driver.commit(store, Durability.DISK);
    }
    store.requestSeal();
    driver.append(store, clock.wallNanos(), 1);
    driver.commit(store, Durability.DISK);
  }

  /// Events with ids of the store only.
  private void writePlain(int events) {
    var random = new SplittableRandom(3);
    try (EventBatch batch = new EventBatch(1 << 14, 1 << 24)) {
      for (int i = 0; i < events; i++) {
        byte[] body = Long.toHexString(random.nextLong()).repeat(4).getBytes(UTF_8);
        batch.begin(PLAIN, 0, PLAIN.length, clock.wallNanos() - i * 1_000_000L);
        batch.putString(BODY, 0, BODY.length, body);
        assertNull(batch.end());
        if (i % 1_000 == 999) {
          store.lane(0).append(batch, i, (_, why) -> fail(why.toString()));
          driver.commit(store, Durability.DISK);
          batch.clear();
        }
      }
    }
  }

  @AfterEach
  void close() {
    driver.close();
    store.close();
  }

  private static List<PartitionKey> keys(StoreView view) {
    return view.partitions(_ -> true, 0, Long.MAX_VALUE / 2).stream()
        .map(PartitionInfo::key)
        .toList();
  }

  private List<StoreModel.Shown> all() {
    try (StoreView view = store.view()) {
      return StoreReading.check(
          view, driver.acknowledged, type -> !type.equals("plain"), 0, Long.MAX_VALUE / 2);
    }
  }

  @Test
  void aColdHourIsReadAsEverAndItsFileIsGone() {
    List<StoreModel.Shown> before = all();
    long here =
        disk.list(DIRECTORY.resolve("segments")).stream()
            .filter(file -> file.toString().endsWith(".cold"))
            .mapToLong(file -> disk.readAll(file).length)
            .sum();
    List<ColdControl.Cold> cold = store.cold().all();
    for (ColdControl.Cold each : cold) {
      Path file = DIRECTORY.resolve("segments").resolve("%016x.seg".formatted(each.id()));
      assertFalse(disk.exists(file), file + " is still here");
    }
    assertTrue(here > 0, "there are no stubs");
    store.close();
    disk = disk.restart();
    store = open();
    store.cold().readFrom(place);
    assertEquals(cold, store.cold().all());
    assertEquals(before, all());
    place.recall(store);
    assertEquals(List.of(), store.cold().all());
    int reads = place.reads();
    assertEquals(before, all());
    assertEquals(reads, place.reads(), "a segment that is back was read elsewhere");
  }

  @Test
  void countsAndPlansNeedNoRequest() {
    int reads = place.reads();
    place.away(true);
    try (StoreView view = store.view()) {
      assertEquals(1 + StoreDriver.TYPES.size(), view.types(_ -> true).size());
      Scan byHours =
          Scan.ofTime(0, Long.MAX_VALUE / 2)
              .withFold(new Grouping(List.of(), 3_600_000_000_000L).withCells());
      long counted = 0;
      List<PartitionKey> plain =
          keys(view).stream().filter(key -> key.type().equals("plain")).toList();
      try (EventCursor cursor = view.openUnordered(plain, byHours)) {
        while (cursor.nextWhenReady() == EventCursor.Step.EVENT) {
          counted += cursor.event().weight();
        }
      }
      assertEquals(8_000, counted);
    }
    assertEquals(reads, place.reads());
  }

  @Test
  void theLastHundredCostFewRequests() {
    try (StoreView view = store.view()) {
      ColdControl.Cold cold =
          store.cold().all().stream()
              .filter(each -> each.types().contains("plain"))
              .findFirst()
              .orElseThrow();
      long oldest = cold.fromNanos();
      long until = cold.untilNanos();
      List<PartitionKey> old =
          view.partitions("plain"::equals, oldest, until).stream().map(PartitionInfo::key).toList();
      int reads = place.reads();
      try (EventCursor cursor = view.open(old, Scan.ofTime(oldest, until).withDescending(true))) {
        for (int i = 0; i < 100; i++) {
          assertEquals(EventCursor.Step.EVENT, cursor.nextWhenReady());
        }
      }
      assertTrue(place.reads() - reads <= 6, () -> "requests: " + (place.reads() - reads));
      assertTrue(place.reads() > reads, "nothing was read");
    }
  }

  @Test
  void whatWasReadIsReadFromTheDiskAfterARestart() {
    store.cold().cache(64 << 20);
    List<StoreModel.Shown> before = all();
    assertTrue(store.cold().cacheBytes() > 0, "nothing is on the disk");
    store.cold().closeCache();
    store.close();
    disk = disk.restart();
    store = open();
    store.cold().readFrom(place);
    store.cold().cache(64 << 20);
    int reads = place.reads();
    place.away(true);
    assertEquals(before, all());
    assertEquals(reads, place.reads());
    assertTrue(store.cold().cacheHits() > 0, "no piece came from the disk");
    assertNull(store.cold().cacheFailure());
  }

  @Test
  void aScanThatIsLargeForTheCacheKeepsNothingThere() {
    store.cold().cache(1 << 18);
    List<StoreModel.Shown> _ = all();
    assertTrue(store.cold().cacheBytes() <= 1 << 18, () -> "" + store.cold().cacheBytes());
  }

  @Test
  void aQueryIsLimitedInWhatItFetches() {
    try (StoreView view = store.view()) {
      List<PartitionKey> keys = keys(view);
      StoreView.Elsewhere all = view.elsewhere(keys, Scan.all());
      assertTrue(all.segments() > 0 && all.bytes() > 0 && all.requests() > 0, all.toString());
      view.fetches().limit(100_000, () -> new IllegalArgumentException("too much"));
      var over =
          assertThrows(
              IllegalArgumentException.class, () -> StoreReading.readKeys(view, keys, Scan.all()));
      assertEquals("too much", over.getMessage());
      assertTrue(view.fetches().bytes() <= 100_000, () -> "" + view.fetches().bytes());
      view.fetches().limit(Long.MAX_VALUE, IllegalArgumentException::new);
      var _ = StoreReading.readKeys(view, keys, Scan.all());
      assertTrue(view.fetches().requests() <= all.requests() + keys.size());
    }
  }

  @Test
  void aPlaceThatIsAwayEndsAQueryWithItsSpanAndNothingElse() {
    List<StoreModel.Shown> before = all();
    store.cold().readFrom(null);
    store.close();
    disk = disk.restart();
    store = open();
    place.away(true);
    store.cold().readFrom(place);
    ColdControl.Cold cold = store.cold().all().getFirst();
    try (StoreView view = store.view()) {
      List<StoreModel.Shown> recent =
          StoreReading.read(
              view,
              _ -> true,
              cold.untilNanos() + AGE.toNanos(),
              Long.MAX_VALUE / 2,
              Scan.ofTime(cold.untilNanos() + AGE.toNanos(), Long.MAX_VALUE / 2));
      assertFalse(recent.isEmpty());
      var away =
          assertThrows(
              StorageException.Unreachable.class,
              () -> StoreReading.readKeys(view, keys(view), Scan.all()));
      String sentence = String.valueOf(away.getMessage());
      assertTrue(sentence.startsWith("memory:place: no answer; 2023-11-1"), sentence);
      assertTrue(sentence.endsWith(" cannot be read now"), sentence);
      ScanWatch watch = new ScanWatch(() -> {});
      watch.passOverDamage();
      List<StoreModel.Shown> rest =
          StoreReading.readKeys(view, keys(view), Scan.all().withWatch(watch));
      assertTrue(rest.size() < before.size() && before.containsAll(rest));
      assertFalse(watch.unread().isEmpty());
    }
    assertEquals(List.of(), store.statistics().damage(), "a place that is away is no damage");
    driver.append(store, clock.wallNanos(), 10);
    driver.commit(store, Durability.DISK);
    place.away(false);
    store.cold().readFrom(place);
    assertTrue(all().size() > before.size());
  }

  @Test
  void aQueryThatMustNotWaitIsToldToUseAnotherThread() {
    try (StoreView view = store.viewWithin(Duration.ofMinutes(1).toNanos())) {
      assertThrows(
          WouldBlockException.class, () -> StoreReading.readKeys(view, keys(view), Scan.all()));
    }
  }

  @Test
  void anObjectThatIsGoneIsDamage() {
    store.cold().readFrom(new MemoryPlace(AGE));
    try (StoreView view = store.view()) {
      var gone =
          assertThrows(
              StorageException.Corrupt.class,
              () -> StoreReading.readKeys(view, keys(view), Scan.all()));
      assertTrue(gone.found.contains("is gone"), gone.found);
    }
    assertFalse(store.statistics().damage().isEmpty());
  }

  @Test
  void aReparseWritesThemAgainOrTellsThatThePlaceIsAway() throws InterruptedException {
    List<ColdControl.Cold> cold = store.cold().all();
    var asked = new ReparseControl.Asked("plain"::equals, 0, Long.MAX_VALUE / 2, _ -> null);
    place.away(true);
    var away = assertThrows(StorageException.Unreachable.class, () -> store.reparse().run(asked));
    assertTrue(String.valueOf(away.getMessage()).endsWith(" cannot be read now"), away + "");
    assertEquals(cold, store.cold().all());
    place.away(false);
    store.cold().readFrom(place);
    List<StoreModel.Shown> before = all();
    assertTrue(store.reparse().run(asked).files() > 0, "no file was written again");
    try (StoreView view = store.view()) {
      assertTrue(keys(view).stream().noneMatch(key -> key.type().equals("plain")));
    }
    assertTrue(store.cold().all().size() < cold.size(), "what was changed is here");
    assertEquals(before, all());
    int moved = place.moved();
    place.moveAll(store);
    assertEquals(before, all());
    assertTrue(place.moved() >= moved, "it moves again, unless nothing is left of it");
  }

  @Test
  void aSnapshotHasTheStubs() {
    List<StoreModel.Shown> before = all();
    List<ColdControl.Cold> cold = store.cold().all();
    var _ = store.snapshot(Path.of("/copy"));
    store.close();
    StoreConfig config = StoreConfig.at(Path.of("/copy")).withDiskReserveBytes(0);
    SimDisk now = disk;
    store =
        new EmbeddedStore(
            new StoreOpener(config, now, clock, Runnable::run)
                .open(_ -> new FileJournal.Factory(now, config, 1 << 12)));
    store.cold().readFrom(place);
    assertEquals(cold, store.cold().all());
    assertEquals(before, all());
  }
}
