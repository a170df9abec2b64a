package io.widerow.storage;

import io.widerow.event.PartitionKey;

/// Metadata of a partition, known without reading its events.
///
/// @param events an upper bound on the number of events: replaced ones may still be counted;
///   [#EVENTS_UNKNOWN] when a store would have to ask other machines for it
/// @param timeFirstNanos no event is earlier; nanoseconds since the Unix epoch
/// @param timeLastNanos no event is later; nanoseconds since the Unix epoch
public record PartitionInfo(
    PartitionKey key, long events, long timeFirstNanos, long timeLastNanos) {
  /// The number of events is unknown.
  public static final long EVENTS_UNKNOWN = -1;

  public PartitionInfo {
    if (events < EVENTS_UNKNOWN) {
      throw new IllegalArgumentException("%s: %d events".formatted(key, events));
    }
  }

  /// True when the number of events is known.
  public boolean isCounted() {
    return events != EVENTS_UNKNOWN;
  }

  /// Merges the metadata of the same partition in two places.
  public PartitionInfo and(PartitionInfo other) {
    return new PartitionInfo(
        key,
        eventsOf(events, other.events),
        Math.min(timeFirstNanos, other.timeFirstNanos),
        Math.max(timeLastNanos, other.timeLastNanos));
  }

  /// The part of it that begins at a time.
  public PartitionInfo startingAt(long fromNanos) {
    return timeFirstNanos >= fromNanos
        ? this
        : new PartitionInfo(key, events, fromNanos, timeLastNanos);
  }

  /// The sum of two numbers of events; unknown when one of them is.
  public static long eventsOf(long one, long other) {
    return one == EVENTS_UNKNOWN || other == EVENTS_UNKNOWN ? EVENTS_UNKNOWN : one + other;
  }
}
