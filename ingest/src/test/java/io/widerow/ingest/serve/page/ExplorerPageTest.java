package io.widerow.ingest.serve.page;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.widerow.ingest.Daemon;
import io.widerow.ingest.MemoryStore;
import io.widerow.ingest.TokenDaemon;
import io.widerow.ingest.config.DaemonConfig;
import java.io.IOException;
import java.net.URLEncoder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Goal: the page shows what the endpoints answer, in their order, by mouse and keys, and hostile
/// text stays text. Method: Chromium over a daemon with made events, one incident and hostile
/// lines. Skipped without Chromium, which `-Dbrowser=required` makes a failure.
@Tag("browser")
class ExplorerPageTest extends ExplorerRun {
  private static final int EVENTS = 3_000;
  private static final int WALKED = 1_200;
  private static final long START_MILLIS = 1_763_666_100_000L;
  private static final String RANGE = "from=2025-11-20T19:00:00Z&to=2025-11-20T21:00:00Z";
  private static final String SHOP = "/ui/?type=shop&" + RANGE;
  private static final FileAttribute<?> OWNER_ONLY =
      PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));
  private static final List<String> HOSTILE =
      List.of(
          "<script>window.pwned = 1</script><img src=x onerror='window.pwned = 2'>",
          "<svg onload=\"window.pwned = 3\"><a href=\"javascript:window.pwned=4\">x</a></svg>",
          "\u001b]8;;http://evil.example/\u0007click\u001b]8;;\u0007 \u001b[31mred",
          "invoice\u202Efdp.exe \u200f\u2066 NUL: \u0000 end",
          "' onmouseover='window.pwned=5' {{constructor.constructor('window.pwned=6')()}}",
          "x".repeat(1 << 17));

  @Override
  void fill() throws IOException, InterruptedException {
    post(made());
    List<String> hostile = new ArrayList<>();
    for (int i = 0; i < HOSTILE.size(); i++) {
      Map<String, Object> event =
          Map.of(
              "ts",
              START_MILLIS + i,
              "type",
              "host<b>ile",
              "level",
              "<i>error</i>",
              "body",
              HOSTILE.get(i),
              "<img src=y onerror=window.pwned=7>",
              "\u202e<b>v</b>");
      hostile.add(JSON.writeValueAsString(event));
    }
    post(String.join("\n", hostile));
  }

  /// Two a second; from 1,500 to 1,600 half of them fail, with a version that is elsewhere rare.
  private static String made() {
    StringBuilder lines = new StringBuilder();
    for (int i = 0; i < EVENTS; i++) {
      boolean bad = i >= 1_500 && i < 1_600 && i % 2 == 0;
      lines.append(
          ("{\"ts\":%d,\"type\":\"shop\",\"level\":\"%s\",\"status\":%d,\"version\":\"%s\","
                  + "\"ms\":%d,\"body\":\"GET /cart/%d\"}%n")
              .formatted(
                  START_MILLIS + 2_000L * i,
                  bad ? "error" : "info",
                  bad ? 503 : 200,
                  bad ? "2.14.0" : "2.13.2",
                  bad ? 3_000 + i : i % 50,
                  i));
    }
    return lines.toString();
  }

  @Test
  void theListIsTheQuery() throws IOException, InterruptedException {
    browser.open(url + SHOP);
    assertEquals(
        query("type=shop&stats=count&" + RANGE).getFirst().path("count").asText(),
        browser.text(element("bars") + ".dataset.total"));
    List<String> wanted = ids("type=shop&order=desc&limit=" + WALKED + "&" + RANGE).reversed();
    // Walks to earlier events, a screen after the other, as the wheel would.
    JsonNode walked =
        browser.evaluate(
            """
            (async () => {
              const list = document.querySelector('[data-test=list]');
              const seen = new Map();
              const ids = () => [...document.querySelectorAll('[data-test=row]')]
                .map((row) => row.dataset.id);
              let order = ids();
              const frame = () => new Promise((next) => requestAnimationFrame(next));
              const end = performance.now() + 60000;
              while (order.length < %d && performance.now() < end) {
                list.scrollTop -= list.clientHeight / 2;
                await frame(); // the page hears of it
                await frame(); // and draws
                await frame();
                const now = ids();
                const at = now.indexOf(order[0]);
                if (at > 0) { order = [...now.slice(0, at), ...order]; }
              }
              return order;
            })()
            """
                .formatted(WALKED));
    List<String> found = texts(walked);
    assertEquals(wanted, found.subList(found.size() - WALKED, found.size()));
    assertTrue(
        browser.evaluate("document.querySelectorAll('[data-test=row]').length").asInt() <= 60);
    assertEquals(List.of(), browser.problems());
  }

  @Test
  void anEventIsItsAddress() throws IOException, InterruptedException {
    List<JsonNode> all = query("type=shop&" + RANGE);
    JsonNode event = all.get(1_000);
    String id = event.path("id").asText();
    String at = "shop/" + id;
    String filter = "&where=" + URLEncoder.encode("ms = " + event.path("ms"), UTF_8);
    String selected = "document.querySelector('[aria-selected=true][data-test=row]').dataset.id";
    browser.open(url + SHOP + filter + "&at=" + URLEncoder.encode(at, UTF_8));
    assertEquals(id, browser.text(selected));
    List<String> kept =
        all.stream()
            .filter(each -> each.path("ms").equals(event.path("ms")))
            .map(each -> each.path("id").asText())
            .toList();
    int place = kept.indexOf(id);
    List<String> rows = texts(browser.evaluate(IDS));
    assertEquals(kept.subList(place - 3, place + 4), around(rows, id));
    browser.press("Enter");
    browser.await(element("partition"));
    assertTrue(browser.text(element("body") + ".textContent").equals(event.path("body").asText()));
    browser.press("c"); // the filter goes, the event stays
    browser.await("!location.search.includes('where')");
    browser.await(IDS + ".includes('" + all.get(999).path("id").asText() + "')");
    assertEquals(id, browser.text(selected));
    assertEquals(
        all.subList(997, 1_004).stream().map(each -> each.path("id").asText()).toList(),
        around(texts(browser.evaluate(IDS)), id));
    browser.press("u");
    browser.await("location.search.includes('where')");
    browser.open(browser.text("location.href"));
    assertEquals(id, browser.text(selected));
    browser.press("j");
    assertEquals(kept.get(place + 1), browser.text(selected));
    browser.press("k");
    browser.press("e"); // no error has this value
    assertEquals(id, browser.text(selected));
    assertEquals(List.of(), browser.problems());
  }

  private static List<String> around(List<String> rows, String id) {
    int at = rows.indexOf(id);
    return rows.subList(at - 3, at + 4);
  }

  @Test
  void aWrongFilterLeavesTheList() {
    browser.open(url + SHOP);
    JsonNode before = browser.evaluate(IDS);
    browser.press("/");
    browser.type("statsu = ");
    browser.press("Enter");
    browser.await("!" + element("refused") + ".hidden");
    String told = browser.text(element("refused") + ".textContent");
    assertTrue(told.contains("expected a value") && told.contains("^"), told);
    assertEquals(texts(before).subList(0, 20), texts(browser.evaluate(IDS)).subList(0, 20));
    assertTrue(browser.problems().stream().allMatch(each -> each.contains("400")));
  }

  @Test
  void savedQueriesAreListedAndAsked() throws IOException, InterruptedException {
    browser.open(url + SHOP + "&cols=status");
    browser.evaluate(element("saved") + ".click()");
    browser.await("!" + element("saved-menu") + ".hidden");
    browser.evaluate(element("saved") + ".click()");
    String asked = "type=shop&" + RANGE + "&where=status%20%3D%20503&cols=version";
    browser.open(url + "/ui/?" + asked);
    browser.evaluate(element("saved") + ".click()");
    browser.await(element("save-name"));
    browser.evaluate(element("save-name") + ".focus()");
    browser.type("cart-errors");
    browser.press("Enter");
    browser.await(element("saved-query"));
    String kept = http.get("/v1/queries?query=cart-errors").body();
    assertTrue(kept.contains("where=status+%3D+503&") && kept.contains("&cols=version"), kept);
    browser.open(url + SHOP);
    browser.evaluate(element("saved") + ".click()");
    browser.await(element("saved-query"));
    shots("saved");
    browser.evaluate(element("saved-query") + ".click()");
    browser.await("document.querySelectorAll('[data-test=row]').length > 10");
    browser.await(element("where") + ".value === 'status = 503'");
    browser.await("location.search.includes('cols=version')");
    browser.await(element("bars") + ".dataset.total === '50'");
    browser.evaluate(element("saved") + ".click()");
    browser.await("!" + element("saved-menu") + ".hidden"); // its entries are new
    browser.evaluate(element("forget") + ".click()");
    browser.await(element("forget") + ".textContent === 'Delete?'");
    browser.evaluate(element("forget") + ".click()");
    browser.await("!" + element("saved-query"));
    assertEquals("", http.get("/v1/queries").body());
    assertEquals(List.of(), browser.problems());
  }

  @Test
  void aRangeIsPrintedAndItsBarsArePictured() throws IOException, InterruptedException {
    browser.open(url + SHOP + "&where=status%20%3D%20503&cols=version");
    browser.evaluate("window.print = () => { window.printed = true; }");
    browser.evaluate(element("saved") + ".click()");
    browser.await(element("print"));
    browser.evaluate(element("print") + ".click()");
    browser.await("window.printed");
    String rows = element("paper") + ".querySelectorAll('tbody tr')";
    assertEquals(50, browser.evaluate(rows + ".length").asInt());
    String first = browser.text(rows + "[0].textContent");
    assertEquals("2025-11-20 20:05:00.000shoperrorGET /cart/15002.14.0", first);
    browser.media("print");
    browser.screenshot(SHOTS.resolve("print.png"));
    assertTrue(
        browser.evaluate(element("list") + ".checkVisibility()").asText().equals("false"),
        "the list is not on paper");
    browser.media("screen");
    browser.evaluate(
        "window.saved = ''; HTMLAnchorElement.prototype.click = function() {"
            + " window.saved = this.download + ' ' + this.href; }");
    browser.evaluate(element("saved") + ".click()");
    browser.await(element("picture"));
    browser.evaluate(element("picture") + ".click()");
    browser.await("window.saved");
    String saved = browser.text("window.saved");
    assertTrue(saved.startsWith("widerow-20251120T190000Z.png data:image/png;base64,"), saved);
    assertTrue(saved.length() > 5_000, "an empty picture");
    browser.evaluate("window.saved = ''");
    browser.evaluate(element("saved") + ".click()");
    browser.await(element("download"));
    browser.evaluate(element("download") + ".click()");
    browser.await("window.saved");
    String file = browser.text("window.saved");
    assertTrue(file.startsWith("widerow-20251120T190000Z.ndjson " + url + "/v1/query?"), file);
    String events = http.get(file.substring(file.indexOf("/v1/"))).body();
    assertEquals(50, events.lines().filter(line -> line.startsWith("{\"id\"")).count());
    Path _ =
        Files.write(
            SHOTS.resolve("bars.png"),
            Base64.getDecoder().decode(saved.substring(saved.indexOf(',') + 1)));
    assertEquals(List.of(), browser.problems());
  }

  @Test
  void theIncidentIsNamed() throws IOException {
    browser.open(url + SHOP);
    JsonNode bars = browser.evaluate(element("bars") + ".getBoundingClientRect().toJSON()");
    int top = bars.path("y").asInt();
    double width = bars.path("width").asDouble() - 58;
    double from = (START_MILLIS - 1_763_665_200_000L + 3_000_000) / 7_200_000.0;
    int left = (int) (46 + from * width) - 4;
    browser.drag(left, top + 110, left + 48, top + 112);
    browser.await("location.search.includes('pickwhere')");
    browser.press("d");
    browser.await(element("say"));
    String said = browser.text(element("say") + ".textContent");
    assertTrue(said.contains("version is 2.14.0 in 100 %"), said);
    assertTrue(said.contains("status is 503 in 100 %"), said);
    browser.await("document.querySelectorAll('.first-rows .row').length === 10");
    browser.await("document.querySelector('.pair-bars .chosen-bar').clientWidth > 10");
    shots("differences");
    assertEquals(List.of(), browser.problems());
  }

  @Test
  void aNumberIsAHeatMap() throws IOException {
    browser.open(url + SHOP);
    browser.press("h");
    browser.await("location.search.includes('heat=')");
    browser.open(url + SHOP + "&heat=ms");
    browser.await(element("bars") + ".dataset.heat === '" + EVENTS + "'"); // each in a row
    shots("heat");
    JsonNode bars = browser.evaluate(element("bars") + ".getBoundingClientRect().toJSON()");
    int top = bars.path("y").asInt();
    int width = bars.path("width").asInt() - 58;
    browser.drag(46 + width / 4, top + 27, 46 + width, top + 28); // the longest
    browser.await("location.search.includes('pickwhere')");
    String picked = browser.text("new URLSearchParams(location.search).get('pickwhere')");
    assertTrue(picked.startsWith("ms >= ") && picked.contains(" and ms < "), picked);
    shots("heat-chosen");
    browser.press("d");
    browser.await(element("say"));
    String said = browser.text(element("say") + ".textContent");
    assertTrue(said.contains("status is 503 in 100 %"), said);
    browser.press("h");
    browser.await("!location.search.includes('heat=')");
    browser.await(element("bars") + ".dataset.heat === '0'");
    browser.open(url + "/ui/?type=host*&" + RANGE);
    browser.press("h");
    browser.await(element("status") + ".textContent.includes('is a number')");
    assertEquals(List.of(), browser.problems());
  }

  @Test
  void everyWideRowIsInTheMap() throws IOException, InterruptedException {
    browser.open(url + "/ui/?view=layout&" + RANGE);
    browser.await(element("map") + ".dataset.events > 0");
    long partitions = http.get("/v1/partitions?" + RANGE).body().lines().count(); // plain: no more
    assertEquals(partitions, browser.evaluate(element("map") + ".dataset.partitions").asLong());
    assertEquals(
        EVENTS + HOSTILE.size(), browser.evaluate(element("map") + ".dataset.events").asInt());
    browser.evaluate(element("map") + ".focus()");
    browser.press("ArrowRight");
    browser.await(element("map-open"));
    shots("layout");
    browser.press("Enter");
    browser.await("!location.search.includes('layout') && " + IDS + ".length > 0");
    assertEquals(List.of(), browser.problems());
  }

  @Test
  void hostileTextStaysText() {
    browser.open(url + "/ui/?type=host*&" + RANGE);
    for (int i = 0; i < HOSTILE.size(); i++) {
      browser.evaluate("document.querySelectorAll('[data-test=row]')[" + i + "].click()");
      browser.await(element("partition"));
      assertEquals(
          false,
          browser
              .evaluate(
                  "/[\\u0000-\\u0008\\u000b-\\u001f\\u007f\\u202a-\\u202e\\u2066-\\u2069]/"
                      + ".test(document.documentElement.outerHTML)")
              .asBoolean());
    }
    assertEquals("undefined", browser.text("typeof window.pwned"));
    assertTrue(
        browser.evaluate("document.querySelectorAll('img, script:not([src])').length").asInt()
            == 0);
    String rows = browser.text(element("list") + ".textContent");
    assertTrue(rows.contains("<script>window.pwned = 1</script>"), "it is shown as it is");
    assertTrue(rows.contains("ESC") && rows.contains("U+202E") && rows.contains("NUL"), rows);
    assertTrue(browser.requests().stream().allMatch(each -> each.startsWith(url + "/")));
    assertEquals(List.of(), browser.problems());
  }

  @Test
  void eachEventIsFollowedOnce() throws IOException, InterruptedException {
    browser.open(url + "/ui/?type=live&since=1h");
    browser.await(element("list") + ".closest('.list').textContent.includes('No event')");
    browser.press("f");
    browser.await(element("tail") + ".getAttribute('aria-pressed') === 'true'");
    int sent = 0;
    for (int i = 0; i < 5; i++) {
      sent += live(i * 100);
    }
    browser.await(element("tail") + ".dataset.seen === '" + sent + "'");
    assertEquals(ids("type=live").subList(sent - 20, sent), lastRows());
    browser.press(" ");
    browser.await(element("tail") + ".textContent.includes('held')");
    JsonNode before = browser.evaluate(IDS);
    sent += live(1_000);
    browser.await(element("tail") + ".dataset.behind === '100'");
    assertEquals(before, browser.evaluate(IDS), "nothing moves");
    browser.press(" ");
    browser.await(element("tail") + ".dataset.seen === '" + sent + "'");
    assertEquals(ids("type=live").subList(sent - 20, sent), lastRows());
    assertEquals(List.of(), browser.problems());
  }

  @Test
  void aPageThatNobodySeesAsksForNothing() throws IOException, InterruptedException {
    browser.open(url + "/ui/?type=unseen&since=1h");
    browser.press("f");
    browser.await(element("tail") + ".getAttribute('aria-pressed') === 'true'");
    browser.openBeside("about:blank");
    browser.await("document.hidden");
    browser.await("performance.now() > (window.begun ??= performance.now()) + 1500"); // in progress
    browser.requests();
    post("{\"type\":\"unseen\",\"body\":\"x\"}\n");
    browser.await("performance.now() > (window.later ??= performance.now()) + 1500");
    assertEquals(List.of(), browser.requests());
    browser.front();
    browser.await(element("tail") + ".dataset.seen === '1'");
    assertEquals(List.of(), browser.problems());
  }

  private List<String> lastRows() {
    List<String> rows = texts(browser.evaluate(IDS));
    return rows.subList(rows.size() - 20, rows.size());
  }

  private int live(int from) throws IOException, InterruptedException {
    StringBuilder lines = new StringBuilder();
    for (int i = 0; i < 100; i++) {
      lines.append("{\"type\":\"live\",\"body\":\"event %d\"}%n".formatted(from + i));
    }
    post(lines.toString());
    return 100;
  }

  @Test
  void eventsAreShownInBothSchemes() throws IOException {
    browser.open(url + SHOP);
    browser.press("G");
    browser.press("k");
    browser.press("Enter");
    browser.await(element("place") + ".textContent.includes('open row')");
    browser.await(element("shards") + ".querySelector('.here')");
    browser.await("document.fonts.status === 'loaded'");
    List<String> fonts =
        texts(browser.evaluate("[...document.fonts].map((font) => font.family + font.status)"));
    assertEquals(List.of("Interloaded", "JetBrains Monoloaded"), fonts);
    shots("events");
    assertEquals(List.of(), browser.problems());
  }

  @Test
  void theTokenStaysInMemory(@TempDir Path directory) throws IOException {
    String query = "0123456789abcdef0123456789abcdef";
    String ingest = "fedcba9876543210fedcba9876543210";
    Path tokens = Files.createFile(directory.resolve("tokens"), OWNER_ONLY);
    Path _ =
        Files.writeString(
            tokens,
            TokenDaemon.line("ann", query, "query") + TokenDaemon.line("app", ingest, "ingest"));
    DaemonConfig config =
        DaemonConfig.of(
            Map.of("http", "127.0.0.1:0", "lanes", "1", "tokens", tokens.toString(), "data", "x"));
    try (Daemon guarded = Daemon.start(config, new MemoryStore(1))) {
      browser.open("http://127.0.0.1:" + guarded.httpAddress().getPort() + "/ui/");
      String told = element("login-refused") + ".textContent";
      enter("nothing");
      browser.await(told + " === 'needs a token'");
      enter(ingest);
      browser.await(told + " === 'the token has no scope query'");
      enter(query);
      browser.await("document.documentElement.dataset.ready && !" + element("login"));
      assertEquals(
          "{}{}", browser.text("JSON.stringify(localStorage) + JSON.stringify(sessionStorage)"));
      assertEquals("", browser.text("document.cookie"));
      assertTrue(browser.requests().stream().noneMatch(each -> each.contains(query)));
    }
  }

  private void enter(String token) {
    browser.evaluate(element("login") + ".querySelector('input').value = '" + token + "'");
    browser.evaluate(element("login") + ".querySelector('button').click()");
  }
}
