package io.widerow.storage.cassandra.migrate;

import io.widerow.event.Bucket;
import io.widerow.event.EventLayout;
import io.widerow.event.EventView;
import io.widerow.event.PartitionKey;
import io.widerow.storage.EventCursor;
import io.widerow.storage.Scan;
import io.widerow.storage.StoreView;
import io.widerow.storage.digest.EventDigest;
import io.widerow.storage.digest.EventHash;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;

/// Compares what two views show, by the [EventDigest] of each hour of each type. Both are read
/// whole, as a query reads them: replaced events do not count, in whichever partition they are.
///
/// Such a reader sees an event once that is stored twice, and aggregates may count it twice. So the
/// target is counted a second time, each partition by itself and in no order. Assigned ids alone
/// count there: a client's id may be written several times.
///
/// - Threads: those of [Workers]; one at a time compares a day.
final class Comparison {
  private static final int HOUR_MINUTES = 60;
  private static final long HOUR_NANOS = HOUR_MINUTES * PartitionKey.NANOS_PER_MINUTE;
  private static final int WATCH_EVENTS = 1 << 14;

  private final Side from;
  private final Side to;
  private final MigrationWatch watch;
  private final SortedMap<TypeDay, List<HourMismatch>> differences = new TreeMap<>();
  private long events; // guarded by this

  /// @param counts events that count; others of the view are left out
  record Side(StoreView view, Predicate<EventView> counts) {
    static Side whole(StoreView view) {
      return new Side(view, _ -> true);
    }
  }

  /// @param events of the source that were compared
  /// @param differences in order of days, then types
  record Result(long events, List<HourMismatch> differences) {}

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
    Hours here = read(from, day, ours);
    Hours there = read(to, day, theirs);
    Hours stored = count(to, day, theirs);
    SortedSet<Integer> hours = new TreeSet<>(here.all.keySet());
    hours.addAll(there.all.keySet());
    hours.addAll(stored.all.keySet());
    List<HourMismatch> found = new ArrayList<>();
    for (int hour : hours) {
      EventDigest a = here.digest(hour);
      EventDigest b = there.digest(hour);
      long twice = stored.assigned(hour) - there.assigned(hour);
      if (!a.equals(b) || twice != 0) {
        Bucket bucket = new Bucket(hour * HOUR_MINUTES, HOUR_MINUTES);
        found.add(new HourMismatch(bucket, day.type(), a, b, twice));
      }
    }
    synchronized (this) {
      events += here.all.keySet().stream().mapToLong(hour -> here.digest(hour).events()).sum();
      if (!found.isEmpty()) {
        differences.put(day, found);
      }
    }
  }

  /// Counts the assigned ids that each partition of a day has, and makes no digests.
  private Hours count(Side side, TypeDay day, List<PartitionKey> keys) {
    Hours hours = new Hours();
    Scan ids = Scan.ofTime(day.fromNanos(), day.untilNanos()).withColumns(Set.of());
    for (PartitionKey key : keys) {
      long moved = 0;
      try (EventCursor cursor = side.view.openUnordered(List.of(key), ids)) {
        while (Views.next(cursor)) {
          EventView event = cursor.event();
          if (side.counts.test(event) && event.version() == EventLayout.VERSION_ASSIGNED) {
            hours.of(event.timeNanos()).assigned++;
            moved++;
          }
        }
      }
      watch.moved(moved, 0);
    }
    return hours;
  }

  private Hours read(Side side, TypeDay day, List<PartitionKey> keys) {
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
        Hour hour = hours.of(event.timeNanos());
        hour.sum.add(hash, event);
        hour.assigned += event.version() == EventLayout.VERSION_ASSIGNED ? 1 : 0;
        bytes += hash.bytes();
        if (++moved == WATCH_EVENTS) {
          watch.moved(moved, bytes);
          moved = 0;
          bytes = 0;
        }
      }
    }
    watch.moved(moved, bytes);
    return hours;
  }

  /// The hashes of an hour's events, and how many have assigned ids.
  private static final class Hour {
    private final EventDigest.Sum sum = new EventDigest.Sum();
    private long assigned;
  }

  /// The hours of a day, since the Unix epoch. Events come in order of time, so mostly the hour is
  /// that of the one before.
  private static final class Hours {
    private final SortedMap<Integer, Hour> all = new TreeMap<>();
    private Hour last = new Hour();
    private long lastFromNanos = Long.MAX_VALUE;
    private long lastUntilNanos = Long.MIN_VALUE;

    Hour of(long timeNanos) {
      if (timeNanos < lastFromNanos || timeNanos >= lastUntilNanos) {
        int hour = Math.toIntExact(timeNanos / HOUR_NANOS);
        lastFromNanos = hour * HOUR_NANOS;
        lastUntilNanos = lastFromNanos + HOUR_NANOS;
        last = all.computeIfAbsent(hour, _ -> new Hour());
      }
      return last;
    }

    EventDigest digest(int hour) {
      Hour found = all.get(hour);
      return found == null ? EventDigest.NONE : found.sum.digest();
    }

    long assigned(int hour) {
      Hour found = all.get(hour);
      return found == null ? 0 : found.assigned;
    }
  }
}
