package io.widerow.storage.embedded;

import io.widerow.event.EventId;
import io.widerow.event.PartitionKey;
import io.widerow.storage.EventCursor;
import io.widerow.storage.Filter;
import io.widerow.storage.Scan;
import io.widerow.storage.StoreView;
import io.widerow.storage.aggregate.CellView;
import io.widerow.storage.live.LiveSegment;
import io.widerow.storage.rows.OpenRow;
import io.widerow.storage.rows.OpenRows;
import io.widerow.storage.scan.SegmentCursor;
import org.jspecify.annotations.Nullable;

/// Finds where the event of an id lies, among the open rows and segments of a view.
///
/// - Threads: one.
final class EventLocator {
  private final CellView view;
  private final PartitionKey key;
  private final EventId id;
  private final int lanes;
  private StoreView.@Nullable Place place;
  private long arrival; // of the write that lies there

  private EventLocator(CellView view, PartitionKey key, EventId id, int lanes) {
    this.view = view;
    this.key = key;
    this.id = id;
    this.lanes = lanes;
  }

  /// The place of the latest write; null when the partition does not have the event.
  static StoreView.@Nullable Place find(CellView view, PartitionKey key, EventId id, int lanes) {
    EventLocator places = new EventLocator(view, key, id, lanes);
    Scan scan = view.kept(key, Scan.all().withRange(id, id.next()));
    for (OpenRows.View rows : view.rows()) {
      places.look(rows, scan);
    }
    for (LiveSegment segment : view.segmentsOf(key)) {
      if (view.wanted(segment, key, scan) != null) {
        places.look(segment);
      }
    }
    return places.place;
  }

  private void look(OpenRows.View rows, Scan scan) {
    OpenRow row = rows.row(key);
    if (row == null) {
      return;
    }
    for (EventCursor run : rows.open(row, scan, new Filter.Everything(), null)) {
      try (run) {
        while (run.nextWhenReady() == EventCursor.Step.EVENT) {
          offer(new StoreView.Place(rows.lane(), null), run.event().arrival());
        }
      }
    }
  }

  private void look(LiveSegment segment) {
    SegmentCursor.Place found = SegmentCursor.find(segment.fileFor(key), key, id, view.readers());
    if (found != null) {
      var sealed =
          new StoreView.Place.Sealed(
              segment.entry().id(),
              segment.entry().fileName(),
              segment.entry().merged(),
              found.block(),
              found.blocks(),
              found.row());
      offer(new StoreView.Place(key.shard() % lanes, sealed), found.arrival());
    }
  }

  private void offer(StoreView.Place other, long otherArrival) {
    if (place == null || otherArrival > arrival) {
      place = other;
      arrival = otherArrival;
    }
  }
}
