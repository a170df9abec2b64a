package io.widerow.ingest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.URLEncoder;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Goal: dashboards and alert rules ask for nothing that a daemon does not have. Method: each
/// metric and label of their expressions is looked for in `/metrics` of a daemon that has events, a
/// finding and a rule; its Loki API answers each expression about logs.
@Timeout(300)
class WatchTest {
  private static final Path FOLDER = Path.of("../packaging/watch");
  private static final Pattern METRIC =
      Pattern.compile("\\b((?:widerow|jvm|process)_\\w+)(?:\\{([^}]*)\\})?");
  private static final Pattern LABEL = Pattern.compile("(\\w+)\\s*=");
  private static final Pattern SAMPLE = Pattern.compile("(?m)^(\\w+)(?:\\{(.*)\\})? \\S+$");

  private static final Pattern TYPE = Pattern.compile("(?m)^# TYPE (\\w+) ");
  private static final Pattern EXPRESSION = Pattern.compile("\"expr\": \"((?:[^\"\\\\]|\\\\.)*)\"");

  /// Prometheus adds this one to each series.
  private static final String INSTANCE = "instance";

  /// Only a daemon with a certificate has it.
  private static final String EXPIRY = "widerow_tls_expiry_timestamp_seconds";

  @TempDir private Path directory = Path.of(".");

  @Test
  void everyMetricAndLabelIsOneOfTheDaemon() throws IOException, InterruptedException {
    String rules = Files.readString(FOLDER.resolve("rules.yaml"));
    String dashboard = Files.readString(FOLDER.resolve("dashboard-daemon.json"));
    String asked = rules + dashboard.replace("\\\"", "\"");
    try (OperatedDaemon operated = watched()) {
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
    String rules = Files.readString(FOLDER.resolve("rules.yaml"));
    try (OperatedDaemon operated = watched()) {
      HttpResponse<String> checked = operated.http.post("/v1/alerts/check", Http.TEXT, rules);
      assertEquals("{\"groups\":1,\"rules\":13}\n", checked.body());
      HttpResponse<String> ran =
          operated.http.post("/v1/alerts/backtest?from=10m", Http.TEXT, rules);
      assertEquals(200, ran.statusCode(), ran.body());
      assertEquals("", ran.body(), "nothing fires without samples");
    }
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
      String dashboard = Files.readString(FOLDER.resolve("dashboard-logs.json"));
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
    var operated = new OperatedDaemon(directory, Map.of("types-max", "1"));
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
