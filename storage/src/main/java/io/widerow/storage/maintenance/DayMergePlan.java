package io.widerow.storage.maintenance;

import io.widerow.event.Bucket;
import io.widerow.event.PartitionKey;
import io.widerow.event.PartitionWeights;
import io.widerow.storage.live.LiveSegment;
import io.widerow.storage.live.SegmentSet;
import io.widerow.storage.segment.SegmentSummary;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/// Choice of the tiny partitions of a day that become one for each type. A store of thousands of
/// types has a few events of most of them in an hour; a merge puts the tiny partitions into a
/// separate segment. When the day is over, these segments are written once more, as one segment of
/// the day:
///
/// ```
///   hours     |a b|a|b|a b| | ... |a|      segments of tiny partitions
///   day       |a b........................|  one partition of each type
/// ```
///
/// Only tiny partitions are written a third time, and the catalog stays small however many types
/// there are.
///
/// - Threads: the merging threads, one at a time.
final class DayMergePlan {
  /// Greatest weight of a tiny partition.
  static final double WEIGHT_MAX = 0.05;

  private final Map<Long, Boolean> tiny = new HashMap<>(); // by segment; guarded by this
  private PartitionWeights judgedBy = PartitionWeights.DEFAULT; // guarded by this

  /// True when a partition is tiny.
  static boolean isTiny(double weight) {
    return weight < WEIGHT_MAX;
  }

  /// The folds that are worthwhile; no segment is in two of them.
  ///
  /// @param thin decides which segments are retained long enough for a bucket of a day
  /// @param overNanos days that end later are not over
  synchronized List<SmallBucketMerge.Merge> due(
      SegmentSet segments, SmallBucketMerge thin, PartitionWeights weights, long overNanos) {
    forget(segments, weights);
    Map<Bucket, List<LiveSegment>> days = new LinkedHashMap<>();
    for (LiveSegment live : segments.all()) {
      Bucket bucket = SegmentSet.bucketOf(live);
      if (bucket.widthMinutes() < PartitionKey.MINUTES_PER_DAY && live.entry().merged()) {
        Bucket day = bucket.within(PartitionKey.MINUTES_PER_DAY);
        if (day.untilNanos() <= overNanos && isTiny(live, weights)) {
          days.computeIfAbsent(day, _ -> new ArrayList<>()).add(live);
        }
      }
    }
    List<SmallBucketMerge.Merge> due = new ArrayList<>();
    days.forEach((day, all) -> {
      for (List<LiveSegment> alike : thin.byRetention(all).values()) {
        List<LiveSegment> sources =
            alike.stream().filter(live -> live.mayMerge() && thin.areKeptLong(live, day)).toList();
        if (isWorth(sources)) {
          due.add(new SmallBucketMerge.Merge(day, sources));
        }
      }
    });
    return due;
  }

  /// True when there will be fewer partitions.
  private static boolean isWorth(List<LiveSegment> sources) {
    Set<String> types = new HashSet<>();
    int partitions = 0;
    for (LiveSegment live : sources) {
      types.addAll(live.partitions().types());
      partitions += live.partitions().size();
    }
    return sources.size() > 1 && partitions > types.size();
  }

  private boolean isTiny(LiveSegment live, PartitionWeights weights) {
    return tiny.computeIfAbsent(
        live.entry().id(),
        _ -> {
          long[] bytes = live.partitionBytes();
          int at = 0;
          for (SegmentSummary.Partition partition : live.partitions()) {
            if (!isTiny(weights.of(partition.events(), bytes[at++]))) {
              return false;
            }
          }
          return true;
        });
  }

  private void forget(SegmentSet segments, PartitionWeights weights) {
    if (!weights.equals(judgedBy)) {
      tiny.clear();
      judgedBy = weights;
    }
    if (tiny.size() > 2 * segments.all().size()) {
      Set<Long> there = new HashSet<>();
      segments.all().forEach(live -> there.add(live.entry().id()));
      tiny.keySet().retainAll(there);
    }
  }
}
