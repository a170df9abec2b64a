package io.widerow.storage.cassandra.maintenance;

import io.widerow.storage.cassandra.keyspace.Keyspace;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.function.LongSupplier;

/// Leases of this daemon: one daemon at a time does a piece of work. Leases only save work; the
/// result is right when two daemons do the same work.
///
/// - Threads: one.
final class Leases {
  private static final Duration KEPT = Duration.ofSeconds(60);
  private static final int REMEMBERED = 256;

  private final Keyspace keyspace;
  private final int daemon;
  private final LongSupplier nowMillis;
  private final Map<String, Long> renewed = new HashMap<>(); // by lease, in milliseconds

  Leases(Keyspace keyspace, int daemon, LongSupplier nowMillis) {
    this.keyspace = keyspace;
    this.daemon = daemon;
    this.nowMillis = nowMillis;
  }

  /// True when this daemon has the lease. Renews one that is half over.
  boolean take(String what) {
    long now = nowMillis.getAsLong();
    Long before = renewed.get(what);
    if (before != null && now >= before && now - before < KEPT.toMillis() / 2) {
      return true;
    }
    renewed.remove(what);
    if (!Waits.of(keyspace.lease(what, daemon, KEPT))) {
      return false;
    }
    if (renewed.size() >= REMEMBERED) {
      renewed.clear();
    }
    renewed.put(what, now);
    return true;
  }
}
