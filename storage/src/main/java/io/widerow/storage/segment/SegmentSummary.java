package io.widerow.storage.segment;

import io.widerow.event.EventId;
import io.widerow.event.PartitionKey;
import io.widerow.event.TimeUuid;
import io.widerow.storage.PartitionInfo;

/// Summary of a segment's content: its partitions, events and size.
///
/// @param events number of events in all partitions
/// @param bytes size of the file
public record SegmentSummary(long segmentId, PartitionTable partitions, long events, long bytes) {
  /// One partition's part of a segment.
  ///
  /// @param ownIds true when an event came with its own id and so may replace another
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
