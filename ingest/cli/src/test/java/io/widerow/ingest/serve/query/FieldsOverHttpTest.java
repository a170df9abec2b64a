package io.widerow.ingest.serve.query;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.cli.CommandDaemon;
import io.widerow.ingest.Http;
import java.io.IOException;
import java.net.URLEncoder;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Goal: fields, their values and differences are those of the events, one event is found by its id
/// with its true neighbours, and errors are reported. Method: a daemon with events whose fields
/// follow from their number, counted here once more.
@Timeout(300)
class FieldsOverHttpTest {
  private static final int EVENTS = 2_000;
  private static final long START_MILLIS = 1_763_666_100_000L;
  private static final Pattern COUNTED =
      Pattern.compile("\\{\"value\":([^,]+),\"count\":(\\d+)(?:,\"picked\":(\\d+))?}");

  @AutoClose private final CommandDaemon it;
  private final Http http;

  FieldsOverHttpTest(@TempDir Path directory) throws IOException, InterruptedException {
    it = new CommandDaemon(directory, Map.of("lanes", "2"));
    http = it.http;
    StringBuilder lines = new StringBuilder();
    for (int i = 0; i < EVENTS; i++) {
      lines.append(
          ("{\"ts\":%d,\"type\":\"%s\",\"body\":\"line %d\",\"host\":\"%s\",\"ms\":%s,"
                  + "\"trace\":\"t%d\"%s}%n")
              .formatted(
                  START_MILLIS + i,
                  type(i),
                  i,
                  host(i),
                  ms(i),
                  i,
                  isBad(i) ? ",\"bad\":true" : ""));
    }
    assertEquals(200, http.post("/v1/events", Http.NDJSON, lines.toString()).statusCode());
  }

  private static String type(int i) {
    return i % 4 == 0 ? "b" : "a";
  }

  private static String host(int i) {
    return isBad(i) ? "h-new" : "h-" + i % 3;
  }

  private static boolean isBad(int i) {
    return i >= 1_500 && i < 1_600;
  }

  private static String ms(int i) {
    return isBad(i) ? "5000.5" : Integer.toString(i % 100);
  }

  private List<String> fields(String question) throws IOException, InterruptedException {
    HttpResponse<String> answer = http.get("/v1/fields" + question);
    assertEquals(200, answer.statusCode(), answer.body());
    assertEquals("nosniff", answer.headers().firstValue("x-content-type-options").orElse(""));
    return answer.body().lines().toList();
  }

  private static String of(List<String> lines, String field) {
    Optional<String> found =
        lines.stream().filter(line -> line.startsWith("{\"field\":\"" + field + "\"")).findFirst();
    return found.orElseThrow(() -> new AssertionError("no field " + field + " in " + lines));
  }

  /// Counts by value, from a line of the answer.
  private static Map<String, Long> counts(String line) {
    Map<String, Long> counts = new TreeMap<>();
    for (MatchResult each : COUNTED.matcher(line).results().toList()) {
      counts.put(each.group(1), Long.valueOf(each.group(2)));
    }
    return counts;
  }

  private static Map<String, Long> hosts(int from, int until) {
    Map<String, Long> counts = new TreeMap<>();
    for (int i = from; i < until; i++) {
      counts.merge('"' + host(i) + '"', 1L, Long::sum);
    }
    return counts;
  }

  private static String encode(String text) {
    return URLEncoder.encode(text, UTF_8);
  }

  @Test
  void fieldsAreCountedExactly() throws IOException, InterruptedException {
    List<String> all = fields("?budget=1m");
    assertEquals("{\"events\":2000,\"exact\":true}", all.getFirst());
    assertEquals(
        List.of("type", "bad", "host", "ms", "trace"),
        all.stream().skip(1).map(line -> line.split("\"", -1)[3]).toList());
    assertEquals(Map.of("\"a\"", 1_500L, "\"b\"", 500L), counts(of(all, "type")));
    assertEquals(hosts(0, EVENTS), counts(of(all, "host")));
    assertTrue(of(all, "trace").contains("\"distinct\":2000"), of(all, "trace"));
    assertTrue(
        of(all, "ms").contains("\"kind\":\"number\",\"events\":2000,\"distinct\":101,\"min\":0"),
        of(all, "ms"));
    assertTrue(of(all, "bad").contains("\"kind\":\"boolean\",\"events\":100"), of(all, "bad"));
    String part =
        "?budget=1m&from=%d&to=%d&where=%s"
            .formatted(START_MILLIS + 100, START_MILLIS + 1_550, encode("type = \"a\""));
    Map<String, Long> ofPart = new TreeMap<>();
    for (int i = 100; i < 1_550; i++) {
      if (type(i).equals("a")) {
        ofPart.merge('"' + host(i) + '"', 1L, Long::sum);
      }
    }
    assertEquals(ofPart, counts(of(fields(part), "host")));
    List<String> one = fields("/host?budget=1m&top=2");
    assertEquals(2, one.size());
    assertEquals(2, counts(one.getLast()).size());
    assertEquals(List.of("{\"events\":0,\"exact\":true}"), fields("?type=nosuch"));
  }

  @Test
  void whatIsDifferentComesFirst() throws IOException, InterruptedException {
    List<String> all = fields("?budget=1m&pick=" + encode("bad = true"));
    assertEquals("{\"events\":2000,\"picked\":100,\"exact\":true}", all.getFirst());
    List<String> names = all.stream().skip(1).map(line -> line.split("\"", -1)[3]).toList();
    assertEquals(Set.of("host", "ms"), Set.copyOf(names.subList(0, 2)));
    assertTrue(!names.contains("bad"), "a field of the choice itself");
    assertTrue(of(all, "host").contains("\"score\":1.0000"), of(all, "host"));
    assertTrue(
        of(all, "host").contains("{\"value\":\"h-new\",\"count\":100,\"picked\":100}"),
        of(all, "host"));
    assertTrue(of(all, "ms").contains("{\"from\":4096,\"to\":8192,\"count\":100,\"picked\":100}"));
    assertTrue(!of(all, "trace").contains("score"), "values that all differ tell nothing");
    List<String> byTime =
        fields(
            "?budget=1m&pickfrom=%d&pickto=%d"
                .formatted(START_MILLIS + 1_500, START_MILLIS + 1_600));
    assertEquals(all.getFirst(), byTime.getFirst());
    assertTrue(of(byTime, "bad").contains("\"score\":1.0000"), of(byTime, "bad"));
    List<String> one = fields("/host?budget=1m&pick=" + encode("bad = true"));
    assertEquals(of(all, "host"), one.getLast());
  }

  @Test
  void anEventIsFoundWithItsNeighbours() throws IOException, InterruptedException {
    List<String> lines = http.get("/v1/query").body().lines().toList();
    String id = lines.get(700).substring(7, 43);
    String found = http.get("/v1/events/" + id).body();
    assertTrue(found.startsWith("{\"event\":" + lines.get(700) + ",\"token\":\"w1."), found);
    assertTrue(found.contains("\",\"partition\":\"2025-11-20"), found);
    String token = found.split("\"token\":\"", 2)[1].split("\"", 2)[0];
    assertEquals(
        lines.get(701),
        http.get("/v1/query?limit=1&after=" + token).body().lines().findFirst().orElse(""));
    assertEquals(
        lines.get(699),
        http.get("/v1/query?limit=1&order=desc&after=b/" + id)
            .body()
            .lines()
            .findFirst()
            .orElse(""));
    assertEquals(
        lines.subList(697, 702),
        http.get("/v1/events/" + id + "/context?before=3&after=1").body().lines().toList());
    List<String> same =
        http.get("/v1/events/" + id + "/context?same=true&before=1&after=1")
            .body()
            .lines()
            .toList();
    assertEquals(List.of(lines.get(696), lines.get(700), lines.get(704)), same);
    assertEquals(404, http.get("/v1/events/" + id + "?type=a").statusCode());
    assertEquals(
        "{\"error\":\"id: not a version-1 UUID: 4711\"}\n", http.get("/v1/events/4711").body());
    assertEquals(
        "{\"error\":\"before: must be a whole number from 0 to 1000, got 5000\"}\n",
        http.get("/v1/events/" + id + "/context?before=5000").body());
  }

  @Test
  void stepsAreChosen() throws IOException, InterruptedException {
    String range =
        "/v1/query?stats=count&every=auto&from=%d&to=%d"
            .formatted(START_MILLIS, START_MILLIS + EVENTS);
    List<String> bars = http.get(range).body().lines().toList();
    assertEquals(200, bars.size(), "steps of 10 ms");
    assertEquals(2, http.get(range + "&bars=2").body().lines().count());
    assertEquals(
        "{\"error\":\"every: auto divides a range; add from\"}\n",
        http.get("/v1/query?stats=count&every=auto").body());
    assertEquals(
        "{\"error\":\"bars: is for every=auto, got 5\"}\n",
        http.get("/v1/query?stats=count&every=1s&bars=5").body());
  }

  @Test
  void whatIsWrongIsTold() throws IOException, InterruptedException {
    for (Map.Entry<String, String> wrong :
        Map.of(
                "?top=0", "top: must be a whole number from 1 to 10000, got 0",
                "?fields=a", "fields: no such parameter",
                "?budget=soon", "budget: ",
                "/ts", "ts: each event has its own; ask /v1/query",
                "?pickfrom=2026-01-02&pickto=2026-01-01", "pickfrom: the range is empty")
            .entrySet()) {
      HttpResponse<String> answer = http.get("/v1/fields" + wrong.getKey());
      assertEquals(400, answer.statusCode(), wrong.getKey());
      assertTrue(answer.body().startsWith("{\"error\":\"" + wrong.getValue()), answer.body());
    }
  }

  @Test
  void theCommandShowsTheSame() throws IOException, InterruptedException {
    assertEquals(
        String.join("\n", fields("?type=a&budget=10s")) + "\n", run("a", "--output", "json"));
    String table = run("--pick", "bad = true", "--top", "1", "--output", "table");
    assertTrue(table.contains("h-new 100/100"), table);
    String csv = run("--field", "type", "--output", "csv");
    assertEquals("field,value,count,picked\r\ntype,a,1500,\r\ntype,b,500,\r\n", csv);
  }

  private String run(String... arguments) {
    CommandDaemon.Ran ran = it.run("explore fields", arguments);
    assertEquals(0, ran.code(), ran.err());
    assertEquals("", ran.err());
    return ran.out();
  }
}
