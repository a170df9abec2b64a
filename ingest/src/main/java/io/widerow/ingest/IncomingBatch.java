package io.widerow.ingest;

import io.widerow.event.EventBatch;
import io.widerow.event.Rejection;

/// A batch on its way in: the events decoded so far, and those refused. A decoder begins an event,
/// puts its attributes, and ends it here; or it refuses it.
///
/// - Threads: one.
/// - Memory: holds `events` until it is handed to the lanes or to the pool.
final class IncomingBatch {
  final EventBatch events;
  final Refusals refused = new Refusals();

  /// The time of events that carry none.
  final long arrivalNanos;

  private int decoded;
  private boolean ownTimes = true;

  IncomingBatch(EventBatch events, long arrivalNanos) {
    this.events = events;
    this.arrivalNanos = arrivalNanos;
  }

  /// Ends the event that was begun in `events`.
  ///
  /// @return false when it is refused
  boolean end() {
    Rejection why = events.end();
    if (why != null) {
      refused.add(decoded, why.reason());
    }
    decoded++;
    return why == null;
  }

  /// Says that the next event is not one.
  void refuse(String reason) {
    refused.add(decoded++, reason);
  }

  /// Events seen, refused ones included.
  int decoded() {
    return decoded;
  }

  /// The arrival time, for an event that has none of its own: a repeat of the batch cannot be told
  /// from another one then.
  long useArrivalTime() {
    ownTimes = false;
    return arrivalNanos;
  }

  /// True when all events carry their own times.
  boolean ownTimes() {
    return ownTimes;
  }
}
