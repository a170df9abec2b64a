package io.widerow.loadgen.run;

import org.HdrHistogram.Histogram;

/// Observes a run in progress.
///
/// - Threads: the run's watching thread.
public interface RunWatcher {
  RunWatcher NONE = new RunWatcher() {};

  default void measuringBegins() {}

  default void measuringEnds() {}

  default void second(RunResult.Second second) {}

  /// @param response latencies since the last call
  default void interval(Histogram response) {}
}
