package io.widerow.ingest;

import java.time.Duration;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;

/// Logs when the disk has become full and when it has room again: one line for each change.
///
/// - Threads: one.
final class DiskStateLog {
  private static final Logger LOG = Logger.getLogger("widerow");

  private final Supplier<@Nullable String> full;
  private final LongSupplier nanoTime;
  private boolean wasFull;
  private long sinceNanos;

  /// @param full why the store takes nothing in for lack of space; null while there is space
  DiskStateLog(Supplier<@Nullable String> full, LongSupplier nanoTime) {
    this.full = full;
    this.nanoTime = nanoTime;
  }

  /// Looks at the state, and logs it when it has changed.
  void look() {
    String why = full.get();
    if (why != null && !wasFull) {
      wasFull = true;
      sinceNanos = nanoTime.getAsLong();
      LOG.log(
          Level.WARNING, "the disk is full, no events are accepted until there is room: {0}", why);
    } else if (why == null && wasFull) {
      wasFull = false;
      Duration lasted = Duration.ofNanos(nanoTime.getAsLong() - sinceNanos);
      LOG.log(
          Level.INFO,
          "the disk has room again after {0} s, events are accepted",
          Long.toString(lasted.toSeconds()));
    }
  }
}
