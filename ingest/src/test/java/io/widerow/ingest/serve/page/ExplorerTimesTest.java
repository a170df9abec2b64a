package io.widerow.ingest.serve.page;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

/// Goal: the page asks for the times that it shows and that people write. Method: Chromium in a
/// zone west of Greenwich over a daemon with a few events.
class ExplorerTimesTest extends ExplorerRun {
  private static final String SHOP = "/ui/?type=shop&tz=local";

  @Override
  void fill() throws IOException, InterruptedException {
    post("{\"ts\":1763666100000,\"type\":\"shop\",\"body\":\"GET /cart\"}");
  }

  private void open(String from, String to) {
    browser.zone("America/New_York");
    String range = "&from=" + encoded(from) + "&to=" + encoded(to);
    browser.open(url + SHOP + range);
    browser.evaluate(element("range") + ".click()");
  }

  private static String encoded(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8);
  }

  private static String input(String name) {
    return "document.querySelector('.menu input[aria-label=" + name + "]')";
  }

  private void set(String name, String text) {
    browser.evaluate(input(name) + ".value = '" + text + "'");
  }

  private void awaitUrl(String name, String value) {
    browser.await("new URLSearchParams(location.search).get('" + name + "') === '" + value + "'");
  }

  private void press() {
    browser.evaluate(
        "[...document.querySelectorAll('.menu button')]"
            + ".find((button) => button.textContent === 'Set').click()");
  }

  @Test
  void theMenuAsksForTheRangeThatItShows() {
    open("2025-11-20T19:00:00.000000250Z", "2025-11-20T21:00:00.5Z");
    assertEquals("2025-11-20 14:00:00.00000025", browser.text(input("from") + ".value"));
    assertEquals("2025-11-20 16:00:00.5", browser.text(input("to") + ".value"));
    press();
    awaitUrl("from", "2025-11-20T19:00:00.00000025Z");
    awaitUrl("to", "2025-11-20T21:00:00.5Z");
    assertEquals(List.of(), browser.problems());
  }

  @Test
  void whatIsWrittenIntoTheMenuIsInTheZoneOfThePage() {
    open("2025-11-20T19:00:00.25Z", "2025-11-20T21:00:00.5Z");
    set("to", "2025-11-20 17:30");
    press();
    awaitUrl("from", "2025-11-20T19:00:00.25Z");
    awaitUrl("to", "2025-11-20T22:30:00Z");
    browser.await(element("range") + ".textContent.includes('14:00 – 17:30')");
    browser.evaluate(element("range") + ".click()");
    set("from", "2025-11-20T20:15:00+01:00");
    set("to", "now");
    press();
    awaitUrl("from", "2025-11-20T20:15:00+01:00");
    awaitUrl("to", "now");
    assertEquals(List.of(), browser.problems());
  }

  /// An hour comes twice when clocks are set back; its text is that of the first.
  @Test
  void anHourThatComesTwiceStaysTheOneThatIsShown() {
    open("2025-11-02T06:10:00Z", "2025-11-02T06:50:00Z");
    assertEquals("2025-11-02 01:10:00", browser.text(input("from") + ".value"));
    set("to", "2025-11-02 02:00");
    press();
    awaitUrl("to", "2025-11-02T07:00:00Z");
    awaitUrl("from", "2025-11-02T06:10:00Z");
  }
}
