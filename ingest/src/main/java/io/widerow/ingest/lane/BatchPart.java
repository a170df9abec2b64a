package io.widerow.ingest.lane;

import io.widerow.event.EventBatch;
import io.widerow.ingest.decode.Refusals;
import io.widerow.storage.Durability;
import org.jspecify.annotations.Nullable;

/// One lane's share of a batch, nearly always the whole batch.
///
/// - Threads: one at a time: the receiver's, then the lane's, then the one that answers.
public final class BatchPart {
  final EventBatch events;
  final @Nullable BatchKey key;
  final long placement;
  final Durability durability;

  /// Events that the decoder refused; the lane adds those that the store refuses.
  final Refusals refused;

  private final int @Nullable [] indexes;
  private final Told told;

  /// @param indexes request index of each event; null when the part lacks only the refused events
  BatchPart(
      EventBatch events,
      @Nullable BatchKey key,
      long placement,
      Durability durability,
      Refusals refused,
      int @Nullable [] indexes,
      Told told) {
    this.events = events;
    this.key = key;
    this.placement = placement;
    this.durability = durability;
    this.refused = refused;
    this.indexes = indexes;
    this.told = told;
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

  /// Tells that the part is durable on this machine and waits for the cluster.
  void kept(Outcome.Stored kept) {
    told.kept(kept);
  }

  public void done(Outcome outcome) {
    told.accept(outcome);
  }
}
