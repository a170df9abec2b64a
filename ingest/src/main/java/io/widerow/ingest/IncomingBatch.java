package io.widerow.ingest;

import io.widerow.event.EventBatch;
import io.widerow.event.EventLayout;
import io.widerow.event.Rejection;
import io.widerow.event.TimeUuid;
import java.lang.foreign.MemorySegment;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/// A batch that is being decoded: its events so far, and its refusals. A decoder begins an event in
/// `events`, puts its attributes, and ends it here; or it refuses the event.
///
/// - Threads: one.
/// - Memory: holds `events` until they go to the lanes or back to the pool.
final class IncomingBatch {
  /// So many events that happen again, all at the same times, are a repeat of their request.
  static final int TELLING_EVENTS_MIN = 16;

  private static final long NANOS_PER_MILLISECOND = 1_000_000;

  final EventBatch events;
  final Refusals refused = new Refusals();

  /// Wall-clock time, to complete times without a year. Nanoseconds since the Unix epoch.
  final long wallNanos;

  private final LongSupplier arrivalClock;
  private long arrivalNanos; // valid when `ownTimes` is false
  private int decoded;
  private boolean ownTimes = true;

  /// @param arrivalClock the time of events without one; read once, for the first of them
  IncomingBatch(EventBatch events, long wallNanos, LongSupplier arrivalClock) {
    this.events = events;
    this.wallNanos = wallNanos;
    this.arrivalClock = arrivalClock;
  }

  /// A batch whose arrival time is the wall-clock time.
  IncomingBatch(EventBatch events, long wallNanos) {
    this(events, wallNanos, () -> wallNanos);
  }

  /// Ends the current event of `events`.
  ///
  /// @return false when it is refused
  boolean end() {
    Rejection why = tryEnd();
    if (why != null) {
      refuse(why.reason());
    }
    return why == null;
  }

  /// Ends the current event of `events`. When it cannot be stored as it is, it counts for nothing
  /// yet: the caller tries it in another form, or refuses it.
  ///
  /// @return why it is not stored; null when it is
  @Nullable Rejection tryEnd() {
    Rejection why = events.end();
    decoded += why == null ? 1 : 0;
    return why;
  }

  /// Refuses the next event, which could not be decoded.
  void refuse(String reason) {
    refused.add(decoded++, reason);
  }

  /// Events seen so far, including refused ones.
  int decoded() {
    return decoded;
  }

  /// The arrival time, for an event without its own time. From then on a repeat of the batch cannot
  /// be told by its body.
  ///
  /// @throws io.widerow.storage.StorageException.ClockBehind when the clock is too far back
  long useArrivalTime() {
    if (ownTimes) {
      arrivalNanos = arrivalClock.getAsLong();
      ownTimes = false;
    }
    return arrivalNanos;
  }

  /// True while all events have their own times.
  boolean ownTimes() {
    return ownTimes;
  }

  /// True when a second request with the same body must be a repeat of this one: all events have
  /// their own times, and there are [#TELLING_EVENTS_MIN] of them, or each time is finer than a
  /// millisecond. With fewer events and coarser times, the same may have happened twice.
  boolean tellsRepeats() {
    return ownTimes && (events.count() >= TELLING_EVENTS_MIN || hasFineTimes());
  }

  private boolean hasFineTimes() {
    MemorySegment records = events.memory();
    for (long at = 0; at < events.bytes(); ) {
      long time = EventLayout.idTime(records, at);
      boolean assigned = EventLayout.version(records, at) == EventLayout.VERSION_ASSIGNED;
      long nanos =
          assigned
              ? TimeUuid.nanosOf(time, EventLayout.idTail(records, at))
              : TimeUuid.tickNanos(time);
      if (nanos % NANOS_PER_MILLISECOND == 0) {
        return false;
      }
      at += EventLayout.alignedLength(EventLayout.length(records, at));
    }
    return true;
  }
}
