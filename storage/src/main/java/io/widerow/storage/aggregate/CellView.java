package io.widerow.storage.aggregate;

import io.widerow.event.PartitionKey;
import io.widerow.storage.EventCursor;
import io.widerow.storage.Filter;
import io.widerow.storage.Scan;
import io.widerow.storage.live.LiveSegment;
import io.widerow.storage.rows.OpenRows;
import io.widerow.storage.scan.BlockReaders;
import io.widerow.storage.segment.SegmentSummary;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// A view of a store, as an aggregation needs it.
public interface CellView {
  /// The events of partitions in any order, each once.
  ///
  /// @param wanted partitions that are kept
  EventCursor unordered(List<PartitionKey> wanted, Scan scan);

  /// The scan restricted to unexpired events of a partition; the scan itself, unless part of it has
  /// expired.
  Scan kept(PartitionKey key, Scan scan);

  /// Keeps the events of some partitions that no retention policy with a filter hides; null when
  /// none hides any. A filter like this comes after the merge of the writes of an event.
  @Nullable Filter shownOf(List<PartitionKey> keys);

  /// The first time from which no retention policy with a filter hides an event of a partition,
  /// nanoseconds since the Unix epoch; its start when none does.
  long shownFromNanos(PartitionKey key);

  /// A scan of the events that a filter keeps too.
  ///
  /// @param also null for no further condition
  static Scan and(Scan scan, @Nullable Filter also) {
    return also == null ? scan : scan.withFilter(new Filter.And(List.of(scan.filter(), also)));
  }

  /// Segments that may hold a partition.
  List<LiveSegment> segmentsOf(PartitionKey key);

  /// A segment's part of a partition; null when the scan needs none of it.
  SegmentSummary.@Nullable Partition wanted(LiveSegment segment, PartitionKey key, Scan scan);

  /// Views of open rows.
  List<OpenRows.View> rows();

  /// Readers of blocks, and the deadline of reading.
  BlockReaders readers();

  /// True when a partition may have events in the range of a scan.
  static boolean overlaps(SegmentSummary.Partition partition, Scan scan) {
    return scan.from().compareTo(scan.until()) < 0
        && partition.least().compareTo(scan.until()) < 0
        && partition.greatest().compareTo(scan.from()) >= 0;
  }
}
