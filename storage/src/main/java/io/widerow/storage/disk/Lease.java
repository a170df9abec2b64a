package io.widerow.storage.disk;

import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;

/// A reference count of the readers of a resource; the last release frees it. The owner holds the
/// first count and releases it with [#close]; afterwards no reader can acquire it.
///
/// - Threads: any; the thread that releases the last count frees the resource.
public final class Lease implements AutoCloseable {
  private final AtomicInteger holders = new AtomicInteger(1);
  private final Runnable free;

  public Lease(Runnable free) {
    this.free = free;
  }

  /// False when the resource is already freed; the caller then looks up its replacement.
  public boolean tryAcquire() {
    int count = holders.get();
    while (count > 0) {
      if (holders.compareAndSet(count, count + 1)) {
        return true;
      }
      count = holders.get();
    }
    return false;
  }

  public void release() {
    release(Runnable::run);
  }

  /// Releases a count, for a thread with a deadline.
  ///
  /// @param others frees the resource on another thread, if this was the last count
  public void release(Executor others) {
    int left = holders.decrementAndGet();
    assert left >= 0 : "released more often than acquired";
    if (left == 0) {
      others.execute(free);
    }
  }

  /// Releases the owner's count. Called once.
  @Override
  public void close() {
    release();
  }
}
