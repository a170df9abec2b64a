package io.widerow.storage.objects;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.event.EventBatch;
import io.widerow.faults.S3Server;
import io.widerow.faults.Slice;
import io.widerow.storage.Durability;
import io.widerow.storage.LaneWriter;
import io.widerow.storage.StoreConfig;
import io.widerow.storage.embedded.EmbeddedStore;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Goal: how many megabytes a second a restore brings back, of segments and of frames, with all
/// that was written in it. Method: a store of random texts, which compression makes little smaller;
/// a directory, and a server of S3 as a process on the same machine; the connections of the
/// command.
@Tag("deep")
@Tag("process")
@Timeout(1_800)
class RestoreRateTest {
  private static final byte[] TYPE = "t".getBytes(StandardCharsets.US_ASCII);
  private static final byte[] BODY = "body".getBytes(StandardCharsets.US_ASCII);
  private static final int BODY_BYTES = 1 << 14;
  private static final int BATCH = 32;
  private static final int CONNECTIONS = 8;

  @TempDir private Path directory = Path.of(".");

  private final AtomicLong monotonic = new AtomicLong();

  @ParameterizedTest(name = "sealed {0}")
  @ValueSource(booleans = {true, false})
  void ofADirectory(boolean sealed) throws Exception {
    measure("file:", new DirectoryObjects(directory.resolve("place")), sealed);
  }

  @ParameterizedTest(name = "sealed {0}")
  @ValueSource(booleans = {true, false})
  void ofABucket(boolean sealed) throws Exception {
    try (var server = new S3Server(S3Server.Kind.S3PROXY, directory.resolve("server"))) {
      var options =
          new S3Options(
              URI.create(server.endpoint()),
              "",
              true,
              S3Server.credentials(directory.resolve("credentials")),
              null,
              false);
      ObjectPlace place = ObjectPlace.parse("backup", "s3://%s/w".formatted(S3Server.BUCKET));
      measure("S3Proxy", place.open(options), sealed);
    }
  }

  private void measure(String name, ObjectStore objects, boolean sealed) throws Exception {
    int events = Slice.of("restore.megabytes", 64, 512) * ((1 << 20) / BODY_BYTES);
    StoreConfig config =
        StoreConfig.at(directory.resolve("store")).withLanes(2, 2).withDiskReserveBytes(0);
    var options =
        new BackupOptions(
            Duration.ZERO,
            Duration.ofHours(1),
            1L << 40,
            4 << 20,
            "host",
            RetentionOptions.of(Duration.ofDays(7), 35));
    try (EmbeddedStore store = EmbeddedStore.open(config, Runnable::run);
        Backup backup = new Backup(store::backup, objects, options, monotonic::get)) {
      if (!sealed) {
        step(backup);
        backup.checkpoint();
      }
      write(store, events, () -> step(backup));
      if (sealed) {
        store.sealAll();
        store.awaitBackground();
        step(backup);
        monotonic.addAndGet(60_000_000_000L);
        var _ = backup.now();
      }
      step(backup);
      assertEquals("shipping", backup.status().state(), () -> backup.status().toString());
    }
    long bytes = 0;
    for (String each : objects.list(sealed ? "segments/" : "journal/")) {
      bytes += Objects.requireNonNull(objects.head(each)).bytes();
    }
    long begun = System.nanoTime();
    try (ExecutorService threads = Executors.newFixedThreadPool(CONNECTIONS)) {
      var _ =
          new Restore(objects, directory.resolve("restored"), threads, CONNECTIONS)
              .run(Long.MAX_VALUE);
    }
    double seconds = (System.nanoTime() - begun) / 1e9;
    System.out.printf(
        "%s, %s: %.0f MB in %.1f s, %.0f MB/s%n",
        name, sealed ? "segments" : "frames", bytes / 1e6, seconds, bytes / 1e6 / seconds);
    assertTrue(bytes > (long) events * BODY_BYTES / 4 * 3, "bytes: " + bytes);
    begun = System.nanoTime();
    try (EmbeddedStore store =
        EmbeddedStore.open(
            StoreConfig.at(directory.resolve("restored")).withLanes(2, 2).withDiskReserveBytes(0),
            Runnable::run)) {
      System.out.printf("opened in %.1f s%n", (System.nanoTime() - begun) / 1e9);
      assertEquals(
          events, Math.max(store.recovery().eventsReplayed(), store.statistics().segmentEvents()));
    }
  }

  private void step(Backup backup) {
    monotonic.addAndGet(60_000_000_000L);
    backup.step();
  }

  private static void write(EmbeddedStore store, int events, Runnable ship) {
    var random = new SplittableRandom(7);
    byte[] body = new byte[BODY_BYTES];
    try (var batch = new EventBatch(BATCH, 2 * BATCH * BODY_BYTES)) {
      for (int n = 0; n < events; n++) {
        for (int i = 0; i < body.length; i++) {
          body[i] = (byte) (32 + random.nextInt(95));
        }
        batch.begin(TYPE, 0, TYPE.length, 1_700_000_000_000_000_000L + n * 1_000_000L);
        batch.putString(BODY, 0, BODY.length, body);
        assertNull(batch.end());
        if ((n + 1) % BATCH == 0) {
          LaneWriter lane = store.lane(n / BATCH % 2);
          lane.append(
              batch,
              0,
              (_, why) -> {
                throw new AssertionError(why);
              });
          lane.commit(Durability.DISK);
          batch.clear();
        }
        if ((n + 1) % (64 * BATCH) == 0) {
          ship.run();
        }
      }
    }
  }
}
