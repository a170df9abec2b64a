package io.widerow.ingest.serve.page;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Goal: axe-core finds no serious violation in any view, light and dark, at 390, 900 and 2,560
/// pixels; all that the mouse does is reached by Tab. Method: axe-core, which npm brings, in
/// Chromium over made events; each view leaves a picture. Skipped without it, which
/// `-Dbrowser=required` makes a failure.
@Tag("browser")
class ExplorerAxeTest extends ExplorerRun {
  private static final Path AXE = Path.of("src/test/npm/node_modules/axe-core/axe.min.js");
  private static final String RANGE = "/ui/?from=2025-11-20T10:00:00Z&to=2025-11-20T11:00:00Z";

  @Override
  void fill() throws IOException, InterruptedException {
    StringBuilder lines = new StringBuilder();
    String[] levels = {"info", "warn", "error", "debug", "odd"};
    for (int i = 0; i < 200; i++) {
      lines.append(
          ("{\"ts\":\"2025-11-20T10:%02d:%02dZ\",\"type\":\"shop.web\",\"level\":\"%s\",\"ms\":%d,"
                  + "\"host\":\"web%d\",\"trace_id\":\"t%d\",\"span_id\":\"s%d\",\"duration\":%d,"
                  + "\"body\":\"\\u001b[3%dmGET\\u001b[2m /cart\\u001b[0m %d {}\"}%n")
              .formatted(
                  i / 4,
                  i % 4 * 15,
                  levels[i % 5],
                  i * 7 % 300,
                  i % 3,
                  i / 8,
                  i,
                  i * 1_000_000L,
                  i % 8,
                  i));
    }
    post(lines.toString());
  }

  private static String axe() throws IOException {
    if (!"required".equals(System.getProperty("browser"))) {
      assumeTrue(
          Files.exists(AXE),
          "skipped: no axe-core; npm install --ignore-scripts --prefix ingest/src/test/npm");
    }
    return Files.readString(AXE);
  }

  /// The serious violations: each rule with the first elements.
  private List<String> violations(String axe) throws IOException {
    browser.evaluate(axe + "; true");
    JsonNode found =
        JSON.readTree(
            browser.text(
                "axe.run(document, {resultTypes: ['violations']})"
                    + ".then((all) => JSON.stringify(all.violations))"));
    List<String> serious = new ArrayList<>();
    for (JsonNode each : found) {
      if (List.of("serious", "critical").contains(each.path("impact").asText())) {
        StringBuilder where = new StringBuilder(each.path("id").asText());
        for (JsonNode node : each.path("nodes")) {
          where.append("\n    ").append(node.path("html").asText());
          where.append(" ").append(node.path("any").path(0).path("message").asText());
        }
        serious.add(where.substring(0, Math.min(where.length(), 1_500)));
      }
    }
    return serious;
  }

  @ParameterizedTest
  @CsvSource({"light, 390", "light, 900", "light, 2560", "dark, 390", "dark, 900", "dark, 2560"})
  void noViewHasASeriousViolation(String scheme, int width)
      throws IOException, InterruptedException {
    String axe = axe();
    Map<String, String> views = new LinkedHashMap<>();
    views.put("", "document.querySelector('.facet')");
    views.put("&at=shop.web/ID", "document.querySelector('[aria-selected=true]')");
    views.put("&stats=count,p99(ms)&by=host", element("aggregates") + ".dataset.series === '6'");
    views.put("&view=differences", "document.querySelector('.card')");
    views.put("&view=layout", element("map") + ".dataset.events === '200'");
    views.put("&view=series&expr=shop_web_ms", element("series") + ".dataset.series > 0");
    views.put("&view=series", "document.querySelector('.series-metrics button')");
    views.put("&view=trace&trace=t3", "document.querySelectorAll('.trace tbody tr').length === 8");
    List<String> found = new ArrayList<>();
    browser.size(width, 900);
    browser.scheme(scheme);
    for (Map.Entry<String, String> view : views.entrySet()) {
      browser.open(url + RANGE + view.getKey().replace("ID", ids("type=shop.web").get(90)));
      browser.await("document.documentElement.dataset.ready && (" + view.getValue() + ")");
      if (view.getKey().contains("at=")) {
        browser.press("Enter");
        browser.await("document.querySelector('[data-test=shards] i')");
      }
      String name = view.getKey().replaceAll("[^a-z0-9]+", "-");
      browser.screenshot(SHOTS.resolve("view%s-%s-%d.png".formatted(name, scheme, width)));
      for (String each : violations(axe)) {
        found.add("%s: %s".formatted(view.getKey(), each));
      }
    }
    assertEquals("", String.join("\n", found));
  }

  @Test
  void popoversHaveNoSeriousViolation() throws IOException {
    String axe = axe();
    browser.size(1_440, 900);
    for (String opener : List.of("saved", "range", "keys-button")) {
      browser.open(url + RANGE);
      browser.evaluate(element(opener) + ".click()");
      browser.await("[...document.querySelectorAll('.menu, .keys')].some((one) => !one.hidden)");
      assertEquals(List.of(), violations(axe), opener);
    }
  }

  @Test
  void allIsReachedByTab() {
    for (String view :
        List.of("", "&stats=count&by=host", "&view=trace&trace=t3", "&view=layout")) {
      browser.open(url + RANGE + view);
      browser.await("document.documentElement.dataset.ready");
      browser.await("document.querySelector('main:not([hidden]) button, [data-test=map]')");
      int unreachable =
          browser
              .evaluate(
                  "[...document.querySelectorAll('button, input, select, [onclick]')]"
                      + ".filter((one) => one.checkVisibility() && one.tabIndex < 0).length")
              .asInt();
      assertEquals(0, unreachable, view);
      browser.press("Tab");
      assertTrue(browser.evaluate("document.activeElement !== document.body").asBoolean(), view);
    }
  }
}
