package io.widerow.ingest.serve.query;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.cli.CommandDaemon;
import io.widerow.ingest.Http;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Goal: stored aggregates are used after their events are gone, and missing minutes are reported,
/// over HTTP and by the command. Method: a daemon; events of last week; a retention of days.
class KeptFiguresOverHttpTest {
  private static final String SUMS = "type=web&stats=count,sum(n)&by=status&every=1h";
  private static final String COUNTS = "type=web&stats=count&every=1h";

  @TempDir private Path directory = Path.of(".");

  private static void write(CommandDaemon it) throws IOException, InterruptedException {
    Instant hour = Instant.now().truncatedTo(ChronoUnit.HOURS);
    StringBuilder lines = new StringBuilder();
    for (int i = 0; i < 60; i++) {
      Instant time = hour.minus(i < 40 ? 9 : 1, ChronoUnit.DAYS).plusSeconds(i);
      lines.append(
          "{\"ts\":\"%s\",\"type\":\"web\",\"status\":%d,\"n\":%d,\"host\":\"h%d\"}\n"
              .formatted(time, 200 + i % 2, i, i % 3));
    }
    HttpResponse<String> answer = it.http.post("/v1/events", Http.NDJSON, lines.toString());
    assertEquals(200, answer.statusCode(), answer.body());
  }

  private static long events(CommandDaemon it) throws IOException, InterruptedException {
    String lines = it.get("/v1/query?type=web");
    return lines.lines().filter(line -> line.contains("\"host\"")).count();
  }

  /// An answer without the lines that say how far it is.
  private static String withProgress(CommandDaemon it, String question)
      throws IOException, InterruptedException {
    return it.get("/v1/query?progress=1&" + question)
        .replaceAll("\\{\"progress\":0\\.\\d\\d,\"events\":\\d+}\n", "");
  }

  private static String kept(HttpResponse<String> answer) {
    return answer.headers().firstValue("widerow-kept").orElse("");
  }

  @Test
  void figuresAnswerAfterTheirEvents() throws IOException, InterruptedException {
    try (var it = new CommandDaemon(directory, Map.of())) {
      CommandDaemon.Ran set =
          it.run(
              "rollups",
              "set",
              "days",
              "--type=web*",
              "--by=status",
              "--stats=count,sum(n)",
              "--every=1h",
              "--keep=400d");
      assertEquals(0, set.code(), set.err());
      assertTrue(set.out().contains("\"keep\":\"400d\",\"kept\":0"), set.out());
      write(it);
      it.merge();
      String sums = it.get("/v1/query?" + SUMS);
      String counts = it.get("/v1/query?" + COUNTS);
      assertEquals(200, it.send("PUT", "/v1/retention?type=web&age=3d&grace=0s").statusCode());
      it.merge();

      HttpResponse<String> after = it.http.get("/v1/query?" + SUMS);
      assertEquals(sums, after.body());
      assertEquals("minutes=60 missing=0", kept(after));
      HttpResponse<String> counted = it.http.get("/v1/query?" + COUNTS);
      assertEquals(counts, counted.body());
      assertEquals("minutes=1 missing=0", kept(counted));
      HttpResponse<String> other = it.http.get("/v1/query?type=web&stats=count&by=host");
      assertEquals("minutes=0 missing=1", kept(other));
      assertEquals(3, other.body().lines().count(), other.body());
      assertEquals("minutes=0 missing=1", kept(it.http.get("/v1/query?rollup=off&" + COUNTS)));
      assertEquals(sums + "{\"kept\":{\"minutes\":60,\"missing\":0}}\n", withProgress(it, SUMS));
      String hosts = "type=web&stats=count&by=host";
      assertEquals(
          other.body() + "{\"kept\":{\"minutes\":0,\"missing\":1}}\n", withProgress(it, hosts));
      assertEquals(20, events(it), "those of yesterday only");
      assertTrue(it.get("/v1/rollups").contains("\"kept\":40"), it.get("/v1/rollups"));

      CommandDaemon.Ran told =
          it.run("query", "web", "--since", "30d", "--stats", "count", "--by", "host");
      assertEquals(0, told.code(), told.err());
      assertTrue(told.err().contains("without 1 minutes: their events are gone"), told.err());
      CommandDaemon.Ran explained =
          it.run("query", "web", "--since=30d", "--stats=sum(n)", "--by=status", "--explain");
      assertEquals(0, explained.code(), explained.err());
      assertTrue(explained.err().contains("kept aggregates: 60 minutes"), explained.err());
    }
  }
}
