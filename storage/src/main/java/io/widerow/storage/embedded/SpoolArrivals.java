package io.widerow.storage.embedded;

import io.widerow.event.PartitionKey;
import io.widerow.storage.EventCursor;
import io.widerow.storage.PartitionInfo;
import io.widerow.storage.Scan;
import io.widerow.storage.StorageException;
import io.widerow.storage.live.LiveSegment;
import io.widerow.storage.live.SegmentSet;
import io.widerow.storage.live.StoreContents;
import io.widerow.storage.scan.SegmentCursor;
import io.widerow.storage.segment.Segment;
import java.util.Set;

/// Finds the arrival positions of events in the segments of a drained store. Segments do not say
/// it, and only those of this start are known.
///
/// - Threads: any.
/// - Memory: the ids of one block.
final class SpoolArrivals {
  private static final Scan IDS = Scan.all().withColumns(Set.of());

  private SpoolArrivals() {}

  static void find(StoreContents contents) {
    SegmentSet segments = contents.state().segments();
    while (!segments.tryAcquire()) {
      segments = contents.state().segments();
    }
    try {
      for (LiveSegment segment : segments.all()) {
        Segment file = segment.file();
        if (file != null && !contents.segmentArrivals().isKnown(segment)) {
          find(contents, segment, file);
        }
      }
    } finally {
      segments.release(Runnable::run);
    }
  }

  private static void find(StoreContents contents, LiveSegment segment, Segment file) {
    long first = Long.MAX_VALUE;
    long limit = 0;
    try {
      for (PartitionInfo partition : segment.entry().infos()) {
        PartitionKey key = partition.key();
        try (EventCursor events = SegmentCursor.open(file, key, IDS)) {
          while (EventCursor.nextLocal(events)) {
            long arrival = events.event().arrival();
            first = Math.min(first, arrival);
            limit = Math.max(limit, arrival + 1);
          }
        }
      }
    } catch (StorageException.Corrupt damaged) {
      contents.backgroundFailed(damaged); // a reader of its events gets the error too
      return;
    }
    contents.segmentArrivals().found(segment, first, limit);
  }
}
