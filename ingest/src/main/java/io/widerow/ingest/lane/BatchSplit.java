package io.widerow.ingest.lane;

import io.widerow.event.EventBatch;
import io.widerow.event.EventId;
import io.widerow.event.EventLayout;
import io.widerow.ingest.decode.IncomingBatch;
import io.widerow.storage.EventStore;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/// Splits a batch among lanes when some of its events have their own ids, and joins the outcomes.
/// This is rare: most senders leave ids to the store.
public final class BatchSplit {
  private BatchSplit() {}

  /// The events of a batch that go to one lane, and the request index of each.
  static final class Share {
    final int lane;
    final int number;
    final EventBatch events;
    final int[] indexes;

    /// @param number of the part. It is the same in each split among as many lanes; for the events
    ///   to which the store gives ids it is the same for any number of lanes
    Share(int lane, int number, EventBatch events, int[] indexes) {
      this.lane = lane;
      this.number = number;
      this.events = events;
      this.indexes = indexes;
    }

    /// The number of lanes by which events are assigned to this share; 0 for none.
    int lanes() {
      return BatchSplit.lanes(number);
    }
  }

  /// Splits a batch into shares. The first share has the events that get their ids from the store;
  /// it goes to `home`, and exists even when it is empty, because it carries the refusals of the
  /// decoder. The events with own ids make one further share for each lane, also for `home`. The
  /// content of a share thus never depends on which other shares are known repeats, and that of the
  /// first does not depend on the number of lanes. The batch's memory returns to the pool.
  ///
  /// @param found the parts of the batch that an earlier start has stored, with another number of
  ///   lanes. Its events are left out, and counted there
  static List<Share> split(
      IncomingBatch batch,
      int home,
      int lanes,
      EventStore store,
      BatchPool pool,
      EarlierParts.@Nullable Found found) {
    EventBatch all = batch.events;
    MemorySegment records = all.memory();
    @Nullable EventBatch[] parts = new @Nullable EventBatch[1 + lanes];
    int[][] indexes = new int[1 + lanes][16];
    parts[0] = pool.take();
    int @Nullable [] left = batch.indexes(); // by the rules
    int request = 0;
    int refusal = 0;
    int event = 0;
    for (long at = 0; at < all.bytes(); request++) {
      if (left != null) {
        request = left[event++];
      } else if (refusal < batch.refused.listed() && batch.refused.index(refusal) == request) {
        refusal++;
        continue;
      }
      long eventAt = at;
      at += EventLayout.alignedLength(EventLayout.length(records, at));
      EventId own = ownId(records, eventAt);
      if (own != null && found != null && found.take(own, store)) {
        continue;
      }
      int share = own == null ? 0 : 1 + store.laneOf(own);
      EventBatch part = parts[share];
      if (part == null) {
        part = pool.take();
        parts[share] = part;
      }
      if (part.count() == indexes[share].length) {
        indexes[share] = Arrays.copyOf(indexes[share], 2 * part.count());
      }
      indexes[share][part.count()] = request;
      part.copy(records, eventAt);
    }
    pool.give(all);
    List<Share> shares = new ArrayList<>();
    for (int share = 0; share <= lanes; share++) {
      EventBatch part = parts[share];
      if (part != null) {
        int lane = share == 0 ? home : share - 1;
        int number = share == 0 ? 0 : number(lane, lanes);
        shares.add(new Share(lane, number, part, indexes[share]));
      }
    }
    return shares;
  }

  /// The number of the part with the own ids of a lane.
  static int number(int lane, int lanes) {
    return (lanes << Byte.SIZE) + lane;
  }

  /// The lane of a part with own ids.
  static int lane(int number) {
    return number & 0xff;
  }

  /// Among how many lanes the batch of a part with own ids was split; 0 for the other part.
  static int lanes(int number) {
    return number >>> Byte.SIZE;
  }

  /// Null for an event that gets its id from the store.
  private static @Nullable EventId ownId(MemorySegment records, long at) {
    return EventLayout.version(records, at) == EventLayout.VERSION_OWN
        ? new EventId(EventLayout.idTime(records, at), EventLayout.idTail(records, at))
        : null;
  }

  /// Reports the outcome of the whole batch when the outcome of each part is known. Two lanes may
  /// report theirs at the same moment: the last one to count reads what all of them have put in.
  public static final class Join implements BatchListener {
    private final AtomicInteger missing;
    private final AtomicInteger unkept;
    private final AtomicReference<@Nullable BatchOutcome> sofar = new AtomicReference<>();
    private final AtomicReference<@Nullable BatchOutcome> keptSofar = new AtomicReference<>();
    private final BatchListener told;

    Join(int parts, BatchListener told) {
      this.missing = new AtomicInteger(parts);
      this.unkept = new AtomicInteger(parts);
      this.told = told;
    }

    /// The batch as a whole is kept when each part is, none of them being answered yet.
    @Override
    public void kept(BatchOutcome.Stored stored) {
      join(keptSofar, stored);
      if (unkept.decrementAndGet() == 0 && keptSofar.get() instanceof BatchOutcome.Stored kept) {
        told.kept(kept);
      }
    }

    @Override
    public void accept(BatchOutcome outcome) {
      join(sofar, outcome);
      if (missing.decrementAndGet() == 0) {
        told.accept(Objects.requireNonNull(sofar.get()));
      }
    }

    private static void join(AtomicReference<@Nullable BatchOutcome> sofar, BatchOutcome outcome) {
      sofar.accumulateAndGet(
          outcome, (a, b) -> a == null || b == null ? b : BatchOutcome.merge(a, b));
    }
  }
}
