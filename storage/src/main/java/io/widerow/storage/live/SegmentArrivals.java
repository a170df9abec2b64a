package io.widerow.storage.live;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/// When the events of each segment came, at the latest, as far as that is known without reading
/// them: of those written since the store was opened. It spares the question what came since some
/// position all segments that are older.
///
/// - Threads: any.
final class SegmentArrivals {
  private final Map<Long, Long> limits = new ConcurrentHashMap<>();
  private volatile long atOpen = Long.MAX_VALUE; // nothing is known yet

  /// Everything in the store came before this arrival.
  void opened(long arrivalLimit) {
    atOpen = arrivalLimit;
  }

  long atOpen() {
    return atOpen;
  }

  /// @param arrivalLimit later than all events in them; not looked at while the store is opened
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

  /// No event of a segment came at this arrival or later.
  long limitOf(long segmentId) {
    return limits.getOrDefault(segmentId, atOpen);
  }
}
