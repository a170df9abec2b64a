package io.widerow.ingest.serve.query;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.cli.CommandDaemon;
import io.widerow.ingest.Http;
import java.io.IOException;
import java.net.URLEncoder;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Goal: whatever takes a filter takes `| parse` and gives what it gives for events that were
/// stored with these fields, or refuses it in words. Method: each line of a log is stored twice, as
/// it came and with the fields that a transform finds; each way of asking is asked of both, of open
/// rows and of sealed blocks.
@Timeout(300)
class ParsedEverywhereTest {
  private static final Instant START = Instant.parse("2026-01-10T12:00:00Z");
  private static final String RANGE = "&from=2026-01-10T12:10:00Z&to=2026-01-10T12:40:00Z";
  private static final String NO_PIPE = "takes no | here, only a filter of stored fields";

  /// Conditions of events with fields; after `| parse as clf` the same of lines.
  private static final List<String> CONDITIONS =
      List.of(
          "status != 200 and exists bytes",
          "bytes > 100000 or agent contains \"Chrome\"",
          "path contains \"images\" and method = \"GET\" and client ~ \"^[1-6]\"");

  private static final List<String> PATHS =
      List.of(
          "/v1/query?",
          "/v1/query?fields=client,status,bytes&order=desc&limit=20&",
          "/v1/query?format=csv&fields=path,status&level=0&",
          "/v1/query?stats=count,sum(bytes),p99(bytes),distinct(agent)&",
          "/v1/query?stats=count,sum(bytes)&by=client&having=count>1"
              + "&order-by=sum(bytes)%20desc&limit=3&other=true&",
          "/v1/query?stats=count(status>=404)/count%20as%20share&by=method&every=5m&",
          "/v1/query?stats=count&by=level&every=auto&bars=20&progress=1&",
          "/v1/fields?top=5&budget=1m&",
          "/v1/fields?top=5&budget=1m&pick=status=404&",
          "/v1/fields?top=5&budget=1m&pickfrom=2026-01-10T12:30:00Z&",
          "/v1/fields/status?budget=1m&",
          "/v1/diff?budget=1m&",
          "/v1/patterns?field=path&budget=1m&",
          "/v1/export?format=ndjson&",
          "/v1/export?format=csv&");

  @TempDir private Path directory = Path.of(".");

  private static String encoded(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8);
  }

  private static void write(CommandDaemon it, int from, int until)
      throws IOException, InterruptedException {
    List<String> lines = Files.readAllLines(Path.of("../../loadgen/logs/apache_access.log"));
    StringBuilder events = new StringBuilder();
    for (int i = from; i < until; i++) {
      for (String type : List.of("as.lines", "as.fields")) {
        String body = lines.get(i).replace("\\", "\\\\").replace("\"", "\\\"");
        Instant time = START.plusSeconds(5L * i);
        events.append(
            "{\"ts\":\"%s\",\"type\":\"%s\",\"body\":\"%s\"}\n".formatted(time, type, body));
      }
    }
    HttpResponse<String> taken = it.http.post("/v1/events", Http.NDJSON, events.toString());
    assertEquals(200, taken.statusCode(), taken.body());
  }

  private CommandDaemon daemon() throws IOException {
    Path rules =
        Files.writeString(
            directory.resolve("rules"), "when type = \"as.fields\" then parse as clf\n");
    return new CommandDaemon(directory, Map.of("transforms", rules.toString(), "lanes", "1"));
  }

  /// Leaves out what an event has of its own.
  private static String common(String answer) {
    return answer
        .replaceAll("\"(id|token)\":\"[^\"]*\",?", "")
        .replaceAll("(?m)^[0-9a-f]{8}-[0-9a-f-]{27},", "")
        .replaceAll("as.(lines|fields)", "T")
        .replaceAll("(?m)^\\{\"progress.*\n", "");
  }

  private static Map<String, String> answers(CommandDaemon it, String type, String where)
      throws IOException, InterruptedException {
    Map<String, String> answers = new LinkedHashMap<>();
    for (String path : PATHS) {
      String asked = path.replace(">", "%3E") + "type=" + type + RANGE + "&where=" + encoded(where);
      HttpResponse<String> answer = it.http.get(asked);
      assertEquals(200, answer.statusCode(), asked + answer.body());
      answers.put(path, common(answer.body()));
    }
    return answers;
  }

  private static Map<String, String> byCommand(CommandDaemon it, String type, String where) {
    Map<String, String> answers = new LinkedHashMap<>();
    String from = "--from=2026-01-10T12:10:00Z";
    List<List<String>> commands =
        List.of(
            List.of("query", type, from, "--output=csv"),
            List.of("query", type, from, "--stats=count,max(bytes)", "--by=status"),
            List.of("tail", type, "--since=2026-01-10T12:10:00Z", "--limit=5", "--fields=path"),
            List.of(
                "tail",
                type,
                "--since=2026-01-10T12:10:00Z",
                "--limit=5",
                "--stats=count",
                "--by=status",
                "--every=5m"),
            List.of("explore", "fields", type, from),
            List.of(
                "explore",
                "diff",
                type,
                from,
                "--before-from=2026-01-10T12:00:00Z",
                "--to=2026-01-10T12:40:00Z"),
            List.of("explore", "patterns", type, from, "--field=agent"),
            List.of("export", type, from));
    for (List<String> command : commands) {
      List<String> all = new ArrayList<>(command.subList(1, command.size()));
      all.add("--where=" + where);
      CommandDaemon.Ran ran = it.run(command.getFirst(), all.toArray(String[]::new));
      assertEquals(0, ran.code(), command + ran.err());
      answers.put(String.join(" ", command).replace(type, "T"), common(ran.out()));
    }
    assertEquals(0, it.run("query", type, from, "--where=" + where, "--save=" + type).code());
    answers.put("saved", common(it.run("query", "--saved=" + type).out()));
    return answers;
  }

  private static void check(CommandDaemon it, String when, String condition)
      throws IOException, InterruptedException {
    String parsed = "| parse as clf | " + condition;
    assertSame(answers(it, "as.fields", condition), answers(it, "as.lines", parsed), when);
  }

  private static void assertSame(
      Map<String, String> fields, Map<String, String> lines, String when) {
    for (var each : fields.entrySet()) {
      assertTrue(each.getValue().contains("\n"), when + each);
      assertEquals(each.getValue(), lines.get(each.getKey()), when + ": " + each.getKey());
    }
  }

  @Test
  void linesAnswerAsFieldsDo() throws IOException, InterruptedException {
    try (var it = daemon()) {
      write(it, 0, 300);
      it.merge();
      write(it, 300, 600);
      check(it, "open rows and blocks", CONDITIONS.get(0));
      it.merge();
      check(it, "blocks", CONDITIONS.get(1));
      check(it, "blocks", CONDITIONS.get(2));
      assertSame(
          byCommand(it, "as.fields", CONDITIONS.get(0)),
          byCommand(it, "as.lines", "| parse as clf | " + CONDITIONS.get(0)),
          "by command");
    }
  }

  /// What is kept or removed for good has stored fields only: its proof reads no text.
  @Test
  void theOthersRefuseItInWords() throws IOException, InterruptedException {
    try (var it = daemon()) {
      write(it, 0, 10);
      String where = "where=" + encoded("| parse as clf | status = 404");
      assertEquals(200, it.http.get("/v1/fields?type=as.lines&" + where).statusCode());
      for (String path :
          List.of(
              "POST /v1/admin/delete?type=as.lines&",
              "PUT /v1/retention?type=as.lines&age=9d&",
              "GET /v1/retention/plan?type=as.lines&age=9d&")) {
        String[] words = path.split(" ", 2);
        HttpResponse<String> answer = it.send(words[0], words[1] + where);
        assertEquals(400, answer.statusCode(), answer.body());
        assertTrue(answer.body().contains(NO_PIPE), answer.body());
      }
      HttpResponse<String> pick =
          it.http.get("/v1/fields?pick=" + encoded("a = 1 | parse as clf | status = 404"));
      assertTrue(pick.body().contains(NO_PIPE), pick.body());
      HttpResponse<String> stats =
          it.http.get("/v1/query?stats=" + encoded("count(| parse as clf)"));
      assertEquals(400, stats.statusCode(), stats.body());
      assertTrue(stats.body().contains(NO_PIPE), stats.body());
    }
  }
}
