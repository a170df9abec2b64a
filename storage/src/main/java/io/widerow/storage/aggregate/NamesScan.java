package io.widerow.storage.aggregate;

import io.widerow.event.AttributeName;
import io.widerow.event.PartitionKey;
import io.widerow.storage.Scan;
import io.widerow.storage.ScanWatch;
import io.widerow.storage.live.LiveSegment;
import io.widerow.storage.rows.OpenRows;
import io.widerow.storage.segment.Segment;
import io.widerow.storage.segment.SegmentIndex;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/// Which attributes the events of a view may have: the columns of its segments, and what open rows
/// have met. Of open rows it is all their partitions together.
///
/// - Threads: any.
public final class NamesScan {
  private NamesScan() {}

  /// @param keys partitions that are kept
  public static Set<AttributeName> of(CellView view, List<PartitionKey> keys, Scan scan) {
    Set<AttributeName> names = new HashSet<>();
    ScanWatch watch = scan.watch();
    for (PartitionKey key : keys) {
      for (LiveSegment segment : view.segmentsOf(key)) {
        Segment file = view.wanted(segment, key, scan) == null ? null : segment.fileFor(key);
        SegmentIndex index = file == null ? null : file.index(key);
        if (file != null && index != null) {
          names.addAll(view.readers().names(file, index, watch));
        }
      }
    }
    for (OpenRows.View rows : view.rows()) {
      if (keys.stream().anyMatch(key -> rows.row(key) != null)) {
        names.addAll(rows.names(watch));
      }
    }
    return names;
  }
}
