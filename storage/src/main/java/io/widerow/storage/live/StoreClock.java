package io.widerow.storage.live;

/// The two clocks of a store: wall and monotonic. An interface, so that tests can set them.
///
/// - Threads: any.
public interface StoreClock {
  /// Nanoseconds since the Unix epoch; may step back or forward.
  long wallNanos();

  /// Nanoseconds since an arbitrary origin; never steps back.
  long monotonicNanos();

  /// The machine's clocks.
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
