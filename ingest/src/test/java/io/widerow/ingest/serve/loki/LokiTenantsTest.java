package io.widerow.ingest.serve.loki;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.ingest.config.DaemonConfig;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Goal: tenants never share data by mistake: every endpoint of Loki's API refuses the header of
/// another tenant. Method: each endpoint, with each kind of header.
@Timeout(300)
class LokiTenantsTest {
  private static final String PUSH =
      "{\"streams\":[{\"stream\":{\"app\":\"a\"},\"values\":[[\"1780000000000000000\",\"x\"]]}]}";
  private static final List<String> PATHS =
      List.of(
          "/loki/api/v1/query?query=vector(1)",
          "/loki/api/v1/query_range?query=%7B%7D",
          "/loki/api/v1/labels",
          "/loki/api/v1/label/app/values",
          "/loki/api/v1/series",
          "/loki/api/v1/index/stats",
          "/loki/api/v1/index/volume",
          "/loki/api/v1/index/volume_range",
          "/loki/api/v1/detected_labels",
          "/loki/api/v1/detected_fields",
          "/loki/api/v1/detected_field/a/values",
          "/loki/api/v1/patterns",
          "/loki/api/v1/tail?query=%7B%7D",
          "/loki/api/v1/format_query?query=%7B%7D",
          "/loki/api/v1/drilldown-limits",
          "/prometheus/api/v1/rules",
          "/prometheus/api/v1/alerts",
          "/loki/api/v1/status/buildinfo");

  private static int status(LokiDaemon loki, String path, String... headers)
      throws IOException, InterruptedException {
    HttpResponse<String> answer =
        path.endsWith("push")
            ? loki.http.post(path, "application/json", PUSH, headers)
            : loki.http.get(path, headers);
    if (answer.statusCode() == 401) {
      assertTrue(answer.body().contains("loki-tenants"), answer.body());
    }
    return answer.statusCode();
  }

  @Test
  void anotherTenantIsRefusedEverywhere(@TempDir Path directory)
      throws IOException, InterruptedException {
    try (LokiDaemon loki = new LokiDaemon(directory.resolve("d"))) {
      for (String path : PATHS) {
        for (String other : List.of("acme", "fake|acme", "FAKE")) {
          assertEquals(401, status(loki, path, "X-Scope-OrgID", other), path + " " + other);
        }
        if (!path.contains("tail")) { // a WebSocket
          assertEquals(200, status(loki, path, "X-Scope-OrgID", "fake"), path);
          assertEquals(200, status(loki, path), path);
        }
      }
      for (String path : List.of("/loki/api/v1/rules", "/api/prom/rules", "/api/prom/rules/n/g")) {
        assertEquals(401, status(loki, path, "X-Scope-OrgID", "acme"), path);
        assertEquals(404, status(loki, path), path);
      }
      for (String path : List.of("/loki/api/v1/push", "/api/prom/push")) {
        assertEquals(401, status(loki, path, "X-Scope-OrgID", "acme"), path);
        assertEquals(204, status(loki, path, "X-Scope-OrgID", "fake"), path);
        assertEquals(204, status(loki, path), path);
      }
    }
  }

  /// The endpoints in the table of the document, by their paths.
  @Test
  void everyDocumentedEndpointRefusesAnotherTenant(@TempDir Path directory)
      throws IOException, InterruptedException {
    List<MatchResult> rows =
        Pattern.compile("\\| `(GET|POST|DELETE) (/\\S+)` \\| (query|admin) \\|")
            .matcher(Files.readString(Path.of("../query/LOGQL.md")))
            .results()
            .toList();
    assertTrue(rows.size() > 25, rows.size() + " endpoints");
    try (LokiDaemon loki = new LokiDaemon(directory.resolve("d"))) {
      for (MatchResult row : rows) {
        String path = row.group(2).replaceAll("\\{\\w+}", "a");
        List<String> methods =
            row.group(1).equals("POST") ? List.of("POST", "PUT") : List.of(row.group(1));
        for (String method : methods) {
          HttpResponse<String> answer = loki.http.send(method, path, "X-Scope-OrgID", "acme");
          assertEquals(401, answer.statusCode(), method + " " + path + answer.body());
          assertTrue(answer.body().contains("set loki-tenants"), answer.body());
        }
      }
    }
  }

  @Test
  void theOperatorNamesTheTenantOrAll(@TempDir Path directory)
      throws IOException, InterruptedException {
    try (LokiDaemon loki = new LokiDaemon(directory.resolve("d"), "loki-tenants", "acme")) {
      assertEquals(204, status(loki, "/loki/api/v1/push", "X-Scope-OrgID", "acme"));
      assertEquals(401, status(loki, "/loki/api/v1/push", "X-Scope-OrgID", "fake"));
      assertEquals(204, status(loki, "/loki/api/v1/push"));
    }
    try (LokiDaemon loki = new LokiDaemon(directory.resolve("e"), "loki-tenants", "*")) {
      assertEquals(204, status(loki, "/loki/api/v1/push", "X-Scope-OrgID", "any"));
    }
    for (String several : List.of("a,b", "a|b", "")) {
      Map<String, String> keys = Map.of("data", "d", "loki-tenants", several);
      IllegalArgumentException refused =
          assertThrows(IllegalArgumentException.class, () -> DaemonConfig.of(keys));
      assertTrue(String.valueOf(refused.getMessage()).contains("loki-tenants must be one name"));
    }
  }
}
