package io.widerow.storage.live;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.event.EventBatch;
import io.widerow.event.EventId;
import io.widerow.event.Rejection;
import io.widerow.faults.FileJournal;
import io.widerow.faults.SimDisk;
import io.widerow.faults.StoreReading;
import io.widerow.faults.TestClock;
import io.widerow.storage.ClockReport;
import io.widerow.storage.Durability;
import io.widerow.storage.Scan;
import io.widerow.storage.StorageException;
import io.widerow.storage.StoreConfig;
import io.widerow.storage.StoreView;
import io.widerow.storage.embedded.EmbeddedStore;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/// Goal: arrival times never step back, whatever the clock does, also across kills and restarts.
/// They are never more than ten seconds ahead of it. When the clock has jumped, the store reports
/// it instead of writing events into the wrong buckets. Method: a clock that the test sets, and a
/// store that is killed or closed in between.
public class StoreClockTest {
  private static final long START_NANOS = 1_700_000_000_000_000_000L;
  private static final byte[] TYPE = "t".getBytes(StandardCharsets.UTF_8);

  private final TestClock clock = new TestClock(START_NANOS);
  private SimDisk disk = new SimDisk(1);
  private final List<EventId> ids = new ArrayList<>();

  private static StoreConfig config() {
    return StoreConfig.at(Path.of("/store"))
        .withMemory(4 << 20, Duration.ofMinutes(1))
        .withJournal(1 << 20, 4 << 20)
        .withDiskReserveBytes(0);
  }

  private EmbeddedStore open(StoreConfig config) {
    return FileJournal.openStore(config, disk, clock);
  }

  /// Writes an event and checks the id that it was given.
  private void write(EmbeddedStore store, long timeNanos) {
    try (var batch = new EventBatch(1 << 10, 1 << 12)) {
      batch.begin(TYPE, 0, TYPE.length, timeNanos);
      assertNull(batch.end());
      assertEquals(1, store.lane(0).append(batch, 0, (_, why) -> assertNull(why)));
      store.lane(0).commit(Durability.DISK);
    }
    Set<EventId> before = new HashSet<>(ids);
    try (StoreView view = store.view()) {
      StoreReading.read(view, _ -> true, 0, Long.MAX_VALUE / 2, Scan.all())
          .forEach(shown -> ids.add(shown.id()));
    }
    ids.removeAll(before);
    List<EventId> added = List.copyOf(ids);
    ids.clear();
    ids.addAll(before);
    ids.sort(null);
    assertEquals(1, added.size(), "one new id");
    ids.addAll(added);
  }

  private void writeArrival(EmbeddedStore store) {
    long lead = store.arrivalNanos() - clock.wallNanos();
    assertTrue(lead <= Duration.ofSeconds(10).toNanos(), lead + " ns ahead");
    write(store, store.arrivalNanos());
    for (int i = 1; i < ids.size(); i++) {
      assertTrue(ids.get(i - 1).compareTo(ids.get(i)) < 0, "ids rise: " + ids);
    }
  }

  @Test
  public void arrivalsRiseWhileTheClockStepsBackALittle() {
    EmbeddedStore store = open(config());
    for (int step = 0; step < 6; step++) {
      writeArrival(store);
      clock.step(Duration.ofSeconds(step % 2 == 0 ? -9 : 8).toNanos());
      writeArrival(store);
      if (step % 3 == 2) {
        store.close();
      }
      if (step % 3 > 0) {
        disk = disk.restart(); // killed, or stopped
        store = open(config());
      }
      clock.advance(Duration.ofSeconds(2).toNanos());
    }
    store.close();
  }

  @Test
  public void noTimeIsGivenWhileTheClockIsFarBehind() {
    EmbeddedStore store = open(config());
    writeArrival(store);
    clock.step(-Duration.ofHours(1).toNanos());
    for (boolean stopped : new boolean[] {false, true}) {
      EmbeddedStore now = store;
      var told = assertThrows(StorageException.ClockWrong.class, now::arrivalNanos);
      assertTrue(
          String.valueOf(told.getMessage()).contains("2023-11-14T22:13:20Z"), told::toString);
      write(store, clock.wallNanos()); // one with a time of its own
      if (stopped) {
        store.close();
      }
      disk = disk.restart();
      store = open(config());
    }
    clock.step(Duration.ofHours(1).toNanos());
    writeArrival(store);
    store.close();
  }

  @Test
  void anOperatorCanAcceptTheClockAfterItHadJumpedAhead() {
    clock.advance(Duration.ofDays(400).toNanos());
    EmbeddedStore store = open(config());
    write(store, store.arrivalNanos());
    clock.step(-Duration.ofDays(400).toNanos());
    assertThrows(StorageException.ClockWrong.class, store::arrivalNanos);
    disk = disk.restart();
    try (EmbeddedStore accepted = open(config().withClockAccepted())) {
      assertEquals(START_NANOS, accepted.arrivalNanos());
      write(accepted, accepted.arrivalNanos());
    }
    disk = disk.restart();
    try (EmbeddedStore again = open(config())) {
      assertEquals(START_NANOS, again.arrivalNanos(), "once is enough");
    }
  }

  @Test
  void aClockThatGoesOnIsFollowed() {
    try (EmbeddedStore store = open(config())) {
      for (int hour = 0; hour < 5; hour++) {
        assertEquals(clock.wallNanos(), store.arrivalNanos());
        writeArrival(store);
        clock.advance(Duration.ofHours(1).toNanos());
      }
    }
  }

  private static StoreConfig retaining() {
    return config().withAges(Duration.ofMinutes(5), Duration.ofDays(2));
  }

  private static long shown(EmbeddedStore store) {
    try (StoreView view = store.view()) {
      return StoreReading.read(view, _ -> true, 0, Long.MAX_VALUE / 2, Scan.all()).size();
    }
  }

  /// Appends one event.
  ///
  /// @return why it was refused; null when it was taken
  private static @Nullable Rejection append(EmbeddedStore store, String type, long timeNanos) {
    byte[] utf8 = type.getBytes(StandardCharsets.UTF_8);
    List<Rejection> refused = new ArrayList<>();
    try (var batch = new EventBatch(1 << 10, 1 << 12)) {
      batch.begin(utf8, 0, utf8.length, timeNanos);
      assertNull(batch.end());
      store.lane(0).append(batch, 0, (_, why) -> refused.add(why));
      store.lane(0).commit(Durability.DISK);
    }
    return refused.isEmpty() ? null : refused.getFirst();
  }

  private void maintainFor(EmbeddedStore store, Duration time) {
    for (long minute = 0; minute < time.toMinutes(); minute++) {
      clock.advance(Duration.ofMinutes(1).toNanos());
      store.maintain();
    }
  }

  @Test
  void aClockAheadDropsAndHidesNothing() {
    EmbeddedStore store = open(retaining());
    for (int i = 0; i < 1_000; i++) {
      assertNull(append(store, "t", clock.wallNanos() - i));
    }
    store.sealAll();
    maintainFor(store, Duration.ofHours(2));
    for (int round = 0; round < 3; round++) {
      clock.step(Duration.ofDays(10).toNanos());
      for (int second = 0; second < 8; second++) {
        store.maintain();
        assertEquals(1_000, shown(store));
        clock.advance(Duration.ofSeconds(1).toNanos());
      }
      assertEquals(ClockReport.State.REFUSED, store.clock().state());
      if (round > 0) { // stopped, or killed, and started under the wrong clock
        if (round == 1) {
          store.close();
        }
        disk = disk.restart();
        store = open(retaining());
        store.maintain();
        assertEquals(1_000, shown(store));
        assertEquals(ClockReport.State.DOUBTED, store.clock().state());
      }
      clock.step(-Duration.ofDays(10).toNanos());
      store.maintain();
      assertEquals(1_000, shown(store));
      assertEquals(ClockReport.State.RIGHT, store.clock().state(), store.clock()::sentence);
      assertEquals(clock.wallNanos(), store.arrivalNanos());
    }
    store.close();
  }

  @Test
  void aStoreThatWasClosedForTenDaysDropsAfterADay() {
    EmbeddedStore store = open(retaining());
    write(store, clock.wallNanos());
    store.close();
    disk = disk.restart();
    clock.advance(Duration.ofDays(10).toNanos());
    store = open(retaining());
    write(store, store.arrivalNanos());
    maintainFor(store, Duration.ofHours(23));
    assertEquals(2, shown(store));
    maintainFor(store, Duration.ofHours(2));
    assertEquals(1, shown(store));
    assertEquals(ClockReport.State.RIGHT, store.clock().state());
    store.close();
  }

  @Test
  void aStoreAtRestKeepsTheTime() {
    EmbeddedStore store = open(retaining());
    write(store, clock.wallNanos());
    maintainFor(store, Duration.ofDays(5));
    disk = disk.restart(); // killed
    store = open(retaining());
    assertEquals(ClockReport.State.RIGHT, store.clock().state(), store.clock()::sentence);
    assertEquals(0, shown(store));
    store.close();
  }

  @Test
  void anOperatorAcceptsTheClockWhileTheStoreIsOpen() {
    EmbeddedStore store = open(retaining());
    write(store, clock.wallNanos());
    for (long jump : new long[] {10, 3_650, -3_650}) {
      clock.step(Duration.ofDays(jump).toNanos());
      assertThrows(StorageException.ClockWrong.class, store::arrivalNanos);
      store.acceptClock();
      store.maintain();
      assertEquals(clock.wallNanos(), store.arrivalNanos());
      assertEquals(ClockReport.State.RIGHT, store.clock().state());
      assertNull(append(store, "t", store.arrivalNanos()));
      disk = disk.restart(); // killed
      store = open(retaining());
      assertEquals(clock.wallNanos(), store.arrivalNanos());
      assertEquals(ClockReport.State.RIGHT, store.clock().state());
    }
    store.close();
  }

  @Test
  void anEventThatWouldNotBeShownIsRefused() {
    long day = Duration.ofDays(1).toNanos();
    try (EmbeddedStore store = open(retaining())) {
      store.retain("long", Duration.ofDays(30));
      store.retain("ever", null);
      for (long age = 0; age < 40 * day; age += day / 4) {
        for (String type : List.of("short", "long", "ever")) {
          long before = shown(store);
          long time = clock.wallNanos() - age;
          Rejection refused = append(store, type, time);
          assertEquals(refused == null ? before + 1 : before, shown(store), type + " " + age);
          boolean kept = type.equals("ever") || age <= (type.equals("long") ? 30 : 2) * day;
          assertEquals(kept ? null : Rejection.PAST_RETENTION, refused, type + " " + age);
        }
      }
    }
  }
}
