package io.widerow.storage.objects;

import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/// What a thread tries again and again, and since when it fails: pauses double, up to 30 s.
///
/// - Threads: one tries; any thread asks.
final class Retry {
  private static final long SECOND = 1_000_000_000L;
  private static final long NANOS_MAX = 30 * SECOND;
  private static final long AWAY_NANOS = 30 * SECOND;

  private final LongSupplier monotonic;
  private volatile @Nullable String reason; // null after a success
  private volatile long since; // of the monotonic clock, while there is a reason
  private long at = Long.MIN_VALUE; // of the next try
  private long delay;

  Retry(LongSupplier monotonic) {
    this.monotonic = monotonic;
  }

  boolean isDue(long now) {
    return now >= at;
  }

  void failed(RuntimeException failure) {
    long now = monotonic.getAsLong();
    delay = Math.min(NANOS_MAX, Math.max(SECOND / 10, 2 * delay));
    at = now + delay;
    since = reason == null ? now : since;
    reason = String.valueOf(failure.getMessage());
  }

  void succeeded() {
    delay = 0;
    at = Long.MIN_VALUE;
    reason = null;
  }

  /// Why the last try failed; null after a success.
  @Nullable String reason() {
    return reason;
  }

  boolean isLong() {
    return reason != null && monotonic.getAsLong() - since >= AWAY_NANOS;
  }
}
