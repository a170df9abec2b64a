package io.widerow.ingest.serve.query;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.cli.CommandDaemon;
import io.widerow.ingest.Http;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Goal: a field that no event of the range has is named with the nearest one wherever a field is
/// given, and a right one is not. Method: a table of the places, each with a misspelt field and
/// with the right one, of open rows, of sealed blocks and of a stopped store.
@Timeout(300)
class FieldWarningsTest {
  private static final String WARNING =
      "no event of the range has the field stauts; the nearest is status";
  private static final String EVENTS =
      """
      {"ts":1763666100000,"type":"http","status":200,"host":"a","body":"hello","ms":5}
      {"ts":1763666101000,"type":"http","status":404,"host":"b","body":"bye","ms":7}
      """;

  @TempDir private Path directory = Path.of(".");

  /// Places of a field in a query, where FIELD stands for its name; these read a stopped store,
  /// too.
  private static final List<List<String>> QUERIES =
      List.of(
          List.of("--where", "FIELD = 503"),
          List.of("--where", "FIELD = 503 and host = 'a'"),
          List.of("--where", "exists FIELD and ms > 100"),
          List.of("--last", "5", "--where", "FIELD > 999"),
          List.of("--fields", "host,FIELD"),
          List.of("--stats", "count", "--where", "FIELD >= 503"),
          List.of("--stats", "count,p99(FIELD)"),
          List.of("--stats", "count(FIELD)"),
          List.of("--stats", "count", "--by", "host,FIELD"),
          List.of("--stats", "sum(FIELD)", "--every", "1m"));

  private static List<String> with(List<String> words, String field) {
    return words.stream().map(word -> word.replace("FIELD", field)).toList();
  }

  private static Map<String, List<List<String>>> commands() {
    Map<String, List<List<String>>> all = new LinkedHashMap<>();
    all.put("query", QUERIES);
    all.put(
        "explore fields",
        List.of(
            List.of("--where", "FIELD = 503"),
            List.of("--field", "FIELD"),
            List.of("--pick", "FIELD = 503")));
    all.put(
        "explore diff",
        List.of(List.of("--from", "2025-11-20", "--to", "2025-11-21", "--where", "FIELD = 503")));
    all.put(
        "explore patterns",
        List.of(List.of("--field", "FIELD"), List.of("--where", "FIELD = 503")));
    all.put(
        "alerts",
        List.of(
            List.of("set", "r1", "--stats", "count", "--where", "FIELD > 1", "--above", "1"),
            List.of("set", "r2", "--stats", "p99(FIELD)", "--above", "1")));
    all.put(
        "rollups",
        List.of(
            List.of("set", "one", "--type", "http", "--by", "FIELD", "--stats", "count"),
            List.of("set", "two", "--type", "http", "--stats", "sum(FIELD)")));
    all.put(
        "export",
        List.of(
            List.of("--where", "FIELD = 503"), List.of("--format", "csv", "--where", "FIELD > 1")));
    all.put("delete", List.of(List.of("plan", "http", "--where", "FIELD = 503")));
    return all;
  }

  private static void check(CommandDaemon it, String when) {
    commands()
        .forEach((command, places) -> {
          for (List<String> place : places) {
            String[] wrong = with(place, "stauts").toArray(String[]::new);
            CommandDaemon.Ran ran = it.run(command, wrong);
            assertTrue(ran.err().contains(WARNING), when + place + ran);
            String[] right = with(place, "status").toArray(String[]::new);
            ran = it.run(command, right);
            assertFalse(ran.err().contains("no event of the range has"), when + place + ran);
          }
        });
  }

  @Test
  void aFieldThatNoEventHasIsNamed() throws IOException, InterruptedException {
    try (var it = new CommandDaemon(directory, Map.of("lanes", "1"))) {
      assertEquals(200, it.http.post("/v1/events", Http.NDJSON, EVENTS).statusCode());
      check(it, "open rows: ");
      it.merge();
      check(it, "sealed: ");
      String where = URLEncoder.encode("stauts = 503", StandardCharsets.UTF_8);
      assertEquals(
          "{\"warnings\":[\"" + WARNING + "\"]}\n", it.get("/v1/query?where=" + where), "HTTP");
      String selector = URLEncoder.encode("{hots=\"a\"}", StandardCharsets.UTF_8);
      String loki =
          it.get("/loki/api/v1/query_range?start=1763666000&end=1763666200&query=" + selector);
      assertTrue(loki.contains("\"warnings\":[\"no event of the range has the field hots"), loki);
      String polled = it.get("/v1/query?where=" + where + "&after=http/" + idOf(it));
      assertFalse(polled.contains("warnings"), polled);
    }
    String data = directory.resolve("store").toString();
    for (List<String> place : QUERIES) {
      CommandDaemon.Ran ran = offline(with(place, "stauts"), data);
      assertTrue(ran.err().contains(WARNING), place + ": " + ran);
      ran = offline(with(place, "status"), data);
      assertFalse(ran.err().contains("no event of the range has"), place + ": " + ran);
    }
  }

  @Test
  void whoFollowsEventsIsWarned() throws IOException, InterruptedException {
    try (var it = new CommandDaemon(directory, Map.of("lanes", "1"));
        HttpClient client = HttpClient.newHttpClient()) {
      String now = EVENTS.replaceAll("\"ts\":[0-9]+,", "");
      assertEquals(200, it.http.post("/v1/events", Http.NDJSON, now).statusCode());
      for (String path :
          List.of(
              "where=FIELD+%3D+503",
              "fields=host,FIELD",
              "stats=p99(FIELD)&every=1m",
              "stats=count&by=FIELD&every=1m",
              "stats=count&every=1m&where=FIELD+%3E+1")) {
        assertEquals(List.of(WARNING), warnings(client, it, path.replace("FIELD", "stauts")), path);
        assertEquals(List.of(), warnings(client, it, path.replace("FIELD", "status")), path);
      }
    }
  }

  private static List<String> warnings(HttpClient client, CommandDaemon it, String parameters)
      throws IOException, InterruptedException {
    URI uri = URI.create(it.url() + "/v1/tail?" + parameters);
    HttpRequest request = HttpRequest.newBuilder(uri).build();
    HttpResponse<InputStream> answer =
        client.send(request, HttpResponse.BodyHandlers.ofInputStream());
    try (InputStream _ = answer.body()) {
      assertEquals(200, answer.statusCode());
      return answer.headers().allValues("widerow-warning");
    }
  }

  private static String idOf(CommandDaemon it) throws IOException, InterruptedException {
    String line = it.get("/v1/query?limit=1");
    return line.substring(7, line.indexOf('"', 7));
  }

  private static CommandDaemon.Ran offline(List<String> words, String data) {
    var all = new java.util.ArrayList<>(words);
    all.addAll(List.of("--data", data));
    return CommandDaemon.run(Map.of(), "query", all.toArray(String[]::new));
  }
}
