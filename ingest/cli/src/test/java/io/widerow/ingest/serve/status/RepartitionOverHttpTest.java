package io.widerow.ingest.serve.status;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.cli.CommandDaemon;
import io.widerow.ingest.Http;
import io.widerow.ingest.TokenDaemon;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Goal: an operator lists what does not fit and has it written again, of a daemon's store and of a
/// stopped one; what makes no sense is answered 400 with the value and changes nothing. Method: a
/// daemon with a store on the disk whose merges keep the keys, and weights so small that an hour of
/// sixty events is heavy.
@Timeout(300)
class RepartitionOverHttpTest {
  private static final String PATH = "/v1/admin/repartition";

  @TempDir private Path directory = Path.of(".");

  /// A daemon and its store.
  private static final class Running extends CommandDaemon {
    Running(Path directory) {
      super(directory, Map.of("bucket-minutes", "60", "final", "keep", "partition-events", "10"));
    }

    HttpResponse<String> post(String query) throws IOException, InterruptedException {
      return http.post(PATH + query, Http.NDJSON, "");
    }

    void writeHour(String type) throws IOException, InterruptedException {
      writeHour(_ -> "\"type\":\"%s\",\"body\":\"x\"".formatted(type));
    }

    String partitions() throws IOException, InterruptedException {
      StringBuilder keys = new StringBuilder();
      http.get("/v1/partitions")
          .body()
          .lines()
          .forEach(line -> keys.append(line.split("\"", -1)[3]).append(' '));
      return keys.toString();
    }
  }

  @Test
  void whatDoesNotFitIsListedAndWrittenAgain() throws IOException, InterruptedException {
    try (var it = new Running(directory)) {
      it.writeHour("cpu");
      it.writeHour("disk");
      it.merge();
      assertEquals("2025-11-20T19|cpu|0 2025-11-20T19|disk|0 ", it.partitions());
      String events = it.http.get("/v1/query?limit=1000").body();
      String dry = it.post("?dry=true&type=cpu").body();
      assertTrue(
          dry.startsWith("{\"partition\":\"2025-11-20T19|cpu|0\",\"events\":60,\"bytes\":"), dry);
      assertTrue(dry.contains(",\"weight\":6.0000}\n"), dry);
      assertTrue(
          dry.endsWith("{\"partitions\":1,\"before\":1,\"after\":4,\"digest\":null}\n"), dry);
      assertEquals("2025-11-20T19|cpu|0 2025-11-20T19|disk|0 ", it.partitions());
      HttpResponse<String> done = it.post("?type=cpu&from=2025-11-20&to=2025-11-21");
      assertEquals(
          "{\"partitions\":1,\"before\":1,\"after\":4,\"digest\":\"same\"}\n", done.body());
      assertEquals(
          "2025-11-20T19:00+15m|cpu|0 2025-11-20T19|disk|0 2025-11-20T19:15+15m|cpu|0"
              + " 2025-11-20T19:30+15m|cpu|0 2025-11-20T19:45+15m|cpu|0 ",
          it.partitions());
      assertEquals(events, it.http.get("/v1/query?limit=1000").body());
      CommandDaemon.Ran ran = it.run("layout repartition", "disk", "--dry-run", "--output", "csv");
      assertEquals(0, ran.code(), ran.err());
      assertTrue(
          ran.out().startsWith("partition,events,bytes,weight\r\n2025-11-20T19|"), ran.out());
      assertTrue(ran.err().contains("1 do not fit; 1 would become 4"), ran.err());
      ran = it.run("layout repartition");
      assertEquals(
          "{\"partitions\":1,\"before\":1,\"after\":4,\"digest\":\"same\"}\n",
          ran.out(),
          ran.err());
      assertEquals(events, it.http.get("/v1/query?limit=1000").body());
    }
  }

  @Test
  void aStoppedStoreIsWrittenAgain() throws IOException, InterruptedException {
    String events;
    try (var it = new Running(directory)) {
      it.writeHour("cpu");
      it.merge();
      events = it.http.get("/v1/query?limit=1000").body();
    }
    String data = directory.resolve("store").toString();
    CommandDaemon.Ran ran =
        CommandDaemon.run(
            Map.of(),
            "layout repartition",
            "--data",
            data,
            "--partition-events",
            "10",
            "--dry-run");
    assertTrue(
        ran.out().contains("{\"partition\":\"2025-11-20T19|cpu|0\",\"events\":60,"), ran.out());
    assertTrue(
        ran.out().endsWith("{\"partitions\":1,\"before\":1,\"after\":4,\"digest\":null}\n"),
        ran.out());
    ran =
        CommandDaemon.run(
            Map.of(), "layout repartition", "--data", data, "--partition-events", "10");
    assertEquals(
        "{\"partitions\":1,\"before\":1,\"after\":4,\"digest\":\"same\"}\n", ran.out(), ran.err());
    ran = CommandDaemon.run(Map.of(), "layout repartition", "--data", data, "mem");
    assertEquals(64, ran.code());
    assertTrue(ran.err().contains("type: no type matches 'mem'"), ran.err());
    ran =
        CommandDaemon.run(
            Map.of(), "layout repartition", "--data", data, "--partition-events", "0");
    assertTrue(ran.err().contains("partition-events must be positive, got 0"), ran.err());
    ran =
        CommandDaemon.run(
            Map.of(), "layout repartition", "--data", directory.resolve("nowhere").toString());
    assertEquals(66, ran.code(), ran.err());
    try (var it = new Running(directory)) {
      assertEquals(4, it.http.get("/v1/partitions").body().lines().count());
      assertEquals(events, it.http.get("/v1/query?limit=1000").body());
    }
  }

  @Test
  void whatMakesNoSenseIsRefusedWithTheValue() throws IOException, InterruptedException {
    try (var it = new Running(directory)) {
      it.writeHour("cpu");
      it.merge();
      Map<String, String> refused =
          Map.of(
              "?type=nginx.%2A", "type: no type matches 'nginx.*'",
              "?type=", "type: is empty",
              "?dry=perhaps", "dry: must be true or false, got 'perhaps'",
              "?dry=true&dry=false", "dry: is given 2 times",
              "?from=2025-11-21&to=2025-11-20", "to: 2025-11-20 is not after from, 2025-11-21",
              "?from=soon", "from: ",
              "?typ=cpu", "typ: no such parameter");
      for (var each : refused.entrySet()) {
        HttpResponse<String> answer = it.post(each.getKey());
        assertEquals(400, answer.statusCode(), each.getKey());
        assertTrue(answer.body().contains(each.getValue()), answer.body());
      }
      assertEquals("2025-11-20T19|cpu|0 ", it.partitions());
      assertEquals(405, it.http.get(PATH).statusCode());
    }
  }

  @Test
  void aStoreElsewhereKeepsItsKeys() throws IOException, InterruptedException {
    try (var elsewhere = new TokenDaemon(directory, "secret-of-shop-0123456789abcdef")) {
      HttpResponse<String> answer =
          elsewhere.http.post(
              PATH, Http.NDJSON, "", "authorization", "Bearer " + TokenDaemon.OPERATOR);
      assertEquals(501, answer.statusCode(), answer.body());
      assertEquals(401, elsewhere.http.post(PATH, Http.NDJSON, "").statusCode());
    }
  }
}
