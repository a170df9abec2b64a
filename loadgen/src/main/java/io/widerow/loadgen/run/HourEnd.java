package io.widerow.loadgen.run;

import io.widerow.loadgen.format.Quantity;
import java.util.Locale;
import java.util.function.LongSupplier;
import org.HdrHistogram.Histogram;

/// Separates the seconds around a full hour from all others: a new bucket must not show in latency.
///
/// - Threads: the run's watching thread.
public final class HourEnd implements RunWatcher {
  private static final long HOUR_MILLIS = 3_600_000;
  private static final long NEAR_MILLIS = 30_000;

  private final LongSupplier epochMillis;
  private final Histogram near = RunCounters.histogram();
  private final Histogram far = RunCounters.histogram();
  private boolean measuring;

  public HourEnd(LongSupplier epochMillis) {
    this.epochMillis = epochMillis;
  }

  @Override
  public void measuringBegins() {
    measuring = true;
  }

  @Override
  public void interval(Histogram response) {
    if (measuring) {
      long sinceHour = Math.floorMod(epochMillis.getAsLong(), HOUR_MILLIS);
      boolean isNear = sinceHour < NEAR_MILLIS || sinceHour > HOUR_MILLIS - NEAR_MILLIS;
      (isNear ? near : far).add(response);
    }
  }

  /// A line of the report; empty when no full hour lay within the run.
  public String render() {
    if (near.getTotalCount() == 0 || far.getTotalCount() == 0) {
      return "";
    }
    return String.format(
        Locale.ROOT,
        "%-14s within 30 s of the full hour p50 %s, p99 %s, p99.9 %s; otherwise %s, %s, %s:"
            + " p99 x %.2f%n",
        "hour's end",
        Quantity.time(near.getValueAtPercentile(50)),
        Quantity.time(near.getValueAtPercentile(99)),
        Quantity.time(near.getValueAtPercentile(99.9)),
        Quantity.time(far.getValueAtPercentile(50)),
        Quantity.time(far.getValueAtPercentile(99)),
        Quantity.time(far.getValueAtPercentile(99.9)),
        near.getValueAtPercentile(99) / (double) far.getValueAtPercentile(99));
  }
}
