package io.widerow.storage.maintenance;

import io.widerow.event.Bucket;
import io.widerow.storage.layout.LayoutControl;
import io.widerow.storage.live.LiveSegment;
import io.widerow.storage.live.Policies;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// Choice of closed buckets that are merged together. After a load of history many wait at once,
/// and the width in which they came may fit badly: it followed the densest hours, or those before.
/// Together they get the form that fits all of them, without being written once more:
///
/// ```
///   15 minutes   |#|#|#|#|.|.|.|.|.|.|.|.|      # many events  . few
///   final form   |#|#|#|#|.......|.......|
/// ```
///
/// Not more are joined than a merge can write in some seconds.
final class JoinedBuckets {
  /// The most bytes of sealed segments that are merged at once.
  private static final long BYTES_MAX = 64 << 20;

  private final SmallBucketMerge thin;
  private final long overNanos;

  /// @param thin knows which segments are kept equally long
  /// @param overNanos buckets that end later are not over
  JoinedBuckets(SmallBucketMerge thin, long overNanos) {
    this.thin = thin;
    this.overNanos = overNanos;
  }

  private record Group(Bucket bucket, Policies.Group kept) {}

  /// Joins merges of closed buckets that were never merged.
  List<SmallBucketMerge.Merge> of(List<SmallBucketMerge.Merge> merges) {
    List<SmallBucketMerge.Merge> left = merges;
    List<SmallBucketMerge.Merge> joined = new ArrayList<>();
    for (int width : LayoutControl.LADDER) {
      Map<Group, List<SmallBucketMerge.Merge>> groups = new LinkedHashMap<>();
      List<SmallBucketMerge.Merge> rest = new ArrayList<>();
      for (SmallBucketMerge.Merge merge : left) {
        Bucket bucket = merge.bucket();
        if (bucket.widthMinutes() <= width && width % bucket.widthMinutes() == 0) {
          Policies.Group kept = thin.retentionOf(merge.sources().getFirst());
          groups
              .computeIfAbsent(new Group(bucket.within(width), kept), _ -> new ArrayList<>())
              .add(merge);
        } else {
          rest.add(merge);
        }
      }
      groups.forEach((group, all) -> {
        if (all.size() > 1 && mayJoin(group.bucket, all)) {
          joined.add(joined(group.bucket, all));
        } else {
          rest.addAll(all);
        }
      });
      left = rest;
    }
    joined.addAll(left);
    return joined;
  }

  private boolean mayJoin(Bucket bucket, List<SmallBucketMerge.Merge> merges) {
    List<LiveSegment> sources = sources(merges);
    return bucket.untilNanos() <= overNanos
        && sources.stream().mapToLong(live -> live.entry().bytes()).sum() <= BYTES_MAX
        && sources.stream().allMatch(live -> thin.areKeptLong(live, bucket));
  }

  private static SmallBucketMerge.Merge joined(Bucket bucket, List<SmallBucketMerge.Merge> merges) {
    return new SmallBucketMerge.Merge(bucket, sources(merges));
  }

  private static List<LiveSegment> sources(List<SmallBucketMerge.Merge> merges) {
    return merges.stream().flatMap(merge -> merge.sources().stream()).toList();
  }
}
