package io.widerow.storage;

/// A clock whose hands the test turns.
final class TestClock implements StoreClock {
  private long wallNanos;
  private long monotonicNanos;

  TestClock(long wallNanos) {
    this.wallNanos = wallNanos;
  }

  synchronized void advance(long nanos) {
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
