package io.widerow.storage.cassandra;

import io.widerow.event.EventId;
import io.widerow.event.TimeUuid;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// A batch, wherever it was sent to.
final class Sent {
  final List<Long> numbers = new ArrayList<>();
  final Map<Long, EventId> ids = new TreeMap<>(); // of those with ids of their own
  final byte @Nullable [] key;
  boolean applied; // a daemon said so
  final Set<Integer> at = new HashSet<>(); // daemons that acknowledged it
  final Set<Integer> refusedAt = new HashSet<>(); // daemons whose disk was full
  boolean mayBeThere; // a daemon lost its power before it answered

  Sent(byte @Nullable [] key) {
    this.key = key;
  }

  /// True when it came only to daemons that refused it, so that it must not be there.
  boolean wasRefused() {
    return at.isEmpty() && !refusedAt.isEmpty() && !mayBeThere;
  }

  /// One of a few ids that clients give.
  static EventId ownId(long which) {
    return new EventId(
        TimeUuid.timeOfNanos(ClusterSimulation.START_NANOS - 1_000_000L * which),
        TimeUuid.tailOf(0, 511, which));
  }
}
