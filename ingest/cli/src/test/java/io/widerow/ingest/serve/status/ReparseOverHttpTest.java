package io.widerow.ingest.serve.status;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.widerow.cli.CommandDaemon;
import io.widerow.ingest.Http;
import io.widerow.ingest.TokenDaemon;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Goal: an operator gives stored lines their fields afterwards, and finds them by every way of
/// asking; a second run changes nothing; rules that would not give the same twice are refused with
/// their line, and what makes no sense with the value. Method: a daemon with a store on the disk.
@Timeout(300)
class ReparseOverHttpTest {
  @TempDir private Path directory = Path.of(".");

  private static void write(CommandDaemon it, String type, int count)
      throws IOException, InterruptedException {
    StringBuilder lines = new StringBuilder();
    for (int i = 0; i < count; i++) {
      String line =
          ("1.2.3.%d - - [17/May/2015:10:05:03 +0000] \\\"GET /a%d HTTP/1.1\\\""
                  + " %d %d \\\"-\\\" \\\"x\\\"")
              .formatted(i % 10, i, i % 4 == 0 ? 500 : 200, 10 * i);
      Instant time = Instant.now().minus(Duration.ofMinutes(2 + i % 180));
      lines.append("{\"ts\":\"%s\",\"type\":\"%s\",\"body\":\"%s\"}\n".formatted(time, type, line));
    }
    HttpResponse<String> taken = it.http.post("/v1/events", Http.NDJSON, lines.toString());
    assertEquals(200, taken.statusCode(), taken.body());
  }

  @Test
  void storedLinesGetTheirFields() throws IOException, InterruptedException {
    Path data = Files.createDirectory(directory.resolve("data"));
    Path rules = Files.writeString(directory.resolve("nginx.rules"), "parse body as nginx\n");
    try (var it = new CommandDaemon(data, Map.of())) {
      write(it, "nginx", 200);
      write(it, "other", 20);
      String asked = "/v1/query?type=nginx&stats=count,sum(bytes)&where=status+%3D+500";
      assertTrue(it.get(asked).contains("\"count\":0"), it.get(asked));
      CommandDaemon.Ran away =
          it.run("transforms", "reparse", "--with", data + "/none", "--type", "nginx");
      assertEquals(64, away.code());
      assertTrue(away.err().contains("cannot read " + data + "/none: no such file"), away.err());
      CommandDaemon.Ran plan =
          it.run(
              "transforms", "reparse", "--with", rules.toString(), "--type", "nginx", "--dry-run");
      assertEquals(0, plan.code(), plan.err());
      assertTrue(plan.out().startsWith("{\"events\":200,"), plan.out());
      assertTrue(it.get(asked).contains("\"count\":0"), "a plan changes nothing");
      CommandDaemon.Ran done =
          it.run("transforms", "reparse", "--with", rules.toString(), "--type", "nginx");
      assertEquals(0, done.code(), done.err());
      JsonNode report = new ObjectMapper().readTree(done.out());
      assertEquals("200", report.path("events").asText(), done.out());
      assertEquals("0", report.path("open").asText(), done.out());
      assertNotEquals(report.path("before"), report.path("after"));
      String count = it.get(asked);
      assertTrue(count.contains("\"count\":50"), count);
      assertTrue(count.contains("\"sum(bytes)\":49000"), count);
      String all = it.get("/v1/query?type=other&stats=count,count(status)");
      assertTrue(all.contains("\"count\":20") && all.contains("\"count(status)\":0"), all);
      CommandDaemon.Ran again =
          it.run("transforms", "reparse", "--with", rules.toString(), "--type", "nginx");
      assertTrue(again.out().startsWith("{\"events\":0,"), again.out());
      JsonNode planned = new ObjectMapper().readTree(plan.out());
      JsonNode left =
          new ObjectMapper()
              .readTree(
                  it.http
                      .post(
                          "/v1/admin/reparse?type=nginx&dry=true", Http.TEXT, "parse body as nginx")
                      .body());
      assertNotEquals(planned.path("before"), planned.path("after"), "digests of a plan");
      assertEquals(planned.path("after"), left.path("before"), "as planned");
      assertEquals(planned.path("after"), left.path("after"), "nothing is left");
    }
    try (var it = new CommandDaemon(data, Map.of())) {
      String kept = it.get("/v1/query?type=nginx&stats=count&where=status+%3D+500");
      assertTrue(kept.contains("\"count\":50"), kept);
    }
  }

  @Test
  void whatIsNotForStoredEventsIsRefused() throws IOException, InterruptedException {
    try (var it = new CommandDaemon(directory, Map.of())) {
      write(it, "nginx", 4);
      Map<String, String> refused =
          Map.of(
              "parse body as nginx\nwhen status = 500 then drop event", "line 2: stored events",
              "move to type \"x\"", "line 1: a stored event keeps its type",
              "sample 10%", "line 1: stored events are left out",
              "copy body -> text", "line 1: repeated, it would make a copy",
              "parse body as nothing", "transforms: ",
              "", "the body has no rule");
      for (var each : refused.entrySet()) {
        HttpResponse<String> answer =
            it.http.post("/v1/admin/reparse?type=nginx", "text/plain", each.getKey());
        assertEquals(400, answer.statusCode(), answer.body());
        assertTrue(answer.body().contains(each.getValue()), answer.body());
      }
      String rule = "set seen = true";
      assertTrue(
          it.http
              .post("/v1/admin/reparse", "text/plain", rule)
              .body()
              .contains("type: is missing"));
      assertTrue(
          it.http
              .post("/v1/admin/reparse?type=web", "text/plain", rule)
              .body()
              .contains("no type matches 'web'"));
    }
    try (var elsewhere = new TokenDaemon(directory, "secret-of-shop-0123456789abcdef")) {
      HttpResponse<String> answer =
          elsewhere.http.post(
              "/v1/admin/reparse?type=x",
              "text/plain",
              "set a = 1",
              "authorization",
              "Bearer " + TokenDaemon.OPERATOR);
      assertEquals(501, answer.statusCode(), answer.body());
    }
  }
}
