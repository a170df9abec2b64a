package io.widerow.storage.embedded;

import io.widerow.event.EventId;
import io.widerow.event.PartitionKey;
import io.widerow.storage.Scan;
import io.widerow.storage.aggregate.CellView;
import io.widerow.storage.live.LiveSegment;
import io.widerow.storage.scan.Prefetch;
import io.widerow.storage.segment.Segment;
import io.widerow.storage.segment.SegmentSummary;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/// The blocks at which a scan begins in the segments of a view.
final class FirstBlocks {
  private FirstBlocks() {}

  /// The block of each partition that a merge reads first.
  static List<Prefetch.Range> of(CellView view, List<PartitionKey> wanted, Scan scan) {
    Comparator<EventId> inOrder =
        scan.descending() ? Comparator.reverseOrder() : Comparator.naturalOrder();
    List<Prefetch.Range> starts = new ArrayList<>();
    for (PartitionKey key : wanted) {
      Scan kept = view.kept(key, scan);
      Segment holder = null;
      EventId first = null;
      for (LiveSegment segment : view.segmentsOf(key)) {
        SegmentSummary.Partition partition = view.wanted(segment, key, kept);
        if (partition != null) {
          EventId bound = bound(partition, kept);
          if (first == null || inOrder.compare(bound, first) < 0) {
            first = bound;
            holder = segment.file();
          }
        }
      }
      Prefetch.Range start = holder == null ? null : Prefetch.Range.ofFirst(holder, key, kept);
      if (start != null) {
        starts.add(start);
      }
    }
    return starts;
  }

  /// A bound that no event of a scan comes before, in the direction of reading.
  static EventId bound(SegmentSummary.Partition partition, Scan scan) {
    return scan.descending()
        ? EventId.min(partition.greatest(), scan.until())
        : EventId.max(partition.least(), scan.from());
  }
}
