package io.widerow.ingest.lane;

import io.widerow.event.EventBatch;
import io.widerow.ingest.decode.Refusals;
import io.widerow.storage.Durability;
import org.jspecify.annotations.Nullable;

/// One lane's share of a batch, nearly always the whole batch.
///
/// - Threads: one at a time: the receiver's, then the lane's.
public final class BatchPart {
  final EventBatch events;
  final @Nullable BatchKey key;
  final long placement;
  final Durability durability;

  /// Events that the decoder refused; the lane adds those that the store refuses.
  final Refusals refused;

  private final int @Nullable [] indexes;
  private final PartDone done;

  /// Receives the outcome of a part, on the lane's thread.
  @FunctionalInterface
  interface PartDone {
    void done(Outcome outcome);
  }

  /// @param indexes request index of each event; null when the part lacks only the refused events
  BatchPart(
      EventBatch events,
      @Nullable BatchKey key,
      long placement,
      Durability durability,
      Refusals refused,
      int @Nullable [] indexes,
      PartDone done) {
    this.events = events;
    this.key = key;
    this.placement = placement;
    this.durability = durability;
    this.refused = refused;
    this.indexes = indexes;
    this.done = done;
  }

  /// The request index of the event at `index` of [#events].
  int requestIndex(int index) {
    if (indexes != null) {
      return indexes[index];
    }
    int requestIndex = index;
    for (int i = 0; i < refused.listed() && refused.index(i) <= requestIndex; i++) {
      requestIndex++;
    }
    return requestIndex;
  }

  public void done(Outcome outcome) {
    done.done(outcome);
  }
}
