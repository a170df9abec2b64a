package io.widerow.storage;

import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;

/// Counts who still reads a resource, and frees it when the last one is done. The owner holds the
/// first count and gives it back with [#close]; after that no reader can come in.
///
/// - Threads: any; whoever gives the last count back frees.
final class Lease implements AutoCloseable {
  private final AtomicInteger holders = new AtomicInteger(1);
  private final Runnable free;

  Lease(Runnable free) {
    this.free = free;
  }

  /// False when the resource is already gone; the caller then looks up its replacement.
  boolean tryAcquire() {
    int count = holders.get();
    while (count > 0) {
      if (holders.compareAndSet(count, count + 1)) {
        return true;
      }
      count = holders.get();
    }
    return false;
  }

  void release() {
    release(Runnable::run);
  }

  /// The same for a thread that must not be kept.
  ///
  /// @param others run what frees the resource, if this was the last count
  void release(Executor others) {
    int left = holders.decrementAndGet();
    assert left >= 0 : "released more often than acquired";
    if (left == 0) {
      others.execute(free);
    }
  }

  /// Gives the owner's count back. Once.
  @Override
  public void close() {
    release();
  }
}
