package io.widerow.storage.embedded;

import io.widerow.storage.LaneArrivals;
import io.widerow.storage.live.LiveSegment;
import io.widerow.storage.live.StoreContents;
import io.widerow.storage.live.StoreState;
import io.widerow.storage.rows.OpenRows;

/// The amount of data that the owner of a drained store has yet to take out.
///
/// @param events an upper bound: a segment of which one event is left counts whole
/// @param bytes about what these take: in segments as they lie on the disk, compressed, in open
///   rows as they lie in memory
public record Pending(long events, long bytes) {
  /// The committed events that arrived at or after a position. Reads no event and takes no lock.
  static Pending of(StoreContents contents, LaneArrivals from) {
    StoreState now = contents.state();
    long events = 0;
    long bytes = 0;
    for (LiveSegment segment : now.segments().all()) {
      if (!contents.segmentArrivals().isOlder(segment, from)) {
        events += segment.entry().events();
        bytes += segment.entry().bytes();
      }
    }
    for (OpenRows rows : now.rows()) {
      long all = rows.committedEvents();
      long left = Math.min(all, rows.arrivalLimit() - limitOf(contents, rows, from));
      if (left > 0) {
        events += left;
        bytes += (long) Math.ceil(rows.filledBytes() * ((double) left / all));
      }
    }
    return new Pending(events, bytes);
  }

  private static long limitOf(StoreContents contents, OpenRows rows, LaneArrivals from) {
    return rows.isReplayed()
        ? from.limitMin()
        : from.limitOfLane(rows.lane, contents.config().lanes());
  }
}
