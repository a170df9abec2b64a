package io.widerow.ingest.serve.page;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// Goal: a trace is shown with its spans and logs in the order of `/v1/query`, spans as bars where
/// they lie in time, and is reached from an event and by its URL. Method: Chromium over the spans
/// and logs of a request, among others of other traces and one that names itself as its parent.
@Tag("browser")
class ExplorerTraceTest extends ExplorerRun {
  private static final String TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
  private static final String RANGE = "from=2025-11-20T10:00:00Z&to=2025-11-20T11:00:00Z";
  private static final String PARTS = "[...document.querySelectorAll('[data-test=trace-event]')]";
  private static final String SAID = element("trace-said") + ".textContent";

  private static String line(String time, String type, String rest) {
    return "{\"ts\":\"2025-11-20T10:10:%sZ\",\"type\":\"%s\",\"trace_id\":\"%s\",%s}\n"
        .formatted(time, type, TRACE, rest);
  }

  @Override
  void fill() throws IOException, InterruptedException {
    String span = "\"span_id\":\"%s\",\"parent_span_id\":\"%s\",\"duration\":%d,\"body\":\"%s\"";
    post(
        line(
                "00.000",
                "web.spans",
                "\"span_id\":\"a1\",\"duration\":800000000,\"body\":\"GET /pay\"")
            + line("00.100", "web", "\"span_id\":\"a1\",\"level\":\"info\",\"body\":\"begin <b>\"")
            + line("00.200", "shop.spans", span.formatted("b2", "a1", 400_000_000, "charge"))
            + line("00.300", "shop", "\"span_id\":\"b2\",\"level\":\"warn\",\"body\":\"slow\"")
            + line(
                "00.400",
                "db.spans",
                span.formatted("c3", "b2", 200_000_000, "select") + ",\"status_code\":2")
            + line("00.500", "db.spans", span.formatted("d4", "d4", 1_000, "own parent"))
            + line("00.600", "web", "\"level\":\"error\",\"body\":\"declined\"")
            + line("00.300", "web", "\"body\":\"of another\"").replace(TRACE, "other")
            + line("00.000", "long", "\"span_id\":\"e5\",\"duration\":0").replace(TRACE, "long")
            + line("59.000", "long", "\"span_id\":\"f6\",\"duration\":9").replace(TRACE, "long")
            + line("59.000", "long", "\"body\":\"end\"").replace(TRACE, "long"));
  }

  @Test
  void spansAndLogsAreInTheOneOrder() throws IOException, InterruptedException {
    browser.open(url + "/ui/?" + RANGE + "&view=trace&trace=" + TRACE);
    browser.await(PARTS + ".length === 7");
    assertEquals(
        ids(RANGE + "&where=trace_id%20=%20%22" + TRACE + "%22"),
        texts(browser.evaluate(PARTS + ".map((one) => one.dataset.id)")));
    assertEquals("4 spans and 3 logs in 800 ms", browser.text(SAID));
    assertEquals(
        List.of("0px", "14px", "14px", "28px", "28px", "0px", "0px"),
        texts(browser.evaluate(PARTS + ".map((one) => one.style.paddingInlineStart)")));
    assertEquals(
        "50% 25%",
        browser.text(
            "[...document.querySelectorAll('.trace-span')].map((one) =>"
                + " one.style.insetInlineStart + ' ' + one.style.width)[2]"));
    assertEquals(2, browser.evaluate("document.querySelectorAll('.trace .failed').length").asInt());
    for (int[] size : new int[][] {{390, 844}, {900, 800}, {2_560, 1_300}, {1_440, 900}}) {
      browser.size(size[0], size[1]);
      shots("trace-" + size[0]);
      assertTrue(
          browser.evaluate("document.documentElement.scrollWidth <= " + size[0]).asBoolean(),
          "it fits into " + size[0]);
    }
    assertEquals(List.of(), browser.problems());
  }

  @Test
  void shortAndLastPartsAreSeen() {
    browser.open(url + "/ui/?" + RANGE + "&view=trace&trace=long");
    browser.await(PARTS + ".length === 3");
    assertEquals(
        List.of("true", "true", "true"),
        texts(
            browser.evaluate(
                "[...document.querySelectorAll('.trace-lane i')].map((bar) => { const { x, y,"
                    + " width, height } = bar.getBoundingClientRect(); return"
                    + " document.elementFromPoint(x + width / 2, y + height / 2) === bar; })")));
  }

  @Test
  void anEventLeadsToItsTraceAndBack() {
    browser.open(url + "/ui/?" + RANGE + "&type=shop");
    browser.press("g");
    browser.await("document.querySelector('[aria-selected=true][data-test=row]')");
    browser.press("Enter");
    browser.await(element("trace"));
    browser.evaluate(element("trace") + ".click()");
    browser.await(PARTS + ".length === 7");
    browser.open(browser.text("location.href"));
    browser.await(PARTS + ".length === 7");
    browser.evaluate(PARTS + "[4].click()");
    browser.await("document.querySelector('[aria-selected=true] .body').textContent === 'select'");
    browser.evaluate("history.back()");
    browser.await(element("trace-id") + ".checkVisibility()");
    browser.evaluate(element("trace-id") + ".select()");
    browser.type("nosuch");
    browser.press("Enter");
    browser.await(SAID + ".startsWith('No event has this trace_id')");
    assertEquals(List.of(), browser.problems());
  }
}
