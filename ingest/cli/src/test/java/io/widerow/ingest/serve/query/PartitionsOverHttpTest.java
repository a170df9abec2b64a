package io.widerow.ingest.serve.query;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.widerow.cli.CommandDaemon;
import io.widerow.event.PartitionKey;
import io.widerow.ingest.Daemon;
import io.widerow.ingest.Http;
import io.widerow.ingest.MemoryStore;
import io.widerow.ingest.config.DaemonConfig;
import io.widerow.storage.PartitionInfo;
import io.widerow.storage.StoreView;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Goal: `GET /v1/partitions?layout=true` and `widerow layout partitions` return the layout of the
/// data: lanes, partitions, segments, late events and damage, as far as known without reading.
/// Method: a daemon with a store on the disk, whose events are old, so that a merge is due at once.
@Timeout(300)
class PartitionsOverHttpTest {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String LAYOUT = "/v1/partitions?layout=true";

  @TempDir private Path directory = Path.of(".");

  private CommandDaemon open() {
    return new CommandDaemon(
        directory, Map.of("lanes", "2", "shards", "4", "bucket-minutes", "60", "final", "keep"));
  }

  /// Writes events of now, whose bucket no merge has finished.
  private static void writeNow(CommandDaemon it, String type, int events)
      throws IOException, InterruptedException {
    String line = "{\"type\":%s,\"body\":\"x\"}\n".formatted(JSON.writeValueAsString(type));
    assertEquals(200, it.http.post("/v1/events", Http.NDJSON, line.repeat(events)).statusCode());
  }

  /// Writes an event each second.
  private static void write(CommandDaemon it, String type, String from, int events)
      throws IOException, InterruptedException {
    StringBuilder lines = new StringBuilder();
    for (int i = 0; i < events; i++) {
      lines.append(
          "{\"ts\":\"%s:%02d:%02dZ\",\"type\":%s,\"body\":\"x\"}%n"
              .formatted(from, i / 60, i % 60, JSON.writeValueAsString(type)));
    }
    assertEquals(200, it.http.post("/v1/events", Http.NDJSON, lines.toString()).statusCode());
  }

  private static List<JsonNode> lines(CommandDaemon it, String path, String member)
      throws IOException, InterruptedException {
    List<JsonNode> found = new ArrayList<>();
    for (String line : it.get(path).lines().toList()) {
      JsonNode read = JSON.readTree(line);
      if (member.equals(read.fieldNames().next())) {
        found.add(read);
      }
    }
    return found;
  }

  private static long sum(List<JsonNode> lines, String member) {
    return lines.stream().mapToLong(line -> line.path(member).asLong()).sum();
  }

  @Test
  void eventsGoFromOpenRowsToSegments() throws IOException, InterruptedException {
    try (CommandDaemon it = open()) {
      writeNow(it, "shop|\"web\"", 90);
      List<JsonNode> lanes = lines(it, LAYOUT, "lane");
      assertEquals(2, lanes.size());
      assertEquals(90, sum(lanes, "openEvents"));
      assertTrue(sum(lanes, "openBytes") > 0 && sum(lanes, "journalBytes") > 0, lanes::toString);
      assertTrue(sum(lanes, "slots") > 0 && lanes.getFirst().has("forcedAgoMicros"));
      List<JsonNode> open = lines(it, LAYOUT, "partition");
      assertEquals(90, sum(open, "events"));
      for (JsonNode each : open) {
        assertEquals("shop|\"web\"", each.path("type").asText());
        String hour = each.path("partition").asText().substring(0, 13);
        assertEquals(hour + ":00:00.000000000Z", each.path("from").asText());
        assertTrue(each.path("first").asText().startsWith(hour), each::toString);
        assertEquals("open", each.path("state").asText());
        assertEquals(each.path("shard").asInt() % 2, each.path("lane").asInt());
        assertEquals("[]", each.path("segments").toString());
      }
      assertEquals(List.of(), lines(it, LAYOUT, "segment"));
      it.seal();
      assertEquals(0, sum(lines(it, LAYOUT, "lane"), "openEvents"));
      List<JsonNode> segments = lines(it, LAYOUT, "segment");
      assertEquals(90, sum(segments, "events"));
      for (JsonNode segment : segments) {
        assertTrue(Files.exists(file(segment)), segment::toString);
        assertTrue(
            segment.path("from").asText().compareTo(segment.path("to").asText()) <= 0, "in order");
        assertEquals("false", segment.path("final").asText());
      }
      assertEquals(open.size(), sum(segments, "partitions"));
      for (JsonNode each : lines(it, LAYOUT, "partition")) {
        assertEquals("sealed", each.path("state").asText());
        assertEquals(1, each.path("segments").size());
      }
    }
  }

  private Path file(JsonNode segment) throws IOException {
    try (var found = Files.walk(directory)) {
      return found
          .filter(each -> each.getFileName().toString().equals(segment.path("file").asText()))
          .findFirst()
          .orElse(directory.resolve("none"));
    }
  }

  @Test
  void whatComesAfterAMergeIsLate() throws IOException, InterruptedException {
    try (CommandDaemon it = open()) {
      write(it, "cpu", "2025-11-20T19", 60);
      it.merge();
      List<JsonNode> merged = lines(it, LAYOUT, "partition");
      assertTrue(merged.stream().allMatch(each -> each.path("state").asText().equals("final")));
      assertEquals(0, sum(merged, "late"));
      write(it, "new", "2025-11-20T19", 10);
      List<JsonNode> open = lines(it, LAYOUT + "&type=new", "partition");
      assertEquals(10, sum(open, "late"), "their bucket ended before the rows were opened");
      assertEquals("true", lines(it, LAYOUT, "segment").getFirst().path("final").asText());
      write(it, "cpu", "2025-11-20T19", 20);
      List<JsonNode> more = lines(it, LAYOUT + "&type=cpu", "partition");
      assertEquals(80, sum(more, "events"));
      assertEquals(20, sum(more, "late"), more::toString);
    }
  }

  @Test
  void whatIsTooMuchIsSummedUp() throws IOException, InterruptedException {
    try (CommandDaemon it = open()) {
      write(it, "cpu", "2025-11-20T19", 60);
      write(it, "cpu", "2025-11-20T21", 60);
      write(it, "disk", "2025-11-21T01", 60);
      int all = lines(it, LAYOUT, "partition").size();
      it.assertRefused(
          "GET",
          LAYOUT,
          Map.of(
              "&limit=1", "limit: there are " + all + ", more than 1: query fewer types",
              "&limit=0", "limit: must be a whole number from 1 to 1000000, got '0'",
              "&limit=x", "got 'x'",
              "&by=hour", "by: must be day, type or both, got 'hour'",
              "&by=day,", "got 'day,'",
              "&layout=1", "layout: is given 2 times",
              "&bye=day", "bye: no such parameter"));
      List<JsonNode> days = lines(it, LAYOUT + "&by=day", "partitions");
      assertEquals(all, sum(days, "partitions"));
      assertEquals(180, sum(days, "events"));
      List<JsonNode> types = lines(it, LAYOUT + "&by=type", "partitions");
      assertEquals(3, types.size(), types::toString);
      assertTrue(types.stream().noneMatch(each -> each.has("shard")));
      List<JsonNode> both = lines(it, LAYOUT + "&by=day,type&limit=2", "partitions");
      assertEquals("2025-11-20T00:00:00.000000000Z", both.getFirst().path("from").asText());
      assertEquals("2025-11-21T00:00:00.000000000Z", both.getFirst().path("to").asText());
      assertEquals(120, both.getFirst().path("events").asInt());
      assertEquals("disk", both.getLast().path("type").asText());
      assertEquals(1, lines(it, LAYOUT + "&by=day,type&type=disk", "partitions").size());
    }
  }

  @Test
  void damageIsNamed() throws IOException, InterruptedException {
    JsonNode hurt;
    try (CommandDaemon it = open()) {
      write(it, "cpu", "2025-11-20T19", 60);
      write(it, "disk", "2025-11-21T01", 60);
      it.merge();
      hurt = lines(it, LAYOUT + "&type=cpu", "segment").getFirst();
    }
    Files.write(file(hurt), new byte[100], StandardOpenOption.TRUNCATE_EXISTING);
    try (CommandDaemon it = open()) {
      List<JsonNode> damage = lines(it, LAYOUT, "damage");
      assertEquals(hurt.path("partitions").asInt(), damage.size(), damage::toString);
      assertEquals(hurt.path("file"), damage.getFirst().path("damage"), "no directory is told");
      assertEquals("segment", damage.getFirst().path("what").asText());
      assertTrue(damage.getFirst().path("partition").asText().startsWith("2025-11-20T19|cpu|"));
      assertEquals(List.of(), lines(it, LAYOUT + "&type=disk", "damage"));
      assertEquals(1, sumOfDamaged(lines(it, LAYOUT, "segment")));
      assertEquals(120, sum(lines(it, LAYOUT, "partition"), "events"), "the manifest knows them");
      CommandDaemon.Ran ran = it.run("layout partitions", "--damage", "--output", "csv");
      assertTrue(ran.out().startsWith("damage,what,offset,found,partition\r\n"), ran.out());
      assertEquals(1 + damage.size(), ran.out().lines().count(), ran.out());
    }
  }

  private static long sumOfDamaged(List<JsonNode> segments) {
    return segments.stream().filter(each -> each.path("damaged").asBoolean()).count();
  }

  @Test
  void commandsListEachKind() throws IOException, InterruptedException {
    try (CommandDaemon it = open()) {
      write(it, "cpu", "2025-11-20T19", 60);
      it.merge();
      Map<String, String> heads =
          Map.of(
              "--long", "partition,lane,events,bytes,weight,first,last,state,late",
              "--segments", "segment,file,from,to,events,bytes,partitions,final,damaged,cold",
              "--lanes", "lane,slots,slotsUsed,openEvents,openBytes,journalBytes,forcedAgoMicros",
              "--by=day", "from,type,shard,partitions,events,bytes,weight,state,late");
      for (var each : heads.entrySet()) {
        CommandDaemon.Ran ran = it.run("layout partitions", each.getKey(), "--output", "csv");
        assertEquals(0, ran.code(), ran.err());
        assertTrue(ran.out().startsWith(each.getValue() + "\r\n"), ran.out());
        assertTrue(ran.out().lines().count() > 1, ran.out());
      }
      CommandDaemon.Ran json = it.run("layout partitions", "--long");
      assertEquals(
          lines(it, LAYOUT, "partition").getFirst(),
          JSON.readTree(json.out().lines().findFirst().orElseThrow()),
          "as JSON, the lines of the daemon");
      assertEquals(64, it.run("layout partitions", "--lanes", "--segments").code(), "one of them");
      CommandDaemon.Ran none = it.run("layout partitions", "--damage");
      assertTrue(none.err().contains("there are no damaged parts"), none.err());
    }
  }

  @Test
  void aStoreOnAClusterTellsLess() throws IOException, InterruptedException {
    PartitionKey key = PartitionKey.parse("2025-11-20T19|cpu|5");
    PartitionInfo info =
        new PartitionInfo(key, PartitionInfo.EVENTS_UNKNOWN, key.fromNanos(), key.untilNanos() - 1);
    MemoryStore store = new MemoryStore(1);
    store.shown =
        (StoreView)
            Proxy.newProxyInstance(
                getClass().getClassLoader(),
                new Class<?>[] {StoreView.class},
                (_, method, _) -> method.getName().equals("partitions") ? List.of(info) : null);
    DaemonConfig config =
        DaemonConfig.of(Map.of("data", "unused", "http", "127.0.0.1:0", "lanes", "1"));
    try (Daemon elsewhere = Daemon.start(config, store);
        Http http = new Http(elsewhere)) {
      assertEquals(
          "{\"partition\":\"2025-11-20T19|cpu|5\",\"events\":null,\"bytes\":null,"
              + "\"weight\":null,\"state\":\"cluster\"}\n",
          http.get("/v1/partitions").body());
      String layout = http.get(LAYOUT).body();
      assertTrue(layout.startsWith("{\"lane\":0,\"slots\":"), layout);
      assertTrue(layout.contains("\"type\":\"cpu\",\"shard\":5,\"events\":null"), layout);
      String refused = http.get(LAYOUT + "&by=day").body();
      assertTrue(refused.contains("has no numbers to sum up"), refused);
    }
  }
}
