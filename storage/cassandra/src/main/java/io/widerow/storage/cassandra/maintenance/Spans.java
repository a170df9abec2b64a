package io.widerow.storage.cassandra.maintenance;

import io.widerow.event.Bucket;
import io.widerow.event.PartitionKey;
import io.widerow.storage.cassandra.keyspace.BucketRow;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// Spans of the catalog: their time, and the partitions that their rows stand for.
final class Spans {
  private Spans() {}

  /// The hour or day of a span. A row of it starts there; a wide one may end later.
  ///
  /// @throws IllegalArgumentException when it is not a printed bucket
  static Bucket bucket(String span) {
    return Bucket.of(PartitionKey.parse(span + "|x|0"));
  }

  /// One row for each bucket and type: the one with the most shards.
  static List<BucketRow> widest(List<BucketRow> rows) {
    record Place(Bucket bucket, String type) {}
    Map<Place, BucketRow> widest = new HashMap<>();
    for (BucketRow row : rows) {
      widest.merge(
          new Place(row.bucket(), row.type()), row, (a, b) -> a.shards() >= b.shards() ? a : b);
    }
    return List.copyOf(widest.values());
  }

  /// The partitions of a row.
  static List<PartitionKey> partitions(BucketRow row) {
    List<PartitionKey> keys = new ArrayList<>(row.shards());
    for (int shard = 0; shard < row.shards(); shard++) {
      keys.add(
          new PartitionKey(
              row.bucket().startMinutes(), row.bucket().widthMinutes(), row.type(), shard));
    }
    return keys;
  }
}
