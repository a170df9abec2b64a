package io.widerow.storage.live;

import io.widerow.storage.StorageException;
import io.widerow.storage.disk.Disk;
import java.io.IOException;
import java.util.function.Function;

/// The store's lock, and the time of the last check that this process still holds it.
///
/// - Threads: any.
final class HeldLock {
  private static final long SEEN_NANOS = 500_000_000L;

  private final Disk.Lock lock;
  private final StoreClock clock;
  private final Function<StorageException, StorageException> end;
  private volatile long seenNanos; // of the monotonic clock

  /// @param end ends the write side
  HeldLock(Disk.Lock lock, StoreClock clock, Function<StorageException, StorageException> end) {
    this.lock = lock;
    this.clock = clock;
    this.end = end;
    this.seenNanos = clock.monotonicNanos();
  }

  /// True when the last check is more than half a second old.
  boolean isDue() {
    return clock.monotonicNanos() - seenNanos >= SEEN_NANOS;
  }

  /// Looks. Ends the write side when the lock is lost.
  boolean isHeld() {
    long now = clock.monotonicNanos();
    String lost = lock.lost();
    if (lost != null) {
      var _ = end.apply(new StorageException.Failed(lost, new IOException(lost)));
      return false;
    }
    seenNanos = now;
    return true;
  }
}
