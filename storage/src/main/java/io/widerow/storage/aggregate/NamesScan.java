package io.widerow.storage.aggregate;

import io.widerow.event.AttributeName;
import io.widerow.event.PartitionKey;
import io.widerow.storage.Scan;
import io.widerow.storage.ScanWatch;
import io.widerow.storage.live.LiveSegment;
import io.widerow.storage.rows.OpenRows;
import io.widerow.storage.segment.Segment;
import io.widerow.storage.segment.SegmentIndex;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/// Finds the attributes that events of a view may have: the columns of its segments, and the names
/// in open rows. Of open rows it is all their partitions together. A segment that is wanted with
/// all its partitions is asked once.
///
/// - Threads: any.
public final class NamesScan {
  private NamesScan() {}

  /// @param keys partitions that are kept
  public static Set<AttributeName> of(CellView view, List<PartitionKey> keys, Scan scan) {
    Set<AttributeName> names = new HashSet<>();
    ScanWatch watch = scan.watch();
    Map<LiveSegment, List<PartitionKey>> wanted = new LinkedHashMap<>();
    for (PartitionKey key : keys) {
      for (LiveSegment segment : view.segmentsOf(key)) {
        if (view.wanted(segment, key, scan) != null) {
          wanted.computeIfAbsent(segment, _ -> new ArrayList<>()).add(key);
        }
      }
    }
    wanted.forEach((segment, of) -> {
      Segment file = segment.fileFor(of.getFirst());
      if (of.size() == segment.partitions().size()) {
        names.addAll(view.readers().names(file, watch));
        return;
      }
      for (PartitionKey key : of) {
        SegmentIndex index = file.index(key);
        if (index != null) {
          names.addAll(view.readers().names(file, index, watch));
        }
      }
    });
    for (OpenRows.View rows : view.rows()) {
      if (keys.stream().anyMatch(key -> rows.row(key) != null)) {
        names.addAll(rows.names(watch));
      }
    }
    return names;
  }
}
