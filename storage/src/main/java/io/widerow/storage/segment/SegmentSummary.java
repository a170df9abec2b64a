package io.widerow.storage.segment;

import io.widerow.event.EventId;
import io.widerow.event.PartitionKey;
import io.widerow.event.TimeUuid;
import io.widerow.storage.PartitionInfo;

/// What a segment holds.
///
/// @param events in all partitions
/// @param bytes of the file
public record SegmentSummary(long segmentId, PartitionTable partitions, long events, long bytes) {
  /// One partition's part of a segment.
  ///
  /// @param ownIds true when an event has an id of its own, so that it may replace another
  public record Partition(
      PartitionKey key, long events, EventId least, EventId greatest, boolean ownIds) {
    public PartitionInfo info() {
      return new PartitionInfo(
          key,
          events,
          TimeUuid.tickNanos(least.time()),
          TimeUuid.tickNanos(greatest.time()) + TimeUuid.NANOS_PER_TICK - 1);
    }
  }
}
