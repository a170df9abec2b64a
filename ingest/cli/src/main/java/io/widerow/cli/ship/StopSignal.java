package io.widerow.cli.ship;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/// Asks the command to end, at the next place where nothing is lost by it.
///
/// - Threads: any.
final class StopSignal {
  private final CountDownLatch asked = new CountDownLatch(1);

  void stop() {
    asked.countDown();
  }

  boolean isAsked() {
    return asked.getCount() == 0;
  }

  /// Waits; true when a stop was requested before the wait ended.
  boolean await(long nanos) {
    try {
      return asked.await(nanos, TimeUnit.NANOSECONDS);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      return true;
    }
  }
}
