package io.widerow.ingest.lane;

import com.lmax.disruptor.AlertException;
import com.lmax.disruptor.Sequence;
import com.lmax.disruptor.SequenceBarrier;
import com.lmax.disruptor.WaitStrategy;
import java.lang.invoke.VarHandle;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/// Spins for some microseconds, because under load the next batch arrives that soon, then parks, so
/// that an idle daemon uses no processor time. A producer pays one fence and one load while the
/// consumer is awake, and an unpark while it is parked.
///
/// - Threads: one consumer waits; any number of producers signal.
public final class SpinThenParkWaitStrategy implements WaitStrategy {
  private final long spinNanos;
  private volatile @Nullable Thread parked;

  /// @param spinNanos how long to spin before parking; zero parks at once
  public SpinThenParkWaitStrategy(long spinNanos) {
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
      parked = Thread.currentThread(); // volatile store, ordered before the load of the sequence
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
    VarHandle.fullFence(); // orders the publication before the load of `parked`
    Thread sleeper = parked;
    if (sleeper != null) {
      LockSupport.unpark(sleeper);
    }
  }
}
