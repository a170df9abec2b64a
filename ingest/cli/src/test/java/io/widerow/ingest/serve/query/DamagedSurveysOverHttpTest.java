package io.widerow.ingest.serve.query;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.widerow.cli.CommandDaemon;
import io.widerow.faults.PendingStore;
import io.widerow.ingest.Daemon;
import io.widerow.ingest.Http;
import io.widerow.ingest.LocalStore;
import io.widerow.ingest.config.DaemonConfig;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Goal: with `damage=skip` fields, differences and patterns are of what can be read, and what they
/// lack is named, over HTTP and by the commands; without damage nothing changes, and without the
/// parameter damage is an error. A tail reads nothing before its position, damaged or not. Method:
/// a daemon over a store on the disk, whose files are damaged while it is stopped, and over one
/// that has no sealed values to tell, as a cluster.
@Timeout(300)
@Tag("deep")
class DamagedSurveysOverHttpTest extends DamagedHours {
  private static final int EVENTS = 360;
  private static final String INCOMPLETE = "widerow.incomplete";
  private static final String ERRORS = "level%20%3D%20%22error%22";
  private static final List<String> QUESTIONS =
      List.of(
          "/v1/fields?budget=1m",
          "/v1/fields?budget=1m&from=2025-11-20T10:30:00Z",
          "/v1/fields?budget=1m&where=ms%20%3E%3D%200",
          "/v1/fields?budget=1m&pick=" + ERRORS,
          "/v1/fields/level?budget=1m",
          "/v1/fields/type?budget=1m",
          "/v1/diff?budget=1m&from=2025-11-20T12:00:00Z&to=2025-11-20T13:00:00Z",
          "/v1/patterns?budget=1m");

  @Override
  String members(int number, String type) {
    return ",\"body\":\"request %d of %s\"".formatted(number, type);
  }

  private static List<JsonNode> skipping(CommandDaemon it, String question)
      throws IOException, InterruptedException {
    return lines(it.get(question + "&damage=skip"));
  }

  private static long lost(List<JsonNode> lines) {
    return damage(lines).stream().mapToLong(line -> line.path("events").asLong()).sum();
  }

  /// How many events each value of a field has.
  private static Map<String, Integer> counts(List<JsonNode> lines, String field) {
    Map<String, Integer> counts = new HashMap<>();
    for (JsonNode line : lines) {
      if (line.path("field").asText().equals(field)) {
        line.path("values")
            .forEach(each -> counts.put(each.path("value").asText(), each.path("count").asInt()));
      }
    }
    return counts;
  }

  private static int sum(Map<String, Integer> counts) {
    return counts.values().stream().mapToInt(Integer::intValue).sum();
  }

  @Test
  void withoutDamageNothingChanges() throws IOException, InterruptedException {
    fill();
    try (CommandDaemon it = open()) {
      write(it, "web", "2025-11-20T13"); // in open rows
      for (String question : QUESTIONS) {
        HttpResponse<String> skipping = it.http.get(question + "&damage=skip");
        assertEquals(200, skipping.statusCode(), skipping.body());
        assertEquals(it.get(question), skipping.body(), question);
        assertEquals(it.get(question + "&damage=refuse"), skipping.body(), question);
        assertTrue(skipping.headers().firstValue("widerow-damage").isEmpty(), question);
        assertFalse(skipping.body().contains(INCOMPLETE), question);
        it.assertRefused("GET", question, Map.of("&damage=no", "damage: must be refuse or skip"));
      }
      CommandDaemon.Ran ran = it.run("explore fields", "--damage=skip");
      assertEquals(0, ran.code(), ran.err());
      assertEquals("", ran.err());
    }
  }

  @Test
  void aMissingFileIsNamedAndTheRestIsCounted() throws IOException, InterruptedException {
    Path gone = fillAndDelete();
    try (CommandDaemon it = open()) {
      for (String question : QUESTIONS) {
        HttpResponse<String> refused = it.http.get(question);
        assertEquals(503, refused.statusCode(), question);
        assertTrue(refused.body().contains(gone.getFileName().toString()), refused.body());
        HttpResponse<String> answer = it.http.get(question + "&damage=skip");
        assertEquals(200, answer.statusCode(), answer.body());
        List<JsonNode> all = lines(answer.body());
        assertTrue(all.getFirst().path(INCOMPLETE).asBoolean(), answer.body());
        assertTrue(all.getFirst().path("exact").asBoolean(), answer.body());
        List<JsonNode> damage = damage(all);
        assertMissing(gone, damage);
        assertEquals(damage, all.subList(all.size() - 2, all.size()), "after the findings");
        String header = answer.headers().firstValue("widerow-damage").orElse("");
        assertTrue(header.startsWith("parts=2 first=2025-11-20T11:00:30.000000000Z last="), header);
      }
      List<JsonNode> fields = skipping(it, QUESTIONS.getFirst());
      assertEquals(240, fields.getFirst().path("events").asInt());
      assertEquals(Map.of("error", 80, "info", 160), counts(fields, "level"));
      assertEquals(Map.of("web", 120, "auth", 120), counts(fields, "type"));
      assertEquals(
          Map.of("error", 80, "info", 160),
          counts(skipping(it, "/v1/fields/level?budget=1m"), "level"));
      List<JsonNode> picked = skipping(it, "/v1/fields?budget=1m&pick=" + ERRORS);
      assertEquals(80, picked.getFirst().path("picked").asInt());
      List<JsonNode> diff = skipping(it, QUESTIONS.get(6));
      assertEquals(120, diff.getFirst().path("events").asInt());
      assertEquals(0, diff.getFirst().path("before").asInt());
      List<JsonNode> patterns = skipping(it, "/v1/patterns?budget=1m");
      assertEquals(240, patterns.getFirst().path("lines").asInt());
      String other = "&from=2025-11-20T12:00:00Z&damage=skip";
      assertEquals(
          it.get("/v1/fields?from=2025-11-20T12:00:00Z"),
          it.get("/v1/fields?budget=1m" + other),
          "damage outside of the range");
    }
  }

  /// Whatever byte of a file is wrong: a block counts as a whole, or is named.
  @Test
  void aDamagedBlockIsNamedAndCountsInNoField() throws IOException, InterruptedException {
    fill();
    Path file = segment("12");
    int named = 0;
    for (int i = 0; i < 8; i++) {
      long at = i == 0 ? BLOCKS_AT + 1 : BLOCKS_AT + Files.size(file) / 9 * i;
      flip(file, at);
      try (CommandDaemon it = open()) {
        for (String question : QUESTIONS.subList(0, 6)) {
          List<JsonNode> all = skipping(it, question);
          assertEquals(all, skipping(it, question), "asked again");
          int range = question.contains("10:30") ? EVENTS - 60 : EVENTS;
          assertEquals(range, all.getFirst().path("events").asLong() + lost(all), question + at);
          assertEquals(lost(all) > 0, all.getFirst().path(INCOMPLETE).asBoolean(), question);
          assertTrue(all.getFirst().path("exact").asBoolean(), question);
          if (!question.contains("pick")) {
            String field = question.contains("/type") ? "type" : "level";
            assertEquals(
                all.getFirst().path("events").asInt(), sum(counts(all, field)), question + all);
          }
          named += damage(all).size();
        }
      }
      flip(file, at);
    }
    assertTrue(named > 8, named + " parts");
  }

  @Test
  void commandsTellItOnStandardError() throws IOException, InterruptedException {
    fill();
    Files.delete(segment("10"));
    flip(segment("12"), BLOCKS_AT + 1);
    try (CommandDaemon it = open()) {
      for (CommandDaemon.Ran ran :
          List.of(
              it.run("explore fields", "--damage=skip", "--output=table"),
              it.run("explore fields", "--field=level", "--damage=skip"),
              it.run(
                  "explore diff",
                  "--from=2025-11-20T11:00:00Z",
                  "--to=2025-11-20T13:00:00Z",
                  "--before-from=2025-11-20T10:00:00Z",
                  "--damage=skip",
                  "--output=csv"),
              it.run("explore patterns", "--damage=skip", "--output=table"))) {
        assertEquals(65, ran.code(), ran.err());
        List<String> without =
            ran.err().lines().filter(line -> line.contains(": shown without: ")).toList();
        assertEquals(3, without.size(), ran.err());
        String block = "up to 60 events of partition 2025-11-20T12|auth|0, between ";
        assertTrue(without.stream().anyMatch(line -> line.contains(block)), ran.err());
        assertNotEquals("", ran.out());
      }
      CommandDaemon.Ran json = it.run("explore patterns", "--damage=skip");
      assertEquals(3, damage(lines(json.out())).size(), json.out());
      CommandDaemon.Ran refused = it.run("explore fields");
      assertNotEquals(0, refused.code());
      assertTrue(refused.err().contains("corrupt"), refused.err());
    }
  }

  /// A store that has no sealed values to tell, as a cluster, is read event by event.
  @Test
  void aStoreOnOtherMachinesAnswersTheSame() throws IOException, InterruptedException {
    fill();
    Files.delete(segment("10"));
    flip(segment("12"), BLOCKS_AT + 1);
    List<List<String>> here = new ArrayList<>();
    try (CommandDaemon it = open()) {
      for (String question : QUESTIONS) {
        here.add(it.get(question + "&damage=skip").lines().sorted().toList());
      }
    }
    Map<String, String> all = new HashMap<>(keys());
    all.put("data", directory.resolve("store").toString());
    all.put("http", "127.0.0.1:0");
    all.put("disk-reserve-bytes", "0");
    DaemonConfig config = DaemonConfig.of(all);
    try (PendingStore store = new PendingStore(LocalStore.open(config), 7);
        Daemon daemon = Daemon.start(config, store);
        Http http = new Http(daemon)) {
      for (int i = 0; i < QUESTIONS.size(); i++) {
        String body = http.get(QUESTIONS.get(i) + "&damage=skip").body();
        assertEquals(here.get(i), body.lines().sorted().toList(), QUESTIONS.get(i));
        assertEquals(503, http.get(QUESTIONS.get(i)).statusCode());
      }
      assertTrue(store.pendings() > 0);
    }
  }

  private static String at(String body) throws IOException {
    JsonNode event = parse(body.lines().findFirst().orElseThrow());
    return event.path("type").asText() + "/" + event.path("id").asText();
  }

  /// What lies before the position of a tail is not read, so it loses nothing; what lies between it
  /// and now ends it with an error.
  @Test
  void aTailReadsNothingBeforeItsPosition() throws IOException, InterruptedException {
    fill();
    Path file = segment("12");
    String position;
    String first;
    try (CommandDaemon it = open()) {
      HttpResponse<String> newest =
          it.http.get("/v1/query?type=web&order=desc&limit=1&to=2025-11-20T13:00:00Z");
      position = "after=" + at(newest.body());
      position += "&arrived=" + newest.headers().firstValue("widerow-arrived").orElseThrow();
      first = "after=" + at(it.get("/v1/query?type=web&limit=1"));
    }
    flip(file, BLOCKS_AT + 1);
    try (CommandDaemon it = open()) {
      write(it, "web", "2025-11-20T13");
      write(it, "auth", "2025-11-20T09"); // late
      List<JsonNode> after = lines(it.get("/v1/query?limit=1000&" + position));
      assertEquals(120, after.stream().filter(line -> line.has("id")).count(), after::toString);
      assertTrue(after.stream().noneMatch(line -> line.has("error")), after::toString);
      String ended = it.get("/v1/query?limit=1000&" + first);
      assertTrue(ended.contains("{\"error\":") && ended.contains("corrupt at byte"), ended);
    }
  }
}
