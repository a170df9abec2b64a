package io.widerow.storage.live;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.faults.Seeds;
import io.widerow.faults.TestClock;
import io.widerow.storage.ClockReport;
import io.widerow.storage.StorageException;
import java.time.Duration;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/// Goal: a clock that jumps ahead, while the store is open or closed, moves neither arrival times
/// nor retention until it is confirmed or accepted; going back repairs everything at once; no case
/// needs an operator permanently. Method: clocks that the test sets, with jumps by hand and at
/// random.
class GuardedClockTest {
  private static final long START = 1_700_000_000_000_000_000L;
  private static final long SECOND = Duration.ofSeconds(1).toNanos();
  private static final long HOUR = Duration.ofHours(1).toNanos();
  private static final long DAY = Duration.ofDays(1).toNanos();
  private static final long YEAR = 365 * DAY;
  private static final long LEAD = 10 * SECOND;
  private static final long RETENTION_LEAD = Duration.ofMinutes(10).toNanos();

  private final TestClock clock = new TestClock(START);
  private GuardedClock guarded = new GuardedClock(clock, Long.MIN_VALUE);

  private void reopen() {
    guarded = new GuardedClock(clock, guarded.durableNanos());
  }

  /// Lets time pass as a daemon does, which looks at the clock every second; here more rarely.
  private void pass(Duration time) {
    long step = Math.max(SECOND, time.toNanos() / 100);
    for (long passed = 0; passed < time.toNanos(); passed += step) {
      clock.advance(Math.min(step, time.toNanos() - passed));
      guarded.observe();
    }
  }

  private ClockReport.State state() {
    return guarded.report(true).state();
  }

  private void assertRefused() {
    assertThrows(StorageException.ClockWrong.class, guarded::arrivalNanos);
    assertEquals(ClockReport.State.REFUSED, state());
  }

  private void assertRight() {
    assertEquals(ClockReport.State.RIGHT, state(), () -> guarded.report(true).sentence());
    assertEquals(clock.wallNanos(), guarded.arrivalNanos());
    assertEquals(clock.wallNanos(), guarded.retentionNanos());
  }

  /// What senders with right clocks send is not later than now while the store's clock is behind.
  @Test
  void aClockThatGoesBackMakesNothingTooLate() {
    pass(Duration.ofHours(1));
    clock.step(-HOUR);
    pass(Duration.ofMinutes(1));
    assertTrue(guarded.latestNanos() >= START + HOUR + 60 * SECOND - LEAD);
    pass(Duration.ofHours(23)); // as long as retention doubts it
    assertTrue(guarded.latestNanos() >= START + 24 * HOUR + 60 * SECOND - LEAD);
    clock.step(HOUR);
    assertEquals(clock.wallNanos(), guarded.latestNanos());
    clock.step(YEAR);
    assertEquals(clock.wallNanos(), guarded.latestNanos(), "it may be right");
  }

  @Test
  void oneMomentOfAClockTenYearsAheadChangesNothing() {
    pass(Duration.ofHours(1));
    clock.step(10 * YEAR);
    assertRefused(); // the first caller, before any look at the clock
    assertTrue(guarded.retentionNanos() <= START + HOUR + RETENTION_LEAD);
    pass(Duration.ofSeconds(8));
    assertRefused();
    clock.step(-10 * YEAR);
    assertRight();
    reopen();
    assertRight();
  }

  @Test
  void aJumpWhileRunningMovesRetentionAfterADayOfKeepingPace() {
    clock.step(10 * DAY);
    pass(Duration.ofMinutes(9));
    assertRefused();
    pass(Duration.ofMinutes(2));
    assertEquals(ClockReport.State.DOUBTED, state());
    assertEquals(clock.wallNanos(), guarded.arrivalNanos());
    pass(Duration.ofHours(23));
    assertEquals(ClockReport.State.DOUBTED, state());
    assertTrue(guarded.retentionNanos() <= clock.wallNanos() - 10 * DAY + RETENTION_LEAD);
    assertEquals(ClockReport.State.RIGHT, guarded.report(false).state(), "nothing expires here");
    pass(Duration.ofHours(1));
    assertRight();
  }

  @Test
  void aConfirmedArrivalTimeCountsForNothingWhenTheClockGoesBack() {
    clock.step(10 * YEAR);
    pass(Duration.ofMinutes(11));
    assertEquals(clock.wallNanos(), guarded.arrivalNanos());
    clock.step(-10 * YEAR);
    pass(Duration.ofSeconds(1));
    assertRight();
    clock.step(10 * YEAR);
    pass(Duration.ofMinutes(11));
    long ahead = guarded.arrivalNanos();
    assertTrue(guarded.durableNanos() < ahead - 9 * YEAR, "not made durable");
    clock.step(-10 * YEAR);
    reopen(); // killed meanwhile
    assertRight();
  }

  @Test
  void aSmallJumpIsStampedWithAtMostTenSecondsAhead() {
    clock.step(Duration.ofMinutes(5).toNanos());
    assertEquals(START + LEAD, guarded.arrivalNanos());
    assertEquals(ClockReport.State.RIGHT, state());
    pass(Duration.ofMinutes(6));
    assertEquals(clock.wallNanos(), guarded.arrivalNanos());
  }

  @Test
  void aStoreThatWasClosedStampsAtOnceAndExpiresLater() {
    for (int nights = 0; nights < 10; nights++) {
      pass(Duration.ofHours(8));
      assertRight();
      clock.advance(16 * HOUR);
      reopen();
      assertEquals(clock.wallNanos(), guarded.arrivalNanos());
      assertEquals(ClockReport.State.DOUBTED, state());
      assertTrue(guarded.retentionNanos() <= clock.wallNanos() - 16 * HOUR + RETENTION_LEAD);
    }
    pass(Duration.ofHours(2));
    assertRight();
    clock.advance(30 * DAY);
    reopen();
    pass(Duration.ofHours(23));
    assertEquals(ClockReport.State.DOUBTED, state());
    pass(Duration.ofHours(1));
    assertRight();
  }

  @Test
  void aShortStopIsNoJump() {
    pass(Duration.ofHours(1));
    clock.advance(Duration.ofMinutes(9).toNanos());
    reopen();
    assertRight();
  }

  @Test
  void aWrongClockAtTheStartIsMendedByTheTimeServer() {
    pass(Duration.ofHours(1));
    for (long wrong : new long[] {5 * YEAR, 200 * DAY, -20 * YEAR}) {
      clock.advance(HOUR / 10);
      clock.step(wrong);
      reopen();
      if (wrong != 200 * DAY) {
        assertRefused();
      } else {
        long _ = guarded.arrivalNanos();
      }
      assertTrue(guarded.retentionNanos() <= clock.wallNanos() - wrong + RETENTION_LEAD);
      pass(Duration.ofSeconds(20));
      clock.step(-wrong);
      pass(Duration.ofSeconds(1));
      assertRight();
    }
  }

  @Test
  void aStoreMadeByAWrongClockIsRightAfterADay() {
    clock.step(10 * YEAR);
    guarded = new GuardedClock(clock, Long.MIN_VALUE);
    long _ = guarded.arrivalNanos();
    clock.step(-10 * YEAR);
    pass(Duration.ofHours(23));
    assertRefused();
    assertEquals(clock.wallNanos(), guarded.retentionNanos());
    pass(Duration.ofHours(2));
    assertRight();
    reopen();
    assertRight();
  }

  @Test
  void anAcceptedClockCounts() {
    for (long jump : new long[] {10 * YEAR, -10 * YEAR, 10 * DAY, -HOUR}) {
      long _ = guarded.arrivalNanos();
      clock.step(jump);
      assertRefused();
      guarded.accept();
      assertRight();
      reopen();
      assertRight();
    }
  }

  @Test
  void sleepIsNoJump() {
    pass(Duration.ofHours(1));
    clock.suspend(DAY);
    assertRight();
    clock.step(DAY);
    assertRefused();
  }

  @Test
  void timesRiseAndAreNeverFarAhead() {
    long seed = Seeds.one();
    var random = new SplittableRandom(seed);
    long right = START; // what a right clock would say
    long last = Long.MIN_VALUE;
    for (int step = 0; step < 100_000; step++) {
      long passed = random.nextLong(5 * SECOND);
      clock.advance(passed);
      right += passed;
      boolean ahead = random.nextInt(4) == 0;
      if (ahead) {
        clock.step(random.nextLong(YEAR));
      }
      if (random.nextBoolean()) {
        guarded.observe();
      }
      long wall = clock.wallNanos();
      assertTrue(guarded.retentionNanos() <= right + RETENTION_LEAD, "seed " + seed);
      try {
        long given = guarded.arrivalNanos();
        assertTrue(given >= last, "seed " + seed);
        assertTrue(given <= right + LEAD + passed / 1_000, "seed " + seed);
        last = given;
      } catch (StorageException.ClockWrong refused) {
        assertTrue(ahead, () -> "seed " + seed + ": " + refused.getMessage());
      }
      clock.step(right - wall);
    }
  }
}
