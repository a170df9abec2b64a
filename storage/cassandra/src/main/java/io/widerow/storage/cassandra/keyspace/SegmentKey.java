package io.widerow.storage.cassandra.keyspace;

import io.widerow.event.PartitionKey;

/// The key of a cluster segment: the partition and the clustering columns.
///
/// @param tier [#APPLIED] or [#MERGED]
/// @param daemon number of the daemon that wrote it
/// @param seq the [Stamp] of the round for applied ones, the generation for merged ones
/// @param part 0, 1, ... within a round or generation and partition
public record SegmentKey(PartitionKey partition, int tier, int daemon, long seq, int part) {
  /// As applied by a daemon, in a round.
  public static final int APPLIED = 0;

  /// Merged from others into the final form.
  public static final int MERGED = 1;

  /// For messages, such as `2026-11-20T19|cpu|0 tier 0 daemon 3 seq 1.17 part 0`.
  @Override
  public String toString() {
    return "%s tier %d daemon %d seq %s part %d"
        .formatted(
            partition, tier, daemon, tier == APPLIED ? Stamp.text(seq) : Long.toString(seq), part);
  }
}
