package io.widerow.storage.cassandra.maintenance;

import io.widerow.storage.cassandra.keyspace.Keyspace;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/// Compares the daemon's clock with that of the nodes. A delete is written with the daemon's time:
/// a delete from the future would hide events that are written to the same partition until then.
///
/// - Threads: one; the skew may be read by any.
final class ClockCheck {
  private static final long SKEW_MILLIS_MAX = 10_000;
  private static final long CHECKED_MILLIS = 30_000;

  private final Keyspace keyspace;
  private final LongSupplier nowMillis;
  private boolean checked;
  private long checkedMillis;
  private volatile long skewMillis;

  ClockCheck(Keyspace keyspace, LongSupplier nowMillis) {
    this.keyspace = keyspace;
    this.nowMillis = nowMillis;
  }

  /// Why nothing may be deleted, for people; null when the clocks agree.
  @Nullable String trouble() {
    long before = nowMillis.getAsLong();
    boolean good = Math.abs(skewMillis) <= SKEW_MILLIS_MAX;
    if (!checked || !good || before < checkedMillis || before - checkedMillis >= CHECKED_MILLIS) {
      long nodes = Waits.of(keyspace.clockMillis());
      long after = nowMillis.getAsLong();
      skewMillis = before + (after - before) / 2 - nodes;
      checkedMillis = after;
      checked = true;
    }
    return Math.abs(skewMillis) <= SKEW_MILLIS_MAX
        ? null
        : "this machine's clock and that of the nodes differ by %d ms, more than %d"
            .formatted(Math.abs(skewMillis), SKEW_MILLIS_MAX);
  }

  /// The lead of this machine's clock over the clocks of the nodes at the last comparison.
  long skewMillis() {
    return skewMillis;
  }
}
