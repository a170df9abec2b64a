package io.widerow.storage.live;

import io.widerow.event.Bucket;
import io.widerow.storage.StoreView;
import java.util.Collections;
import java.util.List;
import java.util.NavigableSet;
import org.jspecify.annotations.Nullable;

/// Partitioner of time into spans whose ends no bucket crosses, so that they can be read one after
/// the other. Overlapping buckets of different widths share a span:
///
/// ```
///   1 day     |-----------------------|
///   1 hour    |--|--|--|  |--|        |--|--|     |--|
///   spans     |-----------------------|--|--|     |--|
/// ```
///
/// A set has buckets of a day at most, or wide ones only: the cost depends on the buckets of one
/// day around the range, and on the wide ones, which are few.
public final class BucketSpans {
  private BucketSpans() {}

  /// A superset of the buckets that overlap a range, with few others.
  public static NavigableSet<Bucket> near(
      NavigableSet<Bucket> some, long fromNanos, long untilNanos) {
    if (fromNanos >= untilNanos || some.isEmpty()) {
      return Collections.emptyNavigableSet();
    }
    Bucket before = Bucket.boundBefore(fromNanos, some.first().isWide());
    return some.subSet(before, false, Bucket.boundAt(untilNanos), false);
  }

  /// The buckets that overlap a range.
  public static List<Bucket> overlapping(
      NavigableSet<Bucket> some, long fromNanos, long untilNanos) {
    return near(some, fromNanos, untilNanos).stream()
        .filter(bucket -> bucket.overlaps(fromNanos, untilNanos))
        .toList();
  }

  /// The first span that overlaps a range, in reading direction; null when no bucket does. It may
  /// extend beyond the range.
  public static StoreView.@Nullable Span first(
      List<NavigableSet<Bucket>> buckets, long fromNanos, long untilNanos, boolean descending) {
    Bucket nearest = null;
    for (NavigableSet<Bucket> some : buckets) {
      Bucket bucket = nearest(some, fromNanos, untilNanos, descending);
      if (nearest == null || (bucket != null && (bucket.compareTo(nearest) < 0) != descending)) {
        nearest = bucket;
      }
    }
    return nearest == null
        ? null
        : around(buckets, new StoreView.Span(nearest.fromNanos(), nearest.untilNanos()));
  }

  /// The bucket that starts first, or last when descending. Any bucket that extends further
  /// overlaps it.
  private static @Nullable Bucket nearest(
      NavigableSet<Bucket> some, long fromNanos, long untilNanos, boolean descending) {
    NavigableSet<Bucket> near = near(some, fromNanos, untilNanos);
    for (Bucket bucket : descending ? near.descendingSet() : near) {
      if (bucket.overlaps(fromNanos, untilNanos)) {
        return bucket;
      }
    }
    return null;
  }

  private static StoreView.Span around(List<NavigableSet<Bucket>> buckets, StoreView.Span start) {
    StoreView.Span span = start;
    StoreView.Span before;
    do {
      before = span;
      for (NavigableSet<Bucket> some : buckets) {
        span = around(some, span);
      }
    } while (!span.equals(before));
    return span;
  }

  private static StoreView.Span around(NavigableSet<Bucket> some, StoreView.Span span) {
    long from = span.fromNanos();
    long until = span.untilNanos();
    for (Bucket bucket : near(some, from, until)) {
      if (bucket.overlaps(from, until)) {
        from = Math.min(from, bucket.fromNanos());
        until = Math.max(until, bucket.untilNanos());
      }
    }
    return new StoreView.Span(from, until);
  }
}
