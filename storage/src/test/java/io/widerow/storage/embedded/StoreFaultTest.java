package io.widerow.storage.embedded;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.event.EventBatch;
import io.widerow.faults.Appends;
import io.widerow.faults.DiskAround;
import io.widerow.faults.FileJournal;
import io.widerow.faults.NumberedEvents;
import io.widerow.faults.SimDisk;
import io.widerow.faults.StoreDriver;
import io.widerow.faults.StoreModel;
import io.widerow.faults.StoreReading;
import io.widerow.faults.TestClock;
import io.widerow.storage.Durability;
import io.widerow.storage.LaneWriter;
import io.widerow.storage.Scan;
import io.widerow.storage.StorageException;
import io.widerow.storage.StoreConfig;
import io.widerow.storage.StoreView;
import io.widerow.storage.disk.Disk;
import io.widerow.storage.disk.DiskFile;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// Goal: whichever disk operation fails, once or from then on, no acknowledgement is wrong, readers
/// go on, and everything acknowledged is present after a reopen. A full disk stops writing only
/// while it is full. Method: the same small run on the simulated disk with the n-th operation
/// failing, for every n; and the run on disks of every relevant size.
@Tag("deep")
class StoreFaultTest {
  private static final long START_NANOS = 1_700_000_000_000_000_000L;
  private static final int STEPS = 24;
  private static final byte[] TYPE = "app".getBytes(StandardCharsets.UTF_8);
  private static final byte[] NUMBER = "n".getBytes(StandardCharsets.UTF_8);

  private final TestClock clock = new TestClock(START_NANOS);

  private static StoreConfig config() {
    return StoreConfig.at(Path.of("/store"))
        .withLanes(2, 2)
        .withMemory(4 << 21, Duration.ofMinutes(1))
        .withJournal(1 << 20, 4 << 20)
        .withDiskReserveBytes(0)
        .withAges(Duration.ZERO, null);
  }

  private EmbeddedStore open(SimDisk disk) {
    return FileJournal.openStore(config(), disk, clock);
  }

  static List<Long> shown(EmbeddedStore store) {
    try (StoreView view = store.view()) {
      return StoreReading.read(view, _ -> true, 0, Long.MAX_VALUE / 2, Scan.all()).stream()
          .map(StoreModel.Shown::number)
          .sorted()
          .toList();
    }
  }

  private void step(EmbeddedStore store, StoreDriver driver, int step) {
    driver.append(store, clock.wallNanos(), 6);
    driver.commit(store, Durability.DISK);
    if (step % 4 == 3) {
      clock.advance(Duration.ofMinutes(40).toNanos());
      store.maintain();
      driver.commit(store, Durability.DISK);
      store.maintain();
    }
  }

  /// Everything acknowledged is shown, nothing twice, and nothing that was never written.
  static void check(StoreDriver driver, List<Long> shown, String what) {
    Set<Long> there = new HashSet<>(shown);
    assertEquals(there.size(), shown.size(), what + ": twice");
    Set<Long> known = new HashSet<>();
    Set<Object> rewritten = new HashSet<>();
    for (List<StoreModel.Written> group : driver.appended.values()) {
      for (StoreModel.Written event : group) {
        known.add(event.number());
        rewritten.add(List.of(event.type(), event.ownId()));
      }
    }
    for (StoreModel.Written event : driver.acknowledged.all()) {
      known.add(event.number());
      boolean replaced = event.own() && rewritten.contains(List.of(event.type(), event.ownId()));
      assertTrue(there.contains(event.number()) || replaced, () -> what + ": lost " + event);
    }
    assertTrue(known.containsAll(there), () -> what + ": shown and never written");
  }

  long run(long failing, boolean forEver) {
    var disk = new SimDisk(7);
    String what = "operation %d fails%s".formatted(failing, forEver ? " for ever" : "");
    try (var driver = new StoreDriver(new SplittableRandom(7))) {
      disk.failOperations(failing, forEver ? Long.MAX_VALUE : failing + 1);
      EmbeddedStore store = null;
      boolean ended = false;
      try {
        store = open(disk);
        for (int step = 0; step < STEPS; step++) {
          step(store, driver, step);
        }
      } catch (StorageException told) {
        ended = true;
      }
      if (store != null) {
        check(driver, shown(store), what + ", while it is open");
        if (ended) {
          EmbeddedStore broken = store;
          assertFalse(store.statistics().failure().isEmpty(), what + ": it says why");
          assertThrows(
              StorageException.Failed.class,
              () -> broken.lane(0).commit(Durability.DISK),
              what + ": the write side stays ended");
        }
        close(store);
      }
      assertEquals(List.of(), disk.open(), what + ", closed");
      long operations = disk.operations();
      disk.failOperations(Long.MAX_VALUE, Long.MAX_VALUE);
      for (SimDisk left : List.of(disk.restart(), disk.crash(false), disk.crash(true))) {
        try (EmbeddedStore again = open(left)) {
          check(driver, shown(again), what + ", opened again");
        }
      }
      return operations;
    }
  }

  private static void close(EmbeddedStore store) {
    try {
      store.close();
    } catch (StorageException told) {
      assertFalse(String.valueOf(told.getMessage()).isEmpty());
    }
  }

  @Test
  void anyOperationMayFailOnce() {
    long operations = run(Long.MAX_VALUE - 1, false);
    assertTrue(operations > 200, operations + " operations");
    for (long failing = 1; failing <= operations; failing++) {
      run(failing, false);
    }
  }

  @Test
  void anyOperationMayFailForEver() {
    long operations = run(Long.MAX_VALUE - 1, false);
    for (long failing = 1; failing <= operations; failing++) {
      run(failing, true);
    }
  }

  /// Whichever operation of an opening fails: no file stays open, and the next opening gets the
  /// lock and shows everything acknowledged.
  @Test
  void anOpeningThatFailsLeavesNothingOpen() {
    try (var driver = new StoreDriver(new SplittableRandom(7))) {
      var disk = new SimDisk(7);
      EmbeddedStore store = open(disk);
      for (int step = 0; step < STEPS - 1; step++) {
        step(store, driver, step);
      }
      SimDisk killed = disk.restart();
      SimDisk counted = killed.restart();
      open(counted);
      int refused = 0;
      for (long failing = 1; failing <= counted.operations(); failing++) {
        String what = "operation %d of an opening fails".formatted(failing);
        SimDisk left = killed.restart();
        left.failOperations(failing, failing + 1);
        try (EmbeddedStore opened = open(left)) {
          check(driver, shown(opened), what);
        } catch (StorageException failed) {
          refused++;
        }
        assertEquals(List.of(), left.open(), what);
        try (EmbeddedStore again = open(left)) {
          check(driver, shown(again), what + ", opened again");
        }
      }
      assertTrue(refused > 10, refused + " operations of an opening may fail");
    }
  }

  /// Fills a disk of this size, empties it, and goes on.
  private void fill(long bytes) {
    String what = "disk of " + bytes + " bytes";
    var disk = new SimDisk(bytes);
    try (var driver = new StoreDriver(new SplittableRandom(bytes))) {
      EmbeddedStore store = open(disk);
      disk.limitTo(bytes);
      int refused = 0;
      for (int step = 0; step < 120 && refused < 5; step++) {
        try {
          step(store, driver, step);
        } catch (StorageException.DiskFull full) {
          refused++;
          driver.appended.clear(); // dropped for good: none of it may ever be shown
        }
        check(driver, shown(store), what);
      }
      assertTrue(refused > 0, what + " was never full");
      disk.limitTo(Long.MAX_VALUE);
      for (int step = 0; step < 8; step++) {
        store.maintain();
        step(store, driver, step);
      }
      check(driver, shown(store), what + ", with room again");
      SimDisk killed = disk.restart();
      store.close();
      for (SimDisk left : List.of(killed, disk)) {
        try (EmbeddedStore again = open(left)) {
          check(driver, shown(again), what + ", opened again");
        }
      }
    }
  }

  /// The disk fills up when the first of a group's frames are in the journal. The group is never
  /// shown, and the next one is.
  @Test
  void aGroupIsDroppedWhole() {
    var disk = new SimDisk(1);
    StoreConfig roomy = config().withMemory(16 << 20, Duration.ofMinutes(1));
    EmbeddedStore store = FileJournal.openStore(roomy, disk, clock);
    LaneWriter lane = store.lane(0);
    try (var batch = new EventBatch(1 << 16, 1 << 22)) {
      appendNumbers(lane, batch, 0, 10);
      lane.commit(Durability.DISK);
      disk.limitTo(2_500_000); // less than the memory of one set of rows
      lane.note(new byte[] {7});
      long number = 10;
      try {
        while (number < 1_000_000) {
          appendNumbers(lane, batch, number, 100);
          number += 100;
        }
      } catch (StorageException.DiskFull full) {
        assertTrue(number > 4_000, "several frames: " + number);
      }
      assertThrows(StorageException.DiskFull.class, () -> lane.commit(Durability.DISK));
      assertEquals(10, shown(store).size());
      disk.limitTo(Long.MAX_VALUE);
      appendNumbers(lane, batch, 2_000_000, 10);
      lane.commit(Durability.DISK);
      List<Long> left = shown(store);
      assertEquals(2_000_009, left.getLast());
      assertTrue(left.stream().noneMatch(n -> n >= 10 && n < 2_000_000), left::toString);
      try (EmbeddedStore again = open(disk.restart())) {
        assertEquals(left, shown(again));
        again.lane(0).notes((_, note) -> assertEquals(0, note.length, "a dropped group's note"));
      }
      store.close();
      try (EmbeddedStore again = open(disk)) {
        assertEquals(left, shown(again));
      }
    }
  }

  @Test
  void aFullDiskIsToldUntilThereIsRoom() {
    var disk = new SimDisk(1);
    StoreConfig config = config().withDiskReserveBytes(1_000_000);
    try (EmbeddedStore store = FileJournal.openStore(config, disk, clock);
        var batch = new EventBatch(1 << 10, 1 << 22)) {
      assertNull(store.full());
      disk.limitTo(1_000_000);
      String full = store.full();
      assertTrue(full != null && full.contains("1000000 are needed"), full);
      assertThrows(
          StorageException.DiskFull.class, () -> appendNumbers(store.lane(0), batch, 0, 1));
      disk.limitTo(Long.MAX_VALUE);
      assertNull(store.full());
      appendNumbers(store.lane(0), batch, 0, 1);
      store.lane(0).commit(Durability.DISK);
    }
  }

  private static void appendNumbers(LaneWriter lane, EventBatch batch, long from, int count) {
    batch.clear();
    for (long number = from; number < from + count; number++) {
      batch.begin(TYPE, 0, TYPE.length, NumberedEvents.timeNanos(number));
      batch.putLong(NUMBER, 0, NUMBER.length, number);
      batch.putBytes(TYPE, 0, TYPE.length, noise(number), 0, 256);
      assertNull(batch.end());
    }
    Appends.all(lane, batch, 0);
  }

  private static byte[] noise(long number) {
    byte[] noise = new byte[256];
    new SplittableRandom(number).nextBytes(noise);
    return noise;
  }

  @Test
  void aFullDiskStopsWritingOnlyWhileItIsFull() {
    for (long bytes = 1_000; bytes < 40_000; bytes += 211) {
      fill(bytes);
    }
  }

  /// A disk that takes everything but new segments.
  private static final class NoSegments extends DiskAround {
    NoSegments(Disk disk) {
      super(disk);
    }

    @Override
    public DiskFile create(Path file) {
      if (file.toString().contains("/segments/")) {
        throw new StorageException.Failed(file, "create", new IOException("no segments"));
      }
      return super.create(file);
    }
  }

  /// A disk that flips a bit in each of the first segments.
  private static final class LosesBits extends DiskAround {
    private final SimDisk disk;
    private int left = 3;

    LosesBits(SimDisk disk) {
      super(disk);
      this.disk = disk;
    }

    @Override
    public DiskFile open(Path file) {
      if (left > 0 && file.toString().endsWith(".tmp")) {
        left--;
        disk.flip(file, 4 * disk.sizeOf(file));
      }
      return super.open(file);
    }
  }

  @Test
  void aSegmentThatWasWrittenWrongIsWrittenAgain() {
    var disk = new SimDisk(13);
    var loses = new LosesBits(disk);
    var driver = new StoreDriver(new SplittableRandom(13));
    try (driver;
        EmbeddedStore store =
            new EmbeddedStore(
                new StoreOpener(config(), loses, clock, Runnable::run)
                    .open(_ -> new FileJournal.Factory(disk, config())))) {
      for (int step = 0; step < STEPS; step++) {
        step(store, driver, step);
      }
      check(driver, shown(store), "while it is open");
      assertEquals(0, loses.left);
      assertTrue(store.statistics().segments() > 0, "in the end they are sealed");
    }
    try (EmbeddedStore again = open(disk.restart())) {
      check(driver, shown(again), "opened again");
    }
  }

  @Test
  void rowsThatCanNeverBeSealedEndTheWritingAndStayReadable() {
    var disk = new SimDisk(11);
    var driver = new StoreDriver(new SplittableRandom(11));
    try (driver;
        EmbeddedStore store =
            new EmbeddedStore(
                new StoreOpener(config(), new NoSegments(disk), clock, Runnable::run)
                    .open(_ -> new FileJournal.Factory(disk, config())))) {
      var ended =
          assertThrows(
              StorageException.class,
              () -> {
                while (true) {
                  driver.append(store, clock.wallNanos(), 200);
                  driver.commit(store, Durability.DISK);
                }
              });
      assertTrue(String.valueOf(ended.getMessage()).contains("/segments/"), ended.getMessage());
      assertTrue(store.statistics().failure().contains("/segments/"));
      check(driver, shown(store), "while it is open");
    }
    try (EmbeddedStore again = open(disk.restart())) {
      check(driver, shown(again), "opened again");
    }
  }
}
