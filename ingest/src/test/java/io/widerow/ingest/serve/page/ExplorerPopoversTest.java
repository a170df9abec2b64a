package io.widerow.ingest.serve.page;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// Goal: what opens over the page closes by Escape, by a press outside and when another opens; the
/// page can be used in windows of 390 and 900 pixels; long lines, levels, an empty list and
/// misspelt fields are shown. Method: Chromium over made events; each popover against each way to
/// close it.
@Tag("browser")
class ExplorerPopoversTest extends ExplorerRun {
  private static final long START_MILLIS = 1_763_666_100_000L;
  private static final String RANGE = "from=2025-11-20T19:00:00Z&to=2025-11-20T21:00:00Z";
  private static final int WIDE = 1400;
  private static final int HIGH = 900;
  private static final int LONG = 200_000;

  /// How each popover is opened in a wide window, and the expression for it.
  private static final Map<String, String> OPENED = new LinkedHashMap<>();

  static {
    OPENED.put("range-menu", element("range") + ".click()");
    OPENED.put("saved-menu", element("saved") + ".click()");
    OPENED.put("offers", element("where") + ".blur(), " + element("where") + ".focus()");
    OPENED.put("keys", element("keys-button") + ".click()");
  }

  @Override
  void fill() throws IOException, InterruptedException {
    StringBuilder lines = new StringBuilder();
    for (int i = 0; i < 400; i++) {
      int level = i % 10 == 0 ? 50 : i % 10 == 1 ? 40 : 30;
      lines.append(
          ("{\"ts\":%d,\"type\":\"shop\",\"level\":%d,\"status\":%d,\"version\":\"%s\","
                  + "\"body\":\"GET /cart/%d %s\"}%n")
              .formatted(
                  START_MILLIS + 2_000L * i,
                  level,
                  level == 50 ? 503 : 200,
                  level == 50 ? "2.14.0" : "2.13.2",
                  i,
                  "word ".repeat(40)));
    }
    String text = "{\\\"a\\\":1234567890123456789,\\\"b\\\":\\\"x\\\"} ".repeat(LONG / 40);
    lines.append(
        "{\"ts\":%d,\"type\":\"long\",\"n\":12345678901234567,\"body\":\"%s\"}%n"
            .formatted(START_MILLIS, text));
    lines.append(
        "{\"ts\":%d,\"type\":\"long\",\"body\":\"after it\"}%n".formatted(START_MILLIS + 1));
    post(lines.toString());
  }

  @AfterEach
  void wideAgain() {
    browser.size(WIDE, HIGH);
  }

  private static String encoded(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8);
  }

  private static String isOpen(String popover) {
    return "!" + element(popover) + ".hidden";
  }

  private void open(String popover) {
    browser.evaluate(OPENED.getOrDefault(popover, ""));
    browser.await(isOpen(popover));
  }

  @Test
  void eachPopoverClosesInEachWay() {
    browser.size(WIDE, HIGH);
    browser.open(url + "/ui/?type=shop&" + RANGE);
    for (String popover : OPENED.keySet()) {
      open(popover);
      browser.press("Escape");
      browser.await("!(" + isOpen(popover) + ")");
      open(popover);
      browser.click(700, HIGH - 60); // in the list
      browser.await("!(" + isOpen(popover) + ")");
      for (String other : OPENED.keySet()) {
        if (!other.equals(popover)) {
          open(popover);
          open(other);
          browser.await("!(" + isOpen(popover) + ")");
          browser.press("Escape");
          browser.await("!(" + isOpen(other) + ")");
        }
      }
    }
    assertEquals(List.of(), browser.problems());
  }

  @Test
  void narrowWindowsAreUsable() throws IOException {
    for (int width : List.of(390, 900, WIDE)) {
      browser.size(width, HIGH);
      browser.open(url + "/ui/?type=shop&" + RANGE);
      String outside =
          "[...document.querySelectorAll('header button, .question > *, .list, .status')]"
              + ".filter((each) => each.checkVisibility() && (each.getBoundingClientRect().right > "
              + (width + 1)
              + " || each.getBoundingClientRect().left < -1)).map((each) => each.className)";
      assertEquals(List.of(), texts(browser.evaluate(outside)), "of " + width);
      int list = browser.evaluate(element("list") + ".clientWidth").asInt();
      assertTrue(list >= Math.min(width, 600) - 60, width + ": a list of " + list);
      int where = browser.evaluate(element("where") + ".clientWidth").asInt();
      assertTrue(where >= 200, width + ": a filter of " + where);
      int rows = browser.evaluate("document.querySelectorAll('[data-test=row]').length").asInt();
      assertTrue(rows > 10, width + ": rows " + rows);
      browser.screenshot(SHOTS.resolve("wide-" + width + ".png"));
      browser.evaluate("document.querySelectorAll('[data-test=row]')[3].click()");
      browser.await(element("partition"));
      browser.screenshot(SHOTS.resolve("wide-" + width + "-event.png"));
      browser.evaluate(element("close") + ".click()");
      browser.evaluate(element("range") + ".click()");
      browser.await(isOpen("range-menu"));
      String menu = element("range-menu") + ".getBoundingClientRect()";
      assertTrue(
          browser.evaluate(menu + ".left >= 0 && " + menu + ".right <= " + width).asBoolean());
      browser.press("Escape");
      if (width == 390) {
        browser.evaluate(element("fields") + ".click()");
        browser.await(element("facets") + ".checkVisibility()");
        browser.screenshot(SHOTS.resolve("wide-390-fields.png"));
        browser.press("Escape");
        browser.await("!" + element("facets") + ".checkVisibility()");
      }
    }
    assertEquals(List.of(), browser.problems());
  }

  @Test
  void linesAreWrappedAndLongOnesLeaveTheList() throws IOException {
    browser.size(WIDE, HIGH);
    browser.open(url + "/ui/?type=shop&" + RANGE);
    String first = "document.querySelector('[data-test=row]')";
    int flat = browser.evaluate(first + ".clientHeight").asInt();
    browser.press("w");
    browser.await(first + ".clientHeight > " + flat);
    String body = first + ".querySelector('.body')";
    assertEquals("pre-wrap", browser.text("getComputedStyle(" + body + ").whiteSpace"));
    assertTrue(browser.evaluate(body + ".scrollWidth <= " + body + ".clientWidth + 1").asBoolean());
    for (String wrap : List.of("", "&wrap=1")) {
      browser.open(url + "/ui/?type=long&" + RANGE + wrap);
      browser.await("document.querySelectorAll('[data-test=row]').length === 2");
      String last = "[...document.querySelectorAll('[data-test=row]')].at(-1)";
      String shown = browser.text(last + ".querySelector('.body').textContent");
      assertEquals("after it", shown);
      assertTrue(
          browser
              .evaluate(
                  "(() => { const row = "
                      + last
                      + ".getBoundingClientRect(); const list = "
                      + element("list")
                      + ".getBoundingClientRect();"
                      + " return row.top < list.bottom && row.bottom > list.top; })()")
              .asBoolean());
      browser.screenshot(SHOTS.resolve("long" + (wrap.isEmpty() ? "" : "-wrapped") + ".png"));
    }
    assertEquals(List.of(), browser.problems());
  }

  @Test
  void levelsOfNumbersAreShown() throws IOException {
    browser.size(WIDE, HIGH);
    browser.open(url + "/ui/?type=shop&" + RANGE);
    assertTrue(browser.text("document.querySelector('.legend').textContent").contains("error 40"));
    browser.await("document.querySelectorAll('[data-test=row].error').length > 0");
    browser.await("document.querySelectorAll('[data-test=row].warn').length > 0");
    browser.evaluate("document.querySelector('[data-field=level] [data-value=error]').click()");
    browser.await(element("bars") + ".dataset.total === '40'");
    assertEquals(
        "level = error", browser.text("new URLSearchParams(location.search).get('where')"));
    browser.press("d");
    browser.await(element("say"));
    String said = browser.text(element("say") + ".textContent");
    assertTrue(said.contains("is 2.14.0 in 100 %") && said.contains("elsewhere"), said);
    browser.screenshot(SHOTS.resolve("filter-differences.png"));
    assertEquals(List.of(), browser.problems());
  }

  @Test
  void anEmptyListLeadsToWhatThereIs() {
    browser.size(WIDE, HIGH);
    browser.open(url + "/ui/?type=shop&" + RANGE + "&where=" + encoded("stauts = 503"));
    browser.await(element("case"));
    assertEquals(
        "no event of the range has the field stauts; the nearest is status",
        browser.text(element("warned") + ".textContent"));
    browser.evaluate(element("case") + ".click()");
    browser.await(element("bars") + ".dataset.total === '400'");
    assertEquals("", browser.text(element("where") + ".value"));
    browser.open(url + "/ui/?type=shop&from=2020-01-01&to=2020-01-02");
    browser.await(element("case"));
    browser.evaluate(element("case") + ".click()");
    browser.await(element("bars") + ".dataset.total === '400'");
    assertEquals(List.of(), browser.problems());
  }

  @Test
  void theReasonOfARefusalIsNotCovered() {
    browser.size(WIDE, HIGH);
    browser.open(url + "/ui/?type=shop&" + RANGE);
    browser.press("/");
    browser.type("status ");
    browser.await(isOpen("offers"));
    browser.press("Enter");
    browser.await("!" + element("refused") + ".hidden");
    assertTrue(
        browser
            .evaluate(
                "(() => { const box = "
                    + element("refused")
                    + ".getBoundingClientRect(); return "
                    + element("refused")
                    + ".contains(document.elementFromPoint(box.left + 60, box.top + 12)); })()")
            .asBoolean());
    browser.problems(); // the refusal is one
  }
}
