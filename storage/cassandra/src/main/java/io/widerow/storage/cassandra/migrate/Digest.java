package io.widerow.storage.cassandra.migrate;

/// What a set of events is compared by: their number and the sum of their hashes, modulo 2^128. The
/// sum does not depend on the order of the events, so neither shards nor segments matter.
///
/// @param events number of events
/// @param high upper half of the sum
/// @param low lower half of the sum
public record Digest(long events, long high, long low) {
  /// Of no events.
  public static final Digest NONE = new Digest(0, 0, 0);

  /// Adds up hashes, without an allocation for each event.
  ///
  /// - Threads: one.
  static final class Sum {
    private long events;
    private long high;
    private long low;

    void add(long hashHigh, long hashLow) {
      low += hashLow;
      high += hashHigh + (Long.compareUnsigned(low, hashLow) < 0 ? 1 : 0);
      events++;
    }

    Digest digest() {
      return new Digest(events, high, low);
    }
  }
}
