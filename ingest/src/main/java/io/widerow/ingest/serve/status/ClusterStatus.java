package io.widerow.ingest.serve.status;

import io.widerow.ingest.doctor.ClusterFindings;
import io.widerow.ingest.http.HttpResponses;
import io.widerow.storage.ClusterReport;
import io.widerow.storage.ClusterReport.Counter;
import io.widerow.storage.ClusterReport.Member;
import io.widerow.storage.ClusterReport.State;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/// Reports on the daemon's cluster: a part of its status, metrics, and findings, which are
/// sentences for the operator.
///
/// - Threads: any.
final class ClusterStatus {
  private ClusterStatus() {}

  /// One word for the state: `up`, `degraded`, `unreachable`.
  static String state(ClusterReport report) {
    return report.state().name().toLowerCase(Locale.ROOT);
  }

  /// Appends the object `"cluster"` of the status, with its name.
  static void append(StringBuilder json, ClusterReport report, long nowMillis) {
    json.append("\"cluster\":{\"state\":\"").append(state(report)).append('"');
    HttpResponses.appendString(json.append(",\"store\":"), report.store());
    HttpResponses.appendString(json.append(",\"keyspace\":"), report.keyspace());
    json.append(",\"daemon\":").append(report.daemon());
    json.append(",\"epoch\":").append(report.epoch());
    HttpResponses.appendString(json.append(",\"applied\":"), report.applied());
    json.append(",\"pendingEvents\":").append(report.pendingEvents());
    json.append(",\"pendingBytes\":").append(report.pendingBytes());
    json.append(",\"lagSeconds\":").append(decimals(report.lagSeconds()));
    json.append(",\"nodesUp\":").append(report.nodesUp());
    json.append(",\"nodesDown\":").append(report.nodesDown());
    json.append(",\"replication\":").append(report.replication());
    json.append(",\"skewMillis\":").append(report.skewMillis());
    json.append(",\"mergesWaiting\":").append(report.mergesWaiting());
    HttpResponses.appendString(json.append(",\"trouble\":"), report.trouble());
    json.append(",\"daemons\":[");
    String comma = "";
    for (Member member : report.daemons()) {
      json.append(comma).append("{\"daemon\":").append(member.daemon());
      HttpResponses.appendString(json.append(",\"host\":"), member.host());
      HttpResponses.appendString(json.append(",\"applied\":"), member.applied());
      json.append(",\"oldest\":").append(time(member.oldestMillis()));
      json.append(",\"seen\":").append(time(member.seenMillis())).append('}');
      comma = ",";
    }
    json.append("],\"findings\":[");
    comma = "";
    for (Map.Entry<String, String> finding : ClusterFindings.of(report, nowMillis).entrySet()) {
      json.append(comma).append("{\"finding\":\"").append(finding.getKey());
      HttpResponses.appendString(json.append("\",\"says\":"), finding.getValue()).append('}');
      comma = ",";
    }
    json.append("]}");
  }

  private static String time(long millis) {
    return millis == 0 ? "null" : "\"" + Instant.ofEpochMilli(millis) + "\"";
  }

  private static String decimals(double value) {
    return String.format(Locale.ROOT, "%.3f", value);
  }

  /// The lines of `/metrics`.
  static void appendMetrics(MetricText text, ClusterReport report) {
    gauge(text, "pending_events", "Events not applied yet", (double) report.pendingEvents());
    gauge(text, "pending_bytes", "Bytes of files that hold them", (double) report.pendingBytes());
    gauge(text, "lag_seconds", "Age of the oldest of them", report.lagSeconds());
    gauge(text, "skew_seconds", "How far this clock is ahead", (double) report.skewMillis() / 1e3);
    gauge(text, "nodes_up", "Nodes that respond", report.nodesUp());
    gauge(text, "nodes_down", "Nodes that do not respond", report.nodesDown());
    gauge(text, "replicas", "Replicas in the local datacenter", report.replication());
    gauge(text, "merges_waiting", "Closed partitions to be merged", report.mergesWaiting());
    gauge(text, "reachable", "1 while a quorum responds", reachable(report));
    Map<String, List<Counter>> byName = new TreeMap<>();
    for (Counter counter : report.counters()) {
      byName.computeIfAbsent(counter.name(), _ -> new ArrayList<>()).add(counter);
    }
    byName.forEach((name, counters) -> {
      String metric = "widerow_cluster_" + name.replaceAll("[^A-Za-z0-9]+", "_") + "_total";
      text.head(metric, "counter", "");
      for (Counter counter : counters) {
        String kind = counter.kind();
        String labels = kind.isEmpty() ? "" : "{kind=" + MetricText.quoted(kind) + "}";
        text.line(metric + labels, counter.value());
      }
    });
  }

  private static int reachable(ClusterReport report) {
    return report.state() == State.UNREACHABLE ? 0 : 1;
  }

  private static void gauge(MetricText text, String name, String help, double value) {
    text.gauge("widerow_cluster_" + name, help, value);
  }
}
