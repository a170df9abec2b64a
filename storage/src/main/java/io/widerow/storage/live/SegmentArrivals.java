package io.widerow.storage.live;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/// Upper bounds of the arrivals in each segment, known for segments written since the store was
/// opened. A query for events since a position skips all older segments without reading them.
///
/// - Threads: any.
final class SegmentArrivals {
  private final Map<Long, Long> limits = new ConcurrentHashMap<>();
  private volatile long atOpen = Long.MAX_VALUE; // unknown

  /// Records that every event now in the store arrived before `arrivalLimit`.
  void opened(long arrivalLimit) {
    atOpen = arrivalLimit;
  }

  long atOpen() {
    return atOpen;
  }

  /// @param arrivalLimit after the arrival of every event in them; ignored while the store is
  ///   opening
  void sealed(List<LiveSegment> written, long arrivalLimit) {
    if (atOpen == Long.MAX_VALUE) {
      return;
    }
    written.forEach(segment -> limits.put(segment.entry().id(), arrivalLimit));
  }

  void replaced(List<LiveSegment> written, List<LiveSegment> removed) {
    long latest =
        removed.stream().mapToLong(segment -> limitOf(segment.entry().id())).max().orElse(0);
    sealed(written, latest);
    removed.forEach(segment -> limits.remove(segment.entry().id()));
  }

  /// The bound of a segment: all its events arrived before it.
  long limitOf(long segmentId) {
    return limits.getOrDefault(segmentId, atOpen);
  }
}
