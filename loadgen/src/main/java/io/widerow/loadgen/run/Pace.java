package io.widerow.loadgen.run;

/// Rate and duration of a run.
///
/// @param rates events per second; [Rate#CLOSED] sends whenever a connection is free
/// @param warmupNanos sent before anything is measured
/// @param durationNanos how long is measured
/// @param eventLimit number of events after which a run ends early
/// @param timeoutNanos longest wait for a response, and for a backlog at the end
public record Pace(
    Rate rates,
    long warmupNanos,
    long durationNanos,
    long eventLimit,
    int connections,
    long timeoutNanos) {
  static final int CONNECTIONS_MAX = 1_024;

  public Pace {
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

  /// At one rate; 0 sends whenever a connection is free.
  public Pace(
      double rate,
      long warmupNanos,
      long durationNanos,
      long eventLimit,
      int connections,
      long timeoutNanos) {
    this(Rate.even(rate), warmupNanos, durationNanos, eventLimit, connections, timeoutNanos);
  }

  /// The mean rate; 0 for as fast as answers come.
  public double rate() {
    return rates.meanPerSecond();
  }

  public Pace withRate(double eventsPerSecond) {
    return new Pace(
        eventsPerSecond, warmupNanos, durationNanos, eventLimit, connections, timeoutNanos);
  }

  public Pace withStage(Stage stage) {
    long nanos = stage.durationNanos() == 0 ? durationNanos : stage.durationNanos();
    return new Pace(stage.rate(), warmupNanos, nanos, eventLimit, connections, timeoutNanos);
  }

  Schedule schedule(long startNanos, int batchEvents) {
    long batchLimit = Math.ceilDiv(eventLimit, (long) batchEvents);
    return rates.isClosed()
        ? Schedule.closed(startNanos, warmupNanos, durationNanos, batchLimit)
        : Schedule.open(startNanos, warmupNanos, durationNanos, rates, batchEvents, batchLimit);
  }
}
