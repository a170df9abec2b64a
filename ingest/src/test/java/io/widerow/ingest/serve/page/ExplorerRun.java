package io.widerow.ingest.serve.page;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.widerow.ingest.Http;
import io.widerow.ingest.OperatedDaemon;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// For tests of the page: Chromium over a daemon with a store on the disk. Skipped without
/// Chromium, which `-Dbrowser=required` makes a failure.
@Timeout(300)
@TestInstance(Lifecycle.PER_CLASS)
abstract class ExplorerRun {
  static final ObjectMapper JSON = new ObjectMapper();
  static final String IDS =
      "[...document.querySelectorAll('[data-test=row]')].map((row) => row.dataset.id)";
  static final Path SHOTS = Path.of("target/ui");

  Path directory = Path.of(".");
  OperatedDaemon operated;
  Http http;
  Browser browser;
  String url;

  @BeforeAll
  final void start(@TempDir Path given) throws IOException, InterruptedException {
    Path program = chromium();
    directory = given;
    serve();
    fill();
    browser = new Browser(program, directory.resolve("profile"));
  }

  /// The browser; without one the test is skipped, or fails when it is required.
  static Path chromium() {
    Optional<Path> program = Browser.find();
    if (!"required".equals(System.getProperty("browser"))) {
      assumeTrue(program.isPresent(), "skipped: no chromium; apt-get install chromium");
    }
    return program.orElseThrow();
  }

  /// Starts the daemon, or another one over the same store.
  final void serve() {
    operated = new OperatedDaemon(directory, keys());
    http = operated.http;
    url = operated.url();
  }

  /// Keys of the daemon's configuration.
  Map<String, String> keys() {
    return Map.of("lanes", "2");
  }

  /// Writes what the pages show.
  abstract void fill() throws IOException, InterruptedException;

  @AfterAll
  final void stop() {
    if (browser != null) {
      browser.close();
      operated.close();
    }
  }

  @BeforeEach
  final void forget() {
    browser.problems();
    browser.requests();
  }

  final void post(String lines) throws IOException, InterruptedException {
    var answer = http.post("/v1/events", Http.NDJSON, lines);
    assertEquals(200, answer.statusCode(), answer.body());
  }

  final List<JsonNode> query(String question) throws IOException, InterruptedException {
    List<JsonNode> events = new ArrayList<>();
    for (String line : http.get("/v1/query?" + question).body().lines().toList()) {
      JsonNode event = JSON.readTree(line);
      if (!event.has("token")) {
        events.add(event);
      }
    }
    return events;
  }

  final List<String> ids(String question) throws IOException, InterruptedException {
    return query(question).stream().map(event -> event.path("id").asText()).toList();
  }

  /// The value of an expression over modules of the page, which it names as `format_js`; its return
  /// is JSON.
  final JsonNode evaluate(String module, String expression) throws IOException {
    String script = PageScript.of(List.of(module), ExplorerRun::read);
    String told = browser.text("(() => {\n" + script + "return " + expression + ";\n})()");
    return JSON.readTree(told);
  }

  private static String read(String module) {
    try (InputStream in = PageFile.class.getResourceAsStream("/io/widerow/ui/" + module)) {
      return new String(Objects.requireNonNull(in, module).readAllBytes(), UTF_8);
    } catch (IOException unreadable) {
      throw new UncheckedIOException(unreadable);
    }
  }

  static List<String> texts(JsonNode array) {
    List<String> texts = new ArrayList<>();
    array.forEach(each -> texts.add(each.asText()));
    return texts;
  }

  static String element(String test) {
    return "document.querySelector('[data-test=" + test + "]')";
  }

  final void shots(String view) throws IOException {
    for (String scheme : List.of("light", "dark")) {
      browser.scheme(scheme);
      browser.evaluate("new Promise((next) => requestAnimationFrame(() => setTimeout(next)))");
      browser.screenshot(SHOTS.resolve(view + "-" + scheme + ".png"));
    }
  }
}
