package io.widerow.storage.live;

import io.widerow.storage.ClockReport;
import io.widerow.storage.ClockReport.State;
import io.widerow.storage.StorageException;
import java.time.Instant;

/// The wall clock of a store, guarded against jumps. It compares the wall clock with elapsed time,
/// from the last sane time on. Nothing is dropped, hidden or stamped by a clock that jumped ahead,
/// until the clock was confirmed or accepted.
///
/// | | a jump while the store is open | a jump while it was closed |
/// |---|---|---|
/// | arrival times | follow after as long as it jumped, 10 min at most | at once, up to 366 days |
/// | retention | follows after 24 h | after a tenth of the jump, 10 min to 24 h |
///
/// A clock confirms a jump by keeping pace with elapsed time. A clock that returns to the expected
/// time is sane again at once, and the times that it gave during the jump are ignored.
///
/// The last sane time is the last reading that retention followed. Journal frames and the manifest
/// keep it; the next opening continues from it.
///
/// - Threads: any.
public final class GuardedClock {
  private static final long SECOND = 1_000_000_000L;
  private static final long MINUTE = 60 * SECOND;
  private static final long DAY = 24 * 60 * MINUTE;

  /// The most by which retention follows the wall clock ahead of the expected time.
  static final long RETENTION_LEAD_NANOS = 10 * MINUTE;

  /// During jumps up to this one events are given the expected time; beyond it they are refused.
  static final long STAMPED_NANOS = 10 * MINUTE;

  private static final long CONFIRM_MIN_NANOS = 10 * MINUTE;
  private static final long CONFIRM_MAX_NANOS = DAY;

  /// The longest closing of a store after which arrival times follow the clock at once.
  private static final long CLOSED_MAX_NANOS = 366 * DAY;

  private final StoreClock clock;
  private final ClockLine arrivals = new ClockLine();
  private final ClockLine retention = new ClockLine();
  private final RisingClock rising;
  private boolean unsettled; // since opening, no reading was near the last sane time
  private volatile long asleepNanos;
  private volatile long saneNanos;
  private volatile boolean together; // both lines are the same

  /// @param saneNanos the last sane time; [Long#MIN_VALUE] when there is none
  GuardedClock(StoreClock clock, long saneNanos) {
    this.clock = clock;
    this.rising = new RisingClock(this::limitedNanos, saneNanos);
    this.saneNanos = saneNanos;
    this.asleepNanos = clock.asleepNanos();
    start();
  }

  /// The clock was right at this time, in nanoseconds since the Unix epoch. For opening, before
  /// [#start].
  synchronized void raise(long nanos) {
    saneNanos = Math.max(saneNanos, nanos);
    rising.raise(nanos);
  }

  /// Starts from the last sane time.
  synchronized void start() {
    long elapsed = elapsedNanos();
    long wall = clock.wallNanos();
    retention.accept(saneNanos == Long.MIN_VALUE ? wall : saneNanos, elapsed);
    place(wall, elapsed);
    settle(wall, elapsed, false);
  }

  /// Decides about the first reading after opening, or about another one before any was right.
  private void place(long wall, long elapsed) {
    long expected = retention.at(elapsed);
    long gap = wall - expected;
    unsettled = gap < -ClockLine.NEAR_NANOS || gap > RETENTION_LEAD_NANOS;
    if (!unsettled) {
      retention.accept(wall, elapsed);
      arrivals.accept(wall, elapsed);
      return;
    }
    boolean closed = gap > 0 && gap <= CLOSED_MAX_NANOS;
    arrivals.accept(closed ? wall : expected, elapsed);
    retention.doubt(
        wall,
        elapsed,
        gap > 0 ? Math.clamp(gap / 10, CONFIRM_MIN_NANOS, CONFIRM_MAX_NANOS) : CONFIRM_MAX_NANOS);
  }

  /// Compares the clock with elapsed time. Called about once a second.
  public synchronized void observe() {
    long asleep = clock.asleepNanos();
    if (asleep - asleepNanos > SECOND) {
      asleepNanos = asleep;
    }
    long elapsed = elapsedNanos();
    long wall = clock.wallNanos();
    boolean known = retention.isNear(wall, elapsed) || retention.isOnJump(wall, elapsed);
    boolean confirmed = false;
    if (unsettled && !known) {
      place(wall, elapsed);
    } else {
      confirmed = retention.observe(wall, elapsed, CONFIRM_MAX_NANOS);
      long jump = Math.abs(wall - arrivals.at(elapsed));
      boolean _ = arrivals.observe(wall, elapsed, Math.min(jump, CONFIRM_MIN_NANOS));
    }
    settle(wall, elapsed, confirmed);
  }

  /// When the reading is sane, both lines continue from it, and times that a wrong clock gave are
  /// forgotten.
  private void settle(long wall, long elapsed, boolean confirmed) {
    boolean sane = retention.isNear(wall, elapsed);
    if (sane) {
      boolean apart = !arrivals.isNear(wall, elapsed) || !together;
      arrivals.accept(wall, elapsed);
      unsettled = false;
      if ((apart || confirmed) && rising.highWaterNanos() - wall > ClockLine.NEAR_NANOS) {
        rising.reset();
        rising.raise(Math.min(saneNanos, wall));
      }
    }
    saneNanos = confirmed ? wall : Math.max(saneNanos, Math.min(wall, retention.at(elapsed)));
    together = sane;
  }

  /// Believes the wall clock as it is.
  synchronized void accept() {
    long elapsed = elapsedNanos();
    long wall = clock.wallNanos();
    retention.accept(wall, elapsed);
    arrivals.accept(wall, elapsed);
    rising.reset();
    rising.raise(wall);
    saneNanos = wall;
    unsettled = false;
    together = true;
  }

  private long elapsedNanos() {
    return clock.monotonicNanos() + asleepNanos;
  }

  /// The wall clock as it is, in nanoseconds since the Unix epoch.
  public long wallNanos() {
    return clock.wallNanos();
  }

  /// The time for events that arrive now, in nanoseconds since the Unix epoch. Never steps back,
  /// and is at most ten seconds ahead of the expected time.
  ///
  /// @throws StorageException.ClockWrong when the clock is too far off to give events its time
  public long arrivalNanos() {
    return rising.nanos();
  }

  /// The wall clock, or what it may be at most.
  private long limitedNanos() {
    long wall = clock.wallNanos();
    return arrivals.isAhead(wall, elapsedNanos()) ? limited() : wall;
  }

  private synchronized long limited() {
    observe();
    long elapsed = elapsedNanos();
    long wall = clock.wallNanos();
    long expected = arrivals.at(elapsed);
    if (!arrivals.isAhead(wall, elapsed)) {
      return wall;
    }
    if (wall - expected <= STAMPED_NANOS) {
      return expected + ClockLine.NEAR_NANOS;
    }
    throw StorageException.ClockWrong.ahead(instant(wall), instant(expected));
  }

  /// The wall clock, but at most ten seconds ahead of the expected time.
  public long nowNanos() {
    long wall = clock.wallNanos();
    long elapsed = elapsedNanos();
    return arrivals.isAhead(wall, elapsed) ? arrivals.at(elapsed) + ClockLine.NEAR_NANOS : wall;
  }

  /// The wall clock, or the expected time where that is later. A time later than this is in the
  /// future, even after the clock was set back. Arrival times follow such a clock after minutes,
  /// senders do not, so the expected time is that of retention.
  public long latestNanos() {
    long elapsed = elapsedNanos();
    long expected = Math.max(arrivals.at(elapsed), retention.at(elapsed));
    return Math.max(clock.wallNanos(), expected);
  }

  /// The time by which retention counts, in nanoseconds since the Unix epoch: for dropping, hiding
  /// and refusing alike.
  public long retentionNanos() {
    long most = retention.at(elapsedNanos()) + RETENTION_LEAD_NANOS;
    return Math.min(clock.wallNanos(), most);
  }

  /// The last sane time, at or after all times that a sane clock gave. It is saved for the next
  /// opening. Reads no clock.
  public long durableNanos() {
    return together ? Math.max(saneNanos, rising.highWaterNanos()) : saneNanos;
  }

  /// @param retains whether anything is kept for a limited time
  ClockReport report(boolean retains) {
    observe();
    try {
      long _ = arrivalNanos();
    } catch (StorageException.ClockWrong refused) {
      return new ClockReport(State.REFUSED, String.valueOf(refused.getMessage()));
    }
    long elapsed = elapsedNanos();
    long wall = clock.wallNanos();
    long expected = retention.at(elapsed);
    if (!retains || wall - expected <= RETENTION_LEAD_NANOS) {
      return ClockReport.right();
    }
    return new ClockReport(
        State.DOUBTED,
        "the clock says %s, %s later than expected: until it is set right, has kept pace for %s"
                .formatted(
                    instant(wall), words(wall - expected), words(retention.unconfirmed(elapsed)))
            + " more, or is accepted as it is, retention drops and hides nothing of after "
            + instant(expected));
  }

  private static Instant instant(long nanos) {
    return Instant.ofEpochSecond(Math.floorDiv(nanos, SECOND));
  }

  private static String words(long nanos) {
    if (nanos >= 2 * DAY) {
      return nanos / DAY + " days";
    }
    if (nanos >= 120 * MINUTE) {
      return nanos / (60 * MINUTE) + " hours";
    }
    return (nanos + MINUTE - 1) / MINUTE + " min";
  }
}
