package io.widerow.storage.cassandra.keyspace;

import io.widerow.event.PartitionKey;
import java.util.List;
import java.util.Map;

/// The directory of one partition, as it was at one moment.
///
/// @param generation of the merged segments in force; 0 when nothing was merged. Merged segments of
///   other generations are not shown
/// @param covered for each daemon the greatest [Stamp] whose applied segments are in the merged
///   ones. Applied segments at or below it are not shown
/// @param rows in order of tier, daemon, seq and part
public record Directory(
    PartitionKey partition, int generation, Map<Integer, Long> covered, List<DirectoryRow> rows) {
  public Directory {
    covered = Map.copyOf(covered);
    rows = List.copyOf(rows);
  }

  /// True when readers show a segment, as far as merging decides it.
  public boolean isShown(SegmentKey key) {
    return key.tier() == SegmentKey.MERGED
        ? key.seq() == generation
        : key.seq() > covered.getOrDefault(key.daemon(), Stamp.NONE);
  }
}
