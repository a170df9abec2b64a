package io.widerow.ingest.serve.page;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.widerow.faults.Await;
import io.widerow.faults.ServeProcess;
import io.widerow.ingest.Http;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Goal: the page stays what it is at any size: it draws as many rows as it shows, all partitions
/// are in the map, each event that comes is counted once; and how long that takes. Method: Chromium
/// over a daemon in a process of its own, with `page.events` events and `page.partitions`
/// partitions of other types; `page.rate` events a second come for `page.seconds`. Prints the rows
/// of `bench-results/explorer.md`; times decide nothing.
@Tag("faults")
@Timeout(value = 60, unit = TimeUnit.MINUTES)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class ExplorerSpeedTest {
  private static final int EVENTS = Integer.getInteger("page.events", 1_000_000);
  private static final int PARTITIONS = Integer.getInteger("page.partitions", 20_000);
  private static final int RATE = Integer.getInteger("page.rate", 5_000);
  private static final int SECONDS = Integer.getInteger("page.seconds", 20);
  private static final int PAGES = Integer.getInteger("page.followers", 10);
  private static final int BATCH = 5_000;
  private static final int FLUSHES = 10; // a second, of what comes at a rate
  private static final int ROWS_MAX = 60;
  private static final String RANGE = "from=2025-11-20T19:00:00Z&to=2025-11-20T20:00:00Z";
  private static final String LATER = "from=2025-11-20T19:30:00Z&to=2025-11-20T20:00:00Z";
  private static final String SHOP = "type=shop&" + RANGE;
  private static final String LIVE =
      "{\"type\":\"live\",\"level\":\"info\",\"body\":\"an event\"}\n";

  private Path directory = Path.of(".");
  private ServeProcess daemon;
  private Browser browser;
  private String url = "";
  private int sent;

  @BeforeAll
  void start(@TempDir Path given) throws IOException, InterruptedException {
    Path program = ExplorerRun.chromium();
    directory = given;
    daemon = SpeedStore.serve(directory, EVENTS, PARTITIONS);
    url = "http://127.0.0.1:" + daemon.port();
    browser = new Browser(program, directory.resolve("profile"));
    System.out.printf(
        "| %,d events; %d processors, load %.1f | | |%n",
        EVENTS,
        Runtime.getRuntime().availableProcessors(),
        java.lang.management.ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage());
  }

  @AfterAll
  void stop() {
    if (browser != null) {
      browser.close();
      daemon.close();
    }
  }

  private static void report(String what, String goal, String figure) {
    System.out.printf("| %s | %s | %s |%n", what, goal, figure);
  }

  private static String millis(double millis) {
    return String.format(Locale.ROOT, "%.0f ms", millis);
  }

  /// The median time of a request, in milliseconds.
  private double request(int times, String path) throws IOException, InterruptedException {
    List<Double> millis = new ArrayList<>();
    for (int i = 0; i < times; i++) {
      long begun = System.nanoTime();
      assertEquals(200, daemon.get(path).statusCode(), path);
      millis.add((System.nanoTime() - begun) / 1e6);
    }
    return millis.stream().sorted().toList().get(times / 2);
  }

  private double mark(String name) {
    browser.await("performance.getEntriesByName('" + name + "').length > 0");
    return browser.evaluate("performance.getEntriesByName('" + name + "')[0].startTime").asDouble();
  }

  @Test
  void aPageIsThereAtOnce() {
    int files = PageFile.all().values().stream().mapToInt(file -> file.gzip().length).sum();
    PageFile script = Objects.requireNonNull(PageFile.all().get("main.js"));
    report(
        "files of the page, packed, and its script",
        "200 kB, 40 kB",
        "%d kB, %.1f kB".formatted(files >> 10, script.gzip().length / 1024.0));
    for (String visit : List.of("first visit", "next visit")) {
      browser.open(url + "/ui/?" + SHOP);
      report(
          "first paint, first rows, bars; " + visit,
          "300, 500, 1,000 ms",
          millis(mark("first-contentful-paint"))
              + ", "
              + millis(mark("rows"))
              + ", "
              + millis(mark("bars")));
    }
  }

  /// A question, and how long the answer may take.
  private record Question(String what, String goal, String path) {}

  private static List<Question> questions() {
    String later = "type=shop&" + LATER;
    String one = "/v1/query?limit=1&";
    String match = "CART/" + (EVENTS / 2 + EVENTS / 100);
    String bars = "/v1/query?stats=count&by=level&every=auto&" + SHOP;
    return List.of(
        new Question("the latest 300", "10 ms", "/v1/query?order=desc&limit=300&" + SHOP),
        new Question("a jump by the rail, one side", "10 ms", "/v1/query?limit=150&" + later),
        new Question("the next error", "50 ms", one + "where=level%20%3D%20%22error%22&" + later),
        new Question(
            "the next match, 1 % of the events away, in any case",
            "50 ms", one + "where=body%20icontains%20%22" + match + "%22&" + later),
        new Question("bars by level of %,d events".formatted(EVENTS), "1 s", bars),
        new Question(
            "the same with a filter on text", "-", bars + "&where=body%20contains%20%2277%22"),
        new Question("fields, within the budget", "500 ms", "/v1/fields?top=8&" + SHOP),
        new Question("fields, exact", "3 s", "/v1/fields?top=8&budget=1m&" + SHOP));
  }

  /// The first answers of a daemon that has just started, in turn, and those of one that has
  /// answered each 40 times more.
  @Test
  @Order(1)
  void questionsAreShort() throws IOException, InterruptedException {
    List<Question> questions = questions();
    List<Double> first = new ArrayList<>();
    for (Question question : questions) {
      first.add(request(8, question.path));
    }
    for (Question question : questions) {
      request(40, question.path);
    }
    for (int i = 0; i < questions.size(); i++) {
      Question question = questions.get(i);
      String later = millis(request(9, question.path));
      report(question.what, question.goal, later + "; the first 8: " + millis(first.get(i)));
    }
  }

  @Test
  void theMapHasAllPartitions() throws IOException, InterruptedException {
    String question = "type=map.*&from=2024-01-01&to=2025-11-20T19:00:00Z";
    int partitions = (int) daemon.get("/v1/partitions?" + question).body().lines().count();
    browser.open(url + "/ui/?view=layout&" + question);
    String map = ExplorerRun.element("map");
    browser.await(map + ".dataset.partitions > 0");
    assertEquals(partitions, browser.evaluate(map + ".dataset.partitions").asInt());
    double answer =
        browser
            .evaluate(
                """
                (() => {
                  const entry = performance.getEntriesByType('resource')
                    .findLast((each) => each.name.includes('/v1/partitions'));
                  return entry.responseEnd - entry.startTime;
                })()
                """)
            .asDouble();
    report("answer for a map of %,d partitions".formatted(partitions), "-", millis(answer));
    String draw =
        "document.body.dispatchEvent(new KeyboardEvent('keydown', { key: 'b', bubbles: true }))";
    String hover =
        "document.querySelector('[data-test=map]').dispatchEvent("
            + "new PointerEvent('pointermove', { clientX: 200 + i, clientY: 400 }))";
    report("drawing it", "100 ms", millis(each(20, draw)));
    report("under the pointer", "16 ms", "%.1f ms".formatted(each(100, hover)));
  }

  /// The mean time of a statement, in milliseconds; `i` counts its runs.
  private double each(int times, String statement) {
    return browser
        .evaluate(
            """
            (() => {
              const begun = performance.now();
              for (let i = 0; i < %1$d; i++) { %2$s; }
              return (performance.now() - begun) / %1$d;
            })()
            """
                .formatted(times, statement))
        .asDouble();
  }

  @Test
  void scrollingDrawsWhatIsSeen() throws IOException {
    browser.open(url + "/ui/?" + SHOP);
    browser.press("g");
    browser.await("document.querySelector('[aria-selected=true][data-test=row]')");
    String wheel = "list.scrollTop += 400";
    String key = "list.dispatchEvent(new KeyboardEvent('keydown', { key: 'j', bubbles: true }))";
    report("worst frame while scrolling", "50 ms", frames(wheel));
    String trace = System.getProperty("page.trace");
    if (trace != null) {
      browser.trace(Path.of(trace), () -> frames(key));
    }
    report("worst frame while j is held", "50 ms", frames(key));
  }

  private String frames(String statement) {
    JsonNode found =
        browser.evaluate(
            """
            (async () => {
              const list = document.querySelector('[data-test=list]');
              let worst = 0, most = 0, at = performance.now();
              for (let i = 0; i < 120; i++) {
                %s;
                await new Promise((next) => requestAnimationFrame(next));
                worst = Math.max(worst, performance.now() - at);
                at = performance.now();
                most = Math.max(most, document.querySelectorAll('[data-test=row]').length);
              }
              return { worst, most };
            })()
            """
                .formatted(statement));
    assertTrue(found.path("most").asInt() <= ROWS_MAX, found::toString);
    return millis(found.path("worst").asDouble());
  }

  /// The processor time of the daemon's threads until now in milliseconds, by their names without
  /// numbers; only Linux tells it.
  private Map<String, Long> threadMillis() throws IOException {
    Map<String, Long> all = new TreeMap<>();
    File[] tasks = Path.of("/proc", String.valueOf(daemon.pid()), "task").toFile().listFiles();
    for (File task : tasks == null ? new File[0] : tasks) {
      try {
        String name = Files.readString(task.toPath().resolve("comm")).strip();
        String stat = Files.readString(task.toPath().resolve("stat"));
        String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ", 14);
        long ticks = Long.parseLong(fields[11]) + Long.parseLong(fields[12]);
        all.merge(name.replaceAll("[#\\d-]+$", ""), ticks * 10, Long::sum);
      } catch (NoSuchFileException _) {
        // a thread that has ended since
      }
    }
    return all;
  }

  /// The threads that took more, the most first.
  private static String more(Map<String, Long> before, Map<String, Long> after) {
    return after.entrySet().stream()
        .map(each ->
            Map.entry(each.getKey(), each.getValue() - before.getOrDefault(each.getKey(), 0L)))
        .filter(each -> each.getValue() >= 3L * SECONDS)
        .sorted(Map.Entry.<String, Long>comparingByValue().reversed())
        .map(each -> "%s %.1f %%".formatted(each.getKey(), each.getValue() / 10.0 / SECONDS))
        .collect(Collectors.joining(", "));
  }

  /// Sends at the rate for some seconds; the daemon's processor time meanwhile, as a share of one.
  private double send(int seconds) throws IOException, InterruptedException {
    long used = daemonMillis();
    long begun = System.nanoTime();
    for (int i = 1; i <= seconds * FLUSHES; i++) {
      String lines = LIVE.repeat(RATE / FLUSHES);
      assertEquals(200, daemon.post("/v1/events", Http.NDJSON, lines).statusCode());
      sent += RATE / FLUSHES;
      long due = begun + i * 1_000_000_000L / FLUSHES;
      Await.pauseNanos(due - System.nanoTime()); // the rate is measured
    }
    return (daemonMillis() - used) * 1e6 / (System.nanoTime() - begun);
  }

  private long daemonMillis() {
    Duration used =
        ProcessHandle.of(daemon.pid())
            .flatMap(each -> each.info().totalCpuDuration())
            .orElseThrow();
    return used.toMillis();
  }

  @Test
  void whatIsFollowedIsCounted() throws IOException, InterruptedException {
    send(SECONDS / 2); // compiled code
    Map<String, Long> threads = threadMillis();
    double alone = send(SECONDS);
    report("threads alone", "-", more(threads, threadMillis()));
    browser.open(url + "/ui/?type=live&since=1h");
    int before = sent;
    browser.press("f");
    browser.await(ExplorerRun.element("tail") + ".getAttribute('aria-pressed') === 'true'");
    browser.evaluate(
        """
        window.frames = []; window.tasks = []; window.last = performance.now();
        new PerformanceObserver((list) => list.getEntries().forEach((each) =>
          window.tasks.push(each.duration))).observe({ type: 'longtask' });
        (function next() { requestAnimationFrame(() => {
          const now = performance.now();
          window.frames.push(now - window.last); window.last = now; next();
        }); })()
        """);
    threads = threadMillis();
    double followed = send(SECONDS);
    report("threads followed", "-", more(threads, threadMillis()));
    threads = threadMillis();
    double later = send(SECONDS);
    report("threads followed, the next as many seconds", "-", more(threads, threadMillis()));
    String seen = ExplorerRun.element("tail") + ".dataset.seen";
    browser.await(seen + " === '" + (sent - before) + "'");
    JsonNode frames = browser.evaluate("window.frames.sort((a, b) => a - b)");
    report(
        "frames while following %,d events/s for %d s: p50, p95, worst".formatted(RATE, SECONDS),
        "p95 34 ms",
        millis(frames.get(frames.size() / 2).asDouble())
            + ", "
            + millis(frames.get(frames.size() * 95 / 100).asDouble())
            + ", "
            + millis(frames.get(frames.size() - 1).asDouble()));
    double task = browser.evaluate("Math.max(0, ...window.tasks)").asDouble();
    report("longest task meanwhile", "100 ms", task == 0 ? "below 50 ms" : millis(task));
    double heap = browser.evaluate("performance.memory.usedJSHeapSize").asDouble();
    report("memory of the page's scripts after it", "150 MB", "%.0f MB".formatted(heap / 1e6));
    browser.press(" ");
    browser.await(ExplorerRun.element("tail") + ".textContent.includes('held')");
    double held = send(SECONDS);
    report(
        "the daemon's processor time at %,d events/s: alone, followed, later, held".formatted(RATE),
        "3 % of a core more, none",
        "%.1f %%, %.1f %%, %.1f %%, %.1f %%"
            .formatted(100 * alone, 100 * followed, 100 * later, 100 * held));
  }

  /// Pages that are all seen, as those of as many people, but on the processors of the daemon.
  @Test
  @Order(Integer.MAX_VALUE - 1) // what it sends is in no other figure
  void whatManyPagesFollowIsCounted() throws IOException, InterruptedException {
    send(SECONDS / 2);
    double alone = send(SECONDS);
    List<String> windows = new ArrayList<>();
    for (int i = 0; i < PAGES; i++) {
      windows.add(browser.openWindow(url + "/ui/?type=live&since=1m&tail=1"));
    }
    send(SECONDS / 2); // until they are loaded
    Map<String, Long> before = counts();
    int begun = sent;
    Duration browserBefore = browser.used();
    Map<String, Long> threads = threadMillis();
    double followed = send(SECONDS);
    double ofBrowser = browser.used().minus(browserBefore).toMillis() / 10.0 / SECONDS;
    String more = more(threads, threadMillis());
    Map<String, Long> after = counts();
    long whole =
        after.entrySet().stream()
            .filter(
                each -> each.getValue() - before.getOrDefault(each.getKey(), 0L) == sent - begun)
            .count();
    long shown =
        browser.evaluateBeside("!document.hidden").stream().filter(JsonNode::asBoolean).count();
    report(
        "the daemon's processor time at %,d events/s: alone, with %d pages that follow, %d seen"
            .formatted(RATE, PAGES, shown),
        "-",
        "%.1f %%, %.1f %% (%s); the browser's %.0f %%"
            .formatted(100 * alone, 100 * followed, more, ofBrowser));
    fullRate();
    browserBefore = browser.used();
    FullRate beside = fullRate();
    ofBrowser = browser.used().minus(browserBefore).toMillis() / 10.0 / SECONDS;
    windows.forEach(browser::close);
    FullRate full = fullRate(); // last: pages that open after it begin with its minute
    report(
        "ingest at full rate with %d pages that follow, %d seen".formatted(PAGES, shown),
        "97 %% of %,.0f/s alone".formatted(full.eventsPerSecond),
        "%.0f %%; the browser took %.0f %% of a core; the daemon an event %.2f us, alone %.2f us"
            .formatted(
                100 * beside.eventsPerSecond / full.eventsPerSecond,
                ofBrowser,
                beside.daemonMicros,
                full.daemonMicros));
    assertEquals(PAGES, shown, "pages seen");
    assertEquals(PAGES, whole, "pages that counted each event once");
  }

  /// The count of each further page, by the time at which it was opened, when no events arrive any
  /// more.
  private Map<String, Long> counts() throws IOException, InterruptedException {
    String seen =
        "`${performance.timeOrigin} ${%s?.dataset.seen || 0}`"
            .formatted(ExplorerRun.element("tail"));
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
    Map<String, Long> counts = Map.of();
    do {
      Await.pauseNanos(300_000_000L); // for the next question of a page
      Map<String, Long> next = new TreeMap<>();
      for (JsonNode each : browser.evaluateBeside(seen)) {
        String[] parts = each.asText().split(" ", 2);
        next.put(parts[0], Long.valueOf(parts[1]));
      }
      if (next.equals(counts)) {
        return counts;
      }
      counts = next;
    } while (System.nanoTime() < end);
    throw new AssertionError("pages go on counting: " + counts);
  }

  /// What one sender that waits for each answer has stored.
  ///
  /// @param daemonMicros the daemon's processor time an event, which a browser on the same
  ///   processors leaves as it is
  private record FullRate(double eventsPerSecond, double daemonMicros) {}

  private FullRate fullRate() throws IOException, InterruptedException {
    String lines = LIVE.repeat(BATCH);
    long used = daemonMillis();
    long begun = System.nanoTime();
    long until = begun + SECONDS * 1_000_000_000L;
    int stored = 0;
    while (System.nanoTime() < until) {
      assertEquals(200, daemon.post("/v1/events", Http.NDJSON, lines).statusCode());
      stored += BATCH;
    }
    double seconds = (System.nanoTime() - begun) / 1e9;
    return new FullRate(stored / seconds, (daemonMillis() - used) * 1e3 / stored);
  }

  /// Chromium is on the same processors as the daemon. All pages but one are in tabs behind others,
  /// like pages left open over night, so they send no requests.
  @Test
  @Order(Integer.MAX_VALUE) // its pages are in front of the one that is driven
  void ingestBesideManyPages() throws IOException, InterruptedException {
    fullRate(); // compiled code
    double alone = fullRate().eventsPerSecond;
    for (int i = 0; i < PAGES; i++) {
      browser.openBeside(url + "/ui/?type=shop&" + RANGE);
    }
    fullRate(); // until they are loaded
    double open = fullRate().eventsPerSecond;
    for (int i = 0; i < PAGES; i++) {
      browser.openBeside(url + "/ui/?type=live&since=1m&tail=1");
    }
    fullRate();
    double followed = fullRate().eventsPerSecond;
    report(
        "ingest at full rate with %d open pages, and %d more that follow".formatted(PAGES, PAGES),
        "97 %% of %,.0f/s alone".formatted(alone),
        "%.0f %%, %.0f %%".formatted(100 * open / alone, 100 * followed / alone));
  }
}
