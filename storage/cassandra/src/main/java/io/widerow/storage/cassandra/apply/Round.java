package io.widerow.storage.cassandra.apply;

import io.widerow.event.EventLayout;
import io.widerow.event.EventView;
import io.widerow.storage.ClusterArrivals;
import io.widerow.storage.LaneArrivals;
import io.widerow.storage.cassandra.keyspace.DaemonRow;
import io.widerow.storage.cassandra.keyspace.Stamp;
import java.util.List;

/// A round: the events that arrived from one position up to another, all of them shown at once.
///
/// Versions of events with clients' ids follow from the round: of one id a round has one event, the
/// last one, so nothing but the order of rounds matters; only when the number of shards changed may
/// it have two. In the round's time and the numbers after it, versions rise with arrival:
///
/// ```
///   arrival    ... low                     last       span = last - low, at most 2^20
///   version    base, base, base, base + 1, ... base + span     (times 512, plus the daemon)
/// ```
///
/// @param stamp orders the rounds of a daemon; the `seq` of its segments
/// @param from events that arrived before are in earlier rounds
/// @param to events that arrived before are in this round, or in earlier ones
/// @param base when it was cut, in microseconds since the Unix epoch; above every version before
/// @param low see above
/// @param span see above
/// @param taken batches from before `from` that were left out, and are in this round
record Round(
    long stamp,
    LaneArrivals from,
    LaneArrivals to,
    long base,
    long low,
    long span,
    List<PendingBatch.LeftOut> taken) {
  private static final long SPAN_MAX = 1 << 20;

  Round {
    taken = List.copyOf(taken);
  }

  /// Nothing was applied yet.
  static Round none() {
    LaneArrivals start = new LaneArrivals(0, List.of(0L));
    return new Round(Stamp.NONE, start, start, 0, 0, 0, List.of());
  }

  /// The round after this one.
  ///
  /// @param nowMicros the time now, in microseconds since the Unix epoch
  Round next(
      long nextStamp, LaneArrivals newTo, long nowMicros, List<PendingBatch.LeftOut> nextTaken) {
    long last = newTo.limitMax();
    long nextSpan = Math.clamp(last - to.limitMax(), 0, SPAN_MAX);
    return new Round(nextStamp, to, newTo, above(nowMicros), last - nextSpan, nextSpan, nextTaken);
  }

  private long above(long nowMicros) {
    return Math.max(nowMicros, base + span + 1);
  }

  /// The version in the cluster of an event of this round that came with an id.
  long version(int daemon, long arrival) {
    return (base + Math.clamp(arrival - low, 0, span)) << ClusterArrivals.DAEMON_BITS | daemon;
  }

  /// The daemon's applied position after this round.
  DaemonRow.Applied applied() {
    return new DaemonRow.Applied(
        stamp, (base + span + 1) << ClusterArrivals.DAEMON_BITS, to.laneLimits());
  }

  /// True when an event is in this round, unless its batch is left out.
  boolean holds(EventView event, int shard) {
    long arrival = event.arrival();
    return arrival < to.limitOf(shard) && (arrival >= from.limitOf(shard) || isTaken(arrival));
  }

  private boolean isTaken(long arrival) {
    for (PendingBatch.LeftOut left : taken) {
      if (left.batch().has(arrival)) {
        return true;
      }
    }
    return false;
  }

  static boolean isOwn(EventView event) {
    return event.version() != EventLayout.VERSION_ASSIGNED;
  }
}
