package io.widerow.cli.backup;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.faults.Await;
import io.widerow.faults.S3Server;
import io.widerow.faults.ServeProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Goal: a daemon whose place is no bucket loads no class of the library of S3. Method: the log of
/// loaded classes of a daemon that backs up to a directory, and that of one whose bucket does not
/// answer, where the same search finds them.
@Tag("process")
@Timeout(300)
class BackupClassesTest {
  @TempDir private Path directory = Path.of(".");

  private String loaded(String name, String place, String... keys) throws IOException {
    Path log = directory.resolve(name + ".log");
    List<String> arguments = new ArrayList<>(List.of(ServeProcess.small(0)));
    arguments.addAll(List.of("--backup", place));
    for (String key : keys) {
      arguments.addAll(List.of("--set", key));
    }
    try (ServeProcess daemon =
        ServeProcess.startWith(
            List.of("-Xlog:class+load:file=" + log),
            directory.resolve(name),
            arguments.toArray(String[]::new))) {
      assertEquals(
          200,
          daemon.post("/v1/events", "application/x-ndjson", "{\"type\":\"t\"}\n").statusCode());
      Await.until(() -> daemon.get("/v1/status").body().contains("\"backup\":{"), "it runs");
    } catch (InterruptedException interrupted) {
      throw new AssertionError(interrupted);
    }
    return Files.readString(log);
  }

  @Test
  void noClassOfTheLibraryIsLoadedUnlessThePlaceIsABucket() throws IOException {
    Path credentials = S3Server.credentials(directory.resolve("credentials"));
    String with =
        loaded(
            "with",
            "s3://bucket/w",
            "s3-endpoint=http://127.0.0.1:1",
            "s3-credentials-file=" + credentials);
    assertTrue(with.contains(" software.amazon.awssdk.services.s3.S3Client "));
    String without = loaded("without", "file:" + directory.resolve("place"));
    assertTrue(without.contains(" io.widerow.storage.objects.Backup "));
    assertFalse(without.contains(" software.amazon."));
    assertFalse(without.contains(" io.widerow.storage.objects.s3."));
  }
}
