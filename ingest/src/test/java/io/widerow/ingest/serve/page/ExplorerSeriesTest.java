package io.widerow.ingest.serve.page;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// Goal: the view of series shows what `query_range` returns, as lines and as a table, and its URL
/// shows the same again. Method: Chromium over counters of an hour with a gap, a hostile label, and
/// expressions that are wrong.
@Tag("browser")
class ExplorerSeriesTest extends ExplorerRun {
  private static final Instant START = Instant.parse("2025-11-20T10:00:00Z");
  private static final String RANGE = "from=2025-11-20T10:00:00Z&to=2025-11-20T11:00:00Z";
  private static final String PLOT = element("series");
  private static final String HOSTILE = "<img src=x onerror='window.pwned = 1'>";
  private static final String NAMES =
      "[...document.querySelectorAll('.series-name')].map((each) => each.textContent)";

  @Override
  void fill() throws IOException, InterruptedException {
    StringBuilder lines = new StringBuilder();
    for (int path = 0; path < 5; path++) {
      for (int second = 0; second < 3_600; second += 15) {
        if (path != 2 || second < 1_200 || second > 1_800) {
          long nanos = (START.getEpochSecond() + second) * 1_000_000_000L;
          lines.append(
              "hits_total,path=/p%d value=%d %d\n"
                  .formatted(path, second * (path + 1) + 40 * (second / 300 % 3), nanos));
        }
      }
    }
    lines.append(
        "odd.load,who=%s value=-3.5 %d000000000\n"
            .formatted(HOSTILE.replace(" ", "\\ ").replace("=", "\\="), START.getEpochSecond()));
    var written = http.post("/api/v2/write", "text/plain", lines.toString());
    assertEquals(204, written.statusCode(), written.body());
  }

  private void open(String expr) {
    browser.open(
        url
            + "/ui/?view=series&"
            + RANGE
            + "&expr="
            + URLEncoder.encode(expr, StandardCharsets.UTF_8));
    browser.await("document.documentElement.dataset.ready");
  }

  private int data(String name) {
    return browser.evaluate("Number(" + PLOT + ".dataset." + name + ")").asInt();
  }

  @Test
  void linesAndTableAreTheResponse() throws IOException, InterruptedException {
    String expr = "sum by (path) (rate(hits_total[5m]))";
    open(expr);
    browser.await(PLOT + ".dataset.series === '5'");
    int step = data("step") / 1_000;
    long from = START.getEpochSecond() + step;
    JsonNode response =
        JSON.readTree(
            http.get(
                    "/api/v1/query_range?start=%d&end=%d&step=%d&query=%s"
                        .formatted(
                            from,
                            START.getEpochSecond() + 3_599,
                            step,
                            URLEncoder.encode(expr, StandardCharsets.UTF_8)))
                .body());
    int points = 0;
    for (JsonNode each : response.path("data").path("result")) {
      points += each.path("values").size();
    }
    assertEquals(points, data("points"));
    assertTrue(points > 4 * 100, points + " points");
    List<String> names = texts(browser.evaluate(NAMES));
    assertEquals("{path=\"/p4\"}", names.getFirst(), "the largest first");
    for (int[] size : new int[][] {{1_440, 900}, {1_000, 760}, {420, 860}}) {
      browser.size(size[0], size[1]);
      shots("series-" + size[0]);
      assertTrue(
          browser.evaluate("document.documentElement.scrollWidth <= " + size[0]).asBoolean(),
          "it fits into " + size[0]);
      assertTrue(
          browser.evaluate(PLOT + ".getBoundingClientRect().height >= 150").asBoolean(), "a plot");
    }
    browser.size(1_440, 900);
    browser.evaluate("document.querySelector('.series-name').click()");
    assertEquals("{path=\"/p4\"}", browser.text(PLOT + ".dataset.chosen"));
    assertEquals(List.of(), browser.problems());
  }

  @Test
  void anExpressionIsWrittenAndItsUrlShowsItAgain() {
    open("");
    browser.await("document.querySelectorAll('.series-metrics button').length === 2");
    shotsOf("series-metrics");
    browser.evaluate("document.querySelector('.series-metrics button').click()");
    browser.await(PLOT + ".dataset.series === '5'");
    String shared = browser.text("location.href");
    assertTrue(shared.contains("expr=rate%28hits_total%5B5m%5D%29"), shared);
    browser.open(shared);
    browser.await(PLOT + ".dataset.series === '5'");
    browser.evaluate(element("expr") + ".select()");
    browser.type("count(hits_total)");
    browser.press("Enter");
    browser.await(PLOT + ".dataset.series === '1'");
    assertEquals(List.of("{}"), texts(browser.evaluate(NAMES)));
    browser.evaluate("history.back()");
    browser.await(PLOT + ".dataset.series === '5'");
    assertEquals(List.of(), browser.problems());
  }

  private void shotsOf(String view) {
    try {
      shots(view);
    } catch (IOException unwritable) {
      throw new java.io.UncheckedIOException(unwritable);
    }
  }

  @Test
  void labelsAreTextAndMistakesAreTold() {
    open("{\"odd.load\"}");
    browser.await(PLOT + ".dataset.series === '1'");
    assertTrue(browser.text(NAMES + "[0]").contains("onerror"), "as text");
    assertTrue(browser.evaluate("window.pwned === undefined").asBoolean());
    open("rate(hits_total)");
    browser.await("!" + element("refused") + ".hidden");
    String told = browser.text(element("refused") + ".textContent");
    assertTrue(told.contains("expected type range vector"), told);
    browser.evaluate(element("expr") + ".select()");
    browser.type("hits_total");
    browser.press("Enter");
    browser.await(PLOT + ".dataset.series === '5'");
    browser.await(element("refused") + ".hidden");
  }
}
