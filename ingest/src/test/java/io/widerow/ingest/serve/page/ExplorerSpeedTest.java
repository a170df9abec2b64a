package io.widerow.ingest.serve.page;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/// Goal: the page stays what it is at any size: it draws as many rows as it shows, all partitions
/// are in the map, and each event that comes is counted once; and how long that takes. Method:
/// Chromium over a store of `page.events` events (20,000 unless given) and `page.partitions`
/// partitions; times are appended to `target/ui/speed.md` and decide nothing.
class ExplorerSpeedTest extends ExplorerRun {
  private static final int EVENTS = Integer.getInteger("page.events", 20_000);
  private static final int PARTITIONS = Integer.getInteger("page.partitions", 2_000);
  private static final int RATE = Integer.getInteger("page.rate", 1_000);
  private static final int SECONDS = Integer.getInteger("page.seconds", 3);
  private static final int BATCH = 5_000;
  private static final long START_MILLIS = Instant.parse("2025-11-20T19:00:00Z").toEpochMilli();
  private static final String RANGE = "from=2025-11-20T19:00:00Z&to=2025-11-20T20:00:00Z";
  private static final String SHOP = "type=shop&" + RANGE;
  private static final Path REPORT = SHOTS.resolve("speed.md");

  @Override
  void fill() throws IOException, InterruptedException {
    for (int from = 0; from < EVENTS; from += BATCH) {
      StringBuilder lines = new StringBuilder();
      for (int i = from; i < Math.min(from + BATCH, EVENTS); i++) {
        boolean bad = i % 1_000 == 0;
        lines.append(
            ("{\"ts\":%d,\"type\":\"shop\",\"level\":\"%s\",\"status\":%d,\"ms\":%d,"
                    + "\"host\":\"web-%d\",\"body\":\"GET /cart/%d\"}%n")
                .formatted(
                    START_MILLIS + 3_600_000L * i / EVENTS,
                    bad ? "error" : "info",
                    bad ? 503 : 200,
                    i % 997,
                    i % 6,
                    i));
      }
      post(lines.toString());
    }
    for (int from = 0; from < PARTITIONS; from += BATCH) {
      StringBuilder lines = new StringBuilder();
      for (int i = from; i < Math.min(from + BATCH, PARTITIONS); i++) {
        lines.append(
            "{\"ts\":%d,\"type\":\"map.t%d\",\"body\":\"x\"}%n"
                .formatted(START_MILLIS - (1 + i / 50) * 3_600_000L, i % 50));
      }
      post(lines.toString());
    }
    operated.store.sealAll();
    operated.store.awaitBackground();
  }

  private static void report(String what, String goal, String figure) throws IOException {
    Files.createDirectories(REPORT.toAbsolutePath().getParent());
    Files.writeString(
        REPORT,
        "| %s | %s | %s |%n".formatted(what, goal, figure),
        StandardOpenOption.CREATE,
        StandardOpenOption.APPEND);
  }

  private static String millis(double millis) {
    return String.format(Locale.ROOT, "%.0f ms", millis);
  }

  /// The median time of a request, in milliseconds.
  private double request(String path) throws IOException, InterruptedException {
    List<Double> times = new ArrayList<>();
    for (int i = 0; i < 7; i++) {
      long begun = System.nanoTime();
      assertEquals(200, http.get(path).statusCode(), path);
      times.add((System.nanoTime() - begun) / 1e6);
    }
    return times.stream().sorted().toList().get(times.size() / 2);
  }

  @Test
  void aPageIsThereAtOnce() throws IOException {
    browser.open(url + "/ui/?" + SHOP);
    browser.open(url + "/ui/?" + SHOP);
    assertTrue(
        browser.evaluate("document.querySelectorAll('[data-test=row]').length").asInt() > 10);
    double paint =
        browser
            .evaluate("performance.getEntriesByName('first-contentful-paint')[0].startTime")
            .asDouble();
    report("first paint", "300 ms", millis(paint));
    JsonNode asked =
        browser.evaluate(
            "Object.fromEntries(performance.getEntriesByType('resource').filter((each) =>"
                + " each.name.includes('/v1/query')).map((each) =>"
                + " [each.name.includes('stats') ? 'bars' : 'list', each.responseEnd]))");
    report("answer for the first rows", "500 ms", millis(asked.path("list").asDouble()));
    report(
        "first bars of %,d events".formatted(EVENTS), "1 s", millis(asked.path("bars").asDouble()));
  }

  @Test
  void questionsAreShort() throws IOException, InterruptedException {
    report("the latest 300", "10 ms", millis(request("/v1/query?order=desc&limit=300&" + SHOP)));
    String middle = "type=shop&from=2025-11-20T19:30:00Z&to=2025-11-20T20:00:00Z";
    report("a jump by the rail", "10 ms", millis(request("/v1/query?limit=300&" + middle)));
    report(
        "the next error",
        "50 ms",
        millis(request("/v1/query?limit=1&where=level%20%3D%20%22error%22&" + middle)));
    report("fields", "500 ms", millis(request("/v1/fields?top=8&" + SHOP)));
  }

  @Test
  void theMapHasAllPartitions() throws IOException {
    browser.open(url + "/ui/?view=layout&type=map.*&from=2025-01-01&to=2025-11-20T19:00:00Z");
    String map = element("map");
    browser.await(map + ".dataset.partitions > 0");
    assertEquals(PARTITIONS, browser.evaluate(map + ".dataset.partitions").asInt());
    double answer =
        browser
            .evaluate(
                """
                (async () => {
                  const entry = performance.getEntriesByType('resource')
                    .findLast((each) => each.name.includes('/v1/partitions'));
                  return entry.responseEnd - entry.startTime;
                })()
                """)
            .asDouble();
    report("answer for a map of %,d partitions".formatted(PARTITIONS), "-", millis(answer));
    double drawing =
        browser
            .evaluate(
                """
                (() => {
                  const begun = performance.now();
                  document.body.dispatchEvent(
                    new KeyboardEvent('keydown', { key: 'b', bubbles: true })); // colours by bytes
                  return performance.now() - begun;
                })()
                """)
            .asDouble();
    assertTrue(browser.text("location.search").contains("map=bytes"));
    report("drawing it", "100 ms", millis(drawing));
    double hover =
        browser
            .evaluate(
                """
                (() => {
                  const map = document.querySelector('[data-test=map]');
                  const begun = performance.now();
                  for (let i = 0; i < 100; i++) {
                    map.dispatchEvent(new PointerEvent('pointermove', { clientX: 200 + i, clientY: 400 }));
                  }
                  return (performance.now() - begun) / 100;
                })()
                """)
            .asDouble();
    report(
        "under the pointer, map of %,d partitions".formatted(PARTITIONS), "16 ms", millis(hover));
  }

  @Test
  void scrollingDrawsWhatIsSeen() throws IOException {
    browser.open(url + "/ui/?" + SHOP);
    browser.press("g");
    JsonNode worst =
        browser.evaluate(
            """
            (async () => {
              const list = document.querySelector('[data-test=list]');
              let worst = 0, most = 0, at = performance.now();
              for (let i = 0; i < 60; i++) {
                list.scrollTop += 400;
                await new Promise((next) => requestAnimationFrame(next));
                worst = Math.max(worst, performance.now() - at);
                at = performance.now();
                most = Math.max(most, document.querySelectorAll('[data-test=row]').length);
              }
              return { worst, most };
            })()
            """);
    assertTrue(worst.path("most").asInt() <= 60, worst::toString);
    report("worst frame while scrolling", "50 ms", millis(worst.path("worst").asDouble()));
  }

  @Test
  void whatIsFollowedIsCounted() throws IOException, InterruptedException {
    browser.open(url + "/ui/?type=live&since=1h");
    browser.press("f");
    browser.await(element("tail") + ".getAttribute('aria-pressed') === 'true'");
    browser.evaluate(
        """
        window.frames = []; window.last = performance.now();
        (function next() { requestAnimationFrame(() => {
          const now = performance.now(); window.frames.push(now - window.last); window.last = now; next();
        }); })()
        """);
    long due = System.nanoTime();
    int sent = 0;
    for (int i = 0; i < SECONDS * 10; i++) {
      post("{\"type\":\"live\",\"level\":\"info\",\"body\":\"an event\"}\n".repeat(RATE / 10));
      sent += RATE / 10;
      due += 100_000_000L;
      LockSupport.parkNanos(due - System.nanoTime()); // the rate is what is measured
    }
    browser.await(element("tail") + ".dataset.seen === '" + sent + "'");
    JsonNode frames = browser.evaluate("window.frames.sort((a, b) => a - b)");
    report(
        "frames while following %,d events/s for %d s, p95 and worst".formatted(RATE, SECONDS),
        "34 and 100 ms",
        millis(frames.get(frames.size() * 95 / 100).asDouble())
            + " and "
            + millis(frames.get(frames.size() - 1).asDouble()));
    report("memory of the page's scripts after it", "150 MB", heap());
  }

  private String heap() {
    return "%.0f MB"
        .formatted(browser.evaluate("performance.memory.usedJSHeapSize").asDouble() / 1e6);
  }

  /// Events a second of one sender that waits for each answer.
  private double fullRate(int seconds) throws IOException, InterruptedException {
    String lines =
        "{\"type\":\"live\",\"level\":\"info\",\"body\":\"GET /cart/1 200\"}\n".repeat(BATCH);
    long begun = System.nanoTime();
    int sent = 0;
    while (System.nanoTime() - begun < seconds * 1_000_000_000L) {
      post(lines);
      sent += BATCH;
    }
    return sent / ((System.nanoTime() - begun) / 1e9);
  }

  /// Chromium is on the same cores as the daemon, so this is more than what following costs it.
  @Test
  @EnabledIfSystemProperty(named = "page.followers", matches = "\\d+")
  void tenPagesFollow() throws IOException, InterruptedException {
    int pages = Integer.getInteger("page.followers", 10);
    double warm = fullRate(SECONDS);
    double alone = fullRate(SECONDS);
    for (int i = 0; i < pages; i++) {
      browser.openBeside(url + "/ui/?type=live&since=1m&tail=1");
    }
    double followed = fullRate(SECONDS);
    report(
        "ingest at full rate beside %d pages that follow (%.0f/s alone, first %.0f/s)"
            .formatted(pages, alone, warm),
        "97 %",
        "%.0f %%".formatted(100 * followed / alone));
  }
}
