package io.widerow.ingest.serve.prometheus;

import com.linecorp.armeria.common.HttpStatus;
import io.widerow.ingest.config.HostName;
import io.widerow.ingest.config.Tokens;
import io.widerow.ingest.http.ErrorRenderer;
import io.widerow.ingest.http.HttpResponses;
import io.widerow.ingest.http.HttpRoute;
import java.lang.management.ManagementFactory;
import java.time.Instant;
import java.util.List;
import java.util.function.Supplier;

/// The endpoints by which clients find out what the server is: Grafana takes the version of the
/// language from `status/buildinfo`. There are no targets, because senders push.
///
/// Source: prometheus/prometheus `docs/querying/api.md`.
///
/// - Threads: any.
final class ServerInfoService {
  /// The version of Prometheus whose language and API this is.
  private static final String PROMETHEUS = "3.14.0";

  private final String version;

  /// @param version of this program
  ServerInfoService(String version) {
    this.version = version;
  }

  List<HttpRoute> routes() {
    return List.of(
        route("status/buildinfo", this::buildInfo),
        route("status/runtimeinfo", ServerInfoService::runtimeInfo),
        route("status/flags", () -> "{\"query.lookback-delta\":\"5m\",\"query.timeout\":\"1h\"}"),
        route("status/config", () -> "{\"yaml\":\"\"}"),
        route(
            "status/tsdb",
            () ->
                "{\"headStats\":{\"numSeries\":0,\"numLabelPairs\":0,\"chunkCount\":0,"
                    + "\"minTime\":0,\"maxTime\":0},\"seriesCountByMetricName\":[],"
                    + "\"labelValueCountByLabelName\":[],\"memoryInBytesByLabelName\":[],"
                    + "\"seriesCountByLabelValuePair\":[]}"),
        route(
            "targets",
            () -> "{\"activeTargets\":[],\"droppedTargets\":[],\"droppedTargetCounts\":{}}"),
        route("scrape_pools", () -> "{\"scrapePools\":[]}"));
  }

  private static HttpRoute route(String path, Supplier<String> data) {
    return new HttpRoute(
        "/api/v1/" + path,
        ApiResponses.METHODS,
        Tokens.Scope.QUERY,
        (_, _) ->
            HttpResponses.json(
                HttpStatus.OK, "{\"status\":\"success\",\"data\":" + data.get() + "}\n"),
        ErrorRenderer.PROMETHEUS);
  }

  private String buildInfo() {
    StringBuilder json = new StringBuilder("{\"version\":\"" + PROMETHEUS + "\",\"revision\":");
    HttpResponses.appendString(json, "widerow " + version);
    return json.append(",\"branch\":\"\",\"buildUser\":\"\",\"buildDate\":\"\",\"goVersion\":\"\"}")
        .toString();
  }

  private static String runtimeInfo() {
    var runtime = ManagementFactory.getRuntimeMXBean();
    Instant start = Instant.ofEpochMilli(runtime.getStartTime());
    StringBuilder json = new StringBuilder("{\"startTime\":\"").append(start);
    json.append("\",\"CWD\":\"\",\"hostname\":");
    HttpResponses.appendString(json, HostName.value());
    return json.append(",\"serverTime\":\"")
        .append(Instant.now())
        .append("\",\"reloadConfigSuccess\":true,\"lastConfigTime\":\"")
        .append(start)
        .append("\",\"corruptionCount\":0,\"goroutineCount\":")
        .append(ManagementFactory.getThreadMXBean().getThreadCount())
        .append(",\"GOMAXPROCS\":")
        .append(Runtime.getRuntime().availableProcessors())
        .append(",\"GOMEMLIMIT\":")
        .append(Runtime.getRuntime().maxMemory())
        .append(",\"GOGC\":\"\",\"GODEBUG\":\"\",\"storageRetention\":\"\"}")
        .toString();
  }
}
