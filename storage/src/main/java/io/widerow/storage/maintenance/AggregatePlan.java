package io.widerow.storage.maintenance;

import io.widerow.event.Bucket;
import io.widerow.storage.live.BucketSpans;
import io.widerow.storage.live.LiveSegment;
import io.widerow.storage.live.Retentions;
import io.widerow.storage.live.SegmentSet;
import io.widerow.storage.segment.SegmentSummary;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Set;
import java.util.stream.Collectors;

/// Choice of the segments whose events are dropped and whose aggregates are kept. Where an event
/// may replace another, all segments of the type that overlap in time go by one edit, so that the
/// last write of each id is counted, once:
///
/// ```
///   hour, merged     |--ka--|--kb--|          kb has ids of its own, and goes with the late one;
///   hour, late              |--kb--|          ka stays: the merged one is written again with it
/// ```
///
/// - Threads: one; made for one look.
final class AggregatePlan {
  private final SegmentSet segments;
  private final Retentions.OnDisk onDisk;
  private final Map<String, List<Bucket>> open;
  private final Map<LiveSegment, Map<String, Boolean>> known = new HashMap<>();

  /// @param open buckets of open rows, by type: what they have is not counted yet
  AggregatePlan(SegmentSet segments, Retentions.OnDisk onDisk, Map<String, List<Bucket>> open) {
    this.segments = segments;
    this.onDisk = onDisk;
    this.open = open;
  }

  /// Sets of segments, each of which goes by one edit.
  ///
  /// @param unreadable ids of segments to leave alone
  List<Set<LiveSegment>> units(Set<Long> unreadable) {
    Set<LiveSegment> candidates = new LinkedHashSet<>();
    for (LiveSegment live : segments.all()) {
      if (live.isWhole() && !unreadable.contains(live.entry().id()) && isCandidate(live)) {
        candidates.add(live);
      }
    }
    List<Set<LiveSegment>> units = new ArrayList<>();
    Set<LiveSegment> seen = new LinkedHashSet<>();
    for (LiveSegment first : candidates) {
      if (!seen.contains(first)) {
        Set<LiveSegment> unit = new LinkedHashSet<>(List.of(first));
        boolean whole = join(unit, candidates);
        seen.addAll(unit);
        if (whole && unit.stream().allMatch(this::isWorth)) {
          units.add(unit);
        }
      }
    }
    return units;
  }

  /// True when events of some of its types are dropped and their aggregates kept, and none of them
  /// is open.
  private boolean isCandidate(LiveSegment live) {
    Bucket bucket = SegmentSet.bucketOf(live);
    long until = bucket.untilNanos();
    if (onDisk.staysWhole(until)) {
      return false;
    }
    List<String> going =
        live.partitions().types().stream().filter(type -> leavesFigures(type, until)).toList();
    return !going.isEmpty()
        && going.stream()
            .flatMap(type -> open.getOrDefault(type, List.of()).stream())
            .noneMatch(row -> row.overlaps(bucket.fromNanos(), until));
  }

  private boolean leavesFigures(String type, long untilNanos) {
    return onDisk.mayGo(type, untilNanos) && onDisk.leavesFigures(type, untilNanos);
  }

  /// A segment of which only a part goes is written again when that is enough of it. What sealing
  /// wrote is merged first. A cold one goes as a whole.
  private boolean isWorth(LiveSegment live) {
    long until = SegmentSet.bucketOf(live).untilNanos();
    return live.partitions().types().stream().allMatch(type -> onDisk.mayGo(type, until))
        || (live.entry().merged()
            && live.mayMerge()
            && RetentionEnforcer.isMuch(live, type -> onDisk.mayGo(type, until)));
  }

  /// Adds what must go with the segments of a unit. False when some of that stays.
  private boolean join(Set<LiveSegment> unit, Set<LiveSegment> candidates) {
    Deque<LiveSegment> left = new ArrayDeque<>(unit);
    boolean whole = true;
    while (!left.isEmpty()) {
      LiveSegment live = left.pop();
      List<LiveSegment> near = near(live);
      for (Map.Entry<String, Boolean> type : typesOf(live).entrySet()) {
        List<LiveSegment> with =
            near.stream().filter(each -> typesOf(each).containsKey(type.getKey())).toList();
        boolean own =
            type.getValue()
                || with.stream().anyMatch(each -> typesOf(each).getOrDefault(type.getKey(), false));
        long until = SegmentSet.bucketOf(live).untilNanos();
        if (own && leavesFigures(type.getKey(), until)) {
          for (LiveSegment each : with) {
            boolean goes =
                candidates.contains(each)
                    && leavesFigures(type.getKey(), SegmentSet.bucketOf(each).untilNanos());
            whole &= goes; // in a wider bucket the type may stay
            if (goes && unit.add(each)) {
              left.add(each);
            }
          }
        }
      }
    }
    return whole;
  }

  /// Other segments that overlap in time. The contents of a damaged one are unknown.
  private List<LiveSegment> near(LiveSegment live) {
    Bucket bucket = SegmentSet.bucketOf(live);
    List<LiveSegment> near = new ArrayList<>();
    for (NavigableSet<Bucket> buckets : segments.buckets()) {
      for (Bucket other : BucketSpans.near(buckets, bucket.fromNanos(), bucket.untilNanos())) {
        if (other.overlaps(bucket.fromNanos(), bucket.untilNanos())) {
          near.addAll(segments.of(other));
        }
      }
    }
    near.removeIf(each -> each.equals(live) || !each.isWhole());
    return near;
  }

  /// The types of a segment, and whether they have ids of their own there.
  private Map<String, Boolean> typesOf(LiveSegment live) {
    return known.computeIfAbsent(
        live,
        each ->
            each.partitions().stream()
                .collect(
                    Collectors.toMap(
                        partition -> partition.key().type(),
                        SegmentSummary.Partition::ownIds,
                        Boolean::logicalOr)));
  }
}
