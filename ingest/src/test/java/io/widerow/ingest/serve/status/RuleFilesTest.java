package io.widerow.ingest.serve.status;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.faults.Await;
import io.widerow.ingest.FakeAlertmanager;
import io.widerow.ingest.Http;
import io.widerow.ingest.OperatedDaemon;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Goal: a daemon evaluates the rule files of its directory, shows groups as Prometheus and Loki
/// do, and delivers alerts to an Alertmanager, also after that was away. Method: a daemon, a
/// directory of rules with an interval of a second, and a server that keeps what it gets.
@Timeout(300)
class RuleFilesTest {
  private static final String RULES =
      """
      groups:
        - name: api
          interval: 1s
          rules:
            - record: errors:double
              expr: errors * 2
            - alert: Errors
              expr: errors:double > 10
              labels: {severity: page}
              annotations: {summary: "{{ $labels.job }}: {{ $value }}"}
      """;

  private static final String LOGQL =
      """
      groups:
        - name: logs
          interval: 1s
          rules:
            - alert: Lines
              expr: sum(count_over_time({service_name="errors"}[5m])) > 0
              for: 1h
      """;

  @TempDir private Path directory = Path.of(".");
  private Path rules = Path.of(".");

  @BeforeEach
  void writeRules() throws IOException {
    rules = directory.resolve("rules");
    Path _ = Files.createDirectories(rules.resolve("loki/team"));
    Files.writeString(rules.resolve("api.yml"), RULES);
    Files.writeString(rules.resolve("loki/team/logs.yaml"), LOGQL);
  }

  private OperatedDaemon daemon(String alertmanagers) {
    Map<String, String> keys = new HashMap<>();
    keys.put("rules-dir", rules.toString());
    keys.put("rules-settle", "0s");
    keys.put("alertmanagers", alertmanagers);
    keys.put("external-labels", "zone=eu");
    keys.put("external-url", "https://logs.example.com/");
    return new OperatedDaemon(directory, keys);
  }

  private static void send(OperatedDaemon it, int value) throws IOException, InterruptedException {
    String line =
        "{\"type\":\"errors\",\"ts\":\"%s\",\"job\":\"a\",\"value\":%d}\n"
            .formatted(Instant.now(), value);
    assertEquals(200, it.http.post("/v1/events", Http.NDJSON, line).statusCode());
  }

  private static void await(OperatedDaemon it, String path, String part) {
    Await.until(
        () -> {
          try {
            return it.get(path).contains(part);
          } catch (IOException failed) {
            throw new java.io.UncheckedIOException(failed);
          } catch (InterruptedException interrupted) {
            throw new IllegalStateException(interrupted);
          }
        },
        path + " has " + part);
  }

  @Test
  void groupsAreShownAsPrometheusAndLokiDo() throws IOException, InterruptedException {
    try (OperatedDaemon it = daemon("")) {
      send(it, 10);
      await(it, "/api/v1/alerts", "\"state\":\"firing\"");
      String all = it.get("/api/v1/rules");
      assertTrue(
          all.startsWith("{\"status\":\"success\",\"data\":{\"groups\":[{\"name\":\"api\""), all);
      assertTrue(
          all.contains(
              "\"state\":\"firing\",\"name\":\"Errors\",\"query\":\"errors:double > 10\","
                  + "\"duration\":0,\"keepFiringFor\":0,\"labels\":{\"severity\":\"page\"}"),
          all);
      assertTrue(all.contains("\"annotations\":{\"summary\":\"a: 20\"},\"state\":\"firing\""), all);
      assertTrue(all.contains("\"health\":\"ok\""), all);
      assertTrue(it.get("/api/v1/rules?type=record").contains("errors:double"), all);
      assertFalse(it.get("/api/v1/rules?type=record").contains("Errors"), all);
      assertEquals(400, it.http.get("/api/v1/rules?type=x").statusCode());
      await(it, "/prometheus/api/v1/rules", "\"state\":\"pending\"");
      assertFalse(it.get("/prometheus/api/v1/rules").contains("Errors"));
      HttpResponse<String> yaml = it.http.get("/loki/api/v1/rules");
      assertEquals(200, yaml.statusCode());
      assertEquals(
          """
          "loki/team/logs.yaml":
            - name: "logs"
              interval: 1s
              rules:
                - alert: "Lines"
                  expr: "sum(count_over_time({service_name=\\"errors\\"}[5m])) > 0"
                  for: 3600s
          """,
          yaml.body());
      assertEquals(404, it.http.get("/loki/api/v1/rules/other").statusCode());
      String list = it.get("/v1/alerts?rule=Errors");
      assertTrue(list.contains("\"state\":\"firing\",\"value\":20,"), list);
      String metrics = it.get("/metrics");
      assertTrue(metrics.contains("widerow_alert_firing{rule=\"Errors\"} 1\n"), metrics);
      String history = it.get("/v1/alerts/history?from=1h");
      assertTrue(
          history.contains("\"alert\":\"Errors\",\"labels\":{\"alertname\":\"Errors\""), history);
      String ran = it.http.post("/v1/alerts/backtest?from=1m", "text/plain", RULES).body();
      assertTrue(ran.contains("\"from\":\"inactive\",\"to\":\"firing\",\"value\":\"20\""), ran);
      HttpResponse<String> wrong =
          it.http.post("/v1/alerts/check", "text/plain", RULES.replace("expr", "exp"));
      assertEquals(400, wrong.statusCode());
      assertTrue(wrong.body().contains("line 6: field exp not found"), wrong.body());
    }
  }

  @Test
  void aBadFileIsReportedAndItsFormerVersionStays() throws IOException, InterruptedException {
    try (OperatedDaemon it = daemon("")) {
      Files.writeString(rules.resolve("api.yml"), RULES.replace("record:", "recrod:"));
      HttpResponse<String> reloaded = it.send("POST", "/-/reload");
      assertEquals(500, reloaded.statusCode());
      assertTrue(
          reloaded.body().contains("api.yml: line 5: field recrod not found"), reloaded.body());
      assertTrue(it.get("/ready").contains("\"rules\":[\"api.yml: line 5"), it.get("/ready"));
      assertEquals(200, it.http.get("/ready").statusCode());
      await(it, "/v1/admin/doctor", "rules-file");
      assertTrue(it.get("/api/v1/rules").contains("errors:double"));
      Files.writeString(rules.resolve("api.yml"), RULES);
      assertEquals(200, it.send("POST", "/-/reload").statusCode());
      assertFalse(it.get("/ready").contains("rules"));
    }
  }

  @Test
  void alertsAreDeliveredAndRetried() throws IOException, InterruptedException {
    Path token = directory.resolve("token");
    Files.createFile(
        token, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
    Files.writeString(token, "secret\n");
    try (FakeAlertmanager alertmanager = new FakeAlertmanager(0)) {
      alertmanager.status(503);
      try (OperatedDaemon it = daemon(alertmanager.url() + "?token-file=" + token)) {
        send(it, 10);
        Await.until(() -> alertmanager.credentials().size() > 1, "it is asked again");
        assertEquals("Bearer secret", alertmanager.credentials().getFirst());
        alertmanager.status(200);
        Await.until(() -> !alertmanager.bodies().isEmpty(), "it takes the alert");
        String body = alertmanager.bodies().getFirst();
        assertTrue(
            body.startsWith(
                "[{\"labels\":{\"alertname\":\"Errors\",\"job\":\"a\",\"severity\":\"page\","
                    + "\"zone\":\"eu\"},\"annotations\":{\"summary\":\"a: 20\"},\"startsAt\":\""),
            body);
        assertTrue(
            body.contains("\"generatorURL\":\"https://logs.example.com/ui/?expr=errors%3Adouble"),
            body);
        send(it, 1);
        Await.until(() -> alertmanager.bodies().size() > 1, "it gets the end");
        String ended = alertmanager.bodies().getLast();
        String start = body.replaceAll(".*(\"startsAt\":\"[^\"]*\").*", "$1");
        assertTrue(ended.contains(start), ended);
        Instant ends = Instant.parse(ended.replaceAll(".*\"endsAt\":\"([^\"]*)\".*", "$1"));
        assertTrue(ends.isBefore(Instant.now()), ended);
        assertEquals(2, alertmanager.bodies().size(), "neither is sent twice");
      }
    }
  }

  @Test
  void anAlertThatNobodyTookIsAFinding() throws IOException, InterruptedException {
    try (FakeAlertmanager alertmanager = new FakeAlertmanager(0)) {
      alertmanager.status(503);
      try (OperatedDaemon it = daemon(alertmanager.url())) {
        send(it, 10);
        Await.until(() -> !alertmanager.credentials().isEmpty(), "it is asked");
        send(it, 1);
        await(it, "/v1/admin/doctor", "alert-undelivered");
        assertEquals(List.of(), alertmanager.bodies());
      }
    }
  }
}
