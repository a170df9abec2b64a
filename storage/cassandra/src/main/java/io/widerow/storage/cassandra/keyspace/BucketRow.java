package io.widerow.storage.cassandra.keyspace;

import io.widerow.event.Bucket;
import io.widerow.event.PartitionKey;
import java.util.List;
import java.util.stream.IntStream;

/// A row of the catalog: a bucket of a type has events, in shards 0 up to `shards` (exclusive). The
/// catalog only grows until retention drops the bucket; readers take the greatest `shards`.
public record BucketRow(Bucket bucket, String type, int shards) {
  /// The span of a bucket in the catalog: its hour, or its day when it is wider than an hour.
  public static String spanOf(Bucket bucket) {
    int width = bucket.widthMinutes() <= 60 ? 60 : PartitionKey.MINUTES_PER_DAY;
    return new Bucket(bucket.startMinutes() - bucket.startMinutes() % width, width).text();
  }

  /// The partitions that it stands for.
  public List<PartitionKey> partitions() {
    return IntStream.range(0, shards).mapToObj(shard -> bucket.partition(type, shard)).toList();
  }
}
