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
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Goal: old events are queried as ever while a daemon keeps them elsewhere, an operator sees which
/// ones those are and can fetch them back, and a place that is away harms nothing else. Method: a
/// daemon with a directory as the place, and events of a day long ago.
class ColdOverHttpTest {
  private static final Pattern COLD =
      Pattern.compile(
          "\"cold\":\\{\"segments\":1,\"requestsMax\":(\\d+),\"bytesMax\":(\\d+),"
              + "\"requests\":(\\d+),\"bytes\":(\\d+)}");
  private static final String QUERY = "/v1/query?type=t&from=2025-11-20&to=2025-11-21&limit=1000";

  @TempDir private Path directory = Path.of(".");

  private Map<String, String> keys() {
    return Map.of(
        "cold", "file:" + directory.resolve("place"),
        "cold-after", "1s",
        "cold-min-bytes", "0",
        "cold-cache-bytes", "0");
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

  @Test
  void aDeletionNamesThePlaceThatHasItsObjects() throws IOException, InterruptedException {
    try (OperatedDaemon daemon = new OperatedDaemon(directory, keys())) {
      StringBuilder lines = new StringBuilder();
      for (int n = 0; n < 90; n++) {
        lines.append(
            "{\"type\":\"t\",\"ts\":\"2025-11-20T19:00:0%d.%d00Z\",\"n\":\"%d\"}%n"
                .formatted(n / 10, n % 10, n));
      }
      assertEquals(200, daemon.http.post("/v1/events", Http.NDJSON, lines + "").statusCode());
      daemon.merge();
      Await.until(() -> status(daemon).contains("\"segments\":1,\"bytes\""), "the segment moves");
      String plan = daemon.send("POST", "/v1/admin/delete?where=n%20%3D%20%223%22").body();
      assertTrue(plan.contains("\"id\":\"d-1\""), plan);
      var _ = daemon.send("POST", "/v1/admin/delete/d-1");
      String proof = "/v1/admin/delete/d-1";
      Await.until(() -> get(daemon, proof).contains("\"state\":\"done"), "it is done");
      String shown = get(daemon, proof);
      assertTrue(shown.contains("\"cold\":[\"file:" + directory.resolve("place")), shown);
      assertTrue(shown.contains("\"state\":\"done-but\""), shown);
    }
  }

  private static String get(OperatedDaemon daemon, String path) {
    try {
      daemon.merge();
      return daemon.get(path);
    } catch (IOException | InterruptedException failure) {
      throw new AssertionError(failure);
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
  void aQueryTellsWhatItFetchesAndHasABudget() throws IOException, InterruptedException {
    Map<String, String> keys = new HashMap<>(keys());
    keys.put("cold-read-budget", "1000");
    try (OperatedDaemon daemon = new OperatedDaemon(directory, keys)) {
      StringBuilder lines = new StringBuilder();
      var random = new SplittableRandom(1);
      for (int n = 0; n < 500; n++) {
        lines.append(
            "{\"type\":\"t\",\"ts\":\"2025-11-20T19:%02d:00Z\",\"body\":\"%s\"}%n"
                .formatted(n % 60, Long.toHexString(random.nextLong()).repeat(3)));
      }
      assertEquals(200, daemon.http.post("/v1/events", Http.NDJSON, lines + "").statusCode());
      daemon.merge();
      Await.until(() -> status(daemon).contains("\"segments\":1,\"bytes\""), "the segment moves");
      Matcher plan = COLD.matcher(daemon.get(QUERY + "&explain=plan"));
      assertTrue(plan.find());
      assertEquals("0", plan.group(3), "requests of a plan");
      HttpResponse<String> refused = daemon.send("GET", QUERY);
      assertEquals(503, refused.statusCode(), refused.body());
      String inAll = "its range has %s in 1 segments: query a shorter one".formatted(plan.group(2));
      String budget = "more than its budget of 1000 bytes of cold segments (0 so far); ";
      assertTrue(refused.body().contains(budget + inAll), refused.body());
      assertTrue(daemon.get("/v1/query?type=t&stats=count&every=1m").contains("\"count\":9"));
      String all = daemon.get(QUERY + "&explain=1&cold-budget=10000000");
      Matcher cost = COLD.matcher(all);
      assertTrue(cost.find(), all);
      assertTrue(Long.parseLong(cost.group(3)) > 0, cost.group());
      assertTrue(Long.parseLong(cost.group(3)) <= Long.parseLong(plan.group(1)), cost.group());
      assertTrue(Long.parseLong(cost.group(4)) >= Long.parseLong(plan.group(2)), cost.group());
      daemon.assertRefused("GET", "/v1/query", Map.of("?cold-budget=much", "cold-budget"));
      String recent = daemon.get("/v1/query?type=t&since=1h&explain=1");
      assertFalse(recent.contains("\"cold\""), recent);
    }
  }

  @Test
  void objectsAreLookedAt() throws IOException, InterruptedException {
    try (OperatedDaemon daemon = new OperatedDaemon(directory, keys())) {
      for (int n = 1; n <= 3; n++) {
        String line = "{\"type\":\"t\",\"ts\":\"2025-11-%02dT07:00:00Z\",\"n\":1}\n".formatted(n);
        assertEquals(200, daemon.http.post("/v1/events", Http.NDJSON, line).statusCode());
        daemon.merge();
        String moved = "\"segments\":%d,\"bytes\"".formatted(n);
        Await.until(() -> status(daemon).contains(moved), "the segment moves");
      }
      List<Path> objects;
      try (Stream<Path> there = Files.list(directory.resolve("place/segments"))) {
        objects = there.sorted().toList();
      }
      String verify = "/v1/admin/cold/verify";
      String good = daemon.send("POST", verify + "?read=true").body();
      assertTrue(good.startsWith("{\"segments\":%d,".formatted(objects.size())), good);
      assertTrue(good.endsWith(",\"damaged\":[]}\n"), good);
      assertTrue(objects.size() >= 3, objects.toString());
      byte[] bytes = Files.readAllBytes(objects.get(0));
      bytes[bytes.length / 2] ^= 1;
      Path _ = Files.write(objects.get(0), bytes);
      Path _ = Files.write(objects.get(1), new byte[10]);
      Files.delete(objects.get(2));
      String quick = daemon.send("POST", verify).body();
      assertTrue(quick.contains("\"found\":\"it has 10 bytes, "), quick);
      assertTrue(quick.contains("\"found\":\"it is missing\""), quick);
      assertFalse(quick.contains("contents"), quick);
      String whole = daemon.send("POST", verify + "?read=true").body();
      assertTrue(whole.contains("\"found\":\"its contents are not what was put\""), whole);
      daemon.assertRefused("POST", verify, Map.of("?read=maybe", "read"));
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
