package io.widerow.storage.live;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.event.EventBatch;
import io.widerow.event.EventId;
import io.widerow.faults.FileJournal;
import io.widerow.faults.SimDisk;
import io.widerow.faults.StoreReading;
import io.widerow.faults.TestClock;
import io.widerow.storage.Durability;
import io.widerow.storage.Scan;
import io.widerow.storage.StorageException;
import io.widerow.storage.StoreConfig;
import io.widerow.storage.StoreView;
import io.widerow.storage.embedded.EmbeddedStore;
import io.widerow.storage.embedded.StoreOpener;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
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
    return new EmbeddedStore(
        new StoreOpener(config, disk, clock, Runnable::run)
            .open(_ -> new FileJournal.Factory(disk, config)));
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
}
