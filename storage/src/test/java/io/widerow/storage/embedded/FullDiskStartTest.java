package io.widerow.storage.embedded;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.faults.FileJournal;
import io.widerow.faults.SimDisk;
import io.widerow.faults.Slice;
import io.widerow.faults.StoreDriver;
import io.widerow.faults.StoreModel;
import io.widerow.faults.TestClock;
import io.widerow.storage.Durability;
import io.widerow.storage.StorageException;
import io.widerow.storage.StoreConfig;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/// Goal: a store that was killed starts on a full disk, whichever of the writes of a start finds no
/// room: it shows everything acknowledged, drops expired events, and takes events when there is
/// room, without another start. Killed in any of these states, the next start, on a full disk or
/// not, shows the same. Method: a store with sealed and with journaled events on the simulated
/// disk, killed; the disk full from the n-th operation of the start on, for every n, and for every
/// length of the gap; and disks with every amount of room.
class FullDiskStartTest {
  private static final long START_NANOS = 1_700_000_000_000_000_000L;
  private static final long RETENTION_HOURS = 48;

  private TestClock clock = new TestClock(START_NANOS);
  private StoreDriver driver = new StoreDriver(new SplittableRandom(5));

  private static StoreConfig config() {
    return StoreConfig.at(Path.of("/store"))
        .withLanes(2, 2)
        .withMemory(4 << 21, Duration.ofMinutes(1))
        .withJournal(1 << 20, 4 << 20)
        .withDiskReserveBytes(0)
        .withAges(Duration.ZERO, Duration.ofHours(RETENTION_HOURS));
  }

  private EmbeddedStore open(SimDisk disk) {
    return FileJournal.openStore(config(), disk, clock);
  }

  private static List<Long> shown(EmbeddedStore store) {
    return StoreFaultTest.shown(store);
  }

  /// The disk of a store with old events in segments and new ones in journals, killed. Always the
  /// same.
  private SimDisk killed() {
    driver.close();
    driver = new StoreDriver(new SplittableRandom(5));
    clock = new TestClock(START_NANOS);
    SimDisk disk = new SimDisk(5);
    EmbeddedStore store = open(disk);
    for (int step = 0; step < 12; step++) {
      driver.append(store, clock.wallNanos(), 6);
      driver.commit(store, Durability.DISK);
      clock.advance(Duration.ofMinutes(40).toNanos());
      store.maintain();
      driver.commit(store, Durability.DISK);
      store.maintain();
    }
    clock.advance(Duration.ofHours(RETENTION_HOURS - 12).toNanos());
    for (int step = 0; step < 6; step++) {
      driver.append(store, clock.wallNanos(), 400);
      driver.commit(store, Durability.DISK);
    }
    assertTrue(store.statistics().segments() > 1, "sealed");
    assertTrue(store.statistics().openEvents() > 0, "not sealed");
    return disk.restart();
  }

  @AfterEach
  void close() {
    driver.close();
  }

  private void check(EmbeddedStore store, String what) {
    StoreFaultTest.check(driver, shown(store), what);
    checkNotes(store, what);
  }

  /// Each lane gets each note once, and only notes of batches that are present.
  private void checkNotes(EmbeddedStore store, String what) {
    for (int lane = 0; lane < store.lanes(); lane++) {
      Set<Long> told = new HashSet<>();
      List<Long> order = new ArrayList<>();
      store
          .lane(lane)
          .notes((group, note) -> {
            assertTrue(told.add(ByteBuffer.wrap(note).getLong()), what + ": a note twice");
            order.add(group);
          });
      assertEquals(order.stream().sorted().toList(), order, what + ": order of notes");
      assertEquals(notes(), told, what + ": notes");
    }
  }

  /// The notes of all acknowledged batches.
  private Set<Long> notes() {
    Set<Long> acknowledged = new HashSet<>();
    driver.acknowledged.all().forEach(event -> acknowledged.add(event.number()));
    Set<Long> notes = new HashSet<>();
    driver.noted.forEach((note, batch) -> {
      if (batch.stream()
          .filter(event -> !event.own())
          .map(StoreModel.Written::number)
          .anyMatch(acknowledged::contains)) {
        notes.add(note);
      }
    });
    return notes;
  }

  /// The disk that a kill or a power cut leaves now starts with room and without room.
  private void killAndCheck(SimDisk disk, String what) {
    for (SimDisk left : List.of(disk.restart(), disk.crash(false), disk.crash(true))) {
      try (EmbeddedStore again = open(left.restart())) {
        check(again, what + ", killed, with room");
      }
      left.fillFor(0, Long.MAX_VALUE);
      EmbeddedStore again = open(left);
      check(again, what + ", killed, without room");
      again.close();
    }
  }

  /// Events are refused, and nothing of them is ever shown.
  private void refuses(EmbeddedStore store, String what) {
    assertNotNull(store.full(), what);
    long last = store.lane(0).commit(Durability.DISK);
    assertThrows(
        StorageException.DiskFull.class, () -> driver.append(store, clock.wallNanos(), 6), what);
    driver.noted.keySet().removeIf(note -> !wasAcknowledged(note));
    driver.appended.clear();
    assertEquals(last, store.lane(0).commit(Durability.DISK), what + ": nothing to commit");
    assertThrows(StorageException.DiskFull.class, () -> store.snapshot(Path.of("/snapshot")), what);
  }

  private boolean wasAcknowledged(long number) {
    return driver.acknowledged.all().stream().anyMatch(event -> event.number() == number);
  }

  private void goesOn(EmbeddedStore store, SimDisk disk, String what) {
    store.maintain();
    assertNull(store.full(), what);
    driver.append(store, clock.wallNanos(), 6);
    driver.commit(store, Durability.DISK);
    StoreFaultTest.check(driver, shown(store), what);
    killAndCheck(disk, what);
    store.maintain();
    store.close();
    assertEquals(List.of(), disk.open(), what + ": closed files keep no room");
    try (EmbeddedStore again = open(disk)) {
      check(again, what + ", opened again");
      assertEquals(
          disk.list(Path.of("/store/segments")).size(), again.statistics().segments(), what);
      assertEquals(2, disk.list(Path.of("/store/journal")).size(), what + ": journals");
    }
  }

  @Test
  void anyWriteOfAStartMayFindTheDiskFull() {
    int waited = 0;
    boolean refused = true;
    for (long n = 1; refused; n += Slice.of(9, 1)) {
      String what = "full from operation %d on".formatted(n);
      SimDisk disk = killed();
      disk.fillFor(n, Long.MAX_VALUE);
      EmbeddedStore store = open(disk);
      refused = disk.refused() > 0;
      check(store, what);
      if (refused) {
        waited++;
        refuses(store, what);
        store.maintain();
        check(store, what + ", maintained");
        killAndCheck(disk, what);
      }
      disk.fillFor(Long.MAX_VALUE, Long.MAX_VALUE);
      goesOn(store, disk, what);
    }
    assertTrue(waited > Slice.of(1, 20), waited + " operations of a start need room");
  }

  /// Some of the steps find room, the next ones do not.
  @Test
  void roomMayComeAndGo() {
    var random = new SplittableRandom(8);
    for (int run = 0; run < Slice.of(6, 30); run++) {
      long from = 1L + random.nextInt(40);
      String what = "run %d, full from operation %d on".formatted(run, from);
      SimDisk disk = killed();
      disk.fillFor(from, from + 1 + random.nextInt(60));
      EmbeddedStore store = open(disk);
      check(store, what);
      for (int round = 0; round < 8; round++) {
        long next = disk.operations() + 1 + random.nextInt(12);
        disk.fillFor(next, Long.MAX_VALUE);
        store.maintain();
        check(store, what);
        killAndCheck(disk, what);
      }
      disk.fillFor(Long.MAX_VALUE, Long.MAX_VALUE);
      goesOn(store, disk, what);
    }
  }

  /// Before the manifest is rewritten, nothing edits it; afterwards the lanes that started late
  /// seal their events, so that their journals do not bring the earlier clock back.
  @Test
  void anAcceptedClockIsThatOfLateLanesToo() {
    SimDisk disk = killed();
    disk.fillFor(1, Long.MAX_VALUE);
    EmbeddedStore store = open(disk);
    disk.fillFor(Long.MAX_VALUE, Long.MAX_VALUE);
    long before = disk.operations();
    assertThrows(StorageException.DiskFull.class, store::acceptClock);
    assertEquals(before, disk.operations());
    store.maintain();
    assertNull(store.full());
    driver.append(store, clock.wallNanos(), 6);
    driver.commit(store, Durability.DISK);
    assertTrue(store.statistics().openEvents() > 0);
    store.acceptClock();
    driver.commit(store, Durability.DISK);
    assertEquals(0, store.statistics().openEvents());
    StoreFaultTest.check(driver, shown(store), "sealed");
    store.close();
  }

  /// The power is cut, or the process killed, before any operation of the late part.
  @Test
  void itMayBeKilledWhileItGoesOn() {
    for (int n = 1; n < 40; n += Slice.of(18, 6)) {
      String what = "full from operation %d on, then not".formatted(n);
      SimDisk disk = killed();
      disk.fillFor(n, Long.MAX_VALUE);
      EmbeddedStore store = open(disk);
      disk.fillFor(Long.MAX_VALUE, Long.MAX_VALUE);
      var operations = new AtomicInteger();
      disk.beforeEach(() -> {
        if (operations.getAndIncrement() % Slice.of(4, 1) == 0) {
          killAndCheck(disk, what);
        }
      });
      store.maintain();
      disk.beforeEach(() -> {});
      goesOn(store, disk, what);
    }
  }

  /// Everything in segments has expired. There is no room at all, or some and not enough for
  /// segments or journals: expired events are dropped with the room of the ballast, which makes
  /// room.
  @Test
  void whatExpiresMakesRoom() {
    int made = 0;
    for (long room = 0; room < 20_000; room += Slice.of(2_000, 500)) {
      String what = room + " bytes of room";
      SimDisk disk = killed();
      Set<Long> kept = kept();
      List<Path> old = disk.list(Path.of("/store/segments"));
      disk.limitTo(disk.files().stream().mapToLong(disk::sizeOf).sum() + room);
      EmbeddedStore store = open(disk);
      clock.advance(Duration.ofHours(14).toNanos()); // while it is open: no jump of the clock
      boolean waits = store.full() != null || store.statistics().openEvents() > 0;
      assertTrue(shown(store).containsAll(kept), what);
      store.maintain();
      store.maintain();
      assertTrue(shown(store).containsAll(kept), what);
      assertTrue(old.stream().noneMatch(disk::exists), what + ": what expired is gone");
      List<String> open = disk.open();
      assertTrue(
          old.stream().noneMatch(file -> open.contains(file.toString())), what + ": " + open);
      if (waits && store.full() == null && store.statistics().openEvents() == 0) {
        made++;
        driver.append(store, clock.wallNanos(), 6);
        driver.commit(store, Durability.DISK);
        assertTrue(shown(store).size() > kept.size(), what);
      }
      disk.limitTo(Long.MAX_VALUE);
      store.maintain();
      store.maintain();
      assertNull(store.full(), what);
      store.close();
      try (EmbeddedStore again = open(disk)) {
        assertTrue(shown(again).containsAll(kept), what);
      }
    }
    assertTrue(made > 1, made + " stores made room by themselves");
  }

  /// The disk of an open store gets full to the last byte. Expired events are dropped repeatedly:
  /// each drop uses the ballast, and leaves the room for the next one.
  @Test
  void whatExpiresGoesFromAnOpenStoreOnAFullDisk() {
    SimDisk disk = new SimDisk(5);
    try (EmbeddedStore store = open(disk)) {
      for (int hour = 0; hour < 8; hour++) {
        driver.append(store, clock.wallNanos(), 400);
        driver.commit(store, Durability.DISK);
        clock.advance(Duration.ofHours(1).toNanos());
      }
      store.sealAll();
      store.maintain();
      store.maintain();
      List<Path> old = disk.list(Path.of("/store/segments"));
      assertTrue(old.size() > 3, old.toString());
      Set<Long> numbers = new HashSet<>();
      for (int hour = 0; hour <= RETENTION_HOURS; hour++) { // step by step: no jump of the clock
        disk.limitTo(disk.files().stream().mapToLong(disk::sizeOf).sum());
        clock.advance(Duration.ofHours(1).toNanos());
        store.maintain();
        numbers.add(old.stream().filter(disk::exists).count());
      }
      assertTrue(old.stream().noneMatch(disk::exists));
      assertTrue(numbers.size() > 3, "dropped at several times: " + numbers);
    }
  }

  /// Numbers of the events that are in journals and not past their retention.
  private Set<Long> kept() {
    long from = START_NANOS + Duration.ofHours(40).toNanos();
    Set<Long> kept = new HashSet<>();
    driver.acknowledged.all().stream()
        .filter(event -> !event.own() && event.timeNanos() > from)
        .forEach(event -> kept.add(event.number()));
    assertFalse(kept.isEmpty());
    return kept;
  }
}
