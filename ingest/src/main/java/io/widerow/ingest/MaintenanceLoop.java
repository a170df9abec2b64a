package io.widerow.ingest;

import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.logging.Level;
import java.util.logging.Logger;

/// A thread that repeats tasks of the daemon.
final class MaintenanceLoop {
  private static final Logger LOG = Logger.getLogger("widerow");

  private final ScheduledExecutorService thread;

  /// @param name of the thread
  MaintenanceLoop(String name) {
    thread =
        Executors.newSingleThreadScheduledExecutor(
            Thread.ofPlatform().name(name).daemon().factory());
  }

  /// Repeats a task with a pause before each run. A failure is logged, and ends only its run.
  ///
  /// @param name of the task in the log
  void repeat(String name, Duration pause, Runnable task) {
    Runnable run =
        () -> {
          try {
            task.run();
          } catch (RuntimeException failure) { // otherwise it is never called again
            LOG.log(Level.WARNING, name + ": " + failure.getMessage(), failure);
          }
        };
    long millis = pause.toMillis();
    var _ = thread.scheduleWithFixedDelay(run, millis, millis, TimeUnit.MILLISECONDS);
  }

  /// Begins no more runs.
  void stop() {
    thread.shutdown();
  }
}
