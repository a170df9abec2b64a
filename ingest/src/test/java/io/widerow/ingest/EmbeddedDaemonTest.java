package io.widerow.ingest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.storage.EventStore;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
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
}
