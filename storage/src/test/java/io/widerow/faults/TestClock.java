package io.widerow.faults;

import io.widerow.storage.live.StoreClock;

/// A clock that the test sets.
public final class TestClock implements StoreClock {
  private long wallNanos;
  private long monotonicNanos;
  private long asleepNanos;

  public TestClock(long wallNanos) {
    this.wallNanos = wallNanos;
  }

  public synchronized void advance(long nanos) {
    wallNanos += nanos;
    monotonicNanos += nanos;
  }

  /// Steps the wall clock alone, as a person or a time server does.
  public synchronized void step(long nanos) {
    wallNanos += nanos;
  }

  /// Lets the machine sleep: only the wall clock and the time asleep go on.
  public synchronized void suspend(long nanos) {
    wallNanos += nanos;
    asleepNanos += nanos;
  }

  @Override
  public synchronized long asleepNanos() {
    return asleepNanos;
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
