package io.widerow.ingest.lane;

import io.widerow.event.EventId;
import io.widerow.ingest.decode.Refusals;
import io.widerow.storage.EventStore;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/// The parts of batches with own ids that were stored before the start, for a store whose number of
/// lanes has changed. Such a batch is split by the lanes of its ids, and each part has a key of its
/// own, so with another number of lanes a retry consists of other parts:
///
/// ```
///   first, 2 lanes    | lane 0: a c e   | lane 1: b d f      |   stored: lane 0
///   repeat, 3 lanes   | 0: a b | 1: c d | 2: e f             |   left:   b, d, f
/// ```
///
/// So a retry is compared event by event: an event is stored when its part is, in the split among
/// any earlier number of lanes. The other events are stored now, in parts by the present number of
/// lanes, so that each present part covers all of its events. When a crash has left only some parts
/// of a batch, the retry stores the missing ones.
///
/// The parts expire like other keys: when enough batches came after them, and they are old.
///
/// - Threads: one fills it before the start; then its parts never change, and any may ask.
/// - Memory: that of a [BatchLedger]; none when all notes are of today's number of lanes.
final class EarlierParts implements AutoCloseable {
  private final int lanesNow;
  private final BatchLedger parts;
  private final Lanes.Settings settings;
  private final LongSupplier epochSeconds;
  private final BitSet lanesThen = new BitSet();
  private final AtomicLong asked = new AtomicLong();
  private long startSeconds;
  private volatile boolean empty = true;

  /// @param parts an empty ledger, which is closed with this
  EarlierParts(
      int lanesNow, BatchLedger parts, Lanes.Settings settings, LongSupplier epochSeconds) {
    this.lanesNow = lanesNow;
    this.parts = parts;
    this.settings = settings;
    this.epochSeconds = epochSeconds;
  }

  /// Takes in a note from before the start, if it is of a part of a batch.
  void restore(long group, byte[] note) {
    int lanes = BatchLedger.lanesOf(note);
    if (lanes > 0) {
      lanesThen.set(lanes);
      parts.restore(group, note);
    }
  }

  /// Ends the filling.
  void restored() {
    startSeconds = epochSeconds.getAsLong();
    var _ = parts.expire(startSeconds);
    empty = parts.count() == 0 || lanesThen.stream().allMatch(lanes -> lanes == lanesNow);
    if (empty) {
      parts.close();
    }
  }

  /// Whether all parts are older than keys are kept, and more batches came since than are kept at
  /// any age.
  private boolean isPast() {
    return asked.get() > (long) settings.ledgerKeys() * lanesNow
        && epochSeconds.getAsLong() > startSeconds + settings.ledgerSeconds();
  }

  /// Finds the stored parts of a batch; null when there are none.
  ///
  /// @param key of the whole batch
  @Nullable Found find(BatchKey key) {
    if (empty) {
      return null;
    }
    asked.incrementAndGet();
    if (isPast()) {
      empty = true;
      return null;
    }
    Found found = null;
    for (int lanes = lanesThen.nextSetBit(0); lanes >= 0; lanes = lanesThen.nextSetBit(lanes + 1)) {
      for (int lane = 0; lane < lanes; lane++) {
        int slot = parts.find(key.part(BatchSplit.number(lane, lanes)));
        if (slot >= 0) {
          found = found == null ? new Found() : found;
          found.add(lane, lanes, parts.refused(slot));
        }
      }
    }
    return found;
  }

  @Override
  public void close() {
    parts.close();
  }

  /// The stored parts of one batch, and how many of its events were found in them.
  ///
  /// - Threads: one.
  static final class Found {
    private final List<Part> stored = new ArrayList<>();
    private Refusals refused = new Refusals();
    private int unlisted;
    private int events;

    private record Part(int lane, int lanes) {}

    /// Those of a batch of a source; null when there are none.
    ///
    /// @param parts of earlier numbers of lanes
    static @Nullable Found of(List<SourcePlace> parts, SourcePlace place) {
      Found found = null;
      for (SourcePlace part : parts) {
        boolean has = part.term() == place.term() && part.next() >= place.next();
        if (has && part.of().equals(place.of())) {
          found = found == null ? new Found() : found;
          found.add(BatchSplit.lane(part.part()), BatchSplit.lanes(part.part()), new Refusals());
        }
      }
      return found;
    }

    private void add(int lane, int lanes, Refusals ofPart) {
      stored.add(new Part(lane, lanes));
      refused = refused.with(ofPart); // one event may be in parts of several numbers of lanes
      unlisted += ofPart.count() - ofPart.listed();
    }

    /// Whether an event with an own id is in a part that is stored. Ask once for each event.
    boolean take(EventId id, EventStore store) {
      for (Part part : stored) {
        if (store.laneOf(id, part.lanes) == part.lane) {
          events++;
          return true;
        }
      }
      return false;
    }

    /// Events in stored parts, refused or not.
    int events() {
      return events;
    }

    /// Their events that the store refused then.
    Refusals refused() {
      Refusals all = new Refusals();
      all.addAll(refused);
      all.addAll(Refusals.counted(unlisted));
      return all;
    }

    /// The number of their events that it stored.
    int accepted() {
      return Math.max(0, events - refused.count() - unlisted);
    }
  }
}
