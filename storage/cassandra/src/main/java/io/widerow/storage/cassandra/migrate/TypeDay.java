package io.widerow.storage.cassandra.migrate;

import io.widerow.event.Bucket;
import io.widerow.event.PartitionKey;
import io.widerow.storage.PartitionInfo;
import io.widerow.storage.StoreView;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Predicate;

/// A day (UTC) of one type: the unit that is compared. No bucket that takes events crosses the ends
/// of a day, so all writes of one id are in partitions of one unit, whatever widths and shards they
/// have.
///
/// @param day days since the Unix epoch
record TypeDay(int day, String type) implements Comparable<TypeDay> {
  private static final Comparator<TypeDay> ORDER =
      Comparator.comparingInt(TypeDay::day).thenComparing(TypeDay::type);
  private static final long DAY_NANOS =
      PartitionKey.MINUTES_PER_DAY * PartitionKey.NANOS_PER_MINUTE;

  static TypeDay of(PartitionKey key) {
    return new TypeDay(key.bucketMinutes() / PartitionKey.MINUTES_PER_DAY, key.type());
  }

  /// @param timeNanos since the Unix epoch
  static TypeDay at(long timeNanos, String type) {
    return new TypeDay(Math.toIntExact(timeNanos / DAY_NANOS), type);
  }

  Bucket bucket() {
    return new Bucket(day * PartitionKey.MINUTES_PER_DAY, PartitionKey.MINUTES_PER_DAY);
  }

  /// Start (inclusive), nanoseconds since the Unix epoch.
  long fromNanos() {
    return day * DAY_NANOS;
  }

  /// End (exclusive), nanoseconds since the Unix epoch.
  long untilNanos() {
    return (day + 1L) * DAY_NANOS;
  }

  /// The days that a partition may have events of.
  static List<TypeDay> of(PartitionInfo info) {
    PartitionKey key = info.key();
    long first = Math.max(key.fromNanos(), info.timeFirstNanos());
    long last = Math.min(key.untilNanos() - 1, info.timeLastNanos());
    List<TypeDay> days = new ArrayList<>();
    for (long day = first / DAY_NANOS; day <= last / DAY_NANOS; day++) {
      days.add(at(day * DAY_NANOS, key.type()));
    }
    return days;
  }

  /// The partitions of each day that a view has any of.
  static SortedMap<TypeDay, List<PartitionKey>> in(StoreView view, Predicate<TypeDay> wanted) {
    SortedMap<TypeDay, List<PartitionKey>> days = new TreeMap<>();
    for (PartitionInfo info : Views.partitions(view, null)) {
      for (TypeDay day : of(info)) {
        if (wanted.test(day)) {
          days.computeIfAbsent(day, _ -> new ArrayList<>()).add(info.key());
        }
      }
    }
    return days;
  }

  @Override
  public int compareTo(TypeDay other) {
    return ORDER.compare(this, other);
  }
}
