package io.widerow.storage.cassandra.apply;

import io.widerow.storage.live.StoreClock;
import java.util.concurrent.TimeUnit;

/// The time of the nodes: one of their clocks as it was read last, and the time that has passed
/// here since. So it is never ahead of that clock, and a wall clock of this machine that jumps
/// changes nothing.
///
/// - Threads: one.
final class ClusterClock {
  private final StoreClock clock;
  private boolean isRead;
  private long readNanos;
  private long readAtNanos; // elapsed time of this machine

  ClusterClock(StoreClock clock) {
    this.clock = clock;
  }

  boolean isRead() {
    return isRead;
  }

  /// The response of a node has come.
  void read(long millis) {
    readNanos = TimeUnit.MILLISECONDS.toNanos(millis);
    readAtNanos = elapsedNanos();
    isRead = true;
  }

  /// In nanoseconds since the Unix epoch.
  ///
  /// @throws IllegalStateException when no node has been asked
  long nanos() {
    if (!isRead) {
      throw new IllegalStateException("no node was asked for its time");
    }
    return readNanos + elapsedNanos() - readAtNanos;
  }

  private long elapsedNanos() {
    return clock.monotonicNanos() + clock.asleepNanos();
  }
}
