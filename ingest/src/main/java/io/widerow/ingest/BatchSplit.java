package io.widerow.ingest;

import io.widerow.event.EventBatch;
import io.widerow.event.EventId;
import io.widerow.event.EventLayout;
import io.widerow.storage.EventStore;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// Divides a batch among lanes when some of its events bring their own ids, and puts the answers
/// together again. Rare: most senders leave ids to the store.
final class BatchSplit {
  private BatchSplit() {}

  /// The events of a batch that go to one lane, and the index in the request of each.
  static final class Share {
    final int lane;
    final EventBatch events;
    final int[] indexes;

    Share(int lane, EventBatch events, int[] indexes) {
      this.lane = lane;
      this.events = events;
      this.indexes = indexes;
    }
  }

  /// The share of `home` comes first and is there even when it is empty: it carries what the
  /// decoder refused. The batch's own memory is back in the pool afterwards.
  static List<Share> split(
      IncomingBatch batch, int home, int lanes, EventStore store, BatchPool pool) {
    EventBatch all = batch.events;
    MemorySegment records = all.memory();
    @Nullable EventBatch[] parts = new @Nullable EventBatch[lanes];
    int[][] indexes = new int[lanes][16];
    parts[home] = pool.take();
    int request = 0;
    int refusal = 0;
    for (long at = 0; at < all.bytes(); request++) {
      if (refusal < batch.refused.listed() && batch.refused.index(refusal) == request) {
        refusal++;
        continue;
      }
      int lane = laneOf(records, at, home, store);
      EventBatch part = parts[lane];
      if (part == null) {
        part = pool.take();
        parts[lane] = part;
      }
      if (part.count() == indexes[lane].length) {
        indexes[lane] = Arrays.copyOf(indexes[lane], 2 * part.count());
      }
      indexes[lane][part.count()] = request;
      part.copy(records, at);
      at += EventLayout.alignedLength(EventLayout.length(records, at));
    }
    pool.give(all);
    return shares(parts, indexes, home);
  }

  private static int laneOf(MemorySegment records, long at, int home, EventStore store) {
    if (EventLayout.version(records, at) != EventLayout.VERSION_OWN) {
      return home;
    }
    return store.laneOf(
        new EventId(EventLayout.idTime(records, at), EventLayout.idTail(records, at)));
  }

  private static List<Share> shares(@Nullable EventBatch[] parts, int[][] indexes, int home) {
    List<Share> shares = new ArrayList<>();
    for (int lane = 0; lane < parts.length; lane++) {
      EventBatch part = parts[lane];
      if (part != null) {
        shares.add(lane == home ? 0 : shares.size(), new Share(lane, part, indexes[lane]));
      }
    }
    return shares;
  }

  /// Tells the outcome of the whole batch when that of every part is known.
  static final class Join implements BatchPart.PartDone {
    private final AtomicInteger missing;
    private final AtomicReference<@Nullable Outcome> sofar = new AtomicReference<>();
    private final Consumer<Outcome> done;

    Join(int parts, Consumer<Outcome> done) {
      this.missing = new AtomicInteger(parts);
      this.done = done;
    }

    @Override
    public void done(Outcome outcome) {
      Outcome _ =
          sofar.accumulateAndGet(
              outcome, (a, b) -> a == null || b == null ? b : Outcome.merge(a, b));
      if (missing.decrementAndGet() == 0) {
        Outcome all = sofar.get();
        done.accept(all != null ? all : outcome);
      }
    }
  }
}
