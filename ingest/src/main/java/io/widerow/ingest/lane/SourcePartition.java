package io.widerow.ingest.lane;

import java.util.UUID;

/// A partition of a log that a source reads.
///
/// @param topic the id that the topic got when it was created, so that a topic which was deleted
///   and created again is another one
/// @param partition its number in the topic
public record SourcePartition(UUID topic, int partition) {
  private static final long ODD = 0x9e37_79b9_7f4a_7c15L; // 2^64 / golden ratio

  /// A hash that decides the lane of the partition and the shard of its events.
  long hash() {
    long bits = (topic.getMostSignificantBits() ^ topic.getLeastSignificantBits()) + partition;
    long hash = bits * ODD;
    return hash ^ (hash >>> 32);
  }
}
