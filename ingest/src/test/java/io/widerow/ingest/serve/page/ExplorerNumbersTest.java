package io.widerow.ingest.serve.page;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.net.URLEncoder;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// Goal: numbers are shown, filtered and counted as they are stored, however large or small.
/// Method: Chromium over a daemon with made events.
@Tag("browser")
class ExplorerNumbersTest extends ExplorerRun {
  private static final long START_MILLIS = 1_763_666_100_000L;
  private static final String RANGE = "&from=2025-11-20T19:00:00Z&to=2025-11-20T21:00:00Z";
  private static final int FEW = 20; // values, more than the heat map has rows
  private static final String URL = "new URLSearchParams(location.search)";

  /// Whole numbers that a double would round, as neighbours of exact ones.
  private static final List<String> LARGE =
      List.of(
          "9007199254740991",
          "9007199254740992",
          "9007199254740993",
          "9007199254740994",
          "-9007199254740993",
          "1234567890123456789",
          "9223372036854775807",
          "-9223372036854775808");

  @Override
  void fill() throws IOException, InterruptedException {
    StringBuilder lines = new StringBuilder();
    for (int i = 0; i < LARGE.size(); i++) {
      String number = LARGE.get(i);
      lines.append(
          "{\"ts\":%d,\"type\":\"large\",\"key\":\"%d\",\"n\":%s,\"body\":\"{\\\"in\\\": %s}\"}%n"
              .formatted(START_MILLIS, i, number, number));
    }
    lines.append(
        "{\"ts\":%d,\"type\":\"double\",\"n\":1.2345678901234567E19}%n".formatted(START_MILLIS));
    for (int i = 0; i < FEW * 3; i++) {
      lines.append(event("few", i % FEW + 1 + ""));
    }
    for (int power = 0; power < 20; power++) {
      long number = 1L << power;
      for (String each : List.of("", ".5", "000")) {
        lines.append(event("signed", number + each)).append(event("signed", "-" + number + each));
      }
    }
    for (String each : List.of("0", "-0.0", "0", "1e-9", "-1e-9", "1e300", "-1e300")) {
      lines.append(event("signed", each));
    }
    post(lines.toString());
  }

  private static String event(String type, String number) {
    return "{\"ts\":%d,\"type\":\"%s\",\"n\":%s}%n".formatted(START_MILLIS, type, number);
  }

  private long count(String type, String where) throws IOException, InterruptedException {
    String filter = "&where=" + URLEncoder.encode(where, UTF_8);
    return query("type=" + type + "&stats=count" + filter + RANGE)
        .getFirst()
        .path("count")
        .asLong();
  }

  private void awaitTotal(long total) {
    browser.await(element("bars") + ".dataset.total === '" + total + "'");
  }

  private static String button(String label) {
    return "document.querySelector('button[aria-label=\"" + label + "\"]')";
  }

  @Test
  void largeNumbersAreShownFilteredAndCopied() throws IOException, InterruptedException {
    for (int i = 0; i < LARGE.size(); i++) {
      String number = LARGE.get(i);
      browser.open(url + "/ui/?type=large&cols=n&where=n%3D" + number + RANGE);
      awaitTotal(1);
      String row = browser.text(element("row") + ".querySelector('.number').textContent");
      assertEquals(number, row);
      browser.evaluate(element("row") + ".click()");
      browser.await(button("only these: n"));
      assertEquals(
          number, browser.text(element("kv") + ".querySelector('dd.number .value').textContent"));
      assertEquals(
          "in: " + number, browser.text(element("body") + ".querySelector('li').textContent"));
      browser.evaluate("navigator.clipboard.writeText = async (text) => { window.copied = text; }");
      browser.press("Y");
      browser.await("window.copied");
      assertEquals(
          query("type=large&where=n%3D" + number + RANGE).getFirst(),
          JSON.readTree(browser.text("window.copied")));
      browser.open(url + "/ui/?type=large&where=key%3D\"" + i + "\"" + RANGE);
      browser.evaluate(
          "document.querySelector('[data-field=n] [data-value=\"" + number + "\"]').click()");
      browser.await(URL + ".get('where').endsWith('and n = " + number + "')");
      awaitTotal(1);
    }
    assertEquals(List.of(), browser.problems());
  }

  @Test
  void aDoubleBeyondThemIsNoWholeNumber() {
    browser.open(url + "/ui/?type=double" + RANGE);
    browser.evaluate("document.querySelector('[data-field=n] .facet-value').click()");
    browser.await(URL + ".get('where') === 'n = 1.2345678901234567e+19'");
    awaitTotal(1);
    assertEquals(List.of(), browser.problems());
  }

  @Test
  void aLargeCountIsShown() throws IOException {
    browser.open(url + "/ui/?type=large" + RANGE);
    JsonNode texts =
        evaluate(
            "format.js",
            "JSON.stringify([-1234.4, 9007199254740993n].map((each) => format_js.whole(each)))");
    assertEquals(
        List.of("-1\u2009234", "9\u2009007\u2009199\u2009254\u2009740\u2009993"), texts(texts));
  }

  /// Waits until each event is in a row of the heat map, and none in two.
  private void awaitHeat(String type, long events) {
    browser.open(url + "/ui/?heat=n&type=" + type + RANGE);
    awaitTotal(events);
    browser.await(element("bars") + ".dataset.heat === '" + events + "'");
  }

  /// Chooses rows of the heat map by a drag over all of its time.
  ///
  /// @param from the height, 0 below to 1 above
  private String drag(double from, double to) {
    JsonNode bars = browser.evaluate(element("bars") + ".getBoundingClientRect().toJSON()");
    int top = bars.path("y").asInt();
    int width = bars.path("width").asInt();
    browser.drag(48, top + 95 - (int) (69 * from), width - 14, top + 95 - (int) (69 * to));
    browser.await(URL + ".get('pickwhere')");
    return browser.text(URL + ".get('pickwhere')");
  }

  @Test
  void twoValuesInARowAreBothCounted() throws IOException, InterruptedException {
    awaitHeat("few", 3 * FEW);
    String picked = drag(0.02, 0.98);
    assertEquals("n >= 1 and n <= 20", picked);
    assertEquals(3 * FEW, count("few", picked));
    awaitHeat("few", 3 * FEW);
    assertEquals("n >= 1 and n <= 2", drag(0.02, 0.06));
    assertEquals(List.of(), browser.problems());
  }

  @Test
  void eachNumberIsInOneRowWhateverItsSign() throws IOException, InterruptedException {
    long events = count("signed", "n exists");
    awaitHeat("signed", events);
    String picked = drag(0.02, 0.98);
    assertEquals(events, count("signed", picked), picked);
    assertEquals(List.of(), browser.problems());
  }

  @Test
  void theFilterOfABinKeepsWhatTheDaemonCounted() throws IOException, InterruptedException {
    browser.open(url + "/ui/?type=signed" + RANGE);
    JsonNode bins =
        JSON.readTree(http.get("/v1/fields/n?type=signed" + RANGE).body().lines().toList().get(1))
            .path("bins");
    assertTrue(bins.size() > 24, bins.toString());
    JsonNode filters =
        evaluate(
            "facets.js",
            "JSON.stringify(%s.map((bin) => facets_js.between('n', bin)))".formatted(bins));
    for (int i = 0; i < bins.size(); i++) {
      String filter = filters.get(i).asText();
      assertEquals(bins.get(i).path("count").asLong(), count("signed", filter), filter);
    }
    String bin = "[...document.querySelectorAll('[data-field=n] .bin')]";
    browser.evaluate(bin + ".find((each) => each.title.startsWith('-2 to -1: ')).click()");
    browser.await(URL + ".get('where') === 'n > -2 and n <= -1'");
    awaitTotal(count("signed", "n > -2 and n <= -1"));
    assertEquals(List.of(), browser.problems());
  }
}
