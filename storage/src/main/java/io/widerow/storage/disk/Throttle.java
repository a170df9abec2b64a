package io.widerow.storage.disk;

/// A throttle for background work: yields the processor now and then, for a limited time. Where
/// there are few processors, a computing thread can keep one that was just woken (a lane's, a
/// connection's) waiting for up to a kernel tick, 4 ms. Yielding every tenth of a millisecond
/// avoids this (`bench-results/jmh/journal-cost.md`). It costs next to nothing when no thread
/// waits, and most of the processor when one always does; therefore the time is limited.
///
/// - Threads: any.
public final class Throttle {
  /// Never yields.
  public static final Throttle NONE = new Throttle(false, 0);

  /// The flush of rows may yield for a quarter of the time in which they were filled. The rest is
  /// enough to flush them at full speed, at any rate that a lane reaches.
  private static final int FILLING_SHARE = 4;

  private final boolean isPolite;
  private final long untilNanos; // of the monotonic clock

  private Throttle(boolean isPolite, long untilNanos) {
    this.isPolite = isPolite;
    this.untilNanos = untilNanos;
  }

  /// A throttle for a flush that starts now.
  ///
  /// @param fillNanos time in which the rows were filled
  public static Throttle forRows(long fillNanos) {
    return new Throttle(true, System.nanoTime() + fillNanos / FILLING_SHARE);
  }

  /// Yields if the time is not over. Called about every tenth of a millisecond.
  @SuppressWarnings("ThreadPriorityCheck")
  // affects only how long other threads wait
  public void breathe() {
    if (isPolite && System.nanoTime() - untilNanos < 0) {
      Thread.yield();
    }
  }
}
