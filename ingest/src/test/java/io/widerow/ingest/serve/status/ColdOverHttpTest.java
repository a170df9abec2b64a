package io.widerow.ingest.serve.status;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.faults.Await;
import io.widerow.ingest.Http;
import io.widerow.ingest.OperatedDaemon;
import io.widerow.ingest.TunedConfig;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Goal: old events are queried as ever while a daemon keeps them elsewhere, an operator sees which
/// ones those are and can fetch them back, and a place that is away harms nothing else. Method: a
/// daemon with a directory as the place, and events of a day long ago.
class ColdOverHttpTest {
  private static final String QUERY = "/v1/query?type=t&from=2025-11-20&to=2025-11-21&limit=1000";

  @TempDir private Path directory = Path.of(".");

  private Map<String, String> keys() {
    return Map.of(
        "cold", "file:" + directory.resolve("place"), "cold-after", "1s", "cold-min-bytes", "0");
  }

  @Test
  void oldEventsMoveAndAreQueriedAsEver() throws IOException, InterruptedException {
    String before;
    try (OperatedDaemon daemon = new OperatedDaemon(directory, keys())) {
      StringBuilder lines = new StringBuilder();
      for (int n = 0; n < 500; n++) {
        lines.append(
            "{\"type\":\"t\",\"ts\":\"2025-11-20T19:%02d:00Z\",\"n\":%d}%n".formatted(n % 60, n));
      }
      assertEquals(200, daemon.http.post("/v1/events", Http.NDJSON, lines + "").statusCode());
      before = daemon.get(QUERY);
      daemon.merge();
      Await.until(() -> status(daemon).contains("\"segments\":1,\"bytes\""), "the segment moves");
      String shown = status(daemon);
      assertTrue(shown.contains("\"cold\":{\"state\":\"ok\",\"at\":\"file:"), shown);
      String listed = daemon.get("/v1/admin/cold?type=t");
      assertTrue(listed.contains("\"from\":\"2025-11-20T"), listed);
      assertEquals("", daemon.get("/v1/admin/cold?to=2025-01-01T00:00:00Z"));
      assertEquals(before, daemon.get(QUERY));
      assertTrue(daemon.get("/metrics").contains("widerow_cold_reads_total{source=\"place\"} 1.0"));
      Map<String, String> refused =
          Map.of(
              "?x=1", "x",
              "?type=other", "no type matches 'other'",
              "?from=2026-01-01&to=2025-01-01", "is not after from");
      daemon.assertRefused("GET", "/v1/admin/cold", refused);
      daemon.assertRefused("POST", "/v1/admin/cold/recall", refused);
    }
    Path place = directory.resolve("place");
    Path elsewhere = directory.resolve("elsewhere");
    Files.move(place, elsewhere);
    Path _ = Files.createFile(place);
    try (OperatedDaemon daemon = new OperatedDaemon(directory, keys())) {
      HttpResponse<String> away = daemon.send("GET", QUERY);
      assertEquals(503, away.statusCode(), away.body());
      assertTrue(away.body().contains("cannot be read now"), away.body());
      assertTrue(daemon.get("/v1/types").contains("\"t\""));
      assertTrue(status(daemon).contains("\"cold\":{\"state\":\"away\""), status(daemon));
      assertTrue(daemon.get("/v1/admin/doctor").contains("objects-away"));
      Files.delete(place);
      Files.move(elsewhere, place);
      Await.until(() -> isSame(daemon, before), "the place is back");
      HttpResponse<String> recalled = daemon.send("POST", "/v1/admin/cold/recall");
      assertTrue(recalled.body().startsWith("{\"segments\":1,\"bytes\":"), recalled.body());
      assertEquals("", daemon.get("/v1/admin/cold"));
      assertEquals(before, daemon.get(QUERY));
    }
  }

  private static String status(OperatedDaemon daemon) {
    try {
      return daemon.get("/v1/status");
    } catch (IOException | InterruptedException failure) {
      throw new AssertionError(failure);
    }
  }

  private static boolean isSame(OperatedDaemon daemon, String before) {
    try {
      return daemon.send("GET", QUERY).body().equals(before);
    } catch (IOException | InterruptedException failure) {
      throw new AssertionError(failure);
    }
  }

  @Test
  void withoutTheKeyThereIsNone() throws IOException, InterruptedException {
    try (OperatedDaemon daemon = new OperatedDaemon(directory, Map.of())) {
      assertEquals(501, daemon.send("GET", "/v1/admin/cold").statusCode());
      assertEquals(501, daemon.send("POST", "/v1/admin/cold/recall").statusCode());
      assertFalse(status(daemon).contains("\"cold\""));
    }
  }

  @Test
  void mistakesAreRefused() {
    String data = directory.resolve("store").toString();
    Map<String, Map<String, String>> refused =
        Map.of(
            "must be s3://BUCKET/PREFIX", Map.of("cold", "s3://bucket"),
            "must be outside of data", Map.of("cold", "file:" + data + "/inside"),
            "cold-after must be like 30d", Map.of("cold-after", "a month"),
            "neither is more specific",
                Map.of("cold", "file:/place", "cold-after.a*c", "1d", "cold-after.*bc", "2d"));
    refused.forEach((why, keys) -> {
      Map<String, String> all = new HashMap<>(keys);
      all.put("data", data);
      var failure =
          assertThrows(IllegalArgumentException.class, () -> TunedConfig.of(all), keys::toString);
      assertTrue(String.valueOf(failure.getMessage()).contains(why), failure.toString());
    });
  }
}
