package io.widerow.ingest.decode;

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
public final class IncomingBatch {
  /// So many real events do not happen twice with the same times and texts.
  static final int KNOWN_EVENTS_MIN = 16;

  private static final long NANOS_PER_MILLISECOND = 1_000_000;

  public final EventBatch events;
  public final Refusals refused = new Refusals();

  /// Wall-clock time, to complete times without a year. Nanoseconds since the Unix epoch.
  public final long wallNanos;

  private final long latestNanos;
  private final LongSupplier arrivalClock;
  private long arrivalNanos; // valid when `allOwn` is false
  private int decoded;
  private int fitted;
  private boolean allOwn = true; // all events have their own times
  private boolean allGiven = true; // a sender gave a time to all of them
  private int replacedCount; // events whose own time was replaced
  private int unreadCount; // of these, events whose own time is not known
  private boolean equalAreRetries;
  private boolean ruled;
  private int dropped;
  private int overflowed;
  private int @Nullable [] indexes;

  // The event whose own time was replaced last.
  private long replacedNanos;
  private long replacedOffset = -1; // of its record; negative when there is none

  /// @param latestNanos the last time that the store accepts
  /// @param arrivalClock the time of events without one; read once, for the first of them
  public IncomingBatch(
      EventBatch events, long wallNanos, long latestNanos, LongSupplier arrivalClock) {
    this.events = events;
    this.wallNanos = wallNanos;
    this.latestNanos = latestNanos;
    this.arrivalClock = arrivalClock;
  }

  /// A batch whose arrival time is the wall-clock time, for a store that accepts all times.
  public IncomingBatch(EventBatch events, long wallNanos) {
    this(events, wallNanos, Long.MAX_VALUE, () -> wallNanos);
  }

  /// Ends the current event of `events`.
  ///
  /// @return false when it is refused
  public boolean end() {
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
  public @Nullable Rejection tryEnd() {
    Rejection why = events.end();
    decoded += why == null ? 1 : 0;
    return why;
  }

  /// Ends the current event of `events`, which was written from a tape. One that the store cannot
  /// hold as it was sent is stored in the form of [FittedEvent].
  ///
  /// @param type with which the event was begun
  /// @return why it is not stored in any form; null when it is stored
  public @Nullable Rejection tryEnd(AttributeTape tape, byte[] type, int offset, int length) {
    Rejection why = events.end();
    if (why != null && FittedEvent.canFit(why)) {
      why = FittedEvent.write(events, tape, type, offset, length);
      fitted += why == null ? 1 : 0;
    }
    decoded += why == null ? 1 : 0;
    return why;
  }

  /// As [#tryEnd], and refuses an event that cannot be stored.
  ///
  /// @return true when the event is stored as it was sent, so that others may be written like it
  public boolean end(AttributeTape tape, byte[] type, int offset, int length) {
    int before = fitted;
    Rejection why = tryEnd(tape, type, offset, length);
    if (why != null) {
      refuse(why.reason());
    }
    return why == null && fitted == before;
  }

  /// An empty batch with the clock and the limits of this one: for one record of several, whose
  /// events [#add] takes over, or none of them.
  ///
  /// @param arrival the time of events without one, nanoseconds since the Unix epoch
  public IncomingBatch part(EventBatch empty, long arrival) {
    return new IncomingBatch(empty, wallNanos, latestNanos, () -> arrival);
  }

  /// Adds an event of another batch.
  ///
  /// @return why it is not stored; null when it is
  public @Nullable Rejection add(MemorySegment records, long offset) {
    Rejection why = events.tryCopy(records, offset);
    decoded += why == null ? 1 : 0;
    return why;
  }

  /// The number of events stored in the form of [FittedEvent].
  public int fitted() {
    return fitted;
  }

  /// Refuses the next event, which could not be decoded.
  public void refuse(String reason) {
    refused.add(decoded++, reason);
  }

  /// True once, for the caller that applies the rules of the daemon to this batch.
  public boolean takeRules() {
    boolean first = !ruled;
    ruled = true;
    return first;
  }

  /// Notes what the rules have left out.
  ///
  /// @param count events that they dropped; they count as taken, and are not stored
  /// @param newIndexes index in the batch, as it came, of each event that is left
  public void dropped(int count, int[] newIndexes) {
    dropped = count;
    indexes = newIndexes;
  }

  /// Events that the rules dropped.
  public int dropped() {
    return dropped;
  }

  /// Notes that the types of so many events are beyond the limits of types.
  public void overflowed(int count) {
    overflowed = count;
  }

  /// Events whose types are beyond the limits of types.
  public int overflowed() {
    return overflowed;
  }

  /// Index in the batch, as it came, of each event of [#events]; null when only the refused ones
  /// are missing there.
  public int @Nullable [] indexes() {
    return indexes;
  }

  /// Events seen so far, including refused ones.
  public int decoded() {
    return decoded;
  }

  /// The arrival time, for an event without its own time. From then on a repeat of the batch cannot
  /// be recognized by its body.
  ///
  /// @throws io.widerow.storage.StorageException.ClockWrong when the clock is too far back
  public long useArrivalTime() {
    allGiven = false;
    if (allOwn) {
      arrivalNanos = arrivalClock.getAsLong();
      allOwn = false;
    }
    return arrivalNanos;
  }

  /// The arrival time of events without one, when it was not used before: that of the store.
  public long arrivalNow() {
    return arrivalClock.getAsLong();
  }

  /// Whether the store takes this time of a sender, in nanoseconds since the Unix epoch.
  public boolean takes(long nanos) {
    return nanos >= TimeUuid.NANOS_MIN && nanos < TimeUuid.NANOS_LIMIT && nanos <= latestNanos;
  }

  /// The arrival time, for an event whose own time the store does not take, or is none. A repeat of
  /// the batch is still recognized by the events whose own times are known.
  ///
  /// @param ownNanos the sender's time; [TimeParser#NONE] when it is no time
  /// @throws io.widerow.storage.StorageException.ClockWrong when the clock is too far back
  public long replaceTime(long ownNanos) {
    if (allOwn) {
      arrivalNanos = arrivalClock.getAsLong();
      allOwn = false;
    }
    replacedCount++;
    boolean ahead = ownNanos >= TimeUuid.NANOS_MIN && ownNanos < TimeUuid.NANOS_LIMIT;
    unreadCount += ahead ? 0 : 1;
    if (ownNanos != TimeParser.NONE) {
      replacedNanos = ownNanos;
      replacedOffset = events.bytes();
    }
    return arrivalNanos;
  }

  /// The last time of a sender in the events from `offset` on that was replaced; [TimeParser#NONE]
  /// when there is none.
  public long replacedNanos(long offset) {
    return replacedOffset >= offset ? replacedNanos : TimeParser.NONE;
  }

  /// True while all events have their own times.
  public boolean ownTimes() {
    return allOwn;
  }

  /// Declares that equal events at equal times are one event in the protocol: a point of a series,
  /// a line of a stream of Loki. Then an equal body can only be a retry, however few events it has.
  public void equalBodiesAreRetries() {
    equalAreRetries = true;
  }

  /// Whether an equal body can only be a repeat. All events must have times of their sender, and
  /// either [#KNOWN_EVENTS_MIN] or more have one that is known, or all have times that are finer
  /// than a millisecond, or be [#equalBodiesAreRetries] whose times are known. Few events with
  /// coarse times can be equal and real: two failures in one second. Reads events of small batches
  /// only.
  public boolean knownByContent() {
    int count = events.count();
    boolean many = count - unreadCount >= KNOWN_EVENTS_MIN;
    boolean points = equalAreRetries && unreadCount == 0;
    return allGiven && count > 0 && (points || many || (replacedCount == 0 && fineTimes()));
  }

  private boolean fineTimes() {
    MemorySegment records = events.memory();
    for (long at = 0; at < events.bytes(); ) {
      long time = EventLayout.idTime(records, at);
      boolean own = EventLayout.version(records, at) == EventLayout.VERSION_OWN;
      long nanos =
          own // the tail of a client's id may be random
              ? TimeUuid.tickNanos(time)
              : TimeUuid.nanosOf(time, EventLayout.idTail(records, at));
      if (nanos % NANOS_PER_MILLISECOND == 0) {
        return false;
      }
      at += EventLayout.alignedLength(EventLayout.length(records, at));
    }
    return true;
  }
}
