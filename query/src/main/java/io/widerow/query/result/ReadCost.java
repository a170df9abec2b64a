package io.widerow.query.result;

import io.widerow.query.RangePlan;
import io.widerow.query.RangeReader;
import io.widerow.storage.ScanStatistics;

/// The cost of a complete result, which `explain` shows.
///
/// @param plan the size of the whole plan
/// @param groupsOpened number of groups of the plan that were opened
/// @param scan the statistics of the scans
/// @param nanos time since the query arrived
public record ReadCost(RangePlan.Size plan, int groupsOpened, ScanStatistics scan, long nanos) {
  private static final long NANOS_PER_MICRO = 1_000;
  private static final long NANOS_PER_MILLI = 1_000_000;

  /// The cost of a reader that has come to its end.
  ///
  /// @param nanos time since the query arrived
  public static ReadCost of(RangeReader reader, long nanos) {
    return new ReadCost(reader.planSize(), reader.groupsOpened(), reader.statistics(), nanos);
  }

  /// A line of JSON, without its line feed.
  public String json() {
    return ("{\"explain\":{\"partitions\":%d,\"groups\":%d,\"opened\":%d,\"blocks\":%d,"
            + "\"bytes\":%d,\"skipped\":%d,\"scanned\":%d,\"kept\":%d,\"micros\":%d}}")
        .formatted(
            plan.partitions(),
            plan.groups(),
            groupsOpened,
            scan.blocksRead(),
            scan.bytesRead(),
            scan.blocksSkipped(),
            scan.eventsScanned(),
            scan.eventsKept(),
            nanos / NANOS_PER_MICRO);
  }

  /// For people: three lines, without the last line feed.
  public String text() {
    return "plan: %d partitions in %d groups, %d groups opened%n"
            .formatted(plan.partitions(), plan.groups(), groupsOpened)
        + "read: %d blocks, %d bytes; skipped: %d blocks%n"
            .formatted(scan.blocksRead(), scan.bytesRead(), scan.blocksSkipped())
        + "events: %d scanned, %d kept; %d ms"
            .formatted(scan.eventsScanned(), scan.eventsKept(), nanos / NANOS_PER_MILLI);
  }
}
