package io.widerow.storage.maintenance;

import io.widerow.event.TypeGlob;
import io.widerow.rollup.RollupDefinition;
import io.widerow.storage.live.LiveSegment;
import io.widerow.storage.live.SegmentSet;
import io.widerow.storage.live.StoreContents;
import io.widerow.storage.segment.Segment;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// Choice of segments that have no cells of a rollup that was defined later. Each is written once
/// more by itself, the newest first, when no other merge is due. Sealed segments of open buckets
/// get theirs when they are merged.
///
/// - Threads: the merging one; [#lacks] any.
public final class RollupFill {
  private final StoreContents contents;
  private final Set<Long> complete = new HashSet<>(); // ids of segments that lack none
  private List<RollupDefinition> judged = List.of(); // for which that holds

  RollupFill(StoreContents contents) {
    this.contents = contents;
  }

  /// The next segment to write once more; null when there is none.
  synchronized @Nullable LiveSegment next() {
    List<RollupDefinition> rollups = contents.rollups();
    long overNanos = contents.clock().wallNanos() - contents.config().mergeAfter().toNanos();
    if (rollups.isEmpty()) {
      return null;
    }
    if (!rollups.equals(judged)) {
      complete.clear();
      judged = rollups;
    }
    LiveSegment newest = null;
    Set<Long> there = new HashSet<>();
    for (LiveSegment live : contents.state().segments().all()) {
      long id = live.entry().id();
      there.add(id);
      boolean open = !live.entry().merged() && SegmentSet.bucketOf(live).untilNanos() > overNanos;
      if (open || !live.mayMerge() || complete.contains(id)) {
        continue;
      }
      if (rollups.stream().noneMatch(rollup -> lacks(live, rollup))) {
        complete.add(id);
      } else if (newest == null
          || live.partitions().getLast().key().compareTo(newest.partitions().getLast().key()) > 0) {
        newest = live;
      }
    }
    complete.retainAll(there);
    return newest;
  }

  /// True when a partition of a segment has no cells of a rollup that is defined for its type.
  public static boolean lacks(LiveSegment live, RollupDefinition rollup) {
    Segment file = live.file();
    if (file == null || live.partitions().types().stream().noneMatch(type -> of(rollup, type))) {
      return false;
    }
    for (int partition = 0; partition < live.partitions().size(); partition++) {
      if (of(rollup, live.partitions().get(partition).key().type())
          && !file.rollups().has(partition, rollup.shape())) {
        return true;
      }
    }
    return false;
  }

  private static boolean of(RollupDefinition rollup, String type) {
    return TypeGlob.matches(rollup.glob(), type);
  }
}
