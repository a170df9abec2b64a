package io.widerow.ingest.intake;

import io.widerow.event.AttributeKind;
import io.widerow.event.AttributeName;
import io.widerow.event.AttributeValue;
import io.widerow.event.EventBatch;
import io.widerow.event.EventLayout;
import io.widerow.event.RecordView;
import io.widerow.event.TimeUuid;
import io.widerow.ingest.decode.IncomingBatch;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/// A sample of a batch for the statistics of its sender: the type and host of its first event, and
/// the lag of the events.
///
/// @param type of the first event; empty for a batch without events
/// @param lateNanos from the time of the first event to its arrival; [Long#MIN_VALUE] when it has
///   no time of its own
/// @param host that the first event names; empty when it names none
/// @param address from which it came, where the sender has another name; else empty
/// @param leastNanos from the time of the newest event to its arrival; [Long#MIN_VALUE] when events
///   have no times of their own
/// @param events number of events
/// @param old number of events older than a closed bucket
/// @param overflowed whether the type of any event exceeds the limits of types
public record BatchSample(
    String type,
    long lateNanos,
    String host,
    String address,
    long leastNanos,
    int events,
    int old,
    boolean overflowed) {
  private static final AttributeName HOST = AttributeName.of("host");
  private static final BatchSample NONE =
      new BatchSample("", Long.MIN_VALUE, "", "", Long.MIN_VALUE, 0, 0, false);

  /// The sample of a batch that was decoded. Call it before the batch goes to the lanes. Reads the
  /// time of every event.
  ///
  /// @param closedNanos events before it are older than a bucket that is closed, nanoseconds since
  ///   the Unix epoch
  public static BatchSample of(IncomingBatch batch, long closedNanos) {
    return at(batch, 0, closedNanos);
  }

  /// The sample of the events that begin at this place of a batch.
  ///
  /// @param offset of the record of the first of them; where the batch ends for none
  public static BatchSample at(IncomingBatch batch, long offset, long closedNanos) {
    EventBatch events = batch.events;
    if (offset >= events.bytes()) {
      return NONE;
    }
    RecordView first = new RecordView().show(events.memory(), offset);
    String host = host(batch, offset);
    boolean own = batch.ownTimes();
    boolean over = batch.overflowed() > 0;
    long late = own ? batch.wallNanos - TimeUuid.tickNanos(first.idTime()) : Long.MIN_VALUE;
    long replaced = batch.replacedNanos(offset);
    if (replaced > batch.wallNanos) { // how far ahead the sender is, must not be hidden
      long ahead = batch.wallNanos - replaced;
      return new BatchSample(first.type(), ahead, host == null ? "" : host, "", ahead, 1, 0, over);
    }
    BatchSample one =
        new BatchSample(
            first.type(), late, host == null ? "" : host, "", Long.MIN_VALUE, 0, 0, over);
    return own ? one.withAges(batch, offset, closedNanos) : one;
  }

  private BatchSample withAges(IncomingBatch batch, long offset, long closedNanos) {
    MemorySegment records = batch.events.memory();
    long limit = batch.events.bytes();
    long closed = TimeUuid.timeOfNanos(Math.max(closedNanos, TimeUuid.NANOS_MIN));
    long newest = Long.MIN_VALUE;
    int all = 0;
    int before = 0;
    for (long at = offset; at < limit; ) {
      long time = EventLayout.idTime(records, at);
      newest = Math.max(newest, time);
      before += time < closed ? 1 : 0;
      all++;
      at += EventLayout.alignedLength(EventLayout.length(records, at));
    }
    long least = batch.wallNanos - TimeUuid.tickNanos(newest);
    return new BatchSample(type, lateNanos, host, address, least, all, before, overflowed);
  }

  /// The same, with the address from which it came.
  public BatchSample from(String newAddress) {
    return new BatchSample(type, lateNanos, host, newAddress, leastNanos, events, old, overflowed);
  }

  /// The same for a sender of which the type of an event is beyond the limits of types.
  public BatchSample beyondTypes() {
    return new BatchSample(type, lateNanos, host, address, leastNanos, events, old, true);
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
