package io.widerow.loadgen.run;

import io.widerow.loadgen.format.Quantity;
import io.widerow.loadgen.wire.Failure;
import java.util.List;
import java.util.Map;
import org.HdrHistogram.Histogram;

/// Measurements of one run.
///
/// @param rateAsked events per second, 0 for as fast as possible
/// @param elapsedNanos from the start of measuring to the last response
/// @param sentCpuNanos CPU of the sending threads while measuring
/// @param seconds one entry for each second of the run, warm-up included
public record RunResult(
    double rateAsked,
    long events,
    long bytes,
    long elapsedNanos,
    long queuedBatches,
    Map<Failure, Long> failures,
    String failureExample,
    Histogram response,
    Histogram service,
    Histogram slip,
    long sentCpuNanos,
    List<Second> seconds) {
  private static final double RATE_KEPT = 0.99;
  private static final double TAIL_NANOS_MAX = 200.0 * Quantity.MILLI;
  private static final double TAIL_SHARE_MAX = 0.05;
  private static final double BUSY_SHARE = 0.7;

  /// One second of the run.
  public record Second(
      double atSeconds,
      double eventsPerSecond,
      long p50Nanos,
      long p99Nanos,
      long failures,
      boolean measured) {}

  /// @throws WrongAnswer when nothing was acknowledged while measuring, so no figure means anything
  public void requireEvents(Object target) throws WrongAnswer {
    if (events == 0) {
      throw new WrongAnswer(
          "%s acknowledged no event in the %s that were measured; failures: %s %s"
              .formatted(target, Quantity.time(elapsedNanos), failures, failureExample));
    }
  }

  /// @throws WrongAnswer when a batch failed
  public void requireNoFailure() throws WrongAnswer {
    if (failedBatches() > 0) {
      throw new WrongAnswer("batches failed: %s %s".formatted(failures, failureExample.strip()));
    }
  }

  public double eventsPerSecond() {
    return elapsedNanos <= 0 ? 0 : events * (double) Quantity.SECOND / elapsedNanos;
  }

  /// True when the requested rate was reached. Answers outstanding at the end of the schedule are
  /// allowed for.
  public boolean isRateKept() {
    double tailNanos = Math.min(TAIL_NANOS_MAX, elapsedNanos * TAIL_SHARE_MAX);
    double rate = events * (double) Quantity.SECOND / Math.max(1, elapsedNanos - tailNanos);
    return rateAsked == 0 || rate >= rateAsked * RATE_KEPT;
  }

  public double clientCpuMicrosPerEvent() {
    return events == 0 ? 0 : sentCpuNanos / (double) Quantity.MICRO / events;
  }

  /// Share of one core that the sending threads used.
  public double clientCores() {
    return elapsedNanos <= 0 ? 0 : sentCpuNanos / (double) elapsedNanos;
  }

  /// True when the load generator, not the target, limited the rate or raised the latency: it used
  /// most of its cores, or woke too late for its own schedule.
  public boolean isClientBound(int connections, int cores) {
    boolean starved = clientCores() > BUSY_SHARE * Math.min(connections, Math.max(1, cores - 1));
    return (starved && !isRateKept()) || slip.getValueAtPercentile(99) > Quantity.MILLI;
  }

  public long failedBatches() {
    return failures.values().stream().mapToLong(Long::longValue).sum();
  }
}
