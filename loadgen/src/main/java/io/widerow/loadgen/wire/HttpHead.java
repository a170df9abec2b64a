package io.widerow.loadgen.wire;

import io.widerow.loadgen.workload.PreparedBatch;
import io.widerow.loadgen.workload.Scenario;
import io.widerow.loadgen.workload.Target;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/// The head of a request with a batch: path and media type as the protocol's own senders write
/// them.
///
/// @param durability requested of the target; null leaves it to the target
/// @param path of the request; null for the protocol's own
record HttpHead(Target target, @Nullable String durability, @Nullable String path) {
  /// @param host with its port
  String text(String host, PreparedBatch batch, Scenario scenario) {
    return "POST %s HTTP/1.1\r\nHost: %s\r\n%sContent-Length: %d\r\n\r\n"
        .formatted(
            path != null ? path : path(batch.type(), scenario),
            host,
            headers(),
            batch.bytes().capacity());
  }

  /// The daemon's own formats have the level as a parameter, all others as a header.
  private String path(String type, Scenario scenario) {
    String level = durability == null ? "" : "&durability=" + durability;
    return switch (target) {
      case WIDEROW_TEXT, NULL ->
          "/v1/events?type="
              + URLEncoder.encode(type, StandardCharsets.UTF_8)
              + "&ts="
              + scenario.timePattern
              + level;
      case WIDEROW_JSON -> "/v1/events?type=json" + level;
      case WIDEROW_LINES -> "/api/v2/write?precision=ns" + level;
      case OTLP, OTLP_JSON -> "/v1/logs";
      case OTLP_METRICS -> "/v1/metrics";
      case LOKI, LOKI_JSON -> "/loki/api/v1/push";
      case BULK -> "/_bulk";
      case HEC -> "/services/collector/event";
      case DATADOG -> "/api/v2/logs";
      case GELF -> "/gelf";
      case JOURNAL -> "/upload";
      case PRW -> "/api/v1/write";
      case INFLUX3 -> "/api/v3/write_lp?db=load&precision=nanosecond";
      case OTLP_GRPC, FLUENT, STATSD, STATSD_UDP, GRAPHITE, SYSLOG, SYSLOG_UDP, CASSANDRA ->
          throw new IllegalStateException(target + " has no paths");
    };
  }

  private String headers() {
    String type = "Content-Type: " + mediaType() + "\r\n";
    String encoding =
        target == Target.LOKI || target == Target.PRW ? "Content-Encoding: snappy\r\n" : "";
    String version = target == Target.PRW ? "X-Prometheus-Remote-Write-Version: 0.1.0\r\n" : "";
    return type + encoding + version + level();
  }

  private String mediaType() {
    return switch (target) {
      case WIDEROW_JSON, BULK -> "application/x-ndjson";
      case OTLP, OTLP_METRICS, LOKI, PRW -> "application/x-protobuf";
      case OTLP_JSON, LOKI_JSON, HEC, DATADOG, GELF -> "application/json";
      case JOURNAL -> "application/vnd.fdo.journal";
      default -> "text/plain";
    };
  }

  private String level() {
    return switch (target) {
      case WIDEROW_TEXT, WIDEROW_JSON, WIDEROW_LINES, NULL -> "";
      default -> durability == null ? "" : "widerow-durability: " + durability + "\r\n";
    };
  }
}
