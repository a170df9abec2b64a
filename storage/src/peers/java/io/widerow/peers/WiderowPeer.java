package io.widerow.peers;

import io.widerow.storage.Durability;
import io.widerow.storage.EventCursor;
import io.widerow.storage.LaneWriter;
import io.widerow.storage.PartitionInfo;
import io.widerow.storage.Scan;
import io.widerow.storage.StoreConfig;
import io.widerow.storage.StoreView;
import io.widerow.storage.embedded.EmbeddedStore;

import io.widerow.event.AttributeName;
import io.widerow.event.AttributeValue;
import io.widerow.event.EventBatch;
import io.widerow.event.EventView;
import io.widerow.event.PartitionKey;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/// Our own store: one lane, two threads for sealing and merging, defaults otherwise. Each append
/// is a commit. With several shards, each append goes to the next one.
final class WiderowPeer implements PeerStore {
  private final Durability durability;
  private final ExecutorService background = Executors.newFixedThreadPool(2);
  private final EmbeddedStore store;
  private final AttributeValue body = new AttributeValue();
  private byte[] copy = new byte[1 << 10];
  private long appends;

  WiderowPeer(Path directory, Durability durability, int shards) {
    this.durability = durability;
    this.store =
        EmbeddedStore.open(
            StoreConfig.at(directory.resolve("store")).withDiskReserveBytes(0).withLanes(1, shards),
            background);
  }

  @Override
  public void append(EventBatch batch) {
    LaneWriter lane = store.lane(0);
    lane.append(
        batch,
        appends++,
        (index, why) -> {
          throw new IllegalStateException(index + ": " + why);
        });
    lane.commit(durability);
  }

  @Override
  public void flush() {
    try {
      store.sealAll();
      store.awaitBackground();
      store.maintain();
      store.awaitBackground();
    } catch (InterruptedException interrupt) {
      throw new IllegalStateException(interrupt);
    }
  }

  @Override
  public Scanned scan() {
    try (StoreView view = store.view()) {
      long events = 0;
      long bytes = 0;
      for (List<PartitionKey> bucket : byBucket(view)) {
        try (EventCursor cursor = view.open(bucket, Scan.all())) {
          while (cursor.next() == EventCursor.Step.EVENT) {
            bytes += bodyBytes(cursor.event());
            events++;
          }
        }
      }
      return new Scanned(events, bytes);
    }
  }

  /// The partitions of each bucket, oldest first.
  private static List<List<PartitionKey>> byBucket(StoreView view) {
    Map<Integer, List<PartitionKey>> buckets = new TreeMap<>();
    for (PartitionInfo partition : view.partitions(_ -> true, 0, Long.MAX_VALUE)) {
      PartitionKey key = partition.key();
      buckets.computeIfAbsent(key.bucketMinutes(), _ -> new ArrayList<>()).add(key);
    }
    return List.copyOf(buckets.values());
  }

  @Override
  public Scanned latest(int count) {
    try (StoreView view = store.view()) {
      List<PartitionKey> newest = byBucket(view).getLast();
      long bytes = 0;
      int events = 0;
      try (EventCursor cursor = view.open(newest, Scan.all().withDescending(true))) {
        while (events < count && cursor.next() == EventCursor.Step.EVENT) {
          bytes += bodyBytes(cursor.event());
          events++;
        }
      }
      return new Scanned(events, bytes);
    }
  }

  private long bodyBytes(EventView event) {
    if (!event.find(AttributeName.BODY, body)) {
      return 0;
    }
    int bytes = body.length();
    if (bytes > copy.length) {
      copy = new byte[2 * bytes];
    }
    body.copyTo(copy, 0);
    return bytes;
  }

  @Override
  public void close() {
    store.close();
    background.shutdown();
  }
}
