package io.widerow.ingest.lane;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;

/// Counters and timers of one lane.
///
/// - Threads: the lane's thread records; any thread reads.
final class LaneMetrics {
  final Counter accepted;
  final Counter refused;
  final Counter batches;
  final Counter duplicates;
  final Timer commit;
  final DistributionSummary groupEvents;
  final DistributionSummary groupBytes;

  LaneMetrics(MeterRegistry registry, int lane) {
    String number = Integer.toString(lane);
    accepted = counter(registry, "widerow.events.accepted", number);
    refused = counter(registry, "widerow.events.refused", number);
    batches = counter(registry, "widerow.batches", number);
    duplicates = counter(registry, "widerow.batches.duplicate", number);
    commit =
        Timer.builder("widerow.lane.commit")
            .tag("lane", number)
            .publishPercentiles(0.5, 0.99, 0.999)
            .register(registry);
    groupEvents =
        DistributionSummary.builder("widerow.lane.group.events")
            .tag("lane", number)
            .publishPercentiles(0.5, 0.99)
            .register(registry);
    groupBytes =
        DistributionSummary.builder("widerow.lane.group.bytes")
            .tag("lane", number)
            .publishPercentiles(0.5, 0.99)
            .register(registry);
  }

  private static Counter counter(MeterRegistry registry, String name, String lane) {
    return Counter.builder(name).tag("lane", lane).register(registry);
  }
}
