package io.widerow.ingest.lane;

import com.lmax.disruptor.AlertException;
import com.lmax.disruptor.Sequence;
import com.lmax.disruptor.SequenceBarrier;
import com.lmax.disruptor.WaitStrategy;

/// Stops a lane's thread until the test opens the gate. The batches in its ring become one group
/// then, so a seed repeats a run.
///
/// - Threads: the lane's and the test's.
final class GatedWaitStrategy implements WaitStrategy {
  private boolean isOpen;
  private boolean isFree;
  private boolean isParked;

  @Override
  public synchronized long waitFor(
      long sequence, Sequence cursor, Sequence dependent, SequenceBarrier barrier)
      throws AlertException, InterruptedException {
    isParked = true;
    notifyAll();
    while (!(isOpen || isFree) || dependent.get() < sequence) {
      barrier.checkAlert();
      wait();
    }
    isParked = false;
    isOpen = false;
    return dependent.get();
  }

  @Override
  public synchronized void signalAllWhenBlocking() {
    notifyAll();
  }

  /// Lets the lane take what is in its ring, and waits until it has.
  synchronized void run() {
    await(() -> isParked);
    isOpen = true;
    notifyAll();
    await(() -> isParked && !isOpen);
  }

  /// Lets the lane run whenever it likes, from now on.
  synchronized void free() {
    isFree = true;
    notifyAll();
  }

  private synchronized void await(java.util.function.BooleanSupplier what) {
    try {
      while (!what.getAsBoolean()) {
        wait();
      }
    } catch (InterruptedException interrupted) {
      throw new IllegalStateException(interrupted);
    }
  }
}
