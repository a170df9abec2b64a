package io.widerow.loadgen;

import java.util.Locale;
import java.util.Map;
import org.HdrHistogram.Histogram;

/// A run's result as people read it at the end.
final class FinalTable {
  private static final double[] PERCENTILES = {50, 90, 99, 99.9, 99.99, 100};

  private FinalTable() {}

  static String render(RunResult result, boolean clientBound) {
    StringBuilder out = new StringBuilder();
    if (result.rateAsked() > 0) {
      line(out, "asked", Quantity.count(result.rateAsked()) + " events/s");
    }
    line(
        out,
        "acknowledged",
        "%s events in %s, %s events/s, %.1f MB/s"
            .formatted(
                Quantity.count((double) result.events()),
                Quantity.time(result.elapsedNanos()),
                Quantity.count(result.eventsPerSecond()),
                result.bytes() * 1e3 / Math.max(1, result.elapsedNanos())));
    out.append(String.format(Locale.ROOT, "%-14s", ""));
    for (String title : new String[] {"p50", "p90", "p99", "p99.9", "p99.99", "max"}) {
      out.append(String.format(Locale.ROOT, "%12s", title));
    }
    out.append('\n');
    latencies(out, "response", result.response());
    latencies(out, "service", result.service());
    if (result.rateAsked() > 0) {
      latencies(out, "slip", result.slip());
      line(out, "queued", result.queuedBatches() + " batches found no connection free in time");
    }
    line(
        out,
        "client CPU",
        String.format(
            Locale.ROOT,
            "%.3f us/event in the sending threads, %.2f cores",
            result.clientCpuMicrosPerEvent(),
            result.clientCores()));
    for (Map.Entry<Failure, Long> failure : result.failures().entrySet()) {
      line(out, "failed", failure.getValue() + " batches: " + failure.getKey());
    }
    if (!result.failureExample().isEmpty()) {
      line(out, "the first said", result.failureExample().strip());
    }
    if (!result.isRateKept()) {
      line(out, "rate", "not kept");
    }
    if (clientBound) {
      line(out, "client-bound", "this tool, or the machine it shares, is the limit here");
    }
    return out.toString();
  }

  private static void line(StringBuilder out, String title, String text) {
    out.append(String.format(Locale.ROOT, "%-14s %s%n", title, text));
  }

  private static void latencies(StringBuilder out, String title, Histogram histogram) {
    out.append(String.format(Locale.ROOT, "%-14s", title));
    for (double percentile : PERCENTILES) {
      out.append(
          String.format(
              Locale.ROOT, "%12s", Quantity.time(histogram.getValueAtPercentile(percentile))));
    }
    out.append('\n');
  }
}
