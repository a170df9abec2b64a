package io.widerow.ingest.serve.page;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;

/// Goal: numbers are shown, filtered and counted as they are stored, however large or small.
/// Method: Chromium over a daemon with made events.
class ExplorerNumbersTest extends ExplorerRun {
  private static final long START_MILLIS = 1_763_666_100_000L;
  private static final String RANGE = "&from=2025-11-20T19:00:00Z&to=2025-11-20T21:00:00Z";
  private static final String URL = "new URLSearchParams(location.search)";

  /// Whole numbers that a double would round, as neighbours of those that it holds.
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
    post(lines.toString());
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
}
