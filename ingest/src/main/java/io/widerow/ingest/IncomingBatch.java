package io.widerow.ingest;

import io.widerow.event.EventBatch;
import io.widerow.event.Rejection;
import java.util.function.LongSupplier;

/// A batch on its way in: the events decoded so far, and those refused. A decoder begins an event,
/// puts its attributes, and ends it here; or it refuses it.
///
/// - Threads: one.
/// - Memory: holds `events` until it is handed to the lanes or to the pool.
final class IncomingBatch {
  final EventBatch events;
  final Refusals refused = new Refusals();

  /// What the machine's clock says, to complete times that lack their year.
  final long wallNanos;

  private final LongSupplier arrivalClock;
  private long arrivalNanos; // known when some event has no time of its own
  private int decoded;
  private boolean ownTimes = true;

  /// @param arrivalClock the time of events that carry none; asked once, for the first of them
  IncomingBatch(EventBatch events, long wallNanos, LongSupplier arrivalClock) {
    this.events = events;
    this.wallNanos = wallNanos;
    this.arrivalClock = arrivalClock;
  }

  /// One whose events arrive when the machine's clock says.
  IncomingBatch(EventBatch events, long wallNanos) {
    this(events, wallNanos, () -> wallNanos);
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
  ///
  /// @throws io.widerow.storage.StorageException.ClockBehind when there is none to be given now
  long useArrivalTime() {
    if (ownTimes) {
      arrivalNanos = arrivalClock.getAsLong();
      ownTimes = false;
    }
    return arrivalNanos;
  }

  /// True when all events carry their own times.
  boolean ownTimes() {
    return ownTimes;
  }
}
