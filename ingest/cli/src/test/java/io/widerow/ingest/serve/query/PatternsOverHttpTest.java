package io.widerow.ingest.serve.query;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.cli.CommandDaemon;
import io.widerow.ingest.Http;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Goal: patterns of lines are counted as the lines were made, before and after sealing, and errors
/// are reported. Method: a daemon with lines of known kinds.
@Timeout(300)
class PatternsOverHttpTest {
  private static final long START_MILLIS = 1_763_666_100_000L;

  @TempDir Path directory;

  /// Lines of three kinds in one type, and one kind in another. Names have no digits.
  private static String lines() {
    StringBuilder lines = new StringBuilder();
    for (int i = 0; i < 600; i++) {
      String name = String.valueOf((char) ('a' + i % 20)).repeat(3);
      String body =
          switch (i % 6) {
            case 0, 1, 2 -> "GET /item/%d took %d ms".formatted(i, i % 50);
            case 3, 4 -> "user %s logged in".formatted(name);
            default -> "cache is full\n  at line %d".formatted(i);
          };
      lines.append(
          "{\"ts\":%d,\"type\":\"web\",\"body\":\"%s\",\"n\":%d}%n"
              .formatted(START_MILLIS + i, body.replace("\n", "\\n"), i));
    }
    lines.append("{\"ts\":%d,\"type\":\"job\",\"body\":\"done in 7 s\"}%n".formatted(START_MILLIS));
    lines.append("{\"ts\":%d,\"type\":\"job\",\"n\":7}%n".formatted(START_MILLIS + 1));
    return lines.toString();
  }

  private static List<String> patterns(CommandDaemon it, String question)
      throws IOException, InterruptedException {
    HttpResponse<String> answer = it.http.get("/v1/patterns" + question);
    assertEquals(200, answer.statusCode(), answer.body());
    return answer.body().lines().toList();
  }

  @Test
  void linesAreCountedByPattern() throws IOException, InterruptedException {
    try (var it = new CommandDaemon(directory, Map.of("lanes", "2"))) {
      assertEquals(200, it.http.post("/v1/events", Http.NDJSON, lines()).statusCode());
      List<String> found = patterns(it, "?budget=1m");
      assertEquals(
          "{\"events\":602,\"lines\":601,\"patterns\":4,\"exact\":true}", found.getFirst());
      assertTrue(
          found
              .get(1)
              .startsWith(
                  "{\"pattern\":\"GET <_> took <_> ms\",\"type\":\"web\",\"count\":300,"
                      + "\"share\":0.4992,\"first\":\"2025-11-20T19:15:00.000000000Z\","
                      + "\"last\":\"2025-11-20T19:15:00.596000000Z\",\"id\":\""),
          found.get(1));
      assertTrue(found.get(1).endsWith("\"sample\":\"GET /item/0 took 0 ms\"}"), found.get(1));
      assertTrue(
          found.get(2).startsWith("{\"pattern\":\"user <_> logged in\",\"type\":\"web\",\"count\""),
          found.get(2));
      assertTrue(found.get(2).contains("\"count\":200,"), found.get(2));
      assertTrue(found.get(3).startsWith("{\"pattern\":\"cache is full\","), found.get(3));
      assertTrue(
          found.get(3).endsWith("\"sample\":\"cache is full\\n  at line 5\"}"), found.get(3));
      assertTrue(found.get(4).startsWith("{\"pattern\":\"done in <_> s\",\"type\":\"job\""));
      it.merge();
      assertEquals(found, patterns(it, "?budget=1m"), "the same after sealing");
      assertEquals(
          "{\"events\":101,\"lines\":100,\"patterns\":3,\"exact\":true}",
          patterns(it, "?budget=1m&where=n%20%3C%20100&limit=1").getFirst());
      assertEquals(2, patterns(it, "?limit=1").size());
    }
  }

  @Test
  void theCommandShowsThem() throws IOException, InterruptedException {
    try (var it = new CommandDaemon(directory, Map.of())) {
      assertEquals(200, it.http.post("/v1/events", Http.NDJSON, lines()).statusCode());
      CommandDaemon.Ran table =
          it.run("explore patterns", "web", "--limit", "2", "--output", "table");
      assertEquals(
          List.of(
              "count  share   type  pattern",
              "300    0.5000  web   GET <_> took <_> ms",
              "200    0.3333  web   user <_> logged in"),
          table.out().lines().map(String::stripTrailing).toList());
      CommandDaemon.Ran csv = it.run("explore patterns", "job", "--output", "csv");
      assertTrue(csv.out().startsWith("count,share,type,pattern,first,last,id,sample"), csv.out());
      assertTrue(csv.out().contains("done in 7 s"), csv.out());
      CommandDaemon.Ran none = it.run("explore patterns", "nothing");
      assertEquals(0, none.code());
      assertTrue(none.err().contains("no event has this attribute"), none.err());
    }
  }

  @Test
  void whatMakesNoSenseIsRefusedWithTheValue() throws IOException, InterruptedException {
    try (var it = new CommandDaemon(directory, Map.of())) {
      Map<String, String> refused =
          Map.of(
              "?limit=0", "limit: must be a whole number from 1 to 10000, got 0",
              "?field=type", "field: type is no text of an event",
              "?budget=soon", "budget",
              "?where=%28", "where",
              "?patern=x", "no such parameter");
      it.assertRefused("GET", "/v1/patterns", refused);
    }
  }
}
