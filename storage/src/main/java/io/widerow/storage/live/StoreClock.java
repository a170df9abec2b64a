package io.widerow.storage.live;

/// The two clocks of a store. A seam, so that tests turn the hands.
///
/// - Threads: any.
public interface StoreClock {
  /// Nanoseconds since the Unix epoch; may step.
  long wallNanos();

  /// Nanoseconds since some moment; never steps back.
  long monotonicNanos();

  /// The machine's own.
  static StoreClock system() {
    return new StoreClock() {
      @Override
      public long wallNanos() {
        var now = java.time.Instant.now();
        return now.getEpochSecond() * 1_000_000_000L + now.getNano();
      }

      @Override
      public long monotonicNanos() {
        return System.nanoTime();
      }
    };
  }
}
