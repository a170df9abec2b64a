package io.widerow.storage.cassandra.maintenance;

import io.widerow.event.Bucket;
import io.widerow.storage.cassandra.keyspace.BucketRow;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// The rows of a span of the catalog.
final class Spans {
  private Spans() {}

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
}
