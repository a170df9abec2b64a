package io.widerow.storage.embedded;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.event.EventBatch;
import io.widerow.faults.Appends;
import io.widerow.faults.FileJournal;
import io.widerow.faults.NumberedEvents;
import io.widerow.faults.Seeds;
import io.widerow.faults.SimDisk;
import io.widerow.faults.TestClock;
import io.widerow.storage.Durability;
import io.widerow.storage.StoreConfig;
import io.widerow.storage.manifest.Manifest;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Goal: a start after a kill seals only what memory has no room for; each lane goes on in its
/// journal, and nothing is lost however often that happens. Method: a store on a simulated disk,
/// whose background work waits until the test runs it; the process dies without a word, and the
/// power is cut after some deaths. Kills and cuts at every operation: [StoreCrashTest].
class JournalGoesOnTest {
  private static final int BATCH = 200;
  private static final Path STORE = Path.of("/store");

  private final TestClock clock = new TestClock(1_700_000_000_000_000_000L);
  private final List<Runnable> background = new ArrayList<>();
  private final List<Long> acknowledged = new ArrayList<>();
  private boolean waits = true; // background work, until the test runs it
  private SimDisk disk = new SimDisk(Seeds.of(1).getFirst());
  private long next;

  private static StoreConfig config(int lanes) {
    return StoreConfig.at(STORE)
        .withLanes(lanes, lanes)
        .withMemory((4L << 20) * lanes, Duration.ofHours(1))
        .withJournal(1 << 20, 256 << 20)
        .withDiskReserveBytes(0)
        .withAges(Duration.ofHours(1), null);
  }

  private EmbeddedStore open(int lanes) {
    return FileJournal.openStore(config(lanes), disk, clock, this::take);
  }

  private void take(Runnable task) {
    if (waits) {
      background.add(task);
    } else {
      task.run();
    }
  }

  /// A clean stop waits for background work.
  private void stop(EmbeddedStore store) {
    runBackground();
    waits = false;
    store.close();
    waits = true;
  }

  private void runBackground() {
    while (!background.isEmpty()) {
      background.removeFirst().run();
    }
  }

  /// The process dies: what the kernel has stays.
  private void kill() {
    background.clear();
    disk = disk.restart();
  }

  private void write(EmbeddedStore store, int lane, Durability durability) {
    try (var batch = new EventBatch(1 << 16, 1 << 22)) {
      List<Long> numbers = new ArrayList<>();
      for (int i = 0; i < BATCH; i++, next++) {
        if (!NumberedEvents.isOwn(next)) {
          NumberedEvents.add(batch, next);
          numbers.add(next);
        }
      }
      Appends.all(store.lane(lane), batch, lane);
      store.lane(lane).commit(durability);
      acknowledged.addAll(numbers);
    }
  }

  private void check(EmbeddedStore store) {
    assertEquals(acknowledged.stream().sorted().toList(), StoreFaultTest.shown(store));
  }

  private int files(String directory) {
    return disk.list(STORE.resolve(directory)).size();
  }

  @Test
  void aStartSealsNothingAndLanesGoOn() {
    EmbeddedStore first = open(2);
    for (int life = 0; life < 4; life++) {
      write(first, 0, Durability.DISK);
      write(first, 1, Durability.DISK);
      kill();
      first = open(2);
      assertEquals(0, files(Manifest.SEGMENTS));
      check(first);
    }
    int before = files("journal");
    assertTrue(before >= 10, before + " files of five lives");
    runBackground();
    check(first);
    assertTrue(files(Manifest.SEGMENTS) > 0);
    assertEquals(2, files("journal"), "only the present file of each lane is needed");
    stop(first);
    checkAndStop(open(2));
  }

  /// The new files promise that what comes before them is durable.
  @Test
  void whatOnlyTheKernelHadIsForced() {
    EmbeddedStore left = open(1);
    write(left, 0, Durability.OS);
    write(left, 0, Durability.OS);
    kill();
    write(open(1), 0, Durability.DISK);
    background.clear();
    disk = disk.crashToDurable();
    checkAndStop(open(1));
  }

  private void checkAndStop(EmbeddedStore store) {
    check(store);
    stop(store);
  }

  /// With other lanes the old journals end, as at a start on a damaged one.
  @Test
  void aStoreWithOtherLanesSealsEverything() {
    for (int[] lanes : new int[][] {{1, 2}, {2, 1}}) {
      disk = new SimDisk(1);
      acknowledged.clear();
      EmbeddedStore left = open(lanes[0]);
      write(left, 0, Durability.DISK);
      kill();
      waits = false;
      EmbeddedStore store = open(lanes[1]);
      waits = true;
      assertEquals(1, store.statistics().sealed());
      assertEquals(lanes[1], files("journal"));
      checkAndStop(store);
    }
  }

  /// Lanes have two sets of rows: one takes events, the other is kept.
  @Test
  void whatMemoryHasNoRoomForIsSealed() {
    EmbeddedStore left = open(1);
    long rows = config(1).rowsBytes();
    while (left.statistics().eventBytesCommitted() < rows * 3 / 2) {
      write(left, 0, Durability.DISK);
    }
    kill();
    waits = false;
    EmbeddedStore store = open(1);
    waits = true;
    check(store);
    long sealed = store.statistics().sealed();
    assertTrue(sealed > 1, sealed + " sets of rows");
    write(store, 0, Durability.DISK);
    checkAndStop(store);
    checkAndStop(open(1));
  }

  static List<Long> seeds() {
    return Seeds.of(20);
  }

  /// Deaths and power cuts at any time, with as much of the background work done as happened to be.
  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void nothingIsLostInAnyNumberOfLives(long seed) {
    var random = new SplittableRandom(seed);
    EmbeddedStore store = open(2);
    for (int life = 0; life < 12; life++) {
      for (int step = random.nextInt(12); step > 0; step--) {
        switch (random.nextInt(8)) {
          case 0 -> store.maintain();
          case 1 -> runBackground();
          case 2 -> {
            if (!background.isEmpty()) {
              background.removeFirst().run();
            }
          }
          case 3 -> {
            clock.advance(Duration.ofMinutes(random.nextInt(120)).toNanos());
            store.maintain();
            runBackground(); // a lane waits for memory
            store.lane(random.nextInt(2)).commit(Durability.MEMORY);
          }
          default -> write(store, random.nextInt(2), Durability.DISK);
        }
      }
      check(store);
      if (random.nextInt(4) == 0) {
        stop(store);
      } else {
        kill();
      }
      if (random.nextInt(3) == 0) {
        disk = disk.crash(random.nextBoolean());
      }
      store = open(2);
      check(store);
    }
    stop(store);
  }
}
