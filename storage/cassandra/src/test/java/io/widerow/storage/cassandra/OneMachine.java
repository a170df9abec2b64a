package io.widerow.storage.cassandra;

import io.widerow.event.EventBatch;
import io.widerow.event.EventId;
import io.widerow.storage.Durability;
import io.widerow.storage.LaneWriter;
import io.widerow.storage.StoreConfig;
import io.widerow.storage.StoreView;
import io.widerow.storage.embedded.EmbeddedStore;
import java.nio.file.Path;
import java.util.BitSet;

/// [RunEvents] in a store on one machine, to compare with.
final class OneMachine {
  private static final int CHUNK = 1_000;

  private OneMachine() {}

  static String hash(Path directory, RunEvents events, BitSet numbers) {
    StoreConfig config = StoreChild.config(directory);
    try (EmbeddedStore store = EmbeddedStore.open(config, Runnable::run)) {
      EventBatch[] batches = new EventBatch[store.lanes()];
      for (int lane = 0; lane < batches.length; lane++) {
        batches[lane] = new EventBatch(1 << 12, 1 << 20);
      }
      int count = 0;
      for (int number = numbers.nextSetBit(0);
          number >= 0;
          number = numbers.nextSetBit(number + 1)) {
        EventId id = events.id(number);
        events.add(batches[id == null ? 0 : store.laneOf(id)], number);
        if (++count % CHUNK == 0) {
          write(store, batches);
        }
      }
      write(store, batches);
      for (EventBatch batch : batches) {
        batch.close();
      }
      try (StoreView view = store.view()) {
        return WholeRead.of(view, false, false).hash();
      }
    }
  }

  private static void write(EmbeddedStore store, EventBatch[] batches) {
    for (int lane = 0; lane < batches.length; lane++) {
      LaneWriter writer = store.lane(lane);
      writer.append(
          batches[lane],
          0,
          (index, why) -> {
            throw new AssertionError(index + ": " + why);
          });
      writer.commit(Durability.MEMORY);
      batches[lane].clear();
    }
  }
}
