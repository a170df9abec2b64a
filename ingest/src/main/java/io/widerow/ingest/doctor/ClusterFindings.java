package io.widerow.ingest.doctor;

import io.widerow.storage.ClusterReport;
import io.widerow.storage.ClusterReport.State;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Collectors;

/// The findings that follow from what a daemon knows of its cluster.
///
/// - Threads: any.
public final class ClusterFindings {
  /// Above it the lag of the daemon is a finding.
  static final double LAG_SECONDS_MAX = 60;

  /// Above it a silent daemon is a finding.
  static final long SILENT_MILLIS_MAX = 60_000;

  /// Above it the difference of clocks is a finding.
  static final long SKEW_MILLIS_MAX = 1_000;

  /// Fewer replicas lose events with one node, or stop when it does.
  static final int REPLICAS_MIN = 3;

  private ClusterFindings() {}

  /// The findings: a sentence for each name.
  ///
  /// @param nowMillis the time, milliseconds since the Unix epoch
  public static Map<String, String> of(ClusterReport report, long nowMillis) {
    Map<String, String> findings = new LinkedHashMap<>();
    String nodes =
        "%d of %d nodes respond%s"
            .formatted(
                report.nodesUp(),
                report.nodesUp() + report.nodesDown(),
                report.trouble().isEmpty() ? "" : "; the last error: " + report.trouble());
    if (report.state() == State.UNREACHABLE) {
      findings.put(
          "cluster-away", "events wait on this machine, queries end with an error: " + nodes);
    } else if (report.state() == State.DEGRADED || !report.trouble().isEmpty()) {
      findings.put("cluster-degraded", nodes);
    }
    if (report.lagSeconds() > LAG_SECONDS_MAX) {
      findings.put(
          "cluster-behind",
          "%d events are not applied yet, the oldest for %.0f s"
              .formatted(report.pendingEvents(), report.lagSeconds()));
    }
    if (Math.abs(report.skewMillis()) > SKEW_MILLIS_MAX) {
      findings.put(
          "cluster-skew",
          "this machine's clock is %d ms %s the clocks of the nodes"
              .formatted(
                  Math.abs(report.skewMillis()), report.skewMillis() > 0 ? "ahead of" : "behind"));
    }
    if (report.replication() < REPLICAS_MIN) {
      findings.put(
          "cluster-too-few-replicas",
          "the keyspace %s has %d replicas; with %d it survives the loss of a node"
              .formatted(report.keyspace(), report.replication(), REPLICAS_MIN));
    }
    String silent = silent(report, nowMillis);
    if (!silent.isEmpty()) {
      findings.put("cluster-daemon-silent", silent);
    }
    return findings;
  }

  private static String silent(ClusterReport report, long nowMillis) {
    return report.daemons().stream()
        .filter(member -> member.daemon() != report.daemon())
        .filter(member -> nowMillis - member.seenMillis() > SILENT_MILLIS_MAX)
        .map(member ->
            "daemon %d on %s, last heard of at %s"
                .formatted(
                    member.daemon(), member.host(), Instant.ofEpochMilli(member.seenMillis())))
        .collect(Collectors.joining("; "));
  }
}
