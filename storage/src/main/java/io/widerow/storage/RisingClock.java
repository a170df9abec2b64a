package io.widerow.storage;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/// A wall clock that never steps back, in this process or over a restart. When the clock below it
/// steps back, this one stands still until it is overtaken, and the counter in the ids keeps them
/// rising.
///
/// - Threads: any. A reading is never less than one that any thread had before.
public final class RisingClock {
  /// How far the mark may lie ahead of the wall clock at start. More is a clock that was wrong
  /// before the restart or is wrong now, and standing still that long would hide it.
  public static final Duration LEAD_MAX = Duration.ofSeconds(10);

  private static final long NANOS_PER_SECOND = 1_000_000_000L;

  private final LongSupplier wallNanos;
  private final AtomicLong nanosLast;

  /// @param wallNanos nanoseconds since the Unix epoch
  /// @param highWaterNanos no reading is at or below it; [Long#MIN_VALUE] when there is no mark
  /// @throws IllegalArgumentException when the mark lies more than [#LEAD_MAX] ahead
  public RisingClock(LongSupplier wallNanos, long highWaterNanos) {
    long now = wallNanos.getAsLong();
    if (highWaterNanos > now && highWaterNanos - now > LEAD_MAX.toNanos()) {
      throw new IllegalArgumentException(
          "the clock says %s, but the store was written at %s: set the clock right, or wait"
              .formatted(instant(now), instant(highWaterNanos)));
    }
    this.wallNanos = wallNanos;
    this.nanosLast = new AtomicLong(highWaterNanos + 1);
  }

  public static RisingClock of(InstantSource wall, long highWaterNanos) {
    return new RisingClock(
        () -> {
          Instant now = wall.instant();
          return now.getEpochSecond() * NANOS_PER_SECOND + now.getNano();
        },
        highWaterNanos);
  }

  /// The time, in nanoseconds since the Unix epoch: that of the wall clock, or the last one given
  /// when that is later.
  public long nanos() {
    long now = wallNanos.getAsLong();
    long last = nanosLast.get();
    while (now > last) {
      if (nanosLast.compareAndSet(last, now)) {
        return now;
      }
      last = nanosLast.get();
    }
    return last;
  }

  /// How far this clock is ahead of the wall clock, for the owner to report; 0 when it is not.
  public long leadNanos() {
    return Math.max(0, nanosLast.get() - wallNanos.getAsLong());
  }

  private static Instant instant(long nanos) {
    return Instant.ofEpochSecond(
        Math.floorDiv(nanos, NANOS_PER_SECOND), Math.floorMod(nanos, NANOS_PER_SECOND));
  }
}
