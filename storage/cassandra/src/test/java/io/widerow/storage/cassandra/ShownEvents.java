package io.widerow.storage.cassandra;

import io.widerow.event.AttributeKind;
import io.widerow.event.AttributeName;
import io.widerow.event.AttributeValue;
import io.widerow.event.EventId;
import io.widerow.event.EventView;
import io.widerow.event.PartitionKey;
import io.widerow.storage.EventCursor;
import io.widerow.storage.Scan;
import io.widerow.storage.cassandra.keyspace.BucketRow;
import io.widerow.storage.cassandra.keyspace.DaemonRow;
import io.widerow.storage.cassandra.keyspace.Directory;
import io.widerow.storage.cassandra.keyspace.DirectoryRow;
import io.widerow.storage.cassandra.keyspace.Keyspace;
import io.widerow.storage.cassandra.keyspace.SegmentKey;
import io.widerow.storage.cassandra.value.SegmentValue;
import io.widerow.storage.scan.SegmentCursor;
import io.widerow.storage.segment.Segment;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/// Reads a keyspace without faults the plain way: every applied segment that readers are shown.
final class ShownEvents {
  private static final AttributeName NUMBER = AttributeName.of("n");

  private ShownEvents() {}

  /// An event that readers are shown.
  ///
  /// @param daemon that applied it
  record Found(long number, EventId id, long version, int daemon, SegmentKey in) {}

  /// Every event of every segment that is shown; older writes of an id too.
  static List<Found> all(Keyspace keyspace) {
    Map<Integer, DaemonRow> daemons = new HashMap<>();
    keyspace.daemons().join().forEach(row -> daemons.put(row.daemon(), row));
    Map<PartitionKey, Boolean> partitions = new HashMap<>();
    for (String span : keyspace.spans().join()) {
      for (BucketRow row : keyspace.buckets(span).join()) {
        for (int shard = 0; shard < row.shards(); shard++) {
          partitions.put(
              new PartitionKey(
                  row.bucket().startMinutes(), row.bucket().widthMinutes(), row.type(), shard),
              true);
        }
      }
    }
    List<Found> found = new ArrayList<>();
    for (PartitionKey partition : partitions.keySet()) {
      Directory directory = keyspace.directory(partition).join();
      for (DirectoryRow row : directory.rows()) {
        DaemonRow daemon = daemons.get(row.key().daemon());
        if (daemon != null && row.key().seq() <= daemon.applied().stamp()) {
          read(keyspace, row, found);
        }
      }
    }
    return found;
  }

  private static void read(Keyspace keyspace, DirectoryRow row, List<Found> found) {
    ByteBuffer value = Objects.requireNonNull(keyspace.value(row.key(), true).join());
    AttributeValue number = new AttributeValue();
    try (Segment segment = SegmentValue.open(value, row, keyspace.identity().id());
        EventCursor cursor = SegmentCursor.open(segment, row.key().partition(), Scan.all())) {
      while (cursor.next() == EventCursor.Step.EVENT) {
        EventView event = cursor.event();
        if (!event.find(NUMBER, number) || number.kind() != AttributeKind.LONG) {
          throw new AssertionError("an event without its number in " + row.key());
        }
        found.add(
            new Found(number.bits(), event.id(), event.version(), row.key().daemon(), row.key()));
      }
    }
  }
}
