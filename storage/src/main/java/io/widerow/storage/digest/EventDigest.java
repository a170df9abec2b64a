package io.widerow.storage.digest;

import io.widerow.event.EventView;

/// The digest by which sets of events are compared: their number and the sum of their hashes,
/// modulo 2^128. The sum does not depend on the order of the events, so neither shards nor segments
/// matter.
///
/// @param events number of events
/// @param high upper half of the sum
/// @param low lower half of the sum
public record EventDigest(long events, long high, long low) {
  /// Of no events.
  public static final EventDigest NONE = new EventDigest(0, 0, 0);

  /// Of these events and of others.
  public EventDigest and(EventDigest other) {
    long sum = low + other.low;
    long carry = Long.compareUnsigned(sum, low) < 0 ? 1 : 0;
    return new EventDigest(events + other.events, high + other.high + carry, sum);
  }

  /// The sum: 32 hexadecimal digits.
  public String text() {
    return "%016x%016x".formatted(high, low);
  }

  /// Adds up hashes, without an allocation for each event.
  ///
  /// - Threads: one.
  public static final class Sum {
    private long events;
    private long high;
    private long low;

    /// Adds the event that a cursor shows.
    public void add(EventHash hash, EventView event) {
      hash.of(event);
      add(hash);
    }

    /// Adds the event that was hashed last.
    public void add(EventHash hash) {
      add(hash.high(), hash.low());
    }

    private void add(long hashHigh, long hashLow) {
      low += hashLow;
      high += hashHigh + (Long.compareUnsigned(low, hashLow) < 0 ? 1 : 0);
      events++;
    }

    public EventDigest digest() {
      return new EventDigest(events, high, low);
    }
  }
}
