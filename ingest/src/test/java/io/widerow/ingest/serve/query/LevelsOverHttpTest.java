package io.widerow.ingest.serve.query;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.widerow.ingest.Http;
import io.widerow.ingest.OperatedDaemon;
import java.io.IOException;
import java.net.URLEncoder;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Goal: every reader finds the same level in an event: aggregates, filters, rollups, the page's
/// events and Loki's API, of open rows and of sealed blocks. Method: one event a type for each form
/// of a logger, and what each reader makes of it; many more of one type, in which all forms are
/// mixed.
@Timeout(300)
class LevelsOverHttpTest {
  private static final long START_MILLIS = 1_763_666_100_000L;
  private static final List<String> ORDER =
      List.of("trace", "debug", "info", "warn", "error", "critical", "fatal");

  /// What a logger writes, as members of JSON, and its level.
  private static final List<Map.Entry<String, String>> FORMS =
      List.of(
          Map.entry("\"level\":10", "trace"),
          Map.entry("\"level\":30,\"body\":\"ERROR\"", "info"),
          Map.entry("\"level\":50", "error"),
          Map.entry("\"level\":60", "fatal"),
          Map.entry("\"level\":\"WARN\"", "warn"),
          Map.entry("\"level\":\"WRN\"", "warn"),
          Map.entry("\"level\":\"Information\"", "info"),
          Map.entry("\"level\":\"EMERG\"", "critical"),
          Map.entry("\"level\":3", "error"),
          Map.entry("\"severity\":3", "error"),
          Map.entry("\"severity\":\"notice\"", "info"),
          Map.entry("\"PRIORITY\":\"4\"", "warn"),
          Map.entry("\"log.level\":\"debug\"", "debug"),
          Map.entry("\"severity_number\":17", "error"),
          Map.entry("\"@l\":\"Fatal\"", "fatal"),
          Map.entry("\"status\":500", "unknown"),
          Map.entry("\"status\":500,\"body\":\"2026/11/28 12:00:00 [error] 1#0: x\"", "error"),
          Map.entry("\"body\":\"ts=1 level=warn msg=x\"", "warn"),
          Map.entry("\"body\":\"2026-11-28 12:00:00,123 [main] ERROR c.x.Y - x\"", "error"),
          Map.entry("\"body\":\"{\\\"level\\\":20,\\\"msg\\\":\\\"x\\\"}\"", "debug"),
          Map.entry("\"body\":\"hello\"", "unknown"),
          Map.entry("\"n\":1", "unknown"));

  @TempDir private Path directory = Path.of(".");

  private static String events() {
    StringBuilder lines = new StringBuilder();
    for (int i = 0; i < 40 * FORMS.size(); i++) {
      int form = i % FORMS.size();
      String members = FORMS.get(form).getKey();
      long millis = START_MILLIS + i;
      if (i < FORMS.size()) {
        lines.append("{\"ts\":%d,\"type\":\"t%02d\",%s}\n".formatted(millis, form, members));
      }
      lines.append("{\"ts\":%d,\"type\":\"mixed\",%s}\n".formatted(millis, members));
    }
    return lines.toString();
  }

  private static String encoded(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8);
  }

  private static List<JsonObject> rows(OperatedDaemon it, String question)
      throws IOException, InterruptedException {
    HttpResponse<String> answer = it.http.get("/v1/query?" + question);
    assertEquals(200, answer.statusCode(), answer.body());
    return answer
        .body()
        .lines()
        .map(line -> JsonParser.parseString(line).getAsJsonObject())
        .filter(line -> line.has("type"))
        .toList();
  }

  private static Map<String, String> expected(Predicate<String> level) {
    Map<String, String> all = new TreeMap<>();
    for (int i = 0; i < FORMS.size(); i++) {
      if (level.test(FORMS.get(i).getValue())) {
        all.put("t%02d".formatted(i), FORMS.get(i).getValue());
      }
    }
    return all;
  }

  /// The levels of types as a grouping has them; the attribute's value stands where there is none.
  private static Map<String, String> byLevel(OperatedDaemon it)
      throws IOException, InterruptedException {
    Map<String, String> found = new TreeMap<>();
    for (JsonObject row : rows(it, "type=t*&stats=count&by=type,level")) {
      boolean isKnown = !row.get("level").isJsonNull();
      found.put(
          row.get("type").getAsString(), isKnown ? row.get("level").getAsString() : "unknown");
    }
    return found;
  }

  private static void check(OperatedDaemon it, String when)
      throws IOException, InterruptedException {
    assertEquals(expected(_ -> true), byLevel(it), when);
    Map<String, String> events = new TreeMap<>();
    for (JsonObject event : rows(it, "type=t*&level=1")) {
      String level = event.has("widerow.level") ? event.get("widerow.level").getAsString() : null;
      events.put(event.get("type").getAsString(), level == null ? "unknown" : level);
    }
    assertEquals(expected(_ -> true), events, when);
    for (String level : ORDER) {
      int rank = ORDER.indexOf(level);
      filter(it, "level = " + level, level::equals);
      filter(it, "level != " + level, of -> !level.equals(of));
      filter(it, "level >= " + level, of -> ORDER.indexOf(of) >= rank);
      filter(it, "level < \"" + level + "\"", of -> known(of) && ORDER.indexOf(of) < rank);
    }
    filter(it, "level = unknown", of -> !known(of));
    filter(it, "level in (warn, fatal)", of -> of.equals("warn") || of.equals("fatal"));
    filter(it, "not level >= warn", of -> ORDER.indexOf(of) < ORDER.indexOf("warn"));
    assertEquals(1, rows(it, "type=t*&where=" + encoded("level = \"WARN\"")).size(), "exactly");
    assertEquals(0, rows(it, "type=t*&where=" + encoded("level = \"warn\"")).size(), "exactly");
    assertEquals(1, rows(it, "type=t*&where=" + encoded("level = 30")).size(), "the attribute");
    mixed(it, when);
    loki(it, when);
  }

  private static boolean known(String level) {
    return !level.equals("unknown");
  }

  private static void filter(OperatedDaemon it, String where, Predicate<String> level)
      throws IOException, InterruptedException {
    Map<String, String> found = new TreeMap<>();
    for (JsonObject row : rows(it, "type=t*&stats=count&by=type&where=" + encoded(where))) {
      String type = row.get("type").getAsString();
      found.put(type, FORMS.get(Integer.parseInt(type.substring(1))).getValue());
    }
    assertEquals(expected(level), found, where);
  }

  private static void mixed(OperatedDaemon it, String when)
      throws IOException, InterruptedException {
    Map<String, Integer> expected = new TreeMap<>();
    FORMS.forEach(form -> expected.merge(form.getValue(), 40, Integer::sum));
    for (String stats : List.of("count", "count,p50(severity)")) { // folded, and event by event
      Map<String, Integer> found = new TreeMap<>();
      for (String line :
          it.get("/v1/query?type=mixed&stats=" + encoded(stats) + "&by=level").lines().toList()) {
        JsonObject row = JsonParser.parseString(line).getAsJsonObject();
        found.put(
            row.get("level").isJsonNull() ? "unknown" : row.get("level").getAsString(),
            row.get("count").getAsInt());
      }
      assertEquals(expected, found, when);
    }
    String errors = encoded("level >= error");
    assertEquals(
        "{\"count\":%d}\n"
            .formatted(
                FORMS.stream().filter(form -> ORDER.indexOf(form.getValue()) >= 4).count() * 40),
        it.get("/v1/query?type=mixed&stats=count&where=" + errors),
        when);
  }

  private static void loki(OperatedDaemon it, String when)
      throws IOException, InterruptedException {
    String sum =
        encoded(
            "sum by (service_name, detected_level) (count_over_time({service_name=~\"t.*\"}"
                + "[1h]))");
    long at = START_MILLIS / 1000 + 1800;
    JsonObject answer =
        JsonParser.parseString(it.get("/loki/api/v1/query?query=" + sum + "&time=" + at))
            .getAsJsonObject();
    Map<String, String> found = new TreeMap<>();
    answer
        .getAsJsonObject("data")
        .getAsJsonArray("result")
        .forEach(series -> {
          JsonObject metric = series.getAsJsonObject().getAsJsonObject("metric");
          found.put(
              metric.get("service_name").getAsString(), metric.get("detected_level").getAsString());
        });
    assertEquals(expected(_ -> true), found, when);
    for (String level : List.of("error", "unknown", "warn")) {
      String lines = encoded("{service_name=~\"t.*\"} | detected_level=\"" + level + "\"");
      String body =
          it.get(
              "/loki/api/v1/query_range?query=%s&start=%d&end=%d&limit=100"
                  .formatted(lines, at - 3600, at));
      long streams = body.split("\"service_name\":\"t", -1).length - 1L;
      assertTrue(streams >= expected(level::equals).size(), level + ": " + body);
      assertEquals(
          expected(level::equals).size(),
          body.split("\"detected_level\":\"" + level + "\"", -1).length - 1,
          body);
    }
  }

  @Test
  void everyReaderFindsTheSameLevel() throws IOException, InterruptedException {
    try (var it = new OperatedDaemon(directory, Map.of("lanes", "2"))) {
      assertEquals(
          200, it.send("PUT", "/v1/rollups/levels?type=*&by=level&stats=count").statusCode());
      assertEquals(200, it.http.post("/v1/events", Http.NDJSON, events()).statusCode());
      check(it, "of open rows");
      it.merge();
      check(it, "of sealed blocks and rollups");
      assertEquals(
          it.get("/v1/query?stats=count&by=level&every=1m&rollup=off"),
          it.get("/v1/query?stats=count&by=level&every=1m&rollup=only"),
          "a rollup groups by the level");
    }
  }
}
