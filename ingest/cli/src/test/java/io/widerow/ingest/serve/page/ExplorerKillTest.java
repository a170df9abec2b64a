package io.widerow.ingest.serve.page;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.widerow.faults.ServeProcess;
import io.widerow.ingest.Http;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Goal: a page that follows shows each event once, also over `kill -9` of the daemon: what came
/// before, and what comes after it is back. Method: Chromium over a daemon in a process of its own,
/// which is killed and started again at the same address.
@Timeout(300)
@Tag("browser")
class ExplorerKillTest {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String TAIL = ExplorerRun.element("tail");
  private static final int BATCH = 100;

  @TempDir private Path directory = Path.of(".");

  private static void send(ServeProcess daemon, int batches)
      throws IOException, InterruptedException {
    for (int i = 0; i < batches; i++) {
      String lines = "{\"type\":\"live\",\"body\":\"an event\"}\n".repeat(BATCH);
      assertEquals(200, daemon.post("/v1/events", Http.NDJSON, lines).statusCode());
    }
  }

  private static List<String> ids(ServeProcess daemon) throws IOException, InterruptedException {
    List<String> ids = new ArrayList<>();
    for (String line : daemon.get("/v1/query?type=live").body().lines().toList()) {
      JsonNode read = JSON.readTree(line);
      if (read.has("id")) {
        ids.add(read.path("id").asText());
      }
    }
    return ids;
  }

  private static void awaitSeen(Browser browser, int events) {
    browser.await(TAIL + ".dataset.seen === '" + events + "'");
  }

  @Test
  void eachEventIsShownOnceOverAKill() throws IOException, InterruptedException {
    Path program = ExplorerRun.chromium();
    Path data = directory.resolve("store");
    ServeProcess daemon = ServeProcess.start(data, "--set", "lanes=2");
    try (Browser browser = new Browser(program, directory.resolve("profile"))) {
      String address = "127.0.0.1:" + daemon.port();
      browser.open("http://" + address + "/ui/?type=live&since=1h");
      browser.press("f");
      browser.await(TAIL + ".getAttribute('aria-pressed') === 'true'");
      send(daemon, 5);
      awaitSeen(browser, 5 * BATCH);
      send(daemon, 5); // the page may not have asked for all of them
      daemon.kill();
      browser.await(TAIL + ".textContent.includes('away since')");
      daemon = ServeProcess.start(data, "--set", "lanes=2", "--set", "http=" + address);
      awaitSeen(browser, 10 * BATCH);
      send(daemon, 5);
      awaitSeen(browser, 15 * BATCH);
      List<String> all = ids(daemon);
      assertEquals(15 * BATCH, all.size());
      List<String> rows = ExplorerRun.texts(browser.evaluate(ExplorerRun.IDS));
      assertTrue(rows.size() > 20, rows::toString);
      assertEquals(all.subList(all.size() - rows.size(), all.size()), rows, "none twice");
    } finally {
      daemon.close();
    }
  }
}
