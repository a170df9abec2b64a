package io.widerow.ingest.serve.page;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// Goal: each key works as in the list of keys, and the list is complete; columns are moved and
/// resized by mouse and keys, and the URL has them. Method: Chromium over made events, keys as a
/// keyboard sends them.
@Tag("browser")
class ExplorerKeysTest extends ExplorerRun {
  private static final int EVENTS = 600;
  private static final int ERROR_EVERY = 100;
  private static final long START_MILLIS = 1_763_666_100_000L;
  private static final String FROM = "2025-11-20T19:00:00Z";
  private static final String TO = "2025-11-20T20:00:00Z";
  private static final String SHOP = "/ui/?type=shop&from=" + FROM + "&to=" + TO;
  private static final String SELECTED =
      "document.querySelector('[aria-selected=true][data-test=row]').dataset.id";

  private final Set<String> pressed = new HashSet<>();
  private List<String> all = List.of();

  @Override
  void fill() throws IOException, InterruptedException {
    StringBuilder lines = new StringBuilder();
    for (int i = 0; i < EVENTS; i++) {
      boolean bad = i % ERROR_EVERY == ERROR_EVERY - 1;
      lines.append(
          ("{\"ts\":%d,\"type\":\"shop\",\"level\":\"%s\",\"status\":%d,\"ms\":%d,"
                  + "\"body\":\"GET /cart/%d%s\"}%n")
              .formatted(
                  START_MILLIS + 2_000L * i,
                  bad ? "error" : "info",
                  bad ? 503 : 200,
                  i % 50,
                  i,
                  i % 150 == 60 ? " needle" : ""));
    }
    post(lines.toString());
    all = ids("type=shop");
  }

  /// Presses a key by the name that the list of keys has for it.
  private void press(String name) {
    pressed.add(name);
    browser.press(name.equals("Esc") ? "Escape" : name.equals("Space") ? " " : name);
  }

  private void awaitSelected(int event) {
    browser.await(SELECTED + " === '" + all.get(event) + "'");
  }

  private void awaitUrl(String name, String value) {
    browser.await(
        "(new URLSearchParams(location.search).get('%s') ?? '') === '%s'".formatted(name, value));
  }

  private void awaitRange(String from, String to) {
    awaitUrl("from", from);
    awaitUrl("to", to);
  }

  @Test
  void eachKeyDoesWhatTheListSays() throws IOException {
    browser.open(url + SHOP);
    selecting();
    jumping();
    ranges();
    views();
    questions();
    copying();
    following();
    List<String> listed =
        texts(
            browser.evaluate(
                "[...document.querySelectorAll('[data-test=keys] dt kbd')]"
                    + ".map((key) => key.textContent)"));
    assertEquals(pressed, new HashSet<>(listed), "pressed here, and listed by ?");
    assertEquals(pressed.size(), listed.size(), "none is listed twice");
    assertEquals(List.of(), browser.problems());
  }

  private void selecting() throws IOException {
    press("?");
    browser.await("!" + element("keys") + ".hidden");
    browser.screenshot(SHOTS.resolve("keys.png"));
    press("Esc");
    browser.await(element("keys") + ".hidden");
    press("g");
    awaitSelected(0);
    press("j");
    awaitSelected(1);
    press("k");
    awaitSelected(0);
    press("J");
    browser.await(SELECTED + " !== '" + all.get(0) + "'");
    int page = all.indexOf(browser.text(SELECTED));
    assertTrue(page > 10, "a page has " + page + " rows");
    press("K");
    awaitSelected(0);
    press("G");
    awaitSelected(EVENTS - 1);
    press("Enter");
    browser.await("!" + element("detail") + ".hidden");
    press("Esc");
    browser.await(element("detail") + ".hidden");
    press("w");
    awaitUrl("wrap", "1");
    press("w");
    awaitUrl("wrap", "");
    press("t");
    awaitUrl("tz", "local");
    press("t");
    awaitUrl("tz", "");
  }

  private void jumping() {
    press("g");
    awaitSelected(0);
    press("e");
    awaitSelected(ERROR_EVERY - 1);
    press("e");
    awaitSelected(2 * ERROR_EVERY - 1);
    press("E");
    awaitSelected(ERROR_EVERY - 1);
    press("n");
    browser.await("document.activeElement.matches('.find')");
    browser.type("needle");
    browser.press("Enter");
    awaitSelected(210);
    press("n");
    awaitSelected(360);
    press("N");
    awaitSelected(210);
    press("m");
    String head = "document.querySelector('[data-column=\"+\"]').textContent";
    browser.await(head + " === 'since mark'");
    press("G");
    awaitSelected(EVENTS - 1);
    browser.await("!" + IDS + ".includes('" + all.get(210) + "')");
    press("'");
    browser.await(IDS + ".includes('" + all.get(210) + "')");
    press("m");
    browser.await(head + " === 'since last'");
  }

  private void ranges() {
    awaitRange(FROM, TO);
    press("[");
    awaitRange("2025-11-20T18:30:00Z", "2025-11-20T19:30:00Z");
    press("]");
    awaitRange(FROM, TO);
    press("-");
    awaitRange("2025-11-20T18:30:00Z", "2025-11-20T20:30:00Z");
    press("=");
    awaitRange(FROM, TO);
    browser.open(url + SHOP + "&pick=2025-11-20T19:10:00Z/2025-11-20T19:20:00Z");
    press("z");
    awaitRange("2025-11-20T19:10:00Z", "2025-11-20T19:20:00Z");
    awaitUrl("pick", "");
  }

  private void views() {
    browser.open(url + SHOP);
    press("d");
    awaitUrl("view", "differences");
    browser.await("!" + element("why") + ".hidden");
    press("l");
    awaitUrl("view", "layout");
    browser.await(element("map") + ".dataset.events === '" + EVENTS + "'");
    press("b");
    awaitUrl("map", "bytes");
    press("B");
    awaitUrl("map", "each");
    press("B");
    awaitUrl("map", "");
    press("s");
    awaitUrl("view", "series");
    press("a");
    awaitUrl("view", "aggregates");
    browser.await(element("aggregates") + ".dataset.series === '1'");
    press("v");
    awaitUrl("view", "");
    browser.await(element("list") + ".checkVisibility()");
    press("h");
    awaitUrl("heat", "ms");
    press("h");
    awaitUrl("heat", "");
    press("F");
    browser.await("document.activeElement === " + element("field-search"));
    press("Esc");
    browser.await("document.activeElement === document.body");
  }

  private void questions() {
    press("/");
    browser.await("document.activeElement.dataset.test === 'where'");
    browser.press("w"); // a letter, no key
    browser.await(element("where") + ".value === 'w'");
    awaitUrl("wrap", "");
    browser.evaluate(element("where") + ".value = ''");
    press("Esc");
    browser.await("document.activeElement === document.body");
    browser.open(url + SHOP + "&where=status%20%3D%20503&at=shop/" + all.get(299));
    awaitSelected(299);
    press("c");
    awaitUrl("where", "");
    browser.await(IDS + ".includes('" + all.get(298) + "')");
    awaitSelected(299);
    press("u");
    awaitUrl("where", "status = 503");
    awaitSelected(299);
  }

  private void copying() {
    browser.evaluate(
        "navigator.clipboard.writeText = (text) => {"
            + " window.copied = text; return Promise.resolve(); }");
    press("y");
    String inUrl = "JSON.stringify([...new URL(%s).searchParams].sort())";
    browser.await(inUrl.formatted("window.copied") + " === " + inUrl.formatted("location.href"));
    press("Y");
    browser.await("window.copied.includes('\"body\":\"GET /cart/299\"')");
  }

  private void following() {
    press("f");
    awaitUrl("tail", "1");
    browser.await(element("tail") + ".textContent.startsWith('following')");
    press("Space");
    browser.await(element("tail") + ".textContent.includes('held')");
    press("Space");
    browser.await(element("tail") + ".textContent.includes('following')");
    press("f");
    awaitUrl("tail", "");
    browser.await(element("tail") + ".textContent.startsWith('Follow ')");
  }

  private void awaitOffers(String offers) {
    String shown = "[...document.querySelectorAll('[data-test=offer]')]";
    browser.await(shown + ".map((one) => one.textContent.trim()).join(' ') === '" + offers + "'");
  }

  @Test
  void theFilterOffersWhatMayComeNext() throws IOException {
    browser.open(url + SHOP);
    browser.requests();
    browser.press("/");
    awaitOffers("level ms status body");
    browser.type("sta");
    awaitOffers("status");
    browser.press("ArrowDown");
    browser.press("Tab");
    awaitOffers("= != >= <= > < is not null");
    browser.type("= 5");
    awaitOffers("503");
    browser.press("ArrowDown");
    browser.press("Enter");
    browser.await(element("where") + ".value === 'status = 503 '");
    awaitOffers("and or | parse as");
    browser.screenshot(SHOTS.resolve("completions.png"));
    assertTrue(
        browser.requests().stream().noneMatch(each -> each.contains("/v1/query")),
        "nothing is asked while somebody types");
    browser.press("Enter");
    awaitUrl("where", "status = 503");
    browser.await(element("bars") + ".dataset.total === '" + EVENTS / ERROR_EVERY + "'");
    assertEquals(List.of(), browser.problems());
  }

  @Test
  void barsAreChosenByKeysAndTheirEndsAreMoved() {
    browser.open(url + SHOP + "&at=shop/" + all.get(300));
    String bars = element("bars");
    String shift =
        bars
            + ".dispatchEvent(new KeyboardEvent('keydown',"
            + " { key: 'ArrowRight', shiftKey: true, bubbles: true }))";
    browser.evaluate(shift);
    browser.evaluate(shift);
    browser.evaluate(shift);
    String pick = "new URLSearchParams(location.search).get('pick')";
    String[] ends = browser.text(pick).split("/", -1);
    int step = browser.evaluate(bars + ".dataset.step").asInt();
    assertEquals(3L * step, millisOf(ends[1]) - millisOf(ends[0]));
    JsonNode box = box(bars);
    double width = box.path("width").asDouble() - 58;
    double share = (millisOf(ends[1]) - millisOf(FROM)) / 3_600_000.0;
    int y = box.path("y").asInt() + 60;
    int edge = (int) Math.round(46 + share * width);
    browser.drag(edge, y, edge + (int) (width / 6), y);
    browser.await(pick + " !== '" + String.join("/", ends) + "'");
    String[] moved = browser.text(pick).split("/", -1);
    assertEquals(ends[0], moved[0]);
    long more = millisOf(moved[1]) - millisOf(ends[1]); // a sixth of an hour, in whole bars
    assertTrue(Math.abs(more - 600_000) <= 2L * step, "moved by " + more);
    browser.evaluate(bars + ".focus()");
    String stands = element("status") + ".querySelector('.told span:nth-child(2) b').textContent";
    String before = browser.text(stands);
    browser.press("ArrowRight");
    browser.await(stands + " !== '" + before + "'");
    assertEquals(List.of(), browser.problems());
  }

  @Test
  void theListMovesBehindOtherViews() {
    browser.open(url + SHOP);
    for (int[] each : new int[][] {{'g', 0}, {'G', EVENTS - 1}, {'E', EVENTS - 1 - ERROR_EVERY}}) {
      browser.press("l");
      browser.await(element("map") + ".checkVisibility()");
      browser.press(Character.toString(each[0]));
      awaitUrl("at", "shop/" + all.get(each[1]));
      browser.press("v");
      awaitSelected(each[1]);
    }
    assertEquals(List.of(), browser.problems());
  }

  private static long millisOf(String time) {
    return Instant.parse(time).toEpochMilli();
  }

  private static String head(String column) {
    return "document.querySelector('[data-column=\"" + column + "\"]')";
  }

  private String cells() {
    String row = "[...document.querySelectorAll('[data-test=row]')].at(-1).children";
    return browser.text(row + ".length + ' ' + " + row + "[2].textContent");
  }

  private JsonNode box(String element) {
    return browser.evaluate(element + ".getBoundingClientRect().toJSON()");
  }

  @Test
  void columnsAreMovedAndResized() {
    browser.open(url + SHOP + "&cols=status");
    assertEquals("6 shop", cells());
    JsonNode from = box(head("status"));
    JsonNode to = box(head("type"));
    int y = from.path("y").asInt() + 12;
    browser.drag(from.path("x").asInt() + 8, y, to.path("x").asInt() + 8, y);
    awaitUrl("cols", "ts,+,status,type,level,body");
    assertEquals("6 503", cells());
    JsonNode grip = box(head("type") + ".querySelector('.grip')");
    int edge = grip.path("x").asInt() + 3;
    browser.drag(edge, y, edge + 80, y);
    browser.await("location.search.includes('widths=type')");
    double wide = box(head("type")).path("width").asDouble();
    assertEquals(to.path("width").asDouble() + 80, wide, 2);
    browser.open(browser.text("location.href"));
    assertEquals(wide, box(head("type")).path("width").asDouble(), 1);
    assertEquals("6 503", cells());
    browser.evaluate(head("status") + ".focus()");
    browser.press("ArrowLeft");
    awaitUrl("cols", "ts,status,+,type,level,body");
    browser.press("ArrowRight");
    browser.press("ArrowRight");
    browser.press("ArrowRight");
    awaitUrl("cols", "ts,+,type,level,status,body");
    browser.press("Delete");
    awaitUrl("cols", "");
    assertEquals("5 shop", cells());
    browser.evaluate(
        head("type")
            + ".dispatchEvent(new KeyboardEvent('keydown',"
            + " { key: 'ArrowLeft', shiftKey: true, bubbles: true }))");
    awaitUrl("widths", "type:" + (Math.round(wide) - 16));
    browser.open(url + SHOP); // the widths are kept, the columns are the URL's
    assertEquals(Math.round(wide) - 16, box(head("type")).path("width").asInt());
    browser.evaluate("localStorage.clear()");
    assertEquals(List.of(), browser.problems());
  }
}
