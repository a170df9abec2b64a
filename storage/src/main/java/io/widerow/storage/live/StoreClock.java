package io.widerow.storage.live;

/// The clocks of a store: wall and monotonic. An interface, so that tests can set them.
///
/// - Threads: any.
public interface StoreClock {
  /// Nanoseconds since the Unix epoch; may step back or forward.
  long wallNanos();

  /// Nanoseconds since an arbitrary origin; never steps back. May stand still while the machine
  /// sleeps.
  long monotonicNanos();

  /// Nanoseconds, from an arbitrary origin, that the machine slept while [#monotonicNanos] stood
  /// still. Costs more than the other two; exact to a second or so.
  default long asleepNanos() {
    return 0;
  }

  /// The machine's clocks.
  static StoreClock system() {
    return new SystemClock();
  }
}
