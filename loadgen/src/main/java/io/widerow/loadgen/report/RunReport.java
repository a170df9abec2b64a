package io.widerow.loadgen.report;

import io.widerow.loadgen.format.Quantity;
import io.widerow.loadgen.run.Costs;
import io.widerow.loadgen.run.Pace;
import io.widerow.loadgen.run.RunResult;
import io.widerow.loadgen.wire.Endpoint;
import io.widerow.loadgen.workload.Workload;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import org.HdrHistogram.Histogram;

/// A run with its configuration and figures.
///
/// @param name of the run and of its folder
/// @param note the operator's description of the target, such as a peer's version and settings
public record RunReport(
    String name,
    String note,
    Endpoint endpoint,
    Workload workload,
    Pace pace,
    RunResult result,
    Costs costs,
    boolean clientBound) {

  String durability() {
    return endpoint.durability() == null ? "target's own" : endpoint.durability();
  }

  /// CPU of the target for one event; negative when it was not watched.
  public double targetMicrosPerEvent() {
    return perEvent(costs.targetCpuNanos() / (double) Quantity.MICRO);
  }

  public double writtenBytesPerEvent() {
    return perEvent((double) costs.writtenBytes());
  }

  private double perEvent(double amount) {
    return amount < 0 || result.events() == 0 ? -1 : amount / result.events();
  }

  /// One line of `data/runs.ndjson`. Times in microseconds.
  public Map<String, Object> members() {
    Map<String, Object> members = new LinkedHashMap<>();
    members.put("run", name);
    members.putAll(Machine.origin());
    members.put("target", endpoint.target().label);
    members.put("note", note);
    members.put("durability", durability());
    members.put("scenario", workload.scenario().name().toLowerCase(Locale.ROOT));
    members.put("seed", workload.seed());
    members.put("batch", workload.batchEvents());
    members.put("connections", pace.connections());
    members.put("rate_asked", Math.round(result.rateAsked()));
    if (pace.rates().isRamp()) {
      members.put("ramp", pace.rates().label());
    }
    members.put("events", result.events());
    members.put("events_per_second", Math.round(result.eventsPerSecond()));
    members.put("bytes_per_event", rounded(result.bytes() / (double) Math.max(1, result.events())));
    latencies(members, "response", result.response());
    latencies(members, "service", result.service());
    latencies(members, "slip", result.slip());
    members.put("queued_batches", result.queuedBatches());
    members.put("failed_batches", result.failedBatches());
    members.put("failures", result.failures());
    members.put("rate_kept", result.isRateKept());
    members.put("client_bound", clientBound);
    members.put("client_us_per_event", rounded(result.clientCpuMicrosPerEvent()));
    members.put("target_us_per_event", rounded(targetMicrosPerEvent()));
    members.put("target_rss_peak_bytes", costs.residentBytesPeak());
    members.put("written_bytes_per_event", rounded(writtenBytesPerEvent()));
    members.put("at_rest_bytes", costs.atRestBytes());
    members.put("steal_share", rounded(costs.stealShare()));
    return members;
  }

  private static double rounded(double value) {
    return Math.round(value * 1_000) / 1_000.0;
  }

  private static void latencies(Map<String, Object> into, String name, Histogram histogram) {
    into.put(name + "_p50_us", histogram.getValueAtPercentile(50) / Quantity.MICRO);
    into.put(name + "_p99_us", histogram.getValueAtPercentile(99) / Quantity.MICRO);
    into.put(name + "_p999_us", histogram.getValueAtPercentile(99.9) / Quantity.MICRO);
    into.put(name + "_max_us", histogram.getMaxValue() / Quantity.MICRO);
  }
}
