package io.widerow.ingest.serve.page;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// Goal: the map shows the layout of the data, as `/v1/partitions` returns it: every partition,
/// segments next to each other, open, late and damaged rows; names of types stay text; too many
/// types and buckets are folded and nothing is lost by it. Method: Chromium over a store with
/// merged hours, one of them damaged, open rows, and hostile types.
@Tag("browser")
class ExplorerLayoutTest extends ExplorerRun {
  private static final Instant START = Instant.parse("2025-11-20T10:00:00Z");
  private static final String RANGE = "from=2025-11-20T10:00:00Z&to=2025-11-20T22:00:00Z";
  private static final String MAP = element("map");
  private static final String SEED = "abcd";
  private static final List<String> HOSTILE =
      List.of(
          "<img src=x onerror='window.pwned = 1'>",
          "a|2025-11-20T10|b|7",
          "\u202egnp.exe \u0007",
          "x".repeat(128),
          "__proto__");

  @Override
  Map<String, String> keys() {
    return Map.of("lanes", "2", "bucket-minutes", "60", "shards", "8", "final", "keep");
  }

  @Override
  void fill() throws IOException, InterruptedException {
    SplittableRandom random = new SplittableRandom(36);
    for (int hour = 0; hour < 10; hour++) {
      write(random, hour, "shop.web", 900 - 60 * Math.abs(hour - 4));
      write(random, hour, "shop.payments", 300 + 20 * hour);
      write(random, hour, "auth", 120);
    }
    operated.merge();
    JsonNode hurt = lines("type=auth&" + RANGE, "segment").get(5);
    operated.close();
    Path file;
    try (var found = Files.walk(directory)) {
      file = found.filter(each -> each.endsWith(hurt.path("file").asText())).findFirst().get();
    }
    Files.write(file, new byte[64], StandardOpenOption.TRUNCATE_EXISTING);
    serve();
    write(random, 8, "auth", 40); // late
    write(random, 11, "shop.web", 400);
    for (String type : HOSTILE) {
      write(random, 11, type, 3);
    }
  }

  private void write(SplittableRandom random, int hour, String type, int events)
      throws IOException, InterruptedException {
    StringBuilder lines = new StringBuilder();
    long from = START.toEpochMilli() + hour * 3_600_000L;
    for (int i = 0; i < events; i++) {
      lines.append(
          "{\"ts\":%d,\"type\":%s,\"body\":\"line %s %d\"}%n"
              .formatted(
                  from + random.nextInt(3_600_000),
                  JSON.writeValueAsString(type),
                  SEED,
                  random.nextInt(1_000)));
    }
    post(lines.toString());
  }

  private List<JsonNode> lines(String question, String member)
      throws IOException, InterruptedException {
    List<JsonNode> found = new ArrayList<>();
    for (String line : http.get("/v1/partitions?layout=true&" + question).body().lines().toList()) {
      if (line.startsWith("{\"" + member + "\":")) {
        found.add(JSON.readTree(line));
      }
    }
    return found;
  }

  private int data(String name) {
    return browser.evaluate(MAP + ".dataset." + name).asInt();
  }

  /// The partitions that the page was opened on. The store folds and merges by itself: a page that
  /// was opened while it did is opened again.
  private List<JsonNode> open(String question) throws IOException, InterruptedException {
    while (true) {
      List<JsonNode> before = lines(question, "partition");
      browser.open(url + "/ui/?view=layout&" + question);
      browser.await(MAP + ".dataset.partitions > 0");
      if (lines(question, "partition").equals(before)) {
        return before;
      }
    }
  }

  @Test
  void theMapIsTheCatalog() throws IOException, InterruptedException {
    List<JsonNode> all = open(RANGE);
    assertEquals(all.size(), data("partitions"));
    assertEquals(all.stream().mapToInt(each -> each.path("events").asInt()).sum(), data("events"));
    assertEquals(
        all.stream().filter(each -> each.path("state").asText().equals("open")).count(),
        data("open"));
    assertEquals(all.stream().mapToInt(each -> each.path("late").asInt()).sum(), data("late"));
    assertTrue(data("late") >= 40, "what came after the merge");
    assertEquals(lines(RANGE, "segment").size(), data("segments"));
    assertEquals(lines(RANGE, "damage").size(), data("damaged"));
    assertTrue(data("damaged") > 0);
    String lost = browser.text(element("damage") + ".textContent");
    assertTrue(lost.contains("cannot be read"), "the bars lack them: " + lost);
    assertTrue(browser.evaluate(element("bars") + ".dataset.incomplete > 0").asBoolean());
    browser.evaluate(MAP + ".focus()");
    browser.press("ArrowRight");
    String first = browser.text(MAP + ".dataset.chosen");
    List<String> web =
        all.stream()
            .map(each -> each.path("partition").asText())
            .filter(key -> key.contains("|shop.web|"))
            .sorted()
            .toList();
    String row =
        web.stream().map(key -> key.substring(key.indexOf('|'))).sorted().findFirst().orElseThrow();
    String shard = row.substring(row.lastIndexOf('|') + 1); // the least that has any, by chance
    List<String> inRow = web.stream().filter(key -> key.endsWith(row)).toList();
    assertEquals(inRow.getFirst(), first);
    boolean several = inRow.size() > 1; // else the next cell is in another row
    if (several) {
      browser.press("ArrowRight");
      assertEquals(inRow.get(1), browser.text(MAP + ".dataset.chosen"));
    }
    assertEquals(
        browser.text(MAP + ".dataset.chosen"), browser.text(element("partition") + ".textContent"));
    shots("layout");
    if (several) {
      browser.press("ArrowLeft"); // the second may be damaged
    }
    assertEquals(first, browser.text(MAP + ".dataset.chosen"));
    browser.press("Enter");
    browser.await("!location.search.includes('layout') && " + IDS + ".length > 0");
    assertEquals(
        List.of("shop.web"),
        texts(browser.evaluate("new URLSearchParams(location.search).getAll('type')")));
    String hour = browser.text("location.search.match(/from.*?&to=[^&]*/)[0]");
    assertEquals(shard, browser.text("new URLSearchParams(location.search).get('shard')"));
    String asked = "type=shop.web&shard=" + shard + "&stats=count&" + hour;
    String events = query(asked).getFirst().path("count").asText();
    assertEquals("shard " + shard + " ✕", browser.text(element("shard") + ".textContent"));
    browser.await(element("bars") + ".dataset.total === '" + events + "'");
    assertTrue(
        browser.requests().stream()
            .anyMatch(each -> each.contains("stats=count") && each.contains("shard=" + shard)));
    browser.evaluate(element("shard") + ".click()"); // all of them
    browser.await("!location.search.includes('shard') && " + element("shard") + ".hidden");
    browser.press("u");
    browser.await("location.search.includes('shard=" + shard + "')");
    browser.press("u");
    browser.await("location.search.includes('layout')");
    assertEquals(List.of(), browser.problems());
  }

  @Test
  void namesOfTypesStayText() throws IOException, InterruptedException {
    List<JsonNode> all = open("from=2025-11-20T21:00:00Z&to=2025-11-20T22:00:00Z");
    assertEquals(all.size(), data("partitions"));
    browser.evaluate(MAP + ".focus()");
    browser.press("ArrowRight");
    for (int i = 0; i < data("partitions"); i++) { // each cell tells about itself
      browser.press("ArrowDown");
      browser.await(element("partition"));
      assertTrue(
          browser
              .evaluate(
                  "!/[\\u0000-\\u0008\\u202a-\\u202e]/.test(document.documentElement.outerHTML)")
              .asBoolean());
    }
    assertEquals("undefined", browser.text("typeof window.pwned"));
    assertEquals(0, browser.evaluate("document.querySelectorAll('main img').length").asInt());
    assertEquals(List.of(), browser.problems());
  }

  @Test
  void tooManyTypesAndBucketsAreFolded() throws IOException, InterruptedException {
    StringBuilder lines = new StringBuilder();
    for (int i = 0; i < 900; i++) {
      lines.append(
          "{\"ts\":\"2024-%02d-%02dT%02d:00:00Z\",\"type\":\"%s.t%d\",\"body\":\"x\"}%n"
              .formatted(
                  1 + i / 450, 1 + i / 24 % 28, i % 24, i % 2 == 0 ? "even" : "odd", i % 70));
    }
    post(lines.toString());
    List<JsonNode> all = open("from=2024-01-01&to=2024-04-01");
    assertEquals(all.size(), data("partitions"), "none is lost");
    assertEquals(900, data("events"));
    String said = browser.text(element("map-folded") + ".textContent");
    assertTrue(said.contains("types by the beginning") && said.contains("buckets by day"), said);
    browser.evaluate(MAP + ".focus()");
    browser.press("ArrowRight");
    browser.press("Enter");
    browser.await("!location.search.includes('layout') && " + IDS + ".length > 0");
    assertTrue(
        browser.evaluate("new URLSearchParams(location.search).getAll('type').length").asInt() > 1,
        "all types of the chosen fold");
    assertEquals(List.of(), browser.problems());
  }

  @Test
  void whileFollowingEventsAreSeenGoingToSegments() throws IOException, InterruptedException {
    browser.open(url + "/ui/?view=layout&type=live&since=1h&tail=1");
    browser.await(element("lane"));
    post("{\"type\":\"live\",\"body\":\"one\"}\n".repeat(50));
    browser.await(MAP + ".dataset.events === '50' && " + MAP + ".dataset.open > 0");
    operated.seal();
    browser.await(MAP + ".dataset.open === '0' && " + MAP + ".dataset.segments > 0");
    assertEquals(50, data("events"));
    assertEquals(List.of(), browser.problems());
  }
}
