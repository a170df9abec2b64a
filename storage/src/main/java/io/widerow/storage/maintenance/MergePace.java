package io.widerow.storage.maintenance;

import io.widerow.event.PartitionKey;
import io.widerow.storage.live.LiveSegment;
import io.widerow.storage.segment.SegmentSummary;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

/// Throttle of merging (compaction): it makes merges wait while rows are sealed, and then for as
/// long again. Both tasks compute and write for long, and the lanes leave capacity for only one.
/// Merging can wait; sealing cannot. If writers fill rows in less than twice the time that sealing
/// takes, merging starts only when they pause. Otherwise merges run in the gaps between seals.
///
/// ```
///  sealing   ████        ████        ████                a merge is at work where it says =
///  merging       ....====    ....====    ....=========
/// ```
///
/// Merges are delayed, not dropped: when so many segments exist that reads would suffer, merging no
/// longer waits ([#isUrgent]).
///
/// - Threads: any.
public final class MergePace {
  /// Unmerged segments, over all buckets, from which merging is urgent. Each costs a query over all
  /// of them one cursor in turn, a store's open one index, and the process one open file.
  static final int SEGMENTS_MAX = 512;

  /// Unmerged segments of one partition that overlap in time, from which merging is urgent. A query
  /// over them has as many cursors open at once.
  static final int OVERLAPPING_MAX = 32;

  private final LongSupplier monotonicNanos;
  private int sealing; // guarded by this, as is the rest
  private long begunNanos;
  private long restUntilNanos;
  private boolean ended;

  /// @param monotonicNanos monotonic clock that times sealing
  MergePace(LongSupplier monotonicNanos) {
    this.monotonicNanos = monotonicNanos;
    this.restUntilNanos = monotonicNanos.getAsLong();
  }

  /// A seal begins; [#sealingEnds] ends it.
  synchronized void sealingBegins() {
    if (sealing++ == 0) {
      begunNanos = monotonicNanos.getAsLong();
    }
  }

  synchronized void sealingEnds() {
    if (--sealing == 0) {
      long now = monotonicNanos.getAsLong();
      long rested = now + (now - begunNanos);
      restUntilNanos = rested - restUntilNanos > 0 ? rested : restUntilNanos; // may wrap around
    }
    notifyAll();
  }

  /// Ends all waits, now and in the future.
  public synchronized void end() {
    ended = true;
    notifyAll();
  }

  /// Waits until a merge may proceed. A merging thread calls it again and again during the merge.
  ///
  /// @param urgent whether merging must not wait; evaluated again whenever sealing ends
  /// @return false when the merge must be abandoned
  synchronized boolean await(BooleanSupplier urgent) {
    try {
      while (!ended) {
        long restNanos = sealing > 0 ? 0 : restUntilNanos - monotonicNanos.getAsLong();
        if ((sealing == 0 && restNanos <= 0) || urgent.getAsBoolean()) {
          return true;
        }
        wait(sealing > 0 ? 0 : TimeUnit.NANOSECONDS.toMillis(restNanos) + 1);
      }
    } catch (InterruptedException given) {
      Thread.currentThread().interrupt();
    }
    return false;
  }

  /// True when too many segments wait for a merge, or too many of them overlap.
  static boolean isUrgent(List<LiveSegment> waiting) {
    return waiting.size() >= SEGMENTS_MAX
        || (waiting.size() >= OVERLAPPING_MAX && overlapping(waiting) >= OVERLAPPING_MAX);
  }

  /// Greatest number of segments that overlap in time in one partition.
  private static int overlapping(List<LiveSegment> segments) {
    Map<PartitionKey, List<SegmentSummary.Partition>> byKey = new HashMap<>();
    for (LiveSegment segment : segments) {
      for (SegmentSummary.Partition part : segment.partitions()) {
        byKey.computeIfAbsent(part.key(), _ -> new ArrayList<>()).add(part);
      }
    }
    return byKey.values().stream().mapToInt(MergePace::deepest).max().orElse(0);
  }

  private static int deepest(List<SegmentSummary.Partition> parts) {
    long[] begins = parts.stream().mapToLong(part -> part.least().time()).sorted().toArray();
    long[] ends = parts.stream().mapToLong(part -> part.greatest().time()).sorted().toArray();
    int deepest = 0;
    int ended = 0;
    for (int begun = 1; begun <= begins.length; begun++) {
      while (ends[ended] < begins[begun - 1]) {
        ended++;
      }
      deepest = Math.max(deepest, begun - ended);
    }
    return deepest;
  }
}
