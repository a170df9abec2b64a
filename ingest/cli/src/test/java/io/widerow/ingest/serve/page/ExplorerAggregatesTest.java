package io.widerow.ingest.serve.page;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.widerow.cli.CommandDaemon;
import java.io.IOException;
import java.net.URLEncoder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// Goal: the page shows the aggregates that `/v1/query` returns, and each copied text is valid
/// where it belongs and has the same result. Method: Chromium over an hour of requests; commands
/// are run, LogQL and PromQL are evaluated by their endpoints, rules are checked as files.
@Tag("browser")
class ExplorerAggregatesTest extends ExplorerRun {
  private static final Instant START = Instant.parse("2025-11-20T10:00:00Z");
  private static final int EVENTS = 1_200;
  private static final String RANGE = "from=2025-11-20T10:00:00Z&to=2025-11-20T11:00:00Z";
  private static final String PLOT = element("aggregates");
  private static final String COPIED = element("copied");
  private static final String ROWS =
      "[...document.querySelectorAll('[data-test=aggregates-table] tbody tr')]"
          + ".map((row) => [...row.cells].slice(0, 2).map((cell) => cell.textContent))";
  private static final String NGINX = "| parse as nginx";

  @Override
  void fill() throws IOException, InterruptedException {
    StringBuilder lines = new StringBuilder();
    for (int i = 0; i < EVENTS; i++) {
      Instant time = START.plusSeconds(3L * i);
      int status = i % 20 == 7 ? 503 : i % 10 == 3 ? 404 : 200;
      lines.append(
          ("{\"ts\":\"%s\",\"type\":\"shop.web\",\"level\":\"%s\",\"status\":%d,\"ms\":%d,"
                  + "\"host\":\"web%d\",\"path\":\"/p%d\",\"body\":\"GET /cart/%d\"}%n")
              .formatted(time, status == 503 ? "error" : "info", status, i % 97, i % 3, i % 15, i));
      lines.append(
          ("{\"ts\":\"%s\",\"type\":\"nginx\",\"body\":\"10.0.0.%d - - [20/Nov/2025:10:00:00 +0000]"
                  + " \\\"GET /x HTTP/1.1\\\" %d %d \\\"-\\\" \\\"curl/8\\\"\"}%n")
              .formatted(time, i % 14, status, 100 + i));
    }
    post(lines.toString());
  }

  private void open(String query) {
    browser.open(url + "/ui/?" + RANGE + "&view=aggregates&" + query);
    browser.await("document.documentElement.dataset.ready");
    browser.await(element("aggregates-said") + ".textContent.includes('step')");
  }

  private static String encoded(String text) {
    return URLEncoder.encode(text, UTF_8);
  }

  /// The rows of the table: the name of each line and its value over the range.
  private List<List<String>> rows() {
    List<List<String>> rows = new ArrayList<>();
    browser.evaluate(ROWS).forEach(row -> rows.add(texts(row)));
    return rows;
  }

  @Test
  void linesAndTableAreTheResultOfTheQuery() throws IOException, InterruptedException {
    open("type=shop.web&stats=count&by=path&limit=5");
    browser.await(PLOT + ".dataset.series === '6'");
    List<List<String>> expected = new ArrayList<>();
    for (JsonNode row :
        query(
            RANGE + "&type=shop.web&stats=count&by=path&limit=5&other=true&order-by=count+desc")) {
      expected.add(List.of(row.path("path").asText(), row.path("count").asText()));
    }
    assertEquals(expected, rows(), "top five and the others");
    assertEquals("other", rows().getLast().getFirst());
    for (int[] size : new int[][] {{390, 844}, {900, 800}, {2_560, 1_300}, {1_440, 900}}) {
      browser.size(size[0], size[1]);
      shots("aggregates-" + size[0]);
      assertTrue(
          browser.evaluate("document.documentElement.scrollWidth <= " + size[0]).asBoolean(),
          "it fits into " + size[0]);
    }
    String shared = browser.text("location.href");
    browser.open(shared);
    browser.await(PLOT + ".dataset.series === '6'");
    assertEquals(expected, rows(), "by its URL");
    assertEquals(List.of(), browser.problems());
  }

  @Test
  void ratesPercentilesAndRatiosAreAskedFor() throws IOException, InterruptedException {
    open("type=shop.web");
    browser.press("v");
    browser.press("a");
    browser.press("/");
    browser.type("p50(ms),p99(ms)");
    browser.press("Enter");
    browser.await(PLOT + ".dataset.series === '2'");
    JsonNode whole = query(RANGE + "&type=shop.web&stats=p50(ms),p99(ms)").getFirst();
    List<List<String>> expected = new ArrayList<>();
    for (String name : List.of("p50(ms)", "p99(ms)")) {
      expected.add(List.of(name, Long.toString(whole.path(name).asLong())));
    }
    assertEquals(expected, rows());
    browser.evaluate(element("stats") + ".select()");
    browser.type("count(level >= error) / count as errors");
    browser.press("Enter");
    browser.await(PLOT + ".dataset.series === '1'");
    assertEquals("0.05", rows().getFirst().getLast());
    browser.evaluate(element("stats") + ".select()");
    browser.type("count");
    browser.press("Enter");
    browser.await("new URLSearchParams(location.search).get('stats') === 'count'");
    browser.evaluate(element("rate") + ".click()");
    browser.await(ROWS + "[0][1] === '0.333333'");
    assertTrue(browser.text("location.search").contains("rate=1"));
    browser.evaluate("history.back()");
    browser.await(ROWS + "[0][1] === '1200'");
    browser.evaluate(element("stats") + ".select()");
    browser.type("medium(ms)");
    browser.press("Enter");
    browser.await("!" + element("refused") + ".hidden");
    String told = browser.text(element("refused") + ".textContent");
    assertTrue(told.contains("not an aggregate: medium(ms)"), told);
  }

  /// What a button of copying gives; empty when the language cannot say it.
  private String copied(String form) {
    browser.evaluate(COPIED + ".hidden = true");
    browser.evaluate(element("copy-" + form) + ".click()");
    browser.await("!" + COPIED + ".hidden");
    return browser.text(COPIED + ".dataset.form").equals(form)
        ? browser.text(COPIED + ".textContent")
        : "";
  }

  private record Copied(String command, String logql, String promql, String rule) {}

  private Copied copied(String types, String where, String stats, String by) {
    open(
        "%s&where=%s&stats=%s&by=%s".formatted(types, encoded(where), encoded(stats), encoded(by)));
    browser.await(PLOT + ".dataset.series > 0");
    return new Copied(copied("command"), copied("logql"), copied("promql"), copied("rule"));
  }

  /// The sums of the rows of a command by their group.
  private Map<String, Double> command(String text, String by) throws IOException {
    List<String> words = words(text.replace("\\\n", " "));
    assertEquals(List.of("./widerow", "query"), words.subList(0, 2));
    String[] rest = words.subList(2, words.size()).toArray(String[]::new);
    CommandDaemon.Ran ran = CommandDaemon.run(Map.of("NO_COLOR", "1"), "query", rest);
    assertEquals(0, ran.code(), text + ran.err());
    Map<String, Double> sums = new TreeMap<>();
    for (String line : ran.out().lines().toList()) {
      JsonNode row = JSON.readTree(line);
      String name = row.properties().stream().toList().getLast().getKey();
      sums.merge(by.isEmpty() ? "" : row.path(by).asText(), row.path(name).asDouble(), Double::sum);
    }
    return sums;
  }

  /// The words of a command, as a shell has them.
  private static List<String> words(String command) {
    List<String> words = new ArrayList<>();
    StringBuilder word = new StringBuilder();
    boolean quoted = false;
    for (char each : (command + " ").toCharArray()) {
      if (each == '\'') {
        quoted = !quoted;
      } else if (each == ' ' && !quoted) {
        if (!word.isEmpty()) {
          words.add(word.toString());
        }
        word.setLength(0);
      } else {
        word.append(each);
      }
    }
    return words;
  }

  /// The sums of the series of an expression, by a label.
  private Map<String, Double> evaluated(String path, String expression, String label)
      throws IOException, InterruptedException {
    assertFalse(expression.isEmpty(), "nothing was copied");
    int from = expression.lastIndexOf('[') + 1;
    String step = expression.substring(from, expression.indexOf(']', from));
    var answer =
        http.get(
            "%s?start=%s&end=%s&step=%s&query=%s"
                .formatted(
                    path,
                    START.plusSeconds(seconds(step)),
                    START.plusSeconds(3_600),
                    step,
                    encoded(expression)));
    assertEquals(200, answer.statusCode(), expression + ": " + answer.body());
    Map<String, Double> sums = new TreeMap<>();
    for (JsonNode series : JSON.readTree(answer.body()).path("data").path("result")) {
      for (JsonNode value : series.path("values")) {
        String group = label.isEmpty() ? "" : series.path("metric").path(label).asText();
        sums.merge(group, value.path(1).asDouble(), Double::sum);
      }
    }
    return sums;
  }

  private static long seconds(String step) {
    long number = Long.parseLong(step.replaceAll("\\D", ""));
    return step.endsWith("m") ? number * 60 : number;
  }

  /// Checks a rule as a file of rules.
  private void check(String rule) throws IOException {
    Path file = Files.writeString(directory.resolve("copied.yml"), rule);
    List<String> words = new ArrayList<>(List.of("check", file.toString()));
    if (rule.startsWith("# LogQL")) {
      words.add("--logql");
    }
    CommandDaemon.Ran ran =
        CommandDaemon.run(Map.of("WIDEROW_URL", url), "alerts", words.toArray(String[]::new));
    assertEquals(0, ran.code(), rule + ran.err());
  }

  /// Windows of LogQL and PromQL are open at their start, steps of `--stats` at their end: an event
  /// at the edge of two steps is in another one, and one at the start of the range in none.
  private static void assertNear(
      Map<String, Double> expected, Map<String, Double> found, String of) {
    assertEquals(expected.keySet(), found.keySet(), of);
    expected.forEach((group, value) -> {
      double other = found.getOrDefault(group, Double.NaN);
      assertTrue(Math.abs(value - other) <= Math.max(1, value * 0.02), of + expected + found);
    });
  }

  @Test
  void copiedTextsAreValidAndHaveOneResult() throws IOException, InterruptedException {
    String web = "type=shop.web";
    List<String[]> all =
        List.of(
            new String[] {web, "", "count", ""},
            new String[] {web, "", "count", "status"},
            new String[] {"type=shop.*", "status >= 500", "count", "host"},
            new String[] {web, "not (status = 200 or status = 404)", "count", "host"},
            new String[] {web, "body contains \"/cart/1\" and level >= error", "count", "host"},
            new String[] {web, "host in (\"web1\", \"web2\") and body !~ \"9$\"", "count", "host"},
            new String[] {web, "path icontains \"P1\" and nosuch is null", "count", "path"},
            new String[] {web, "", "sum(ms)", "status"},
            new String[] {web, "host = \"web1\"", "count(ms)", "status"},
            new String[] {web, "path ~ \"^/p[12]$\"", "sum(ms)", "path"},
            new String[] {"type=nginx", NGINX, "count", "client"},
            new String[] {"type=nginx", NGINX + " | status >= 500", "sum(bytes)", "client"});
    for (String[] each : all) {
      String of = Arrays.toString(each);
      Copied copied = copied(each[0], each[1], each[2], each[3]);
      Map<String, Double> command = command(copied.command(), each[3]);
      Double _ = command.remove("other");
      assertFalse(command.isEmpty(), of);
      if (command.size() < 10) { // else topk chooses others in each step
        assertNear(command, evaluated("/loki/api/v1/query_range", copied.logql(), each[3]), of);
      }
      if (!copied.promql().isEmpty()) {
        assertNear(command, evaluated("/api/v1/query_range", copied.promql(), each[3]), of);
      }
      assertEquals(each[2].contains("ms"), !copied.promql().isEmpty(), of);
      check(copied.rule());
    }
  }

  @Test
  void otherAggregatesAreValidToo() throws IOException, InterruptedException {
    for (String stats :
        List.of(
            "p99(ms)",
            "avg(ms)",
            "min(ms)",
            "max(ms)",
            "distinct(path)",
            "count(level >= error) / count as errors")) {
      for (String by : List.of("", "status")) {
        Copied copied = copied("type=shop.web", "ms exists", stats, by);
        Map<String, Double> command = command(copied.command(), by);
        Map<String, Double> logql = evaluated("/loki/api/v1/query_range", copied.logql(), by);
        command.values().removeIf(value -> value == 0); // a quotient of no series is none there
        assertEquals(command.keySet(), logql.keySet(), copied.logql());
        check(copied.rule());
        if (stats.contains("(ms)")) {
          assertNear(
              command, evaluated("/api/v1/query_range", copied.promql(), by), copied.promql());
        }
      }
    }
    Copied refused = copied("type=shop.web", "path > \"a\"", "count", "");
    assertEquals("", refused.logql());
    assertTrue(
        browser.text(COPIED + ".textContent").contains("cannot say this: the order of texts"));
  }

  @Test
  void topClientsOfANginxLog() throws IOException, InterruptedException {
    open("type=nginx&where=" + encoded(NGINX) + "&stats=sum(bytes)&by=client&limit=10");
    browser.await(PLOT + ".dataset.series === '11'");
    List<List<String>> expected = new ArrayList<>();
    for (JsonNode row :
        query(
            RANGE
                + "&type=nginx&stats=sum(bytes)&by=client&limit=10&other=true&where="
                + encoded(NGINX)
                + "&order-by="
                + encoded("sum(bytes) desc"))) {
      expected.add(List.of(row.path("client").asText(), row.path("sum(bytes)").asText()));
    }
    assertEquals(expected, rows());
    Map<String, Double> command = command(copied("command"), "client");
    for (List<String> row : expected) {
      assertEquals(Double.parseDouble(row.get(1)), command.get(row.get(0)), row.get(0));
    }
  }
}
