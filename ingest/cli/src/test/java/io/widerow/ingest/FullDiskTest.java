package io.widerow.ingest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.abort;

import io.widerow.faults.Await;
import io.widerow.faults.FaultDisk;
import io.widerow.faults.ServeProcess;
import io.widerow.storage.Damage;
import io.widerow.storage.EventStore;
import io.widerow.storage.embedded.EmbeddedStore;
import io.widerow.storage.repair.StoreVerifier;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// Goal: a daemon that was killed on a full disk starts there. It answers queries with everything
/// acknowledged, drops expired events, reports on `/ready` and in its log that the disk is full,
/// and takes events when there is room, without another start. A stopped store on a full disk can
/// be read and verified. A directory that is no store yet is refused with exit code 73, and no
/// trace. Method: the daemon as a process on a small file system of its own, of each kind, filled
/// to the last byte. [DiskFaultTest] does it under load and at random times, `StoreRoomTest` with
/// every amount of room.
@Timeout(value = 10, unit = TimeUnit.MINUTES)
@Tag("process")
class FullDiskTest {
  private static final long DISK_BYTES = 96 << 20;
  private static final String[] SMALL = ServeProcess.small(0);

  @TempDir private Path directory = Path.of(".");
  private @Nullable FaultDisk disk;
  private Path data = Path.of(".");
  private Path ballast = Path.of(".");

  private void mount(FaultDisk.Kind kind) throws IOException {
    String missing = kind.missing();
    if (missing != null) {
      skip(missing);
    }
    try {
      Path image = Files.createDirectory(directory.resolve("disk"));
      FaultDisk mounted = new FaultDisk(kind, DISK_BYTES, image);
      disk = mounted;
      data = mounted.root().resolve("d");
      ballast = mounted.root().resolve("ballast");
    } catch (IOException refused) {
      skip("a file system cannot be mounted here: " + refused.getMessage());
    }
  }

  /// Ends the test as skipped, and says so also where a build shows no reasons of skipped tests.
  private static void skip(String why) {
    System.err.println("FullDiskTest: SKIPPED, nothing was tested: " + why);
    abort(why);
  }

  @AfterEach
  void unmount() throws IOException {
    if (disk != null) {
      disk.close();
    }
  }

  private ServeProcess start(String... more) throws IOException {
    String[] all = Stream.of(SMALL, more).flatMap(Stream::of).toArray(String[]::new);
    return ServeProcess.startUnder(List.of(), directory, data, all);
  }

  @ParameterizedTest
  @EnumSource(names = {"TMPFS", "EXT4"})
  void aDaemonKilledOnAFullDiskReadsOnAndTakesEventsWhenThereIsRoom(FaultDisk.Kind kind)
      throws IOException, InterruptedException {
    readsOnAndTakesEventsWhenThereIsRoom(kind);
  }

  @Tag("faults")
  @ParameterizedTest
  @EnumSource(names = "XFS")
  void aDaemonKilledOnAnyFullDiskReadsOn(FaultDisk.Kind kind)
      throws IOException, InterruptedException {
    readsOnAndTakesEventsWhenThereIsRoom(kind);
  }

  private void readsOnAndTakesEventsWhenThereIsRoom(FaultDisk.Kind kind)
      throws IOException, InterruptedException {
    mount(kind);
    List<String> acknowledged = new ArrayList<>();
    try (ServeProcess daemon = start()) {
      for (int i = 0; i < 40; i++) {
        assertEquals(200, post(daemon, "event-" + i).statusCode());
        acknowledged.add("event-" + i);
      }
      FaultDisk.fill(ballast);
      daemon.kill();
    }
    for (int start = 0; start < 3; start++) { // each start takes a little of what the last one had
      FaultDisk.fill(ballast);
      readStopped(acknowledged);
      try (ServeProcess daemon = start()) {
        FaultDisk.fill(ballast);
        assertEquals(acknowledged, bodies(daemon.get("/v1/query").body()));
        daemon.kill();
      }
    }
    FaultDisk.fill(ballast);
    try (ServeProcess daemon = start("--set", "disk-reserve-bytes=" + (8 << 20))) {
      assertTrue(daemon.output().contains("widerow: the disk is full: "), daemon.output());
      HttpResponse<String> ready = daemon.get("/ready");
      assertEquals(503, ready.statusCode(), ready.body());
      assertTrue(ready.body().contains("the disk is full: "), ready.body());
      assertTrue(daemon.get("/v1/status").body().contains("\"state\":\"disk-full\""));
      HttpResponse<String> refused = post(daemon, "refused");
      assertEquals(507, refused.statusCode(), refused.body());
      assertTrue(refused.headers().firstValueAsLong("retry-after").isPresent());
      assertEquals(acknowledged, bodies(daemon.get("/v1/query").body()));
      Files.delete(ballast);
      awaitReady(daemon);
      assertEquals(200, post(daemon, "again").statusCode());
      acknowledged.add("again");
      assertEquals(acknowledged, bodies(daemon.get("/v1/query").body()));
      Await.until(
          () -> daemon.output().contains("the disk has room again"),
          "the daemon logs that there is room");
      daemon.kill();
    }
    try (ServeProcess daemon = start()) {
      assertEquals(acknowledged, bodies(daemon.get("/v1/query").body()));
      assertEquals(0, daemon.stop(30), daemon.output());
    }
  }

  /// What `query --data` and `verify` do.
  private void readStopped(List<String> acknowledged) {
    try (EventStore store = EmbeddedStore.openForReading(data)) {
      assertEquals(
          acknowledged.size(),
          store.statistics().openEvents() + store.statistics().segmentEvents());
    }
    assertEquals(List.<Damage>of(), StoreVerifier.verify(data).damage());
  }

  /// Nobody makes room: expired events are dropped, and new ones are accepted.
  @Test
  void whatExpiresMakesRoomOnAFullDisk() throws IOException, InterruptedException {
    mount(FaultDisk.Kind.EXT4);
    try (ServeProcess daemon = start()) {
      Instant old = Instant.now().minus(Duration.ofHours(30));
      byte[] noise = new byte[600];
      SplittableRandom random = new SplittableRandom(1);
      for (int post = 0; post < 60; post++) {
        StringBuilder lines = new StringBuilder();
        for (int line = 0; line < 400; line++) {
          random.nextBytes(noise);
          String body = Base64.getEncoder().encodeToString(noise);
          lines.append("{\"ts\":\"%s\",\"type\":\"old\",\"body\":\"%s\"}%n".formatted(old, body));
        }
        assertEquals(
            200, daemon.post("/v1/events?type=a", Http.NDJSON, lines.toString()).statusCode());
      }
      assertEquals(200, post(daemon, "new").statusCode());
      FaultDisk.fill(ballast);
      daemon.kill();
    }
    FaultDisk.fill(ballast);
    try (ServeProcess daemon = start("--set", "retention=1h")) {
      awaitReady(daemon);
      assertEquals(200, post(daemon, "newer").statusCode());
      assertEquals(List.of("new", "newer"), bodies(daemon.get("/v1/query").body()));
      assertEquals(0, daemon.stop(30), daemon.output());
    }
    assertTrue(Files.exists(ballast));
  }

  @Test
  void aNewStoreIsRefusedOnAFullDisk() throws IOException, InterruptedException {
    mount(FaultDisk.Kind.TMPFS);
    FaultDisk.fill(ballast);
    Path log = directory.resolve("refused.log");
    Process refused = ServeProcess.launch(data, log, SMALL);
    assertEquals(73, refused.waitFor(), () -> read(log));
    List<String> lines = read(log).lines().filter(line -> line.startsWith("widerow: ")).toList();
    assertEquals(2, lines.size(), () -> read(log)); // with that of the memory
    assertTrue(lines.getLast().contains(data + "/VERSIONS.tmp: 0 bytes are free"), lines::toString);
    assertFalse(read(log).contains("\tat "), () -> read(log));
    Files.delete(ballast);
    try (ServeProcess daemon = start()) {
      assertEquals(200, post(daemon, "first").statusCode());
      assertEquals(0, daemon.stop(30), daemon.output());
    }
  }

  private static String read(Path log) {
    try {
      return Files.readString(log);
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }

  private void awaitReady(ServeProcess daemon) throws IOException, InterruptedException {
    Await.until(() -> daemon.get("/ready").statusCode() == 200, "the daemon is ready");
  }

  private static HttpResponse<String> post(ServeProcess daemon, String line)
      throws IOException, InterruptedException {
    return daemon.post("/v1/events?type=a", Http.TEXT, line);
  }

  private static List<String> bodies(String answer) {
    return answer
        .lines()
        .filter(line -> line.contains("\"body\""))
        .map(line -> line.replaceAll(".*\"body\":\"([^\"]*)\".*", "$1"))
        .toList();
  }
}
