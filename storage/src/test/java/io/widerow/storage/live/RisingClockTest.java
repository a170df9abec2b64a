package io.widerow.storage.live;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.storage.StorageException;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/// Goal: time never steps back, whatever the wall clock does. Method: clocks that stand still, step
/// back and jump, read by one thread and by several.
class RisingClockTest {
  private static final long SECOND = 1_000_000_000L;

  @Test
  void followsAWallClockThatRises() {
    var wall = new AtomicLong(1_000);
    var clock = new RisingClock(wall::getAndIncrement, Long.MIN_VALUE);

    assertEquals(1_000, clock.nanos());
    assertEquals(1_001, clock.nanos());
  }

  @Test
  void standsStillWhileTheWallClockIsBehind() {
    var wall = new AtomicLong(1_000 * SECOND);
    var clock = new RisingClock(wall::get, 0);

    assertEquals(1_000 * SECOND, clock.nanos());
    assertEquals(1_000 * SECOND, clock.nanos());
    wall.set(990 * SECOND);
    assertEquals(1_000 * SECOND, clock.nanos());
    assertEquals(1_000 * SECOND, clock.highWaterNanos());
    wall.set(1_000 * SECOND + 1);
    assertEquals(1_000 * SECOND + 1, clock.nanos());
  }

  @Test
  void startsAtTheHighWaterMark() {
    var clock = new RisingClock(() -> 100 * SECOND, 110 * SECOND);

    assertEquals(110 * SECOND, clock.nanos());
  }

  @Test
  void givesNoTimeThatIsTooFarAhead() {
    var wall = new AtomicLong(100 * SECOND);
    var clock = new RisingClock(wall::get, 110 * SECOND + 1);

    var refusal = assertThrows(StorageException.ClockWrong.class, clock::nanos);
    assertEquals(
        "the clock says 1970-01-01T00:01:40Z, but events were given times up to"
            + " 1970-01-01T00:01:50.000000001Z: set the clock right, wait, or accept the clock as"
            + " it is",
        refusal.getMessage());
    wall.set(100 * SECOND + 1);
    assertEquals(110 * SECOND + 1, clock.nanos());
    wall.set(SECOND);
    assertThrows(StorageException.ClockWrong.class, clock::nanos);
    clock.reset();
    assertEquals(SECOND, clock.nanos());
  }

  @Test
  void neverStepsBackForSeveralThreads() throws Exception {
    var wall = new AtomicLong(SECOND);
    var clock = new RisingClock(() -> wall.get() + Thread.currentThread().threadId() % 7, 0);
    List<FutureTask<Void>> readers = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      var random = new SplittableRandom(i);
      var reader =
          new FutureTask<Void>(() -> {
            long last = 0;
            for (int j = 0; j < 200_000; j++) {
              wall.addAndGet(random.nextLong(-50, 60));
              long now = clock.nanos();
              assertTrue(now >= last, now + " after " + last);
              last = now;
            }
            return null;
          });
      readers.add(reader);
      Thread.ofPlatform().name("reader-" + i).start(reader);
    }
    for (var reader : readers) {
      reader.get();
    }
  }
}
