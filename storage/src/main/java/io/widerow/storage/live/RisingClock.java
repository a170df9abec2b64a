package io.widerow.storage.live;

import io.widerow.storage.StorageException;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/// A wall clock that never steps back, in this process or over a restart. When the clock below it
/// steps back a little, this one stands still until it is overtaken, and the counter in the ids
/// keeps them rising. When it steps back a lot, one of the two was wrong, and no time is given:
/// standing still that long would stamp everything with one wrong time.
///
/// - Threads: any. A reading is never less than one that any thread had before.
public final class RisingClock {
  /// How far a reading may lie ahead of the wall clock.
  static final Duration LEAD_MAX = Duration.ofSeconds(10);

  private static final long NANOS_PER_SECOND = 1_000_000_000L;

  private final LongSupplier wallNanos;
  private final AtomicLong nanosLast;

  /// @param wallNanos nanoseconds since the Unix epoch
  /// @param highWaterNanos no reading is below it; [Long#MIN_VALUE] when there is no mark
  RisingClock(LongSupplier wallNanos, long highWaterNanos) {
    this.wallNanos = wallNanos;
    this.nanosLast = new AtomicLong(highWaterNanos);
  }

  /// The time, in nanoseconds since the Unix epoch: that of the wall clock, or the last one given
  /// when that is later.
  ///
  /// @throws StorageException.ClockBehind when that is later by more than [#LEAD_MAX]
  public long nanos() {
    long now = wallNanos.getAsLong();
    long last = nanosLast.get();
    while (now > last) {
      if (nanosLast.compareAndSet(last, now)) {
        return now;
      }
      last = nanosLast.get();
    }
    if (last - now > LEAD_MAX.toNanos()) {
      throw new StorageException.ClockBehind(instant(now), instant(last));
    }
    return last;
  }

  /// The last reading: the mark for the next start.
  public long highWaterNanos() {
    return nanosLast.get();
  }

  /// Goes on from a mark, if that is later.
  void raise(long highWater) {
    nanosLast.accumulateAndGet(highWater, Math::max);
  }

  /// Forgets all readings.
  void reset() {
    nanosLast.set(Long.MIN_VALUE);
  }

  private static Instant instant(long nanos) {
    return Instant.ofEpochSecond(
        Math.floorDiv(nanos, NANOS_PER_SECOND), Math.floorMod(nanos, NANOS_PER_SECOND));
  }
}
