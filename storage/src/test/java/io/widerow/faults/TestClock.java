package io.widerow.faults;

import io.widerow.storage.live.StoreClock;

/// A clock that the test sets.
public final class TestClock implements StoreClock {
  private long wallNanos;
  private long monotonicNanos;

  public TestClock(long wallNanos) {
    this.wallNanos = wallNanos;
  }

  public synchronized void advance(long nanos) {
    wallNanos += nanos;
    monotonicNanos += nanos;
  }

  @Override
  public synchronized long wallNanos() {
    return wallNanos;
  }

  @Override
  public synchronized long monotonicNanos() {
    return monotonicNanos;
  }
}
