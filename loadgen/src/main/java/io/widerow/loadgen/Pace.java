package io.widerow.loadgen;

/// How fast and how long.
///
/// @param rate events per second; 0 sends whenever a connection is free
/// @param warmupNanos sent before anything is measured
/// @param durationNanos how long is measured
/// @param eventLimit events after which a run ends early
/// @param timeoutNanos longest wait for an answer, and for a backlog at the end
record Pace(
    double rate,
    long warmupNanos,
    long durationNanos,
    long eventLimit,
    int connections,
    long timeoutNanos) {
  static final int CONNECTIONS_MAX = 1_024;

  Pace {
    require(rate >= 0, "--rate", rate);
    require(warmupNanos >= 0, "--warmup", warmupNanos);
    require(durationNanos > 0, "--duration", durationNanos);
    require(eventLimit > 0, "--events", eventLimit);
    require(connections >= 1 && connections <= CONNECTIONS_MAX, "--connections", connections);
    require(timeoutNanos > 0, "--timeout", timeoutNanos);
  }

  private static void require(boolean holds, String option, Object value) {
    if (!holds) {
      throw new IllegalArgumentException(option + " cannot be " + value);
    }
  }

  Pace withRate(double eventsPerSecond) {
    return new Pace(
        eventsPerSecond, warmupNanos, durationNanos, eventLimit, connections, timeoutNanos);
  }

  Schedule schedule(long startNanos, int batchEvents) {
    long batchLimit = Math.ceilDiv(eventLimit, (long) batchEvents);
    return rate > 0
        ? Schedule.open(startNanos, warmupNanos, durationNanos, rate, batchEvents, batchLimit)
        : Schedule.closed(startNanos, warmupNanos, durationNanos, batchLimit);
  }
}
