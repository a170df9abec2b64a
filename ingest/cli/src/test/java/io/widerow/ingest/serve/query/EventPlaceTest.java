package io.widerow.ingest.serve.query;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.widerow.cli.CommandDaemon;
import io.widerow.ingest.Http;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Goal: `shard` asks for the wide rows of one shard, whatever is asked of them; and each event's
/// place is the one where it lies, from the open row to the merged segment. Method: a daemon with
/// eight shards; the catalog and the order of a wide row's events say where each must lie.
@Timeout(300)
class EventPlaceTest {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final int SHARDS = 8;
  private static final int BATCHES = 12;
  private static final int BATCH = 25;

  @TempDir private Path directory = Path.of(".");

  private void withDaemon(Body body) throws IOException, InterruptedException {
    Map<String, String> keys =
        Map.of("lanes", "2", "bucket-minutes", "60", "shards", "" + SHARDS, "final", "keep");
    try (CommandDaemon it = new CommandDaemon(directory, keys)) {
      write(it);
      body.run(it);
    }
  }

  private interface Body {
    void run(CommandDaemon it) throws IOException, InterruptedException;
  }

  private static void write(CommandDaemon it) throws IOException, InterruptedException {
    for (int batch = 0; batch < BATCHES; batch++) {
      StringBuilder lines = new StringBuilder();
      for (int i = 0; i < BATCH; i++) {
        lines.append(
            "{\"ts\":\"2025-11-20T%02d:%02d:00Z\",\"type\":\"%s\",\"n\":%d,\"body\":\"x\"}%n"
                .formatted(10 + i % 2, i, i % 5 == 0 ? "b" : "a", batch * BATCH + i));
      }
      assertEquals(200, it.http.post("/v1/events", Http.NDJSON, lines.toString()).statusCode());
    }
  }

  private static List<String> events(CommandDaemon it, String question)
      throws IOException, InterruptedException {
    return it.get("/v1/query?" + question)
        .lines()
        .filter(line -> line.startsWith("{\"id\":"))
        .toList();
  }

  private static List<JsonNode> partitions(CommandDaemon it)
      throws IOException, InterruptedException {
    List<JsonNode> found = new ArrayList<>();
    for (String line : it.get("/v1/partitions?layout=true").lines().toList()) {
      JsonNode read = JSON.readTree(line);
      if (read.has("partition") && read.has("shard")) {
        found.add(read);
      }
    }
    return found;
  }

  private static Map<Integer, Integer> byShard(CommandDaemon it)
      throws IOException, InterruptedException {
    Map<Integer, Integer> events = new LinkedHashMap<>();
    for (JsonNode partition : partitions(it)) {
      int more = partition.path("events").asInt();
      events.merge(partition.path("shard").asInt(), more, Integer::sum);
    }
    return events;
  }

  @Test
  void aShardIsAPartOfTheAnswer() throws IOException, InterruptedException {
    withDaemon(it -> {
      Map<Integer, Integer> expected = byShard(it);
      assertTrue(expected.size() > 1, expected::toString);
      List<String> all = events(it, "order=desc");
      List<String> together = new ArrayList<>();
      for (int shard = 0; shard < SHARDS; shard++) {
        int count = expected.getOrDefault(shard, 0);
        List<String> some = events(it, "order=desc&shard=" + shard);
        assertEquals(count, some.size(), "shard " + shard);
        assertEquals(some, all.stream().filter(some::contains).toList(), "in the same order");
        together.addAll(some);
        String sum = "/v1/query?stats=count&shard=" + shard;
        assertEquals("{\"count\":" + count + "}", it.get(sum).strip());
        String fields = it.get("/v1/fields?shard=" + shard);
        assertTrue(fields.startsWith("{\"events\":" + count + ","), fields);
      }
      assertEquals(all.size(), together.size());
      assertTrue(together.containsAll(all), "each is in one of them");
    });
  }

  @Test
  void aShardIsCountedFromRollupsToo() throws IOException, InterruptedException {
    withDaemon(it -> {
      Map<Integer, Integer> expected = byShard(it);
      it.merge();
      for (Map.Entry<Integer, Integer> each : expected.entrySet()) {
        String asked = "/v1/query?stats=count&every=1d&rollup=only&shard=" + each.getKey();
        String found = it.get(asked).strip();
        assertTrue(found.endsWith("\"count\":" + each.getValue() + "}"), found);
      }
    });
  }

  @Test
  void commandsTakeAShardAndWrongOnesAreRefused() throws IOException, InterruptedException {
    withDaemon(it -> {
      int shard = byShard(it).keySet().iterator().next();
      String count = "" + byShard(it).get(shard);
      CommandDaemon.Ran ran = it.run("query", "--shard", "" + shard, "--stats", "count");
      assertEquals("{\"count\":" + count + "}\n", ran.out(), ran.err());
      ran = it.run("explore fields", "--shard", "" + shard);
      assertTrue(ran.out().startsWith("{\"events\":" + count + ","), ran.out() + ran.err());
      it.assertRefused(
          "GET",
          "/v1/query?",
          Map.of(
              "shard=-1", "shard: must be a whole number from 0 to 32767, got -1",
              "shard=32768", "got 32768",
              "shard=a", "got a",
              "shard=", "got "));
    });
  }

  @Test
  void eachEventLiesWhereItIsSaidToLie() throws IOException, InterruptedException {
    withDaemon(it -> {
      assertEquals("open", placesAre(it));
      it.merge();
      assertEquals("final", placesAre(it));
      String line = events(it, "limit=1").getFirst();
      String id = JSON.readTree(line).path("id").asText();
      String type = JSON.readTree(line).path("type").asText();
      CommandDaemon.Ran ran = it.run("explore event", type + "/" + id);
      assertEquals(it.get("/v1/events/" + id + "?type=" + type), ran.out(), ran.err());
      ran = it.run("explore event", id, "--around", "2");
      assertEquals(events(it, "limit=3"), ran.out().lines().toList(), ran.err());
      ran = it.run("explore event", "4711");
      assertEquals(64, ran.code());
      assertTrue(ran.err().contains("event: must end in an id, a UUID, got 4711"), ran.err());
    });
  }

  /// Holds the place of each event to the catalog; returns the state that all of them have.
  private static String placesAre(CommandDaemon it) throws IOException, InterruptedException {
    String state = "";
    for (JsonNode partition : partitions(it)) {
      String range =
          "&from=" + partition.path("from").asText() + "&to=" + partition.path("to").asText();
      String of = "type=" + partition.path("type").asText() + "&shard=" + partition.path("shard");
      List<String> own = events(it, of + range);
      assertEquals(partition.path("events").asInt(), own.size());
      for (int i = 0; i < own.size(); i += 3) {
        JsonNode event = JSON.readTree(own.get(i));
        String path =
            "/v1/events/" + event.path("id").asText() + "?type=" + event.path("type").asText();
        JsonNode told = JSON.readTree(it.get(path));
        assertEquals(partition.path("partition"), told.path("partition"));
        assertEquals(partition.path("lane"), told.path("lane"));
        JsonNode place = told.path("place");
        state = place.path("state").asText();
        assertEquals(partition.path("state").asText(), state);
        if (place.has("segment")) {
          assertEquals(partition.path("segments").path(0), place.path("segment"));
          assertEquals(1, partition.path("segments").size());
          assertEquals(1, place.path("blocks").asInt());
          assertEquals(0, place.path("block").asInt());
          assertEquals(i, place.path("row").asInt());
        }
      }
    }
    return state;
  }
}
