package io.widerow.ingest.serve.query;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.cli.CommandDaemon;
import io.widerow.cli.CommandDaemon.Ran;
import io.widerow.event.TypeGlob;
import io.widerow.ingest.Http;
import java.io.IOException;
import java.net.URLEncoder;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Goal: a new user of a daemon sees its name, its types, and hints for misspelt names. Method: a
/// daemon with a store on disk, over HTTP and with the commands.
@Timeout(300)
class TypesOverHttpTest {
  @TempDir private static Path directory = Path.of(".");

  @AutoClose private final CommandDaemon it;
  private final Http http;

  TypesOverHttpTest() throws IOException {
    it = new CommandDaemon(Files.createTempDirectory(directory, "d"), Map.of("lanes", "2"));
    http = it.http;
  }

  private void fill() throws IOException, InterruptedException {
    String lines =
        """
        {"ts":"2026-11-20T19:00:00.5Z","type":"app \\"x\\"","body":"one"}
        {"ts":"2026-11-20T21:00:00Z","type":"app \\"x\\"","body":"two"}
        {"ts":"2026-11-20T20:00:00.000000199Z","type":"web","body":"three"}
        """;
    assertEquals(200, http.post("/v1/events", Http.NDJSON, lines).statusCode());
  }

  @Test
  void aTypeWithSignsOfPatternsIsSelectedAlone() throws IOException, InterruptedException {
    for (String type : List.of("a*b", "a?b", "axb", "a**b")) {
      http.post(
          "/v1/events",
          Http.NDJSON,
          "{\"ts\":\"2026-11-20T19:00:00Z\",\"type\":\"%s\",\"body\":\"of %s\"}"
              .formatted(type, type));
    }
    for (String type : List.of("a*b", "a?b", "axb")) {
      String glob = URLEncoder.encode(TypeGlob.of(type), UTF_8);
      for (String path : List.of("/v1/query?type=", "/v1/export?type=", "/v1/types?type=")) {
        String answer = http.get(path + glob).body();
        List<String> found = answer.lines().filter(line -> line.contains("\"type\"")).toList();
        assertEquals(1, found.size(), path + glob + ": " + answer);
        assertTrue(found.getFirst().contains("\"type\":\"" + type + "\""), answer);
      }
    }
    Ran run = it.run("query", "a\\*b");
    assertEquals(0, run.code(), run.err());
    assertTrue(run.out().contains("of a*b") && run.out().lines().count() == 1, run.out());
  }

  @Test
  void typesAreListedByHttpAndByTheCommand() throws IOException, InterruptedException {
    assertEquals("", http.get("/v1/types").body());
    assertEquals(
        "widerow explore types: no events are stored yet\n", it.run("explore types").err());
    fill();
    String app =
        """
        {"type":"app \\"x\\"","first":"2026-11-20T19:00:00.500000000Z",\
        "last":"2026-11-20T21:00:00.000000000Z","events":2,"bytes":0}
        """;
    String web =
        """
        {"type":"web","first":"2026-11-20T20:00:00.000000100Z",\
        "last":"2026-11-20T20:00:00.000000100Z","events":1,"bytes":0}
        """;
    HttpResponse<String> all = http.get("/v1/types");
    assertEquals(app + web, all.body());
    assertEquals("application/x-ndjson", all.headers().firstValue("content-type").orElse(""));
    assertEquals(web, http.get("/v1/types?type=w*&type=nosuch").body());
    assertEquals(
        "type,first,last,events,bytes",
        http.get("/v1/types?format=csv").body().lines().findFirst().orElse(""));
    assertEquals(new Ran(0, app + web, ""), it.run("explore types"));
    assertEquals(
        new Ran(0, web, "widerow explore types: there is no type wob; the nearest is web\n"),
        it.run("explore types", "web", "wob"));
  }

  @Test
  void aQueryThatFindsNothingSaysWhy() throws IOException, InterruptedException {
    fill();
    Ran none = it.run("query", "wbe", "--output", "csv");
    assertEquals(0, none.code());
    assertEquals("widerow query: there is no type wbe; the nearest is web\n", none.err());
    assertEquals(none.err(), it.run("query", "wbe", "--stats", "count").err());
    assertEquals(none.err(), it.run("query", "wbe", "--histogram").err());
    assertEquals(
        "widerow query: no events of web before 2026-11-20T00:00:00.000000000Z; its events lie"
            + " between 2026-11-20T20:00:00.000000100Z and 2026-11-20T20:00:00.000000100Z\n",
        it.run("query", "web", "--to", "2026-11-20").err());
    String told = it.run("query", "web").err();
    assertTrue(told.matches("continue with --after w1\\.\\S+\n"), told);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          /v1/types?typ=a | typ: no such parameter; did you mean type? known: type, format
          /v1/types?type= | type: is empty
          /v1/types?format=xml | format: must be json or csv, got xml
          /v1/query?wehre=a | wehre: no such parameter; did you mean where? known: after, arrived, \
          bars, by, cold-budget, csv-safe, damage, download, every, explain, fields, format, from, \
          having, level, limit, \
          order, order-by, other, progress, rollup, shard, since, stats, to, type, where
          /v1/fields?damege=skip | damege: no such parameter; did you mean damage? known: type, \
          shard, from, to, since, where, top, pick, pickfrom, pickto, damage, budget
          /v1/diff?damege=skip | damege: no such parameter; did you mean damage? known: type, \
          shard, from, to, since, where, beforefrom, beforeto, limit, damage, budget
          /v1/patterns?damege=skip | damege: no such parameter; did you mean damage? known: type, \
          shard, from, to, since, where, field, limit, damage, budget
          """)
  void aMisspeltParameterOfAQuestionIsNamed(String path, String why)
      throws IOException, InterruptedException {
    HttpResponse<String> answer = http.get(path);
    assertEquals(400, answer.statusCode());
    assertEquals("{\"error\":\"" + why.replaceAll("\\\\\\s+", "") + "\"}\n", answer.body());
  }

  @Test
  void aMisspeltParameterOfSentEventsIsNamedAndNothingIsStored()
      throws IOException, InterruptedException {
    HttpResponse<String> text = http.post("/v1/events?type=a&zoen=UTC", Http.TEXT, "x");
    assertEquals(400, text.statusCode());
    assertEquals(
        "{\"error\":\"zoen: no such parameter; did you mean zone? known: at, durability, start,"
            + " ts, type, zone\"}\n",
        text.body());
    HttpResponse<String> json =
        http.post("/v1/events?type=a&ts=clf", Http.NDJSON, "{\"body\":\"x\"}");
    assertEquals(400, json.statusCode());
    assertEquals(
        "{\"error\":\"ts: no such parameter; known: body-field, durability, id-field,"
            + " key-field, time-field, type, type-field, values\"}\n",
        json.body());
    HttpResponse<String> snapshot = http.post("/v1/admin/snapshot?nmae=a", Http.TEXT, "");
    assertEquals(400, snapshot.statusCode());
    assertTrue(snapshot.body().contains("nmae: no such parameter; did you mean name?"));
    assertEquals("", http.get("/v1/types").body());
    String good = "/v1/events?type=a&at=0&start=time&ts=clf&zone=UTC&durability=os";
    String line = "[17/May/2015:10:05:03 +0000] x";
    assertEquals(200, http.post(good, Http.TEXT, line).statusCode());
    String influx = "/api/v2/write?org=o&bucket=b&precision=s&anything=1";
    assertEquals(204, http.post(influx, Http.TEXT, "m v=1 1763666100").statusCode());
  }

  @Test
  void theRootSaysWhatThisIs() throws IOException, InterruptedException {
    HttpResponse<String> text = http.get("/", "accept", "text/html,*/*");
    assertEquals(200, text.statusCode());
    assertEquals("text/plain; charset=utf-8", text.headers().firstValue("content-type").orElse(""));
    String version = versionOfTheBuild();
    assertTrue(text.body().startsWith("Widerow " + version + ", an event store"), text.body());
    for (String part :
        List.of(
            "GET    /v1/types ",
            "POST   /v1/events ",
            "DELETE /v1/retention ",
            "ingest\n",
            "QUERY.md")) {
      assertTrue(text.body().contains(part), part + " in " + text.body());
    }
    HttpResponse<String> client = http.get("/");
    assertTrue(client.body().startsWith("{\"name\":\"widerow\",\"cluster_name\""), client.body());
    assertTrue(http.get("/health").body().contains("\"version\":\"" + version + "\""));
    assertEquals(404, http.get("/nothing").statusCode());
  }

  private static String versionOfTheBuild() throws IOException {
    var version =
        Pattern.compile("<version>(.*)</version>").matcher(Files.readString(Path.of("pom.xml")));
    assertTrue(version.find());
    return version.group(1);
  }
}
