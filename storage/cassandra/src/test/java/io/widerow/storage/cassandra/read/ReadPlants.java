package io.widerow.storage.cassandra.read;

import io.widerow.event.EventView;
import io.widerow.storage.ClusterArrivals;
import io.widerow.storage.EventCursor;
import io.widerow.storage.cassandra.keyspace.Directory;
import io.widerow.storage.cassandra.keyspace.SegmentKey;
import io.widerow.storage.cursor.MergeCursor;
import java.util.List;

/// The faulty behaviours of a reader with a planted bug. Only classes with a planted bug call them.
public final class ReadPlants {
  private ReadPlants() {}

  /// Takes a directory that was read before the view for one that was read after it.
  public static boolean includes(ClusterArrivals whole, ClusterArrivals part) {
    return true;
  }

  /// Shows applied segments although merged ones have their events.
  public static boolean isShown(Directory directory, SegmentKey key) {
    return true;
  }

  /// Shows all events of merged segments, also events that are later than the view.
  public static boolean isNew(ClusterArrivals position, EventView event, int shard) {
    return false;
  }

  /// Takes a value that is gone for the end of the segment.
  public static EventCursor end(PartitionReader partition, SegmentFetch missing) {
    return MergeCursor.of(List.of(), false);
  }

  /// Takes what one replica says for what a quorum says.
  public static boolean isLast(boolean quorum) {
    return true;
  }
}
