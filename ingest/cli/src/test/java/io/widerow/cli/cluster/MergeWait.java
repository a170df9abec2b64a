package io.widerow.cli.cluster;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.event.PartitionKey;
import io.widerow.faults.Await;
import io.widerow.storage.EventStore;
import io.widerow.storage.cassandra.keyspace.BucketRow;
import io.widerow.storage.cassandra.keyspace.DirectoryRow;
import io.widerow.storage.cassandra.keyspace.Keyspace;
import io.widerow.storage.cassandra.keyspace.SegmentKey;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/// Waits for the background work of a store on a cluster.
final class MergeWait {
  private MergeWait() {}

  /// Calls for background work until everything is merged, and what merges cover is deleted.
  static void untilMerged(EventStore store, Keyspace keyspace, Duration atMost) {
    long began = System.nanoTime();
    long left = applied(keyspace);
    for (int turn = 1; left > 0; turn++) {
      long found = left;
      assertTrue(
          System.nanoTime() - began < atMost.toNanos(), () -> found + " segments are not merged");
      store.maintain();
      Await.pauseNanos(TimeUnit.MILLISECONDS.toNanos(100));
      left = turn % 20 == 0 ? applied(keyspace) : left;
    }
  }

  /// Segments of the keyspace that are not merged, or are covered and not yet deleted.
  private static long applied(Keyspace keyspace) {
    return partitions(keyspace).stream()
        .flatMap(key -> keyspace.directory(key).join().rows().stream())
        .map(DirectoryRow::key)
        .filter(key -> key.tier() == SegmentKey.APPLIED)
        .count();
  }

  /// All partitions that the catalog names.
  static List<PartitionKey> partitions(Keyspace keyspace) {
    List<PartitionKey> keys = new ArrayList<>();
    for (String span : keyspace.spans().join()) {
      for (BucketRow row : keyspace.buckets(span).join()) {
        int start = row.bucket().startMinutes();
        for (int shard = 0; shard < row.shards(); shard++) {
          keys.add(new PartitionKey(start, row.bucket().widthMinutes(), row.type(), shard));
        }
      }
    }
    return keys;
  }
}
