package io.widerow.ingest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.storage.EmbeddedStore;
import io.widerow.storage.EventStore;
import io.widerow.storage.StoreConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Goal: what a real store acknowledged is read back over HTTP, also after a restart, and a repeat
/// is recognised then. Method: the shipped access log, twice, with a restart between.
@Timeout(120)
class EmbeddedDaemonTest {
  private static final String PATH = "/v1/events?type=web&ts=clf";

  @TempDir private Path directory = Path.of(".");

  @Test
  void theAccessLogComesBackAlsoAfterARestart() throws IOException, InterruptedException {
    byte[] log = Files.readAllBytes(Path.of("../loadgen/logs/apache_access.log"));
    DaemonConfig config =
        DaemonConfig.of(
            Map.of("data", directory.resolve("d").toString(), "http", "127.0.0.1:0", "lanes", "2"));
    String before;
    try (EventStore store = ServeCommand.openEmbedded(config);
        Daemon daemon = Daemon.start(config, store);
        Http http = new Http(daemon)) {
      String answer = http.post(PATH, Http.TEXT, log).body();
      assertEquals("{\"accepted\":10000,\"rejected\":[],\"durability\":\"disk\"}\n", answer);
      before = http.get("/v1/query").body();
      assertEquals(10_001, before.lines().count());
    }
    try (EventStore store = ServeCommand.openEmbedded(config);
        Daemon daemon = Daemon.start(config, store);
        Http http = new Http(daemon)) {
      assertTrue(http.post(PATH, Http.TEXT, log).body().contains("\"duplicate\":true"));
      assertEquals(before, http.get("/v1/query").body());
    }
  }

  @Test
  void anIdleDaemonSealsWhatIsOld() throws IOException, InterruptedException {
    Path data = directory.resolve("d");
    DaemonConfig config =
        DaemonConfig.of(Map.of("data", data.toString(), "http", "127.0.0.1:0", "lanes", "1"));
    StoreConfig old =
        StoreConfig.at(data).withLanes(1, 1).withMemory(8 << 20, Duration.ofSeconds(1));
    try (EventStore store = EmbeddedStore.open(old, Runnable::run);
        Daemon daemon = Daemon.start(config, store);
        Http http = new Http(daemon)) {
      assertEquals(200, http.post("/v1/events?type=a", Http.TEXT, "one\ntwo\n").statusCode());
      while (store.statistics().segmentEvents() < 2) { // the time-out of the class ends it
        Thread.sleep(50);
      }
      assertEquals(0, store.statistics().openEvents());
    }
  }
}
