package io.widerow.ingest.intake;

import io.widerow.event.EventBatch;
import io.widerow.event.RecordView;
import io.widerow.event.TimeUuid;
import io.widerow.ingest.decode.IncomingBatch;

/// What is remembered of a batch for its sender: the type of its first event, and how late that
/// came. One event stands for all, so that the cost does not grow with the batch.
///
/// @param type of the first event; empty for a batch without events
/// @param lateNanos from the time of the first event to its arrival; [Long#MIN_VALUE] when it has
///   no time of its own
public record BatchSample(String type, long lateNanos) {
  private static final BatchSample NONE = new BatchSample("", Long.MIN_VALUE);

  /// The sample of a batch that was decoded. Call it before the batch goes to the lanes.
  public static BatchSample of(IncomingBatch batch) {
    EventBatch events = batch.events;
    if (events.count() == 0) {
      return NONE;
    }
    RecordView first = new RecordView().show(events.memory(), 0);
    boolean own = batch.ownTimes();
    long late = own ? batch.wallNanos - TimeUuid.tickNanos(first.idTime()) : Long.MIN_VALUE;
    return new BatchSample(first.type(), late);
  }
}
