package io.widerow.storage.live;

import io.widerow.storage.LaneArrivals;
import io.widerow.storage.rows.OpenRows;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/// Bounds of the arrivals in each segment, known for segments written since the store was opened,
/// and for segments that were scanned. A query for events since a position skips all older segments
/// without reading them, one for events before a position all later ones.
///
/// - Threads: any.
public final class SegmentArrivals {
  /// Several lanes, or ones that are not known.
  public static final int ANY = -1;

  private final int lanes;
  private final Map<Long, Bound> bounds = new ConcurrentHashMap<>();
  private volatile long atOpen = Long.MAX_VALUE; // unknown

  /// @param lane that all events came from; [#ANY] for several, or one of another number of lanes
  /// @param first no event arrived before
  /// @param limit after the arrival of every event
  private record Bound(int lane, long first, long limit) {}

  /// @param lanes of the store
  SegmentArrivals(int lanes) {
    this.lanes = lanes;
  }

  /// Records that every event now in the store arrived before `arrivalLimit`.
  void opened(long arrivalLimit) {
    atOpen = arrivalLimit;
  }

  /// Arrivals below this one were in the store when it was opened.
  public long atOpen() {
    return atOpen;
  }

  /// Ignored while the store is opening.
  void sealed(List<LiveSegment> written, OpenRows rows) {
    int lane = rows.isReplayed() ? ANY : rows.lane;
    put(written, new Bound(lane, rows.arrivalFirst(), rows.arrivalLimit()));
  }

  private void put(List<LiveSegment> written, Bound bound) {
    if (atOpen != Long.MAX_VALUE) {
      written.forEach(segment -> bounds.put(segment.entry().id(), bound));
    }
  }

  void replaced(List<LiveSegment> written, List<LiveSegment> removed) {
    long latest =
        removed.stream().mapToLong(segment -> limitOf(segment.entry().id())).max().orElse(0);
    long first = removed.stream().mapToLong(this::firstOf).min().orElse(0);
    put(written, new Bound(ANY, first, latest));
    removed.forEach(segment -> bounds.remove(segment.entry().id()));
  }

  /// Records what a look through a segment found.
  ///
  /// @param first no event arrived before
  /// @param limit after the arrival of every event
  public void found(LiveSegment segment, long first, long limit) {
    bounds.putIfAbsent(segment.entry().id(), new Bound(ANY, first, limit));
  }

  /// The lane that all events of a segment came from, as the store has lanes now; [#ANY] when there
  /// are several, or when it is not known because an earlier opening wrote them.
  public int laneOf(LiveSegment segment) {
    Bound bound = bounds.get(segment.entry().id());
    return bound == null ? ANY : bound.lane;
  }

  /// True when it is known between which arrivals the events of a segment came.
  public boolean isKnown(LiveSegment segment) {
    return bounds.containsKey(segment.entry().id());
  }

  /// True when all events of a segment are known to have arrived at a position or later.
  public boolean isLater(LiveSegment segment, LaneArrivals position) {
    Bound bound = bounds.get(segment.entry().id());
    if (bound == null) {
      return false;
    }
    boolean oneLane = bound.lane != ANY && lanes == position.laneLimits().size();
    return bound.first >= (oneLane ? position.laneLimits().get(bound.lane) : position.limitMax());
  }

  /// True when all events of a segment are known to have this arrival or a later one.
  boolean isFrom(LiveSegment segment, long arrival) {
    return firstOf(segment) >= arrival;
  }

  private long firstOf(LiveSegment segment) {
    Bound bound = bounds.get(segment.entry().id());
    return bound == null ? 0 : bound.first;
  }

  /// True when all events of a segment arrived since the store was opened: the shard of each,
  /// modulo the lanes, is its lane.
  public boolean isOfThisOpening(LiveSegment segment) {
    return firstOf(segment) >= atOpen;
  }

  private long limitOf(long segmentId) {
    Bound bound = bounds.get(segmentId);
    return bound == null ? atOpen : bound.limit;
  }

  /// True when all events of a segment are known to have arrived before a position.
  public boolean isOlder(LiveSegment segment, LaneArrivals position) {
    long segmentId = segment.entry().id();
    if (segmentId < position.segmentLimit()) {
      return true;
    }
    Bound bound = bounds.get(segmentId);
    if (bound == null || bound.lane == ANY) {
      return limitOf(segmentId) <= position.limitMin();
    }
    return bound.limit <= position.limitOfLane(bound.lane, lanes);
  }
}
