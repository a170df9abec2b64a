package io.widerow.loadgen.report;

import io.widerow.loadgen.format.Quantity;
import io.widerow.loadgen.run.Pace;
import io.widerow.loadgen.run.RunResult;
import java.io.PrintWriter;
import java.util.Locale;

/// Searches for the highest rate at which p99 stays within a bound, no batch fails and the rate is
/// kept. It starts with the closed-loop maximum and bisects until the interval is narrow.
public record RateSearch(LoadSession session, Pace pace, long p99NanosMax, PrintWriter out) {
  private static final double NARROW = 0.05;
  private static final int TRIES_MAX = 3;
  private static final int STEPS_MAX = 10;

  /// Events per second; 0 when no rate was good enough.
  public double find() throws InterruptedException {
    double high = session.probe(pace.withRate(0)).eventsPerSecond();
    out.printf(Locale.ROOT, "closed loop: %s events/s%n", Quantity.count(high));
    if (high < 1) {
      return 0;
    }
    high *= 1.1;
    double low = 0;
    for (int step = 0; step < STEPS_MAX && high - low > NARROW * high; step++) {
      double rate = (low + high) / 2;
      RunResult result = probe(rate);
      boolean good = isGood(result);
      out.printf(
          Locale.ROOT,
          "%12s events/s asked, %12s kept, p99 %10s, slip p99 %10s, failed %d: %s%n",
          Quantity.count(rate),
          Quantity.count(result.eventsPerSecond()),
          Quantity.time(result.response().getValueAtPercentile(99)),
          Quantity.time(result.slip().getValueAtPercentile(99)),
          result.failedBatches(),
          good ? "good" : isClientBound(result) ? "client-bound, counts as too much" : "too much");
      if (good) {
        low = rate;
      } else {
        high = rate;
      }
    }
    return low;
  }

  /// Repeats a rate when the load generator was late: such a run says nothing about the target.
  private RunResult probe(double rate) throws InterruptedException {
    RunResult result = session.probe(pace.withRate(rate));
    for (int tries = 1; tries < TRIES_MAX && !isGood(result) && isClientBound(result); tries++) {
      result = session.probe(pace.withRate(rate));
    }
    return result;
  }

  private boolean isClientBound(RunResult result) {
    return result.isClientBound(pace.connections(), LoadSession.cores());
  }

  private boolean isGood(RunResult result) {
    return result.isRateKept()
        && result.failedBatches() == 0
        && result.response().getValueAtPercentile(99) <= p99NanosMax;
  }
}
