package io.widerow.ingest.intake;

import io.widerow.event.AttributeKind;
import io.widerow.event.AttributeName;
import io.widerow.event.AttributeValue;
import io.widerow.event.EventBatch;
import io.widerow.event.RecordView;
import io.widerow.event.TimeUuid;
import io.widerow.ingest.decode.IncomingBatch;
import org.jspecify.annotations.Nullable;

/// What is remembered of a batch for its sender: the type of its first event, and how late that
/// came. One event stands for all, so that the cost does not grow with the batch.
///
/// @param type of the first event; empty for a batch without events
/// @param lateNanos from the time of the first event to its arrival; [Long#MIN_VALUE] when it has
///   no time of its own
public record BatchSample(String type, long lateNanos) {
  private static final AttributeName HOST = AttributeName.of("host");
  private static final BatchSample NONE = new BatchSample("", Long.MIN_VALUE);

  /// The sample of a batch that was decoded. Call it before the batch goes to the lanes.
  public static BatchSample of(IncomingBatch batch) {
    return at(batch, 0);
  }

  /// The sample of the events that begin at this place of a batch.
  ///
  /// @param offset of the record of the first of them; where the batch ends for none
  public static BatchSample at(IncomingBatch batch, long offset) {
    EventBatch events = batch.events;
    if (offset >= events.bytes()) {
      return NONE;
    }
    RecordView first = new RecordView().show(events.memory(), offset);
    boolean own = batch.ownTimes();
    long late = own ? batch.wallNanos - TimeUuid.tickNanos(first.idTime()) : Long.MIN_VALUE;
    return new BatchSample(first.type(), late);
  }

  /// The host that the first event names in its attribute `host`; null when it names none.
  ///
  /// @param offset of the record of the event; where the batch ends for none
  public static @Nullable String host(IncomingBatch batch, long offset) {
    EventBatch events = batch.events;
    AttributeValue value = new AttributeValue();
    boolean named =
        offset < events.bytes()
            && new RecordView().show(events.memory(), offset).find(HOST, value)
            && value.kind() == AttributeKind.STRING;
    return named ? value.toString() : null;
  }
}
