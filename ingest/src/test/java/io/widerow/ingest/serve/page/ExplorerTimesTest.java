package io.widerow.ingest.serve.page;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.widerow.faults.Seeds;
import io.widerow.query.QueryException;
import io.widerow.query.TimeText;
import java.io.IOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// Goal: the page asks for the times that it shows and that people write. Method: Chromium in a
/// zone west of Greenwich over a daemon with a few events.
@Tag("browser")
class ExplorerTimesTest extends ExplorerRun {
  private static final String SHOP = "/ui/?type=shop&tz=local";

  private static final List<String> TIMES =
      List.of(
          "now",
          "15m",
          "1.5d",
          "1h30m",
          "0.000000000000000001y2.5w3ns",
          "1764103800",
          "1764103800123",
          "1764103800123456",
          "1764103800123456789",
          "9223372036854775808",
          "99999999999",
          "300y",
          "2026-11-20",
          "2026-02-30",
          "today",
          "yesterday",
          "yesterday 9:15",
          "todayT19:15:07.25",
          "19:15",
          "24:00",
          "2026-11-20 9:15",
          "2026-11-20 9:15Z",
          "2026-11-20T19:15:00.123456789",
          "2026-11-20t19:15z",
          "2026-11-20 19:15:00 +01:00",
          "2026-11-20 19:15:00.5-0130",
          "2026-11-20T19:15+05",
          "2026-11-20T19:15+18:00",
          "2026-11-20T19:15+18:01",
          "2026-11-20T19:15-01:02:03",
          "2026-11-20 19:15:00. -01:30",
          "2026-03-08 02:30", // does not exist in New York
          "2026-11-01 01:30", // comes twice
          "1677-09-21T00:12:43Z",
          "tomorrow",
          "",
          " ");

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

  /// Texts, and texts that differ from them by a character.
  private static List<String> almost(SplittableRandom random) {
    List<String> texts = new ArrayList<>(TIMES);
    String others = "0123456789:.-+ TtZzsmhdwyun";
    for (int i = 0; i < 3_000; i++) {
      String text = TIMES.get(random.nextInt(TIMES.size()));
      int at = random.nextInt(text.length() + 1);
      String rest = text.substring(Math.min(text.length(), at + random.nextInt(2)));
      String more = random.nextInt(3) == 0 ? "" : "" + others.charAt(random.nextInt(27));
      texts.add(text.substring(0, at) + more + rest);
    }
    return texts;
  }

  @Test
  void timesAreThoseOfTheDaemon() throws IOException {
    browser.zone("America/New_York");
    browser.open(url + SHOP);
    long seed = Seeds.one();
    List<String> texts = almost(new SplittableRandom(seed));
    long now = 1_795_566_600_000_000_000L; // in New York it is still the day before
    for (String zone : List.of("UTC", "America/New_York")) {
      JsonNode found =
          evaluate(
              "format.js",
              "JSON.stringify(%s.map((text) => String(format_js.parseTime(text, %dn, %b))))"
                  .formatted(JSON.writeValueAsString(texts), now, !zone.equals("UTC")));
      for (int i = 0; i < texts.size(); i++) {
        String text = texts.get(i);
        String told = "'%s' in %s, seed %d".formatted(text, zone, seed);
        assertEquals(parsed(text, now, zone), found.get(i).asText(), told);
      }
    }
  }

  private static String parsed(String text, long now, String zone) {
    try {
      return Long.toString(TimeText.parse("from", text, now, ZoneId.of(zone)));
    } catch (QueryException.Refused _) {
      return "null";
    }
  }

  @Test
  void aTimeThatIsNoneIsRefusedAndNotReplaced() {
    for (String wrong : List.of("from=tomorrow", "to=tomorrow", "since=tomorrow")) {
      browser.requests();
      browser.open(url + "/ui/?type=shop&where=status%3D5&" + wrong);
      browser.await("!" + element("refused") + ".hidden");
      String told = browser.text(element("refused") + ".textContent");
      String name = wrong.substring(0, wrong.indexOf('='));
      assertTrue(told.startsWith(name + ": not a time: tomorrow (write 15m, "), told);
      assertTrue(browser.text(element("range") + ".textContent").contains("tomorrow"), wrong);
      assertEquals("status=5", browser.text(element("where") + ".value"));
      browser.press("d");
      browser.press("l");
      browser.await("location.search.includes('view=layout')");
      assertEquals(told, browser.text(element("refused") + ".textContent"));
      assertTrue(
          browser.requests().stream().noneMatch(each -> each.matches(".*/v1/(q|f|p).*")),
          "nothing is asked for another range");
      browser.evaluate(element("range") + ".click()");
      set("from", "2025-11-20");
      set("to", "2025-11-21");
      press();
      awaitUrl("to", "2025-11-21");
      browser.await(element("refused") + ".hidden");
    }
    assertEquals(List.of(), browser.problems());
  }

  @Test
  void timesOfTheAddressAreThoseOfAQuery() {
    browser.zone("America/New_York");
    browser.open(url + "/ui/?type=shop&from=2025-11-20 19:15:00 %2B01:00&to=2025-11-20 20:00");
    browser.await(element("range") + ".textContent.includes('18:15 – 20:00')");
    browser.await(element("bars") + ".dataset.total === '1'");
    browser.open(url + "/ui/?type=shop&since=1.5d");
    browser.await(element("range") + ".textContent.includes('1.5 d')");
    assertEquals(List.of(), browser.problems());
  }
}
