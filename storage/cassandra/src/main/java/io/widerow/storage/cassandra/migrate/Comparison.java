package io.widerow.storage.cassandra.migrate;

import io.widerow.event.Bucket;
import io.widerow.event.EventView;
import io.widerow.event.PartitionKey;
import io.widerow.storage.EventCursor;
import io.widerow.storage.Scan;
import io.widerow.storage.StoreView;
import io.widerow.storage.digest.EventDigest;
import io.widerow.storage.digest.EventHash;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;

/// Compares what two views show, by the [EventDigest] of each hour of each type. Both are read
/// whole, as a query reads them: replaced events do not count, in whichever partition they are.
///
/// - Threads: those of [Workers]; one at a time compares a day.
final class Comparison {
  private static final int HOUR_MINUTES = 60;
  private static final long HOUR_NANOS = HOUR_MINUTES * PartitionKey.NANOS_PER_MINUTE;
  private static final int WATCH_EVENTS = 1 << 14;

  private final Side from;
  private final Side to;
  private final MigrationWatch watch;
  private final SortedMap<TypeDay, List<Difference>> differences = new TreeMap<>();
  private long events; // guarded by this

  /// @param counts events that count; others of the view are left out
  record Side(StoreView view, Predicate<EventView> counts) {
    static Side whole(StoreView view) {
      return new Side(view, _ -> true);
    }
  }

  /// @param events of the source that were compared
  /// @param differences in order of days, then types
  record Result(long events, List<Difference> differences) {}

  private Comparison(Side from, Side to, MigrationWatch watch) {
    this.from = from;
    this.to = to;
    this.watch = watch;
  }

  /// @param wanted days to compare
  static Result of(
      Side from, Side to, Predicate<TypeDay> wanted, Workers workers, MigrationWatch watch) {
    SortedMap<TypeDay, List<PartitionKey>> ours = TypeDay.in(from.view, wanted);
    SortedMap<TypeDay, List<PartitionKey>> theirs = TypeDay.in(to.view, wanted);
    SortedSet<TypeDay> days = new TreeSet<>(ours.keySet());
    days.addAll(theirs.keySet());
    Comparison comparison = new Comparison(from, to, watch);
    workers.run(
        days,
        day ->
            comparison.compare(
                day, ours.getOrDefault(day, List.of()), theirs.getOrDefault(day, List.of())));
    return comparison.result();
  }

  private synchronized Result result() {
    return new Result(events, differences.values().stream().flatMap(List::stream).toList());
  }

  private void compare(TypeDay day, List<PartitionKey> ours, List<PartitionKey> theirs) {
    SortedMap<Integer, EventDigest> here = digests(from, day, ours);
    SortedMap<Integer, EventDigest> there = digests(to, day, theirs);
    SortedSet<Integer> hours = new TreeSet<>(here.keySet());
    hours.addAll(there.keySet());
    List<Difference> found = new ArrayList<>();
    for (int hour : hours) {
      EventDigest a = here.getOrDefault(hour, EventDigest.NONE);
      EventDigest b = there.getOrDefault(hour, EventDigest.NONE);
      if (!a.equals(b)) {
        Bucket bucket = new Bucket(hour * HOUR_MINUTES, HOUR_MINUTES);
        found.add(new Difference(bucket, day.type(), a, b));
      }
    }
    synchronized (this) {
      events += here.values().stream().mapToLong(EventDigest::events).sum();
      if (!found.isEmpty()) {
        differences.put(day, found);
      }
    }
  }

  /// The digests of a day, by hours since the Unix epoch.
  private SortedMap<Integer, EventDigest> digests(Side side, TypeDay day, List<PartitionKey> keys) {
    Hours hours = new Hours();
    EventHash hash = EventHash.asShown();
    long moved = 0;
    long bytes = 0;
    Scan scan = Scan.ofTime(day.fromNanos(), day.untilNanos());
    try (EventCursor cursor = side.view.open(keys, scan)) {
      while (Views.next(cursor)) {
        EventView event = cursor.event();
        if (!side.counts.test(event)) {
          continue;
        }
        hours.of(event.timeNanos()).add(hash, event);
        bytes += hash.bytes();
        if (++moved == WATCH_EVENTS) {
          watch.moved(moved, bytes);
          moved = 0;
          bytes = 0;
        }
      }
    }
    watch.moved(moved, bytes);
    return hours.digests();
  }

  /// Sums of hashes by hour. Events come in order of time, so mostly the hour is that of the one
  /// before.
  private static final class Hours {
    private final SortedMap<Integer, EventDigest.Sum> sums = new TreeMap<>();
    private EventDigest.Sum last = new EventDigest.Sum();
    private long lastFromNanos = Long.MAX_VALUE;
    private long lastUntilNanos = Long.MIN_VALUE;

    EventDigest.Sum of(long timeNanos) {
      if (timeNanos < lastFromNanos || timeNanos >= lastUntilNanos) {
        int hour = Math.toIntExact(timeNanos / HOUR_NANOS);
        lastFromNanos = hour * HOUR_NANOS;
        lastUntilNanos = lastFromNanos + HOUR_NANOS;
        last = sums.computeIfAbsent(hour, _ -> new EventDigest.Sum());
      }
      return last;
    }

    SortedMap<Integer, EventDigest> digests() {
      SortedMap<Integer, EventDigest> digests = new TreeMap<>();
      sums.forEach((hour, sum) -> digests.put(hour, sum.digest()));
      return digests;
    }
  }
}
