package io.widerow.ingest.serve.status;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.faults.Await;
import io.widerow.ingest.Http;
import io.widerow.ingest.OperatedDaemon;
import io.widerow.ingest.TunedConfig;
import io.widerow.storage.embedded.EmbeddedStore;
import io.widerow.storage.objects.ObjectPlace;
import io.widerow.storage.objects.Restore;
import io.widerow.storage.objects.S3Options;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Goal: an operator sees what the backup of a daemon does, can make a checkpoint, and a deletion
/// says that the backup still has the events; mistakes in the keys are refused. Method: a daemon
/// with a directory as the place.
class BackupOverHttpTest {
  @TempDir private Path directory = Path.of(".");

  private String place() {
    return "file:" + directory.resolve("place");
  }

  @Test
  void itIsShippedAndRestored() throws IOException, InterruptedException {
    try (OperatedDaemon daemon =
        new OperatedDaemon(directory, Map.of("backup", place(), "backup-every", "1s"))) {
      write(daemon, 100);
      HttpResponse<String> made = daemon.send("POST", "/v1/admin/backup");
      assertEquals(200, made.statusCode(), made.body());
      assertTrue(made.body().startsWith("{\"checkpoint\":\"checkpoints/00000001/"), made.body());
      String status = daemon.get("/v1/status");
      assertTrue(status.contains("\"backup\":{\"state\":\"shipping\",\"to\":\"file:"), status);
      assertTrue(status.contains("\"epoch\":1,\"behindSeconds\":"), status);
      assertTrue(daemon.get("/metrics").contains("widerow_backup_behind_seconds"));
      daemon.assertRefused("POST", "/v1/admin/backup", Map.of("?x=1", "x"));
      write(daemon, 10); // shipped when the daemon stops
    }
    Path target = directory.resolve("restored");
    var _ =
        new Restore(ObjectPlace.parse("backup", place()).open(S3Options.NONE), target)
            .run(Long.MAX_VALUE);
    try (EmbeddedStore store = EmbeddedStore.openForReading(target)) {
      assertEquals(110, store.recovery().eventsReplayed() + store.statistics().segmentEvents());
    }
  }

  @Test
  void aDeletionNamesThePlace() throws IOException, InterruptedException {
    try (OperatedDaemon daemon = new OperatedDaemon(directory, Map.of("backup", place()))) {
      write(daemon, 10);
      String plan = daemon.send("POST", "/v1/admin/delete?where=n%20%3D%20%223%22").body();
      assertTrue(plan.contains("\"id\":\"d-1\""), plan);
      var _ = daemon.send("POST", "/v1/admin/delete/d-1");
      Await.until(() -> proof(daemon).contains("\"state\":\"done-but\""), "it is done");
      assertTrue(proof(daemon).contains("\"backups\":[\"" + place() + "\"]"), proof(daemon));
    }
  }

  private static String proof(OperatedDaemon daemon) {
    try {
      daemon.merge();
      return daemon.get("/v1/admin/delete/d-1");
    } catch (IOException | InterruptedException failure) {
      throw new AssertionError(failure);
    }
  }

  @Test
  void aPlaceThatIsAwayIsReported() throws IOException, InterruptedException {
    Path file = Files.createFile(directory.resolve("place"));
    try (OperatedDaemon daemon = new OperatedDaemon(directory, Map.of("backup", place()))) {
      write(daemon, 10);
      HttpResponse<String> refused = daemon.send("POST", "/v1/admin/backup");
      assertEquals(503, refused.statusCode(), refused.body());
      String status = daemon.get("/v1/status");
      assertTrue(status.contains("\"epoch\":0"), status);
      assertFalse(status.contains("\"reason\":null"), status);
      Files.delete(file);
      Await.until(() -> epoch(daemon).contains("\"epoch\":1"), "it begins by itself");
    }
  }

  private static String epoch(OperatedDaemon daemon) {
    try {
      return daemon.get("/v1/status");
    } catch (IOException | InterruptedException failure) {
      throw new AssertionError(failure);
    }
  }

  @Test
  void withoutTheKeyThereIsNone() throws IOException, InterruptedException {
    try (OperatedDaemon daemon = new OperatedDaemon(directory, Map.of())) {
      assertEquals(501, daemon.send("POST", "/v1/admin/backup").statusCode());
      assertFalse(daemon.get("/v1/status").contains("\"backup\""));
    }
  }

  @Test
  void mistakesAreRefused() {
    String data = directory.resolve("store").toString();
    Map<String, String> refused =
        Map.of(
            "s3://bucket",
            "must be s3://BUCKET/PREFIX",
            "s3://id:word@bucket/prefix",
            "without credentials",
            "/directory",
            "must be file:/DIRECTORY",
            "file:" + data + "/inside",
            "must be outside of data",
            "file:" + directory,
            "must be outside of data");
    refused.forEach((place, why) -> {
      var failure =
          assertThrows(
              IllegalArgumentException.class,
              () -> TunedConfig.of(Map.of("data", data, "backup", place)),
              place);
      assertTrue(String.valueOf(failure.getMessage()).contains(why), failure.toString());
    });
  }

  private static void write(OperatedDaemon daemon, int events)
      throws IOException, InterruptedException {
    StringBuilder lines = new StringBuilder();
    for (int n = 0; n < events; n++) {
      lines.append("{\"type\":\"t\",\"n\":\"%d\"}%n".formatted(n));
    }
    assertEquals(200, daemon.http.post("/v1/events", Http.NDJSON, lines.toString()).statusCode());
  }
}
