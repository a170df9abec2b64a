package io.widerow.loadgen.report;

import io.widerow.loadgen.format.Quantity;
import io.widerow.loadgen.run.Costs;
import io.widerow.loadgen.run.RunResult;
import io.widerow.loadgen.wire.Failure;
import java.util.Locale;
import java.util.Map;
import org.HdrHistogram.Histogram;

/// The table that the tool prints at the end of a run.
public final class FinalTable {
  private static final double[] PERCENTILES = {50, 90, 99, 99.9, 99.99, 100};

  private FinalTable() {}

  public static String render(RunReport report) {
    RunResult result = report.result();
    StringBuilder out = new StringBuilder();
    line(
        out,
        "target",
        "%s %s at %s, durability %s, %s, batches of %d, %d connections"
            .formatted(
                report.endpoint().target(),
                report.note(),
                report.endpoint(),
                report.durability(),
                report.workload().scenario(),
                report.workload().batchEvents(),
                report.pace().connections()));
    if (result.rateAsked() > 0) {
      line(out, "asked", report.pace().rates() + " events/s");
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
    costs(out, report);
    verdicts(out, result, report.clientBound());
    return out.toString();
  }

  private static void costs(StringBuilder out, RunReport report) {
    Costs costs = report.costs();
    if (costs.targetCpuNanos() >= 0) {
      line(
          out,
          "target costs",
          String.format(
              Locale.ROOT,
              "%.3f us CPU/event, %.1f MB memory at most, %.1f B written/event",
              report.targetMicrosPerEvent(),
              costs.residentBytesPeak() / 1e6,
              report.writtenBytesPerEvent()));
    }
    if (costs.atRestBytes() >= 0) {
      line(
          out,
          "at rest",
          String.format(Locale.ROOT, "%,d B, all events ever stored", costs.atRestBytes()));
    }
    if (costs.stealShare() > 0.01) {
      line(out, "steal", String.format(Locale.ROOT, "%.1f %%", costs.stealShare() * 100));
    }
  }

  private static void verdicts(StringBuilder out, RunResult result, boolean clientBound) {
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
