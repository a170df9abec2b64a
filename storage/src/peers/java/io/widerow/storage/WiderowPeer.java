package io.widerow.storage;

import io.widerow.event.AttributeName;
import io.widerow.event.AttributeValue;
import io.widerow.event.EventBatch;
import io.widerow.event.EventView;
import io.widerow.event.PartitionKey;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/// Our own store: one lane, one shard, a thread of its own for sealing and merging, everything else
/// as it comes. Each append is a commit.
final class WiderowPeer implements PeerStore {
  private final Durability durability;
  private final ExecutorService background = Executors.newSingleThreadExecutor();
  private final EmbeddedStore store;
  private final AttributeValue body = new AttributeValue();

  WiderowPeer(Path directory, Durability durability) {
    this.durability = durability;
    this.store =
        EmbeddedStore.open(
            StoreConfig.at(directory.resolve("store")).withDiskReserveBytes(0), background);
  }

  @Override
  public void append(EventBatch batch) {
    LaneWriter lane = store.lane(0);
    lane.append(
        batch,
        0,
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
      for (StoreView.PartitionInfo partition : view.partitions(_ -> true, 0, Long.MAX_VALUE)) {
        try (EventCursor cursor = view.open(List.of(partition.key()), Scan.all())) {
          while (cursor.next() == EventCursor.Step.EVENT) {
            bytes += bodyBytes(cursor.event());
            events++;
          }
        }
      }
      return new Scanned(events, bytes);
    }
  }

  @Override
  public Scanned latest(int count) {
    try (StoreView view = store.view()) {
      PartitionKey newest = view.partitions(_ -> true, 0, Long.MAX_VALUE).getLast().key();
      long bytes = 0;
      int events = 0;
      try (EventCursor cursor = view.open(List.of(newest), Scan.all().withDescending(true))) {
        while (events < count && cursor.next() == EventCursor.Step.EVENT) {
          bytes += bodyBytes(cursor.event());
          events++;
        }
      }
      return new Scanned(events, bytes);
    }
  }

  private long bodyBytes(EventView event) {
    return event.find(AttributeName.BODY, body) ? body.toBytes().length : 0;
  }

  @Override
  public void close() {
    store.close();
    background.shutdown();
  }
}
