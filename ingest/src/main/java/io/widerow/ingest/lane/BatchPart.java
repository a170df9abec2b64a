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

  /// Where the part lies in the log of a source; null for a batch that a sender pushed.
  final @Nullable SourcePlace place;

  final long placement;
  final Durability durability;

  /// Events that the decoder refused; the lane adds the events that the store refuses.
  final Refusals refused;

  /// Among how many lanes the batch was split, when that decides the events of this part; else 0.
  final int lanes;

  /// Events that an earlier start has stored, of a part that is only answered; else negative.
  final int storedBefore;

  private final int @Nullable [] indexes;
  private final BatchListener told;

  /// A part that does not depend on the number of lanes.
  ///
  /// @param indexes request index of each event; null when the part lacks only the refused events
  BatchPart(
      EventBatch events,
      @Nullable BatchKey key,
      @Nullable SourcePlace place,
      long placement,
      Durability durability,
      Refusals refused,
      int @Nullable [] indexes,
      BatchListener told) {
    this(events, key, place, placement, durability, refused, 0, -1, indexes, told);
  }

  /// A share of a batch that was split.
  static BatchPart of(
      BatchSplit.Share share,
      @Nullable BatchKey key,
      @Nullable SourcePlace place,
      long placement,
      Durability durability,
      Refusals refused,
      BatchListener told) {
    int lanes = share.lanes();
    return new BatchPart(
        share.events, key, place, placement, durability, refused, lanes, -1, share.indexes, told);
  }

  /// Makes a part whose events were stored before the start.
  ///
  /// @param none no events
  static BatchPart stored(
      EventBatch none, Durability durability, EarlierParts.Found found, BatchListener told) {
    return new BatchPart(
        none, null, null, 0, durability, found.refused(), 0, found.accepted(), null, told);
  }

  private BatchPart(
      EventBatch events,
      @Nullable BatchKey key,
      @Nullable SourcePlace place,
      long placement,
      Durability durability,
      Refusals refused,
      int lanes,
      int storedBefore,
      int @Nullable [] indexes,
      BatchListener told) {
    this.events = events;
    this.key = key;
    this.place = place;
    this.placement = placement;
    this.durability = durability;
    this.refused = refused;
    this.lanes = lanes;
    this.storedBefore = storedBefore;
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

  /// Reports that the part is durable on this machine and waits for the cluster.
  void kept(BatchOutcome.Stored kept) {
    told.kept(kept);
  }

  public void done(BatchOutcome outcome) {
    told.accept(outcome);
  }
}
