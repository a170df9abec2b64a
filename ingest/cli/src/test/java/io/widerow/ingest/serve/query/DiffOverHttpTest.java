package io.widerow.ingest.serve.query;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.cli.CommandDaemon;
import io.widerow.ingest.Http;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Goal: differences between two ranges are reported with exact counts, chance is not, and errors
/// are reported. Method: a daemon with two hours of events that differ in known ways.
@Timeout(300)
class DiffOverHttpTest {
  private static final Instant MIDDLE = Instant.parse("2025-11-20T19:00:00Z");
  private static final String RANGE =
      "?budget=1m&from=2025-11-20T19:00:00Z&to=2025-11-20T20:00:00Z";

  @TempDir Path directory;

  /// 1,000 events in the hour before and in the one after. `version` 2 is new, host `c` is gone,
  /// status 500 grew from 10 to 200; `zone` differs by one event only; each `trace` is another.
  private static String lines() {
    StringBuilder lines = new StringBuilder();
    for (int i = -1_000; i < 1_000; i++) {
      boolean after = i >= 0;
      int status = i % (after ? 5 : 100) == 0 ? 500 : 200;
      String host = i == -7 ? "c" : i % 2 == 0 ? "a" : "b";
      lines.append(
          ("{\"ts\":\"%s\",\"type\":\"web\",\"version\":\"%d\",\"host\":\"%s\",\"status\":%d,"
                  + "\"zone\":\"%s\",\"trace\":\"t%d\",\"ms\":%d}%n")
              .formatted(
                  MIDDLE.plusMillis(i * 3_000L),
                  after && i % 10 == 0 ? 2 : 1,
                  host,
                  status,
                  i == 5 || i % 3 == 0 ? "x" : "y",
                  i,
                  Math.abs(i % 500) + (after ? 4_000 : 100)));
    }
    return lines.toString();
  }

  private CommandDaemon daemon() throws IOException, InterruptedException {
    var it = new CommandDaemon(directory, Map.of("bucket-minutes", "60"));
    assertEquals(200, it.http.post("/v1/events", Http.NDJSON, lines()).statusCode());
    return it;
  }

  @Test
  void whatIsNewGoneAndGreaterIsTold() throws IOException, InterruptedException {
    try (var it = daemon()) {
      List<String> found = it.get("/v1/diff" + RANGE).lines().toList();
      assertEquals(
          "{\"from\":\"2025-11-20T19:00:00.000000000Z\",\"to\":\"2025-11-20T20:00:00.000000000Z\","
              + "\"events\":1000,\"beforefrom\":\"2025-11-20T18:00:00.000000000Z\","
              + "\"beforeto\":\"2025-11-20T19:00:00.000000000Z\",\"before\":1000,\"exact\":true,"
              + "\"ids\":[\"trace\"]}",
          found.getFirst());
      List<String> told = found.subList(1, found.size());
      assertTrue(
          told.getFirst().startsWith("{\"change\":\"new\",\"field\":\"ms\",\"from\":4096,"),
          told.getFirst());
      assertTrue(
          told.stream()
              .anyMatch(line ->
                  line.startsWith(
                      "{\"change\":\"grew\",\"field\":\"status\",\"value\":500,"
                          + "\"before\":10,\"after\":200,\"weight\":")),
          told.toString());
      assertTrue(
          told.contains(
              "{\"change\":\"new\",\"field\":\"version\",\"value\":\"2\",\"before\":0,"
                  + "\"after\":100,\"weight\":138.6}"), // 2 * 100 * ln 2
          told.toString());
      assertTrue(
          told.contains(
              "{\"change\":\"gone\",\"field\":\"host\",\"value\":\"c\",\"before\":1,"
                  + "\"after\":0,\"weight\":1.4}"),
          told.toString());
      assertTrue(told.stream().noneMatch(line -> line.contains("\"zone\"")), told.toString());
      assertTrue(told.stream().noneMatch(line -> line.contains("\"trace\"")), told.toString());
      it.merge();
      assertEquals(found, it.get("/v1/diff" + RANGE).lines().toList(), "the same after sealing");
    }
  }

  @Test
  void anyTwoRangesAreCompared() throws IOException, InterruptedException {
    try (var it = daemon()) {
      String back =
          it.get(
              "/v1/diff?budget=1m&from=2025-11-20T18:00:00Z&to=2025-11-20T19:00:00Z"
                  + "&beforefrom=2025-11-20T19:00:00Z&beforeto=2025-11-20T20:00:00Z");
      assertTrue(
          back.contains(
              "{\"change\":\"gone\",\"field\":\"version\",\"value\":\"2\",\"before\":100,"),
          back);
      assertTrue(back.contains("{\"change\":\"shrank\",\"field\":\"status\",\"value\":500,"), back);
      String same =
          it.get(
              "/v1/diff?budget=1m&from=2025-11-20T18:00:00Z&to=2025-11-20T19:00:00Z"
                  + "&beforefrom=2025-11-20T18:00:00Z&beforeto=2025-11-20T19:00:00Z");
      assertEquals(1, same.lines().count(), same);
      CommandDaemon.Ran table =
          it.run(
              "explore diff",
              "web",
              "--from=2025-11-20T19:00",
              "--to=2025-11-20T20:00",
              "--where=status = 500",
              "--output=table");
      assertTrue(
          table.out().startsWith("change  field    value         before  after  weight"),
          table.out());
      assertTrue(table.out().contains("new     ms       4096 .. 8192"), table.out());
      CommandDaemon.Ran empty =
          it.run("explore diff", "web", "--from=2025-11-21", "--to=2025-11-22");
      assertEquals(0, empty.code(), empty.err());
      assertTrue(
          empty.err().contains("no event between 2025-11-21T00:00:00.000000000Z"), empty.err());
    }
  }

  @Test
  void whatMakesNoSenseIsRefusedWithTheValue() throws IOException, InterruptedException {
    try (var it = daemon()) {
      Map<String, String> refused =
          Map.of(
              "", "from: is missing",
              "?from=2099-01-01", "from: lies after now",
              "?from=1h&beforefrom=1h&beforeto=2h", "beforefrom: the earlier range is empty",
              "?from=1h&beforeto=soon", "beforeto",
              "?from=1h&top=3", "no such parameter");
      it.assertRefused("GET", "/v1/diff", refused);
    }
  }
}
