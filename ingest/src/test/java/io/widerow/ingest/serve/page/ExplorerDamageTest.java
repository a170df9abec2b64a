package io.widerow.ingest.serve.page;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// Goal: when parts of the range cannot be read the page shows the bars of the rest, hatches those
/// that may lack events, and names the missing parts; the list shows the events before the damage,
/// and continues after it. Method: Chromium over a store with one hour gone and a damaged block in
/// another.
@Tag("browser")
class ExplorerDamageTest extends ExplorerRun {
  private static final String DAY = "2025-11-20T";
  private static final String RANGE = "from=" + DAY + "10:00:00Z&to=" + DAY + "20:00:00Z";
  private static final String BARS = element("bars");
  private static final String DAMAGE = element("damage");
  private static final String TAIL = element("tail");
  private static final String RAIL = element("rail");
  private static final String REFUSED = element("refused");
  private static final int HOURS = 10;
  private static final int AN_HOUR = 400; // events of a type
  private static final int BLOCKS_AT = 64; // in a segment

  private String gone = "";

  @Override
  Map<String, String> keys() {
    return Map.of("lanes", "1", "shards", "1", "bucket-minutes", "60", "final", "keep");
  }

  @Override
  void fill() throws IOException, InterruptedException {
    StringBuilder lines = new StringBuilder();
    for (int i = 0; i < HOURS * AN_HOUR; i++) {
      int second = i % AN_HOUR * 9;
      String time = "%s%02d:%02d:%02dZ".formatted(DAY, 10 + i / AN_HOUR, second / 60, second % 60);
      for (String type : List.of("shop.web", "auth")) {
        String level = i % 37 == 0 ? "error" : i % 5 == 0 ? "warn" : "info";
        lines.append(
            "{\"ts\":\"%s\",\"type\":\"%s\",\"level\":\"%s\",\"body\":\"request %d\"}%n"
                .formatted(time, type, level, i));
      }
    }
    post(lines.toString());
    operated.merge();
    gone = segment(hour(15));
    String hurt = segment(hour(12));
    operated.close();
    Files.delete(file(gone));
    hurt(file(hurt));
    serve();
  }

  private static void hurt(Path file) throws IOException {
    try (var open = new RandomAccessFile(file.toFile(), "rw")) {
      open.seek(BLOCKS_AT + 1);
      open.write(0xff);
    }
  }

  private static String hour(int hour) {
    return "from=%s%d:00:00Z&to=%s%d:59:59Z".formatted(DAY, hour, DAY, hour);
  }

  /// The name of the first segment that has events of a question.
  private String segment(String question) throws IOException, InterruptedException {
    String asked = "/v1/partitions?layout=true&" + question;
    for (String line : http.get(asked).body().lines().toList()) {
      JsonNode read = JSON.readTree(line);
      if (read.has("segment")) {
        return read.path("file").asText();
      }
    }
    throw new IllegalStateException("no segment of " + question);
  }

  private Path file(String name) throws IOException {
    try (var found = Files.walk(directory)) {
      return found.filter(each -> each.endsWith(name)).findFirst().orElseThrow();
    }
  }

  /// How many pixels of a part of a canvas are rather red than of another colour.
  private int reds(String canvasLeftWidth) {
    return browser
        .evaluate(
            """
            ((canvas, left, width) => {
              const of = canvas.getContext("2d").getImageData(left, 0, width, canvas.height).data;
              let reds = 0;
              for (let i = 0; i < of.length; i += 4) {
                reds += of[i + 3] > 60 && of[i] > of[i + 1] + 60 && of[i] > of[i + 2] + 60 ? 1 : 0;
              }
              return reds;
            })(%s)
            """
                .formatted(canvasLeftWidth))
        .asInt();
  }

  private boolean isHidden(String element) {
    return browser.evaluate(element + ".hidden").asBoolean();
  }

  @Test
  void theBarsOfTheRestAreShownAndWhatIsMissingIsNamed() throws IOException, InterruptedException {
    browser.open(url + "/ui/?" + RANGE);
    int left = (2 * HOURS - 3) * AN_HOUR; // two types of one hour, and one of another, are missing
    assertEquals(String.valueOf(left), browser.text(BARS + ".dataset.total"));
    int step = browser.evaluate(BARS + ".dataset.step").asInt();
    int hourBars = 3_600_000 / step;
    assertEquals(String.valueOf(2 * hourBars), browser.text(BARS + ".dataset.incomplete"));
    String label = browser.text(BARS + ".getAttribute('aria-label')");
    assertTrue(label.contains(2 * hourBars + " bars incomplete for damage"), label);
    assertFalse(isHidden(DAMAGE));
    assertEquals("alert", browser.text(DAMAGE + ".getAttribute('role')"));
    String said = browser.text(DAMAGE + ".textContent");
    assertTrue(said.contains("lack up to 1\u2009200 events"), said);
    assertTrue(said.contains("|auth|0 and 2 more"), said);
    assertTrue(
        browser.requests().stream().anyMatch(each -> each.contains("damage=skip")), "it asks so");
    String fields = browser.text(element("facets") + ".textContent");
    assertTrue(fields.contains("without what cannot be read"), fields);
    String types = element("facet") + ".querySelector('[data-value=auth]').title";
    String title = browser.text(types);
    assertTrue(
        title.contains("\n3\u2009200 events"), title); // of 4,000: a segment and a block less
    assertTrue(reds(RAIL + ", 0, 9") > 20, "hatched in the rail");
    shots("damage");
    browser.evaluate(element("tab-why") + ".click()");
    browser.await(element("why") + ".textContent.includes('without what cannot be read')");
    browser.await("document.querySelectorAll('.first-rows .row').length === 10");
    assertTrue(isHidden(REFUSED), "nothing is refused");
    shots("damage-differences");
    browser.evaluate("[...%s.querySelectorAll('button')].at(-1).click()".formatted(DAMAGE));
    browser.await("location.search.includes('view=layout')");
    browser.await(element("map") + ".dataset.damaged > 0");
    assertEquals(List.of(), problems());
  }

  @Test
  void theListEndsAtTheDamageAndGoesOnAfterIt() throws IOException, InterruptedException {
    String range = "type=shop.web&from=" + DAY + "13:00:00Z&to=" + DAY + "16:10:00Z";
    browser.open(url + "/ui/?" + range);
    browser.await(IDS + ".length > 0");
    List<String> after = ids("type=shop.web&from=" + DAY + "16:00:00Z&to=" + DAY + "16:10:00Z");
    List<String> shown = texts(browser.evaluate(IDS));
    assertTrue(after.containsAll(shown), "what comes after the damage is shown");
    String refused = browser.text(REFUSED + ".textContent");
    assertTrue(refused.contains(gone) && refused.contains("corrupt at byte"), refused);
    shots("damage-list");
    List<String> before = ids("type=shop.web&from=" + DAY + "13:00:00Z&to=" + DAY + "15:00:00Z");
    browser.evaluate("%s.querySelectorAll('button')[0].click()".formatted(DAMAGE));
    browser.await(IDS + ".includes('" + before.getLast() + "')");
    assertTrue(before.containsAll(texts(browser.evaluate(IDS))), "and what lies before it");
    browser.evaluate("%s.querySelectorAll('button')[1].click()".formatted(DAMAGE));
    browser.await(IDS + ".includes('" + after.getFirst() + "')");
    assertEquals(List.of(), problems());
  }

  /// What came while the page held still cannot be read any more: it is told, and following goes
  /// on.
  @Test
  void followingGoesOnAfterDamage() throws IOException, InterruptedException {
    Instant now = Instant.now();
    post(live(now.minusSeconds(20)));
    browser.open(url + "/ui/?type=live&tail=1");
    browser.await(IDS + ".length === 1");
    browser.press(" ");
    browser.await(TAIL + ".textContent.startsWith('held')");
    post(live(now.minusSeconds(10)));
    operated.merge();
    hurt(file(segment("type=live")));
    browser.press(" ");
    browser.await(element("status") + ".textContent.includes('corrupt at byte')");
    String said = browser.text(element("status") + ".textContent");
    assertTrue(said.contains("nothing shown up to 20"), said);
    assertEquals("true", browser.text(TAIL + ".getAttribute('aria-pressed')"));
    post(live(Instant.now().plusMillis(100)));
    browser.await(IDS + ".length === 2");
    assertTrue(isHidden(REFUSED));
    shots("damage-follow");
    assertEquals(List.of(), problems());
  }

  private static String live(Instant time) {
    return "{\"ts\":\"%s\",\"type\":\"live\",\"body\":\"here\"}%n".formatted(time);
  }

  @Test
  void nothingIsSaidOfDamageElsewhere() {
    browser.open(url + "/ui/?from=" + DAY + "16:00:00Z&to=" + DAY + "18:00:00Z");
    assertEquals(String.valueOf(4 * AN_HOUR), browser.text(BARS + ".dataset.total"));
    assertEquals("0", browser.text(BARS + ".dataset.incomplete"));
    assertTrue(isHidden(DAMAGE) && isHidden(REFUSED));
    assertEquals(0, reds(RAIL + ", 0, 9"));
    String label = browser.text(BARS + ".getAttribute('aria-label')");
    assertFalse(label.contains("incomplete"), label);
    assertEquals(List.of(), problems());
  }

  /// Problems but for responses that report damage, which the browser logs as failed requests.
  private List<String> problems() {
    return browser.problems().stream().filter(each -> !each.contains("503 (Service")).toList();
  }
}
