package io.widerow.storage.maintenance;

import java.util.concurrent.Executor;

/// A task of which one runs at a time.
///
/// - Threads: any.
final class OneTask {
  private final Runnable task;
  private boolean running; // guarded by this

  OneTask(Runnable task) {
    this.task = task;
  }

  /// Hands the task to an executor, unless it is running already or waits there.
  ///
  /// @throws java.util.concurrent.RejectedExecutionException when the executor takes no more
  void start(Executor executor) {
    synchronized (this) {
      if (running) {
        return;
      }
      running = true;
    }
    boolean handedOver = false;
    try {
      executor.execute(this::run);
      handedOver = true;
    } finally {
      if (!handedOver) {
        stop();
      }
    }
  }

  private void run() {
    try {
      task.run();
    } finally {
      stop();
    }
  }

  private synchronized void stop() {
    running = false;
    notifyAll();
  }

  /// Waits until the task has ended.
  synchronized void drain() throws InterruptedException {
    while (running) {
      wait();
    }
  }
}
