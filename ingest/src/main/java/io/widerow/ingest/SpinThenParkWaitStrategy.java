package io.widerow.ingest;

import com.lmax.disruptor.AlertException;
import com.lmax.disruptor.Sequence;
import com.lmax.disruptor.SequenceBarrier;
import com.lmax.disruptor.WaitStrategy;
import java.lang.invoke.VarHandle;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/// Spins for some microseconds, which is how soon the next batch comes under load, then parks, so
/// that an idle machine is idle. A producer pays one fence and one load while the consumer is
/// awake, and an unpark when it is not.
///
/// - Threads: one consumer; any number of producers signal.
final class SpinThenParkWaitStrategy implements WaitStrategy {
  private final long spinNanos;
  private volatile @Nullable Thread parked;

  /// @param spinNanos how long to spin before parking; zero parks at once
  SpinThenParkWaitStrategy(long spinNanos) {
    this.spinNanos = spinNanos;
  }

  @Override
  public long waitFor(
      long sequence, Sequence cursor, Sequence dependentSequence, SequenceBarrier barrier)
      throws AlertException {
    long available = dependentSequence.get();
    if (available >= sequence) {
      return available;
    }
    available = spin(sequence, dependentSequence, barrier);
    while (available < sequence) {
      parked = Thread.currentThread(); // volatile: before the look at the sequence
      available = dependentSequence.get();
      if (available < sequence) {
        barrier.checkAlert();
        LockSupport.park(this);
        available = dependentSequence.get();
      }
      parked = null;
      barrier.checkAlert();
    }
    return available;
  }

  private long spin(long sequence, Sequence dependentSequence, SequenceBarrier barrier)
      throws AlertException {
    long start = System.nanoTime();
    long available = dependentSequence.get();
    while (available < sequence && System.nanoTime() - start < spinNanos) {
      barrier.checkAlert();
      Thread.onSpinWait();
      available = dependentSequence.get();
    }
    return available;
  }

  @Override
  public void signalAllWhenBlocking() {
    VarHandle.fullFence(); // what was published is visible before we look who sleeps
    Thread sleeper = parked;
    if (sleeper != null) {
      LockSupport.unpark(sleeper);
    }
  }
}
