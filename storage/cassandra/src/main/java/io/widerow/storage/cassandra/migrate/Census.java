package io.widerow.storage.cassandra.migrate;

import io.widerow.event.EventLayout;
import io.widerow.event.EventView;
import io.widerow.event.PartitionKey;
import io.widerow.event.TimeUuid;
import io.widerow.storage.EventCursor;
import io.widerow.storage.LaneArrivals;
import io.widerow.storage.Scan;
import io.widerow.storage.StoreView;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// The new events of a directory since a position: their number, the last arrival in each lane, the
/// numbers of their daemons, and their partitions. It reads ids only.
///
/// The position is exact for a snapshot of a running store too. Its counters have gaps: an event
/// that was not committed yet at the snapshot has a lower one than events of other lanes that were.
/// Within a lane there are none, and a lane is all that a shard ever sees of one opening of the
/// store, so the greatest counter seen in a lane is a limit.
///
/// - Threads: any.
final class Census {
  /// More shards than any store has.
  private static final int SHARDS = 1 << 10;

  private final @Nullable LaneArrivals since;
  private final List<LaneArrivals> marks;
  private final List<HourFingerprint.Sum> before = new ArrayList<>(); // of events before each mark
  private final HourFingerprint.Sum all = new HourFingerprint.Sum();
  private final long[] lanes; // by lane: one more than the greatest counter; 0 for none
  private final Map<Integer, long[]> daemons = new TreeMap<>(); // the same, of one daemon's ids
  private long events;
  private long ownVersion; // one more than the greatest

  private Census(int laneCount, @Nullable LaneArrivals since, List<LaneArrivals> marks) {
    this.lanes = new long[laneCount];
    this.since = since;
    this.marks = marks;
    marks.forEach(_ -> before.add(new HourFingerprint.Sum()));
  }

  /// @param lanes of the source when it was written last
  /// @param since null for everything
  /// @param marks positions up to which [#fingerprint(int)] is wanted
  static Census of(
      StoreView view,
      List<PartitionKey> partitions,
      int lanes,
      @Nullable LaneArrivals since,
      List<LaneArrivals> marks,
      Workers workers,
      MigrationWatch watch) {
    Census census = new Census(lanes, since, marks);
    workers.run(partitions, partition -> census.add(view, partition, watch));
    return census;
  }

  private void add(StoreView view, PartitionKey partition, MigrationWatch watch) {
    Census part = new Census(lanes.length, since, marks);
    PartitionKey target = partition;
    long place = HourFingerprint.placeOf(target);
    Scan scan = Scan.all().withColumns(Set.of()).withSince(since);
    try (EventCursor cursor = view.open(List.of(partition), scan)) {
      while (Views.next(cursor)) {
        EventView event = cursor.event();
        PartitionKey next = CopyPlan.targetOf(partition, event.timeNanos());
        if (!next.equals(target)) {
          target = next;
          place = HourFingerprint.placeOf(target);
        }
        part.add(event, partition.shard(), place);
      }
    }
    merge(part);
    watch.moved(part.events, 0);
  }

  private void add(EventView event, int shard, long place) {
    int lane = shard % lanes.length;
    long limit = event.arrival() + 1;
    events++;
    all.add(place, event);
    for (int mark = 0; mark < marks.size(); mark++) {
      if (!marks.get(mark).isNew(event, shard)) {
        before.get(mark).add(place, event);
      }
    }
    lanes[lane] = Math.max(lanes[lane], limit);
    if (event.version() == EventLayout.VERSION_ASSIGNED) {
      long[] of = daemons.get(TimeUuid.daemonOf(event.idTail()));
      if (of == null) {
        of = new long[lanes.length];
        daemons.put(TimeUuid.daemonOf(event.idTail()), of);
      }
      of[lane] = Math.max(of[lane], limit);
    } else {
      ownVersion = Math.max(ownVersion, limit);
    }
  }

  private synchronized void merge(Census part) {
    events += part.events;
    all.add(part.all);
    for (int mark = 0; mark < marks.size(); mark++) {
      before.get(mark).add(part.before.get(mark));
    }
    ownVersion = Math.max(ownVersion, part.ownVersion);
    raise(lanes, part.lanes);
    part.daemons.forEach(
        (daemon, limits) -> raise(daemons.computeIfAbsent(daemon, _ -> limits), limits));
  }

  private static void raise(long[] limits, long[] by) {
    for (int i = 0; i < limits.length; i++) {
      limits[i] = Math.max(limits[i], by[i]);
    }
  }

  long events() {
    return events;
  }

  /// The fingerprint of all new events.
  HourFingerprint fingerprint() {
    return all.fingerprint();
  }

  /// The fingerprint of the new events that arrived before a mark.
  HourFingerprint fingerprint(int mark) {
    return before.get(mark).fingerprint();
  }

  /// The numbers of the daemons that gave ids to the events.
  Set<Integer> daemons() {
    return daemons.keySet();
  }

  /// The daemon whose counter is the furthest: the one that wrote last; -1 when no event has an
  /// assigned id.
  int daemonLast() {
    int last = -1;
    long furthest = 0;
    for (Map.Entry<Integer, long[]> daemon : daemons.entrySet()) {
      for (long limit : daemon.getValue()) {
        if (limit > furthest) {
          furthest = limit;
          last = daemon.getKey();
        }
      }
    }
    return last;
  }

  /// Versions of events with clients' ids are below this one.
  long ownVersionLimit() {
    return ownVersion;
  }

  /// The end of the source.
  ///
  /// @param segmentLimit of the source's view
  LaneArrivals position(long segmentLimit) {
    LaneArrivals before = since;
    List<Long> limits = limits(lanes, before == null ? null : before.laneLimits());
    return new LaneArrivals(
        before == null ? segmentLimit : Math.max(segmentLimit, before.segmentLimit()), limits);
  }

  /// The position of one daemon: its position before, raised by its new events.
  List<Long> limitsOf(int daemon, List<Long> before) {
    return limits(daemons.getOrDefault(daemon, new long[lanes.length]), before);
  }

  private List<Long> limits(long[] seen, @Nullable List<Long> before) {
    List<Long> limits = new ArrayList<>();
    for (int lane = 0; lane < seen.length; lane++) {
      long limit = seen[lane];
      for (int shard = lane; before != null && shard < SHARDS; shard += seen.length) {
        limit = Math.max(limit, before.get(shard % before.size()));
      }
      limits.add(limit);
    }
    return limits;
  }
}
