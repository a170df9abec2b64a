package io.widerow.storage.live;

import io.widerow.storage.StorageException;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/// Monotonic wall clock: it never steps back, neither in this process nor across a restart. If the
/// underlying clock steps back a little, this one stands still until that catches up, and the
/// counter in the ids keeps them rising. If it steps back a lot, one of the two was wrong and this
/// clock refuses to give a time: standing still that long would stamp everything with one wrong
/// time.
///
/// - Threads: any. A reading is never less than an earlier one of any thread.
public final class RisingClock {
  /// The most by which a reading may be ahead of the wall clock.
  static final Duration LEAD_MAX = Duration.ofSeconds(10);

  private static final long NANOS_PER_SECOND = 1_000_000_000L;

  private final LongSupplier wallNanos;
  private final AtomicLong nanosLast;

  /// @param wallNanos nanoseconds since the Unix epoch
  /// @param highWaterNanos lower bound of all readings; [Long#MIN_VALUE] when there is none
  RisingClock(LongSupplier wallNanos, long highWaterNanos) {
    this.wallNanos = wallNanos;
    this.nanosLast = new AtomicLong(highWaterNanos);
  }

  /// The time in nanoseconds since the Unix epoch: that of the wall clock, or the last reading if
  /// that is later.
  ///
  /// @throws StorageException.ClockWrong when the last reading is later by more than [#LEAD_MAX]
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
      throw StorageException.ClockWrong.behind(instant(now), instant(last));
    }
    return last;
  }

  /// The last reading: the high-water mark for the next start.
  public long highWaterNanos() {
    return nanosLast.get();
  }

  /// Raises the high-water mark, if `highWater` is later.
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
