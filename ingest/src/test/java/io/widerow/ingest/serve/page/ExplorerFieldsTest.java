package io.widerow.ingest.serve.page;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.ingest.OperatedDaemon;
import io.widerow.ingest.TokenDaemon;
import java.io.IOException;
import java.net.URLEncoder;
import java.nio.file.Files;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// Goal: fields are found by name, shown as columns and filtered, also fields that the filter
/// parses; levels filter; bodies wrap and have their colours and direction; the context of an event
/// keeps to its host, pod or file; only a token that may save gets the form for it. Method:
/// Chromium over made events and a default nginx log.
@Tag("browser")
class ExplorerFieldsTest extends ExplorerRun {
  private static final Instant START = Instant.parse("2025-11-20T10:00:00Z");
  private static final String RANGE = "/ui/?from=2025-11-20T10:00:00Z&to=2025-11-20T11:00:00Z";
  private static final String HEADS =
      "[...document.querySelectorAll('[data-test=column]')].map((one) => one.dataset.column)";
  private static final String FACETS =
      "[...document.querySelectorAll('[data-test=facet]:not([hidden])')]"
          + ".map((one) => one.dataset.field)";
  private static final String BODIES =
      "[...document.querySelectorAll('[data-test=row] .body')].map((one) => one.textContent)";
  private static final String TOTAL = element("bars") + ".dataset.total";

  @Override
  void fill() throws IOException, InterruptedException {
    StringBuilder lines = new StringBuilder();
    String[] levels = {"info", "info", "warn", "error", "debug"};
    for (int i = 0; i < 300; i++) {
      lines.append(
          ("{\"ts\":\"%s\",\"type\":\"shop.web\",\"level\":\"%s\",\"status\":%d,"
                  + "\"k8s.pod.name\":\"pod-%d\",\"host\":\"web%d\",\"file\":\"/log/%d\","
                  + "\"path\":\"/p%d\",\"body\":\"GET /cart/%d\"}%n")
              .formatted(
                  START.plusSeconds(10L * i),
                  levels[i % 5],
                  i % 2 == 0 ? 200 : 404,
                  i % 4,
                  i % 3,
                  i % 6,
                  i % 7,
                  i));
      lines.append(
          ("{\"ts\":\"%s\",\"type\":\"nginx\",\"body\":\"10.0.0.%d - - "
                  + "[20/Nov/2025:10:00:00 +0000] \\\"GET /x HTTP/1.1\\\" %d %d"
                  + " \\\"-\\\" \\\"curl/8\\\"\"}%n")
              .formatted(START.plusSeconds(10L * i), i % 9, i % 2 == 0 ? 200 : 503, 100 + i));
    }
    String escape = "\\u001b";
    lines.append(
        ("{\"ts\":\"2025-11-20T10:30:00Z\",\"type\":\"odd\",\"body\":\"%s[1;31mFAILED%s[0m"
                + " x%s[38;5;2mgreen%s[m%s]8;;http://x\\u0007\"}%n")
            .formatted(escape, escape, escape, escape, escape));
    String hebrew = "\u05e9\u05dc\u05d5\u05dd 42";
    lines.append(
        "{\"ts\":\"2025-11-20T10:31:00Z\",\"type\":\"odd\",\"who\":\"%s\",\"body\":\"%s\"}%n"
            .formatted(hebrew, hebrew));
    post(lines.toString());
  }

  private void open(String query) {
    browser.open(url + RANGE + query);
    browser.await("document.documentElement.dataset.ready");
  }

  private static String where(String filter) {
    return "&where=" + URLEncoder.encode(filter, UTF_8);
  }

  private void awaitWhere(String filter) {
    browser.await("new URLSearchParams(location.search).get('where') === '" + filter + "'");
  }

  @Test
  void aFieldIsFoundByItsName() throws IOException {
    open("&type=shop.web");
    browser.press("F");
    browser.type("POD");
    browser.await(FACETS + ".join() === 'k8s.pod.name'");
    browser.press("Enter");
    browser.await(HEADS + ".at(-1) === 'k8s.pod.name'");
    assertTrue(browser.text("location.search").contains("cols=k8s.pod.name"));
    browser.press("Escape");
    browser.await(FACETS + ".length > 4");
    browser.evaluate("document.querySelector('[data-field=path] [data-test=field-only]').click()");
    awaitWhere("path exists");
    browser.await(TOTAL + " === '300'");
    browser.open(browser.text("location.href"));
    browser.await(HEADS + ".at(-1) === 'k8s.pod.name'");
    for (int[] size : new int[][] {{390, 844}, {900, 800}, {2_560, 1_300}, {1_440, 900}}) {
      browser.size(size[0], size[1]);
      shots("fields-" + size[0]);
      assertTrue(
          browser.evaluate("document.documentElement.scrollWidth <= " + size[0]).asBoolean(),
          "it fits into " + size[0]);
    }
    assertEquals(List.of(), browser.problems());
  }

  @Test
  void levelsFilter() {
    for (String[] each :
        new String[][] {
          {"error", "level >= error", "60"},
          {"warn", "level = warn", "60"},
          {"debug", "level <= debug", "60"}
        }) {
      open("&type=shop.web");
      String button = "document.querySelector('[data-test=level][data-level=" + each[0] + "]')";
      browser.evaluate(button + ".click()");
      awaitWhere(each[1]);
      browser.await(TOTAL + " === '" + each[2] + "'");
      browser.await(button + ".getAttribute('aria-pressed') === 'true'");
      browser.await( // the list comes when it does, before the bars or after them
          "[...new Set([...document.querySelectorAll('[data-test=row] .level')]"
              + ".map((one) => one.textContent))].join() === '%s'".formatted(each[0]));
      browser.evaluate(button + ".click()");
      browser.await(TOTAL + " === '300'");
    }
  }

  @Test
  void bodiesHaveTheirColoursAndTheirDirection() {
    open("&type=odd");
    browser.await(BODIES + ".length === 2");
    assertEquals("FAILED xgreenESC]8;;http://xBEL", browser.text(BODIES + "[0]"));
    assertEquals("FAILED", browser.text("document.querySelector('.ansi-1.ansi-bold').textContent"));
    assertEquals("green", browser.text("document.querySelector('.ansi-2').textContent"));
    String direction = "getComputedStyle(document.querySelectorAll('[data-test=row] .body')[%d])";
    assertEquals("ltr", browser.text(direction.formatted(0) + ".direction"));
    assertEquals("rtl", browser.text(direction.formatted(1) + ".direction"));
    browser.evaluate(element("ansi") + ".click()");
    browser.await("!document.querySelector('.row .ansi-1')");
    assertEquals("FAILED xgreenESC]8;;http://xBEL", browser.text(BODIES + "[0]"));
    assertTrue(browser.text("location.search").contains("ansi=off"));
    browser.evaluate(element("wrap") + ".click()");
    browser.await("location.search.includes('wrap=1')");
    assertEquals("true", browser.text(element("wrap") + ".getAttribute('aria-pressed')"));
    assertEquals(List.of(), browser.problems());
  }

  @Test
  void theContextKeepsToTheHostThePodOrTheFile() throws IOException, InterruptedException {
    String id = ids("type=shop.web&limit=120").getLast();
    for (String[] each :
        new String[][] {
          {"host", "host = \"web2\"", "100"},
          {"pod", "k8s.pod.name = \"pod-3\"", "75"},
          {"file", "file = \"/log/5\"", "50"}
        }) {
      open("&type=shop.web&at=shop.web/" + id + where("status = 404"));
      browser.press("Enter");
      browser.await(element("same-" + each[0]));
      browser.evaluate(element("same-" + each[0]) + ".click()");
      awaitWhere(each[1]);
      browser.await(TOTAL + " === '" + each[2] + "'");
      browser.await("document.querySelector('[aria-selected=true][data-id=\"" + id + "\"]')");
      List<String> all = ids("where=" + URLEncoder.encode(each[1], UTF_8));
      browser.await("'" + String.join(",", all) + "'.includes(" + IDS + ".join())");
    }
  }

  @Test
  void fieldsThatTheFilterParsesAreFields() throws IOException, InterruptedException {
    open("&type=nginx" + where("| parse as nginx"));
    browser.await(TOTAL + " === '300'");
    browser.await(FACETS + ".includes('client')");
    browser.evaluate("document.querySelector('[data-field=client] .facet-name').click()");
    browser.await(HEADS + ".at(-1) === 'client'");
    shots("parsed");
    browser.evaluate(
        "document.querySelector('[data-field=client] [data-value=\"10.0.0.3\"]').click()");
    awaitWhere("| parse as nginx | client = \"10.0.0.3\"");
    browser.await(TOTAL + " === '33'");
    browser.evaluate("document.querySelector('[data-field=status] [data-value=\"503\"]').click()");
    awaitWhere("| parse as nginx | client = \"10.0.0.3\" and status = 503");
    String filter = "| parse as nginx | client = \"10.0.0.3\" and status = 503";
    List<String> expected = ids("type=nginx&where=" + URLEncoder.encode(filter, UTF_8));
    browser.await(IDS + ".length === " + expected.size());
    assertEquals(expected, texts(browser.evaluate(IDS)));
    assertFalse(browser.text(FACETS + ".join()").isEmpty());
    assertEquals(List.of(), browser.problems());
  }

  /// The events that the filter keeps next to the rest of those that it parses.
  @Test
  void differencesAreOfFieldsThatTheFilterParses() throws IOException {
    open("&type=nginx&view=differences" + where("exists body | parse as nginx | status = 503"));
    browser.await("document.querySelector('.why-legend')");
    String said = browser.text("document.querySelector('.why-legend').textContent");
    assertEquals("chosen: (exists body) and (status = 503), 150 eventsthe rest: 150 events", said);
    browser.await("document.querySelectorAll('.first-rows .row').length > 0");
    assertEquals(List.of(), browser.problems());
  }

  @Test
  void aTokenThatMayNotSaveGetsTheCommand() throws IOException, InterruptedException {
    String query = "0123456789abcdef0123456789abcdef";
    String tokens = TokenDaemon.file(directory, TokenDaemon.line("ann", query, "query"));
    try (OperatedDaemon other =
        new OperatedDaemon(
            Files.createDirectory(directory.resolve("other")), Map.of("tokens", tokens))) {
      browser.open(other.url() + RANGE + "&cols=status");
      browser.evaluate(element("login") + ".querySelector('input').value = '" + query + "'");
      browser.evaluate(element("login") + ".querySelector('button').click()");
      browser.await("document.documentElement.dataset.ready && !" + element("login"));
      browser.evaluate(element("saved") + ".click()");
      browser.await("!" + element("saved-menu") + ".hidden");
      String told = browser.text(element("saved-menu") + ".textContent");
      assertTrue(told.contains("No query is saved yet"), told);
      assertTrue(told.contains("/v1/queries?query=NAME&from="), told);
      assertEquals("null", browser.text(element("save-name") + " === null ? 'null' : 'there'"));
    }
  }
}
