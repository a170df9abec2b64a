package io.widerow.ingest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.faults.Await;
import io.widerow.query.json.JsonException;
import io.widerow.query.json.JsonNode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URLEncoder;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Goal: dashboards and alert rules ask for nothing that a daemon does not have, and are whole.
/// Method: each metric and label of their expressions is looked for in `/metrics` of a daemon that
/// has events, findings and rules; a daemon that stores its own metrics evaluates each expression,
/// and its Loki API those about logs.
@Timeout(300)
class WatchTest {
  private static final Path DASHBOARDS = Path.of("../packaging/grafana");
  private static final Path RULES = Path.of("../packaging/rules/widerow.yml");
  private static final Pattern METRIC =
      Pattern.compile("\\b((?:widerow|jvm|process)_\\w+)(?:\\{([^}]*)\\})?");
  private static final Pattern LABEL = Pattern.compile("(\\w+)\\s*=");
  private static final Pattern SAMPLE = Pattern.compile("(?m)^(\\w+)(?:\\{(.*)\\})? \\S+$");

  private static final Pattern TYPE = Pattern.compile("(?m)^# TYPE (\\w+) ");
  private static final Pattern EXPRESSION = Pattern.compile("\"expr\": \"((?:[^\"\\\\]|\\\\.)*)\"");

  private static final String LOGS = "logs.json";

  /// Only a daemon on a cluster has its metrics.
  private static final String CLUSTER = "cluster.json";

  /// Prometheus adds this one to each series.
  private static final String INSTANCE = "instance";

  /// Only a daemon with a certificate has it.
  private static final String EXPIRY = "widerow_tls_expiry_timestamp_seconds";

  @TempDir private Path directory = Path.of(".");

  @Test
  void everyMetricAndLabelIsOneOfTheDaemon() throws IOException, InterruptedException {
    StringBuilder all = new StringBuilder(Files.readString(RULES));
    for (String name : ofMetrics()) {
      all.append(name.equals(CLUSTER) ? "" : text(name).replace("\\\"", "\""));
    }
    String asked = all.toString();
    try (OperatedDaemon operated = watched(Map.of("alertmanagers", "http://127.0.0.1:9"))) {
      Await.until(
          () -> operated.get("/metrics").contains("widerow_type_shards{"), "layouts are looked at");
      String metrics = operated.get("/metrics");
      Set<String> known = new TreeSet<>(Set.of(EXPIRY + " " + INSTANCE, EXPIRY));
      for (MatchResult sample : SAMPLE.matcher(metrics).results().toList()) {
        known.add(sample.group(1));
        known.add(sample.group(1) + " " + INSTANCE);
        if (sample.group(2) != null) {
          labels(sample.group(2)).forEach(label -> known.add(sample.group(1) + " " + label));
        }
      }
      // An alert rule has samples once it has been evaluated.
      for (MatchResult type : TYPE.matcher(metrics).results().toList()) {
        known.addAll(Set.of(type.group(1), type.group(1) + " " + INSTANCE));
      }
      Set<String> missing = new TreeSet<>();
      for (MatchResult metric : METRIC.matcher(asked).results().toList()) {
        missing.add(metric.group(1));
        if (metric.group(2) != null) {
          labels(metric.group(2)).forEach(label -> missing.add(metric.group(1) + " " + label));
        }
      }
      assertTrue(missing.size() > 40, "the expressions were found: " + missing);
      missing.removeAll(known);
      assertEquals(Set.of(), missing, metrics);
    }
  }

  @Test
  void theDaemonTakesTheRuleFile() throws IOException, InterruptedException {
    String rules = Files.readString(RULES);
    try (OperatedDaemon operated = watched()) {
      HttpResponse<String> checked = operated.http.post("/v1/alerts/check", Http.TEXT, rules);
      assertEquals("{\"groups\":1,\"rules\":13}\n", checked.body());
      HttpResponse<String> ran =
          operated.http.post("/v1/alerts/backtest?from=10m", Http.TEXT, rules);
      assertEquals(200, ran.statusCode(), ran.body());
      assertEquals("", ran.body(), "nothing fires without samples");
    }
  }

  private static List<String> names() throws IOException {
    try (Stream<Path> files = Files.list(DASHBOARDS)) {
      return files.map(each -> each.getFileName().toString()).sorted().toList();
    }
  }

  private static List<String> ofMetrics() throws IOException {
    return names().stream().filter(name -> !name.equals(LOGS)).toList();
  }

  private static String text(String name) throws IOException {
    return Files.readString(DASHBOARDS.resolve(name));
  }

  private static List<JsonNode> items(JsonNode node, Object... path) {
    JsonNode there = node.at(List.of(path));
    List<JsonNode> items = there == null ? null : there.items();
    return items == null ? List.of() : items;
  }

  private static JsonNode parsed(String json) throws JsonException {
    return JsonNode.parse(json, JsonNode.DEPTH_MAX, _ -> {});
  }

  @Test
  void dashboardsAreWhole() throws IOException, JsonException {
    assertEquals(
        List.of(
            CLUSTER,
            "ingest.json",
            LOGS,
            "overview.json",
            "queries.json",
            "rules.json",
            "storage.json"),
        names());
    for (String name : names()) {
      Set<String> ids = new TreeSet<>();
      Set<String> cells = new TreeSet<>();
      for (JsonNode panel : items(parsed(text(name)), "panels")) {
        String title = name + ": " + panel.at(List.of("title"));
        assertTrue(
            ids.add(String.valueOf(panel.at(List.of("id")))), title + " has the id of another");
        boolean isLogs = "logs".equals(String.valueOf(panel.at(List.of("type"))));
        assertTrue(
            isLogs || panel.at(List.of("fieldConfig", "defaults", "unit")) != null,
            title + " has no unit");
        int x = number(panel, "x");
        int y = number(panel, "y");
        assertTrue(x + number(panel, "w") <= 24, title + " is outside");
        for (int cell = 0; cell < number(panel, "w") * number(panel, "h"); cell++) {
          int column = x + cell % number(panel, "w");
          int row = y + cell / number(panel, "w");
          assertTrue(cells.add(column + "," + row), title + " overlaps another at " + column);
        }
        List<JsonNode> asking = new ArrayList<>(items(panel, "targets"));
        asking.add(panel);
        for (JsonNode each : asking) {
          assertEquals(
              "${datasource}", String.valueOf(each.at(List.of("datasource", "uid"))), title);
        }
      }
      assertTrue(ids.size() > 4, name);
    }
  }

  private static int number(JsonNode panel, String name) {
    return Integer.parseInt(String.valueOf(panel.at(List.of("gridPos", name))));
  }

  /// Empty here: a cluster, a certificate.
  @Test
  void everyExpressionOfAMetricIsEvaluated()
      throws IOException, InterruptedException, JsonException {
    Path rules = Files.createDirectories(directory.resolve("rules"));
    Files.writeString(
        rules.resolve("on.yml"),
        """
        groups:
          - {name: g, interval: 1s, rules: [{alert: On, expr: widerow_writing > 0}]}
        """);
    Files.writeString(rules.resolve("mistake.yml"), "groups: [{name: g, rulez: []}]\n");
    try (FakeAlertmanager alertmanager = new FakeAlertmanager(0);
        OperatedDaemon operated =
            watched(
                Map.of(
                    "self-metrics",
                    "1s",
                    "rules-dir",
                    rules.toString(),
                    "rules-settle",
                    "0s",
                    "alertmanagers",
                    alertmanager.url()))) {
      operated.merge();
      Set<String> left = new TreeSet<>();
      for (String name : ofMetrics()) {
        for (JsonNode panel : items(parsed(text(name)), "panels")) {
          for (JsonNode target : items(panel, "targets")) {
            String expr = String.valueOf(target.at(List.of("expr")));
            left.add(expr.replace("$instance", ".*").replace("$__rate_interval", "10s"));
          }
        }
      }
      for (String expr : left) {
        HttpResponse<String> read = operated.http.get("/api/v1/parse_query?query=" + encoded(expr));
        assertEquals(200, read.statusCode(), expr + read.body());
      }
      left.removeIf(each -> each.contains("_cluster_") || each.contains("_quorum_"));
      left.removeIf(each -> each.contains(EXPIRY));
      assertTrue(left.size() > 60, left.toString());
      Await.until(
          () -> {
            load(operated);
            left.removeIf(expr -> isEvaluated(operated, expr));
            return left.isEmpty();
          },
          () -> "each has a result, without one: " + left);
    }
  }

  private static void load(OperatedDaemon operated) throws IOException, InterruptedException {
    String line =
        "{\"ts\":\"%s\",\"type\":\"watched\",\"body\":\"more\"}\n".formatted(Instant.now());
    assertEquals(200, operated.http.post("/v1/events", Http.NDJSON, line).statusCode());
    assertEquals(200, operated.http.get("/v1/query?type=watched").statusCode());
  }

  private static boolean isEvaluated(OperatedDaemon operated, String expr) {
    try {
      Instant now = Instant.now();
      HttpResponse<String> answer =
          operated.http.get(
              "/api/v1/query_range?step=1&start=%d&end=%d&query=%s"
                  .formatted(now.getEpochSecond() - 60, now.getEpochSecond(), encoded(expr)));
      assertEquals(200, answer.statusCode(), expr + answer.body());
      assertFalse(answer.body().contains("\"warnings\""), expr + answer.body());
      assertFalse(answer.body().contains("\"infos\""), expr + answer.body());
      return !answer.body().contains("\"result\":[]");
    } catch (IOException failed) {
      throw new UncheckedIOException(failed);
    } catch (InterruptedException interrupted) {
      throw new IllegalStateException(interrupted);
    }
  }

  private static String encoded(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8);
  }

  /// The samples of the daemon itself are events of no sender, and of no protocol.
  @Test
  void ownMetricsAreOfNoSender() throws IOException, InterruptedException {
    try (OperatedDaemon operated =
        new OperatedDaemon(directory, Map.of("self-metrics", "1s", "types-max", "1"))) {
      Await.until(
          () -> operated.get("/api/v1/query?query=up").contains("\"job\":\"widerow\""),
          "it has stored them");
      assertEquals("", operated.get("/v1/senders"));
      String metrics = operated.get("/metrics");
      assertFalse(metrics.contains("widerow_protocol_events_total{"), metrics);
      assertTrue(metrics.contains("widerow_types_overflowed_total 0.0\n"), metrics);
      assertFalse(operated.get("/v1/types").contains("\"overflow\""));
    }
  }

  @Test
  void everyRuleHasARunbook() throws IOException {
    String rules = Files.readString(RULES);
    String page = Files.readString(Path.of("docs/MONITORING.md"));
    String described = page.substring(page.indexOf("### Dashboards and alerts"));
    int count = 0;
    for (String rule : rules.split("- alert: ", -1)) {
      if (count++ > 0) {
        String name = rule.substring(0, rule.indexOf('\n'));
        assertTrue(
            rule.contains("runbook_url: \"ingest/docs/MONITORING.md#dashboards-and-alerts\""),
            name);
        assertTrue(described.contains("`" + name + "`"), name);
      }
    }
    assertEquals(14, count);
  }

  private static Set<String> labels(String selector) {
    return LABEL
        .matcher(selector.replaceAll("\"[^\"]*\"", ""))
        .results()
        .map(label -> label.group(1))
        .collect(Collectors.toSet());
  }

  @Test
  void everyExpressionAboutLogsIsAnswered() throws IOException, InterruptedException {
    try (OperatedDaemon operated = watched()) {
      String dashboard = text(LOGS);
      for (MatchResult each : EXPRESSION.matcher(dashboard).results().toList()) {
        String query =
            each.group(1)
                .replace("\\\"", "\"")
                .replace("$__auto", "1m")
                .replace("$__range", "1h")
                .replace("$type", ".+")
                .replace("$search", "hello");
        HttpResponse<String> answer =
            operated.http.get(
                "/loki/api/v1/query_range?since=1h&query="
                    + URLEncoder.encode(query, StandardCharsets.UTF_8));
        assertEquals(200, answer.statusCode(), query + answer.body());
        assertFalse(query.contains("$"), query);
        assertFalse(answer.body().contains("\"result\":[]"), query + answer.body());
      }
    }
  }

  private OperatedDaemon watched() throws IOException, InterruptedException {
    return watched(Map.of());
  }

  private OperatedDaemon watched(Map<String, String> others)
      throws IOException, InterruptedException {
    Map<String, String> keys = new HashMap<>(others);
    keys.put("types-max", "1");
    var operated = new OperatedDaemon(directory, keys);
    Instant before = Instant.now().minusSeconds(120);
    for (String type : List.of("watched", "unexpected")) { // the second one is a finding
      String line =
          "{\"ts\":\"%s\",\"type\":\"%s\",\"body\":\"hello\",\"level\":\"error\"}\n"
              .formatted(before, type);
      assertEquals(200, operated.http.post("/v1/events", Http.NDJSON, line).statusCode());
    }
    assertEquals(
        200, operated.send("PUT", "/v1/alerts?rule=none&stats=count&below=1").statusCode());
    return operated;
  }
}
