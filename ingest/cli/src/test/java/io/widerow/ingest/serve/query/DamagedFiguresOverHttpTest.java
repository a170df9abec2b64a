package io.widerow.ingest.serve.query;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.widerow.cli.CommandDaemon;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Goal: with `damage=skip` aggregates cover the readable part: rows that may lack events are
/// flagged, and the missing parts are named, over HTTP and by the command; without damage nothing
/// changes, and without the parameter damage is an error. Method: a daemon over a store on the
/// disk, whose files are damaged while it is stopped.
@Timeout(300)
class DamagedFiguresOverHttpTest extends DamagedHours {
  private static final String FLAG = "widerow.incomplete";
  private static final String LEVELS = "stats=count&by=level&every=1m";
  private static final List<String> QUESTIONS =
      List.of(
          LEVELS,
          "stats=count",
          "stats=count&every=1h",
          "stats=count,p99(ms)&by=type",
          "stats=count&by=level&format=csv",
          "stats=sum(ms)&by=type,level&order-by=level%20desc&limit=3",
          "stats=count&explain=0&rollup=off&every=10m",
          "stats=count&where=ms%20%3E%2050&by=level",
          "stats=count&type=none&by=level");

  private static List<JsonNode> lines(CommandDaemon it, String question)
      throws IOException, InterruptedException {
    return lines(it.get("/v1/query?" + question));
  }

  private static long count(List<JsonNode> lines) {
    return lines.stream().mapToLong(line -> line.path("count").asLong()).sum();
  }

  private CommandDaemon.Ran stopped(String... arguments) {
    List<String> all = new ArrayList<>(List.of(arguments));
    all.addAll(List.of("--data", directory.resolve("store").toString()));
    return CommandDaemon.run(Map.of(), "query", all.toArray(String[]::new));
  }

  @Test
  void withoutDamageNothingChanges() throws IOException, InterruptedException {
    fill();
    try (CommandDaemon it = open()) {
      write(it, "web", "2025-11-20T13"); // in open rows
      for (String question : QUESTIONS) {
        HttpResponse<String> plain = it.http.get("/v1/query?" + question);
        HttpResponse<String> skipping = it.http.get("/v1/query?damage=skip&" + question);
        assertEquals(plain.body(), skipping.body(), question);
        assertEquals(
            plain.headers().firstValue("widerow-rollup"),
            skipping.headers().firstValue("widerow-rollup"),
            question);
        assertTrue(skipping.headers().firstValue("widerow-damage").isEmpty(), question);
        assertEquals(plain.body(), it.get("/v1/query?damage=refuse&" + question));
      }
      it.assertRefused(
          "GET",
          "/v1/query",
          Map.of(
              "?damage=skip", "damage: is for the aggregates of stats",
              "?stats=count&damage=no", "damage: must be refuse or skip, got no"));
      CommandDaemon.Ran ran = it.run("query", "--stats=count", "--damage=skip");
      assertEquals(0, ran.code(), ran.err());
      assertEquals("{\"count\":420}\n", ran.out());
    }
  }

  @Test
  void aMissingFileIsNamedAndTheRestIsCounted() throws IOException, InterruptedException {
    Path gone = fillAndDelete();
    try (CommandDaemon it = open()) {
      String refused = it.get("/v1/query?" + LEVELS);
      assertTrue(refused.startsWith("{\"error\":") && refused.contains("corrupt"), refused);
      HttpResponse<String> answer = it.http.get("/v1/query?damage=skip&" + LEVELS);
      List<JsonNode> all = lines(answer.body());
      assertEquals(240, count(all));
      List<JsonNode> damage = damage(all);
      assertMissing(gone, damage);
      assertEquals(damage, all.subList(all.size() - 2, all.size()), "behind the rows");
      assertTrue(all.stream().noneMatch(line -> line.has(FLAG)), "no row is left of that hour");
      String header = answer.headers().firstValue("widerow-damage").orElse("");
      assertTrue(header.startsWith("parts=2 first=2025-11-20T11:00:30.000000000Z last="), header);

      assertEquals(
          "true",
          lines(it, "damage=skip&stats=count").getFirst().path(FLAG).asText(),
          "without steps, every row may lack events");
      List<JsonNode> hours = lines(it, "damage=skip&stats=count&by=type&every=2h");
      assertEquals(4 + 2, hours.size(), hours::toString);
      for (JsonNode each : hours.subList(0, 4)) {
        boolean first = each.path("ts").asText().startsWith("2025-11-20T10");
        assertEquals(first, each.has(FLAG), each::toString);
      }
      List<JsonNode> other =
          lines(it, "damage=skip&" + LEVELS + "&from=2025-11-20T12:00:00Z&to=2025-11-20T13:00:00Z");
      assertEquals(List.of(), damage(other), "damage outside of the range");
      assertEquals(120, count(other));
    }
  }

  @Test
  void csvHasAColumnAndAHeader() throws IOException, InterruptedException {
    fill();
    Files.delete(segment("11"));
    try (CommandDaemon it = open()) {
      HttpResponse<String> csv =
          it.http.get("/v1/query?damage=skip&stats=count&every=2h&by=type&format=csv");
      assertEquals(
          """
          ts,type,count,widerow.incomplete\r
          2025-11-20T10:00:00.000000000Z,auth,60,true\r
          2025-11-20T10:00:00.000000000Z,web,60,true\r
          2025-11-20T12:00:00.000000000Z,auth,60,\r
          2025-11-20T12:00:00.000000000Z,web,60,\r
          """,
          csv.body());
      assertTrue(csv.headers().firstValue("widerow-damage").orElse("").startsWith("parts=2 "));
      String progress = it.get("/v1/query?damage=skip&progress=1&" + LEVELS);
      assertEquals(2, damage(lines(progress)).size(), progress);
    }
  }

  @Test
  void aDamagedBlockIsNamed() throws IOException, InterruptedException {
    fill();
    flip(segment("12"), BLOCKS_AT + 1);
    try (CommandDaemon it = open()) {
      List<JsonNode> all = lines(it, "damage=skip&" + LEVELS);
      assertEquals(300, count(all));
      JsonNode damage = damage(all).getFirst();
      assertEquals(1, damage(all).size(), all::toString);
      assertEquals("block", damage.path("what").asText());
      assertEquals("2025-11-20T12|auth|0", damage.path("partition").asText(), "the first in it");
      assertEquals(BLOCKS_AT, damage.path("offset").asInt());
      assertEquals(60, all.stream().filter(line -> line.has(FLAG)).count(), "of the other type");
      List<JsonNode> types = lines(it, "damage=skip&stats=sum(ms)&by=type");
      assertEquals("auth", types.get(0).path("type").asText());
      assertTrue(types.get(0).has(FLAG) && !types.get(1).has(FLAG), types::toString);
      assertEquals(
          "{\"count\":360}\n",
          it.get("/v1/query?damage=skip&stats=count"),
          "counts by minute lie elsewhere in the file");
    }
  }

  @Test
  void commandsTellItOnStandardError() throws IOException, InterruptedException {
    fill();
    Files.delete(segment("10"));
    flip(segment("12"), BLOCKS_AT + 1);
    String[] asked = {
      "--stats=count", "--by=level", "--every=1h", "--damage=skip", "--output=table"
    };
    String table =
        """
        ts                              level  count  widerow.incomplete
        2025-11-20T11:00:00.000000000Z  error  40
        2025-11-20T11:00:00.000000000Z  info   80
        2025-11-20T12:00:00.000000000Z  error  20     true
        2025-11-20T12:00:00.000000000Z  info   40     true
        """;
    CommandDaemon.Ran stopped = stopped(asked);
    assertEquals(65, stopped.code(), stopped.err());
    assertEquals(table, stopped.out());
    assertEquals(3, stopped.err().lines().count(), stopped.err());
    assertTrue(
        stopped
            .err()
            .contains(
                "up to 60 events of partition 2025-11-20T12|auth|0, between"
                    + " 2025-11-20T12:00:30.000000000Z and 2025-11-20T12:59:30"),
        stopped.err());
    assertTrue(
        stopped.err().lines().allMatch(line -> line.startsWith("widerow query: shown without: ")),
        stopped.err());
    assertEquals(65, stopped("--stats=count,sum(ms)").code(), "refused when it is not asked for");
    try (CommandDaemon it = open()) {
      CommandDaemon.Ran ran = it.run("query", asked);
      assertEquals(stopped, ran, "of the daemon, the same");
      CommandDaemon.Ran events = it.run("query", "--damage=skip");
      assertEquals(64, events.code(), events.err());
    }
  }

  @Test
  void whenAllIsDamagedItIsNamed() throws IOException, InterruptedException {
    fill();
    for (String hour : List.of("10", "11", "12")) {
      Files.delete(segment(hour));
    }
    try (CommandDaemon it = open()) {
      List<JsonNode> rows = lines(it, "damage=skip&" + LEVELS);
      assertEquals(6, rows.size());
      assertEquals(rows, damage(rows));
      assertEquals(360, rows.stream().mapToInt(row -> row.path("events").asInt()).sum());
      List<JsonNode> none = lines(it, "damage=skip&stats=count");
      assertEquals("{\"count\":0,\"widerow.incomplete\":true}", none.getFirst().toString());
    }
  }

  /// Blocks behind the damaged one are read also when other threads look through them.
  @Test
  @Tag("deep")
  void theOtherBlocksOfAPartitionAreCounted() throws IOException, InterruptedException {
    int events = 400_000;
    Instant hour = Instant.parse("2025-11-20T10:00:00Z");
    try (CommandDaemon it = open()) {
      for (int from = 0; from < events; from += 20_000) {
        StringBuilder lines = new StringBuilder();
        for (int i = from; i < from + 20_000; i++) {
          lines.append(
              "{\"ts\":\"%s\",\"type\":\"web\",\"level\":\"l%d\",\"ms\":%d}%n"
                  .formatted(hour.plus(Duration.ofMillis(i * 8L)), i % 2, i % 1000));
        }
        post(it, lines.toString());
      }
      it.merge();
    }
    Path file = segment("10");
    flip(file, BLOCKS_AT + 1);
    flip(file, Files.size(file) / 2);
    try (CommandDaemon it = open()) {
      for (String question :
          List.of(
              "stats=count,p50(ms)&by=level&every=1m",
              "stats=count&by=level",
              "stats=count&by=level&where=ms%20%3C%202000")) {
        List<JsonNode> all = lines(it, "damage=skip&" + question);
        List<JsonNode> damage = damage(all);
        assertFalse(damage.isEmpty(), question);
        long lost = damage.stream().mapToLong(each -> each.path("events").asLong()).sum();
        assertEquals(events, count(all) + lost, question + damage);
        assertTrue(lost < events / 2, damage::toString);
      }
    }
  }

  @Test
  void figuresWhoseEventsAreGoneAreNamed() throws IOException, InterruptedException {
    try (var it = new CommandDaemon(directory, Map.of())) {
      assertEquals(
          200,
          it.send("PUT", "/v1/rollups/days?type=web&by=level&stats=count&every=1h&keep=400d")
              .statusCode());
      Instant day = Instant.now().truncatedTo(ChronoUnit.HOURS).minus(9, ChronoUnit.DAYS);
      write(it, "web", day.toString().substring(0, 13));
      it.merge();
      assertEquals(200, it.send("PUT", "/v1/retention?type=web&age=3d&grace=0s").statusCode());
      it.merge();
      assertEquals(60, count(lines(it, "stats=count&by=level")));
    }
    Files.delete(file(".fig"));
    try (var it = new CommandDaemon(directory, Map.of())) {
      assertTrue(it.get("/v1/query?stats=count&by=level").contains("corrupt"));
      List<JsonNode> rows = lines(it, "damage=skip&stats=count&by=level");
      assertEquals(1, rows.size(), rows::toString);
      assertTrue(rows.getFirst().path("damage").asText().endsWith(".fig"), rows::toString);
      assertTrue(rows.getFirst().path("partition").isNull());
      CommandDaemon.Ran ran = it.run("query", "--stats=count", "--by=level", "--damage=skip");
      assertEquals(65, ran.code(), ran.err());
      assertTrue(ran.err().contains("events of unknown partitions"), ran.err());
    }
  }
}
