package io.widerow.storage;

/// Lets others run in between, while there is time for it. Where processors are few, a thread that
/// computes in the background keeps one that was just woken, a lane's or a connection's, from its
/// processor for up to a tick of the kernel, 4 ms; one that gives its turn back every tenth of a
/// millisecond does not (`bench-results/journal-cost.md`). It costs next to nothing where nobody
/// waits, and most of the processor where somebody always does, so there is an end to it.
///
/// - Threads: any.
final class Breather {
  /// Never lets others run.
  static final Breather NONE = new Breather(false, 0);

  /// What part of the time in which rows were filled may pass while they are sealed politely:
  /// sealing at full speed takes less than what is left, at any rate that a lane reaches.
  private static final int FILLING_SHARE = 4;

  private final boolean isPolite;
  private final long untilNanos; // of the monotonic clock

  private Breather(boolean isPolite, long untilNanos) {
    this.isPolite = isPolite;
    this.untilNanos = untilNanos;
  }

  /// For rows that are sealed from now on.
  ///
  /// @param fillNanos in which they were filled
  static Breather forRows(long fillNanos) {
    return new Breather(true, System.nanoTime() + fillNanos / FILLING_SHARE);
  }

  /// To be called about every tenth of a millisecond.
  @SuppressWarnings("ThreadPriorityCheck") // nothing relies on it but how long others wait
  void breathe() {
    if (isPolite && System.nanoTime() - untilNanos < 0) {
      Thread.yield();
    }
  }
}
