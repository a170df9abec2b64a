package io.widerow.ingest.decode;

import io.widerow.event.EventBatch;
import io.widerow.event.Rejection;
import java.util.function.LongSupplier;

/// A batch that is being decoded: its events so far, and its refusals. A decoder begins an event in
/// `events`, puts its attributes, and ends it here; or it refuses the event.
///
/// - Threads: one.
/// - Memory: holds `events` until they go to the lanes or back to the pool.
public final class IncomingBatch {
  public final EventBatch events;
  public final Refusals refused = new Refusals();

  /// Wall-clock time, to complete times without a year. Nanoseconds since the Unix epoch.
  public final long wallNanos;

  private final LongSupplier arrivalClock;
  private long arrivalNanos; // valid when `ownTimes` is false
  private int decoded;
  private boolean ownTimes = true;

  /// @param arrivalClock the time of events without one; read once, for the first of them
  public IncomingBatch(EventBatch events, long wallNanos, LongSupplier arrivalClock) {
    this.events = events;
    this.wallNanos = wallNanos;
    this.arrivalClock = arrivalClock;
  }

  /// A batch whose arrival time is the wall-clock time.
  public IncomingBatch(EventBatch events, long wallNanos) {
    this(events, wallNanos, () -> wallNanos);
  }

  /// Ends the current event of `events`.
  ///
  /// @return false when it is refused
  public boolean end() {
    Rejection why = events.end();
    if (why != null) {
      refused.add(decoded, why.reason());
    }
    decoded++;
    return why == null;
  }

  /// Refuses the next event, which could not be decoded.
  public void refuse(String reason) {
    refused.add(decoded++, reason);
  }

  /// Events seen so far, including refused ones.
  public int decoded() {
    return decoded;
  }

  /// The arrival time, for an event without its own time. From then on a repeat of the batch cannot
  /// be recognized by its body.
  ///
  /// @throws io.widerow.storage.StorageException.ClockBehind when the clock is too far back
  public long useArrivalTime() {
    if (ownTimes) {
      arrivalNanos = arrivalClock.getAsLong();
      ownTimes = false;
    }
    return arrivalNanos;
  }

  /// True while all events have their own times.
  public boolean ownTimes() {
    return ownTimes;
  }
}
