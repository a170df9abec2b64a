package io.widerow.storage.maintenance;

import io.widerow.event.Bucket;
import io.widerow.event.PartitionKey;
import io.widerow.event.RetentionPolicy;
import io.widerow.storage.live.LiveSegment;
import io.widerow.storage.live.Policies;
import io.widerow.storage.live.SegmentSet;
import io.widerow.storage.live.StoreContents;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/// Choice of the buckets that become one. A bucket of an hour with a few events costs a file and a
/// block for each of its partitions, however small they are. So buckets of a past day, 8 days, 64
/// days or 512 days move into one bucket of this width, as long as all of its time has few events:
///
/// ```
///   hours     |.|.| |.|   |.|.| |.|.|.|     |#|#|#|#|#|#|        . few events  # many
///   day       |...........................|               |
///             one segment, one wide row for a type and shard      stays as it is
/// ```
///
/// The widest bucket that is thin and over comes first, so history that is loaded at once is
/// written once. One that grows with time is written again at each width, 4 times at most.
///
/// Time that is thin as a whole, and covered over half of it at least, is the condition, because a
/// query plans a bucket and everything inside it together. A wide bucket is dropped only when all
/// of it has expired, so it is at most an eighth of the retention wide. No part of it may have
/// expired when it is made: hidden events would be visible again until the rest expires.
///
/// Cold segments stay as they are, and count like the others.
///
/// - Threads: any; it has no state.
final class SmallBucketMerge {
  /// The most events of a bucket that is thin: some blocks of each type.
  static final long EVENTS_MAX = 1 << 17;

  /// The most bytes of the segments of a bucket that is thin.
  private static final long BYTES_MAX = 64 << 20;

  /// Segments or buckets that are worth a merge into a wider bucket.
  static final int MANY = 8;

  /// The least retention, in widths of a bucket.
  private static final int RETENTION_WIDTHS = 8;

  /// Widths to choose from, in minutes, the widest first.
  private static final List<Integer> WIDTHS =
      Stream.concat(
              Bucket.WIDE_DAYS.reversed().stream().map(days -> days * PartitionKey.MINUTES_PER_DAY),
              Stream.of(PartitionKey.MINUTES_PER_DAY))
          .toList();

  private final StoreContents contents;

  SmallBucketMerge(StoreContents contents) {
    this.contents = contents;
  }

  /// Segments that become one, of one retention.
  ///
  /// @param bucket the one that they become, at least as wide as theirs
  record Merge(Bucket bucket, List<LiveSegment> sources) {}

  /// The merges that are worthwhile; no segment is in two of them. The segments of a merge may be
  /// many.
  List<Merge> due(SegmentSet segments, long nowNanos) {
    List<Merge> due = new ArrayList<>();
    if (segments.all().size() < MANY) {
      return due;
    }
    Set<LiveSegment> taken = new HashSet<>();
    for (int width : WIDTHS) {
      inside(segments.all(), width, nowNanos)
          .forEach((bucket, all) -> {
            if (all.size() < MANY || !isThin(all, 0)) {
              return;
            }
            for (List<LiveSegment> alike : byRetention(all).values()) {
              List<LiveSegment> sources =
                  alike.stream()
                      .filter(live -> live.mayMerge() && areKeptLong(live, bucket))
                      .filter(live -> !taken.contains(live))
                      .toList();
              if (isWorth(bucket, sources)) {
                due.add(new Merge(bucket, sources));
                taken.addAll(sources);
              }
            }
          });
    }
    return due;
  }

  /// All segments inside of each bucket of a width that is over.
  private Map<Bucket, List<LiveSegment>> inside(
      List<LiveSegment> segments, int width, long nowNanos) {
    Map<Bucket, List<LiveSegment>> inside = new LinkedHashMap<>();
    for (LiveSegment live : segments) {
      Bucket bucket = SegmentSet.bucketOf(live);
      if (bucket.widthMinutes() <= width && isOver(bucket.within(width), nowNanos)) {
        inside.computeIfAbsent(bucket.within(width), _ -> new ArrayList<>()).add(live);
      }
    }
    return inside;
  }

  /// The wider buckets into which rows are sealed.
  ///
  /// @param events number of events in each bucket of the rows, which are kept equally long
  /// @return for each bucket the one that takes its place; buckets that stay are not in it
  Map<Bucket, Bucket> widened(
      SegmentSet segments, Map<Bucket, Long> events, Policies.Group kept, long nowNanos) {
    Map<Bucket, Bucket> widened = new HashMap<>();
    for (int width : WIDTHS) {
      Map<Bucket, List<Bucket>> inside = new LinkedHashMap<>();
      for (Bucket bucket : events.keySet()) {
        if (!widened.containsKey(bucket) && isOver(bucket.within(width), nowNanos)) {
          inside.computeIfAbsent(bucket.within(width), _ -> new ArrayList<>()).add(bucket);
        }
      }
      inside.forEach((wide, narrow) -> {
        boolean there = !segments.of(wide).isEmpty();
        if (isKeptLong(kept, wide)
            && (there || (narrow.size() >= MANY && areSpread(narrow, wide)))
            && isThin(inside(segments, wide), narrow.stream().mapToLong(events::get).sum())) {
          narrow.forEach(bucket -> widened.put(bucket, wide));
        }
      });
    }
    return widened;
  }

  private static List<LiveSegment> inside(SegmentSet segments, Bucket bucket) {
    var from = new Bucket(bucket.startMinutes(), 0);
    var until = new Bucket(bucket.startMinutes() + bucket.widthMinutes(), 0);
    return segments.buckets().stream()
        .flatMap(buckets -> buckets.subSet(from, until).stream())
        .filter(inside -> inside.widthMinutes() <= bucket.widthMinutes())
        .flatMap(inside -> segments.of(inside).stream())
        .toList();
  }

  private boolean isOver(Bucket bucket, long nowNanos) {
    return bucket.untilNanos() + contents.config().mergeAfter().toNanos() <= nowNanos;
  }

  private static boolean isThin(List<LiveSegment> segments, long moreEvents) {
    long events = segments.stream().mapToLong(live -> live.entry().events()).sum();
    long bytes = segments.stream().mapToLong(live -> live.entry().bytes()).sum();
    return events + moreEvents <= EVENTS_MAX && bytes <= BYTES_MAX;
  }

  /// Also of a segment that a start sealed, which may hold types that are kept differently long.
  boolean areKeptLong(LiveSegment live, Bucket bucket) {
    return live.partitions().types().stream()
        .allMatch(type -> isKeptLong(contents.retentions().policies().groupOf(type), bucket));
  }

  private boolean isKeptLong(Policies.Group kept, Bucket bucket) {
    RetentionPolicy limit = kept.limit();
    boolean roomy = limit == null || limit.bytes() >= RETENTION_WIDTHS * BYTES_MAX;
    long firstUntil = bucket.fromNanos() + PartitionKey.NANOS_PER_MINUTE;
    return roomy
        && !contents.retentions().shown().isPast(kept, firstUntil)
        && (kept.age() == null
            || kept.age().toMinutes() >= (long) RETENTION_WIDTHS * bucket.widthMinutes());
  }

  /// True when enough of them are not in their final form. Many of one narrower bucket are a matter
  /// of that bucket.
  private static boolean isWorth(Bucket bucket, List<LiveSegment> alike) {
    int loose = 0;
    Set<Bucket> buckets = new HashSet<>();
    for (LiveSegment live : alike) {
      Bucket of = SegmentSet.bucketOf(live);
      buckets.add(of);
      loose += of.equals(bucket) && live.entry().merged() ? 0 : 1;
    }
    return loose >= MANY
        && (buckets.contains(bucket) || (buckets.size() >= MANY && areSpread(buckets, bucket)));
  }

  /// True when they reach over half of a bucket. Less may be the begin of a load of dense history.
  private static boolean areSpread(Collection<Bucket> buckets, Bucket wide) {
    long from = buckets.stream().mapToLong(Bucket::fromNanos).min().orElseThrow();
    long until = buckets.stream().mapToLong(Bucket::untilNanos).max().orElseThrow();
    return 2 * (until - from) >= wide.untilNanos() - wide.fromNanos();
  }

  /// Segments by how long they are kept.
  Map<Policies.Group, List<LiveSegment>> byRetention(List<LiveSegment> segments) {
    Map<Policies.Group, List<LiveSegment>> groups = new LinkedHashMap<>();
    for (LiveSegment live : segments) {
      groups.computeIfAbsent(retentionOf(live), _ -> new ArrayList<>()).add(live);
    }
    return groups;
  }

  Policies.Group retentionOf(LiveSegment live) {
    List<String> types = live.partitions().types();
    return types.isEmpty()
        ? Policies.NONE.groupOf("")
        : contents.retentions().policies().groupOf(types.getFirst());
  }
}
