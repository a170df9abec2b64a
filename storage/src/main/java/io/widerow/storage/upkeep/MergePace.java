package io.widerow.storage.upkeep;

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

/// Has merging wait while rows are sealed, and then for as long again. Both compute and write for
/// long, and beside lanes there is room for one of them; merging can wait, sealing cannot. So
/// writers that fill rows in less than twice the time of sealing them are not merged behind until
/// they pause, and others get merges into the time in which nothing is sealed.
///
/// ```
///  sealing   ████        ████        ████                a merge is at work where it says =
///  merging       ....====    ....====    ....=========
/// ```
///
/// It is put off, not given up: once there are so many segments that reading would suffer, merging
/// waits for nobody ([#isUrgent]).
///
/// - Threads: any.
public final class MergePace {
  /// Segments that wait for a merge, of all buckets: each costs a query over all of them a cursor
  /// in its turn, an opening its index, and the process a file.
  static final int SEGMENTS_MAX = 512;

  /// Such segments of one partition that lie across each other in time: a query over them has as
  /// many cursors open at once.
  static final int OVERLAPPING_MAX = 32;

  private final LongSupplier monotonicNanos;
  private int sealing; // guarded by this, as is the rest
  private long begunNanos;
  private long restUntilNanos;
  private boolean ended;

  /// @param monotonicNanos a clock for how long sealing takes
  MergePace(LongSupplier monotonicNanos) {
    this.monotonicNanos = monotonicNanos;
    this.restUntilNanos = monotonicNanos.getAsLong();
  }

  /// Rows are sealed from now on, until [#sealingEnds].
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

  /// Ends all waiting, now and from now on.
  public synchronized void end() {
    ended = true;
    notifyAll();
  }

  /// Waits until there is time for a merge, or no more time to wait. To be called all the time by
  /// who merges.
  ///
  /// @param urgent is asked again whenever sealing has ended
  /// @return false when merging is to be given up
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

  /// True when too many segments wait for a merge, or too many of them lie across each other.
  static boolean isUrgent(List<LiveSegment> waiting) {
    return waiting.size() >= SEGMENTS_MAX
        || (waiting.size() >= OVERLAPPING_MAX && overlapping(waiting) >= OVERLAPPING_MAX);
  }

  /// The most segments that hold events of one partition around one time.
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
