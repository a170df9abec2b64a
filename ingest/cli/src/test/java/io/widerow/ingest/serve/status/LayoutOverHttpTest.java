package io.widerow.ingest.serve.status;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.cli.CommandDaemon;
import io.widerow.ingest.Http;
import io.widerow.ingest.TokenDaemon;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Goal: an operator lists partitions and layouts, and fixes layouts, over HTTP and by commands;
/// what makes no sense is answered 400 with the value and changes nothing. Method: a daemon with a
/// store on the disk.
@Timeout(300)
class LayoutOverHttpTest {
  @TempDir private Path directory = Path.of(".");

  /// A daemon of two lanes and its store.
  private static final class Running extends CommandDaemon {
    Running(Path directory, Map<String, String> keys) {
      super(directory, withTwoLanes(keys));
    }

    private static Map<String, String> withTwoLanes(Map<String, String> keys) {
      Map<String, String> all = new HashMap<>(keys);
      all.put("lanes", "2");
      return all;
    }

    void write(String type) throws IOException, InterruptedException {
      String line =
          "{\"ts\":\"2025-11-20T19:20:00Z\",\"type\":\"%s\",\"body\":\"x\"}%n".formatted(type);
      assertEquals(200, http.post("/v1/events", Http.NDJSON, line).statusCode());
    }
  }

  @Test
  void aLayoutThatIsSetCountsFromTheNextEvent() throws IOException, InterruptedException {
    try (var it = new Running(directory, Map.of("bucket-minutes.disk", "180"))) {
      it.write("cpu");
      it.write("disk");
      String layouts = it.get("/v1/layout");
      assertTrue(layouts.contains("{\"type\":\"cpu\",\"width\":"), layouts);
      assertTrue(layouts.contains("{\"type\":\"disk\",\"width\":180,\"shards\":2,"), layouts);
      HttpResponse<String> set = it.send("PUT", "/v1/layout?type=cpu&width=15m&shards=4");
      assertEquals(
          "{\"type\":\"cpu\",\"width\":15,\"shards\":4,\"source\":\"api\",\"types\":1}\n",
          set.body());
      it.write("cpu");
      String partitions = it.get("/v1/partitions?type=cpu");
      assertTrue(partitions.contains("{\"partition\":\"2025-11-20T19:15+15m|cpu|"), partitions);
      assertTrue(
          partitions.contains("\"events\":1,\"bytes\":0,\"weight\":0.0000,\"state\":\"open\"}"),
          partitions);
      assertEquals("", it.get("/v1/partitions?type=cpu&to=2025-11-20T18:00:00Z"));
      String shown = it.get("/v1/query?type=cpu");
      assertEquals(2, shown.lines().filter(line -> line.contains("\"ts\":")).count(), shown);
      String one = it.send("PUT", "/v1/layout?type=cpu&width=auto").body();
      assertEquals(
          "{\"type\":\"cpu\",\"width\":\"auto\",\"shards\":4,\"source\":\"api\",\"types\":1}\n",
          one);
      assertEquals(
          "{\"type\":\"disk\",\"width\":180,\"shards\":null,\"source\":\"config\","
              + "\"types\":1}\n"
              + one
              + "{\"type\":\"*\",\"width\":\"auto\",\"shards\":\"auto\",\"source\":\"config\","
              + "\"types\":2}\n",
          it.get("/v1/layout/overrides"));
      assertEquals("{\"unset\":\"cpu\"}\n", it.send("DELETE", "/v1/layout?type=cpu").body());
      assertTrue(it.get("/v1/layout").contains("\"fixed\":false}\n"));
    }
  }

  @Test
  void commandsListAndSet() throws IOException, InterruptedException {
    try (var it = new Running(directory, Map.of("shards", "6", "bucket-minutes", "60"))) {
      it.write("cpu");
      CommandDaemon.Ran set = it.run("layout", "set", "cpu", "--width", "1d");
      assertEquals(0, set.code(), set.err());
      assertTrue(set.out().contains("\"width\":1440,\"shards\":null"), set.out());
      it.write("cpu");
      CommandDaemon.Ran list = it.run("layout", "--output", "csv");
      assertTrue(
          list.out().startsWith("type,width,shards,rate,state,fixed\r\ncpu,1440,6,"), list.out());
      CommandDaemon.Ran rules = it.run("layout", "overrides");
      assertEquals(2, rules.out().lines().count(), rules.out());
      CommandDaemon.Ran partitions =
          it.run("layout partitions", "cpu", "--from", "2025-11-01", "--output", "csv");
      assertEquals(0, partitions.code(), partitions.err());
      assertTrue(
          partitions.out().startsWith("partition,events,bytes,weight,state\r\n2025-11-20|cpu|"),
          partitions.out());
      assertTrue(partitions.out().contains("\r\n2025-11-20T19|cpu|"), partitions.out());
      assertEquals("{\"unset\":\"cpu\"}\n", it.run("layout", "unset", "cpu").out());
      CommandDaemon.Ran wrong = it.run("layout", "unset", "cpu");
      assertEquals(64, wrong.code());
      assertTrue(wrong.err().contains("no layout was set for 'cpu'"), wrong.err());
    }
  }

  @Test
  void whatMakesNoSenseIsRefusedWithTheValue() throws IOException, InterruptedException {
    try (var it = new Running(directory, Map.of())) {
      it.write("cpu");
      Map<String, String> refused =
          Map.of(
              "type=cpu", "width: is missing for 'cpu'",
              "width=15m", "type: is missing",
              "type=cpu&width=7m", "got 7",
              "type=cpu&width=0", "got 0",
              "type=cpu&width=90s", "got 90s",
              "type=cpu&width=8d", "got 11520",
              "type=cpu&shards=3", "shards: must be a multiple of the 2 lanes, got 3",
              "type=cpu&shards=many", "got many",
              "type=nginx.*&width=15m", "no type matches 'nginx.*'",
              "type=cpu&with=15m", "with: no such parameter");
      for (var each : refused.entrySet()) {
        HttpResponse<String> answer =
            it.send("PUT", "/v1/layout?" + each.getKey().replace("*", "%2A"));
        assertEquals(400, answer.statusCode(), each.getKey());
        assertTrue(answer.body().contains(each.getValue()), answer.body());
      }
      assertEquals(400, it.send("DELETE", "/v1/layout?type=mem").statusCode());
      assertEquals(400, it.http.get("/v1/partitions?from=1h&to=2h").statusCode());
      assertEquals(1, it.get("/v1/layout/overrides").lines().count(), "nothing was changed");
    }
  }

  @Test
  void metricsTellTheLayoutOfTheBusiestTypes() throws IOException, InterruptedException {
    try (var it = new Running(directory, Map.of("shards", "6", "bucket-minutes", "15"))) {
      it.write("cpu");
      String metrics = "";
      while (!metrics.contains("widerow_type_width_minutes{type=\"cpu\"}")) { // once a second
        metrics = it.get("/metrics");
      }
      assertTrue(metrics.contains("widerow_type_width_minutes{type=\"cpu\"} 15.0"), metrics);
      assertTrue(metrics.contains("widerow_type_shards{type=\"cpu\"} 6.0"), metrics);
    }
  }

  @Test
  void storeElsewhereHasTheLayoutOfItsConfiguration() throws IOException, InterruptedException {
    try (var elsewhere = new TokenDaemon(directory, "secret-of-shop-0123456789abcdef")) {
      HttpResponse<String> answer =
          elsewhere.http.get("/v1/layout", "authorization", "Bearer " + TokenDaemon.OPERATOR);
      assertEquals(501, answer.statusCode());
      assertTrue(answer.body().contains("is that of its configuration"), answer.body());
    }
  }
}
