package io.widerow.storage.objects;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.faults.FileJournal;
import io.widerow.faults.Seeds;
import io.widerow.faults.SimDisk;
import io.widerow.faults.StoreDriver;
import io.widerow.faults.TestClock;
import io.widerow.storage.Durability;
import io.widerow.storage.StoreConfig;
import io.widerow.storage.embedded.EmbeddedStore;
import io.widerow.storage.embedded.StoreOpener;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/// Goal: a day of a busy store costs few requests: the frames of each two seconds one PUT, the
/// owner a GET each half minute, and a checkpoint an hour. Method: a simulated hour with events in
/// each second, and its calls by kind. The number of events does not matter, as long as two seconds
/// of them fit into an object of frames.
class BackupRequestsTest {
  private static final long SECOND = 1_000_000_000L;
  private static final int HOUR = 3_600;

  @Test
  void anHourCostsFewRequests() {
    var random = new SplittableRandom(Seeds.one());
    var clock = new TestClock(1_700_000_000L * SECOND);
    var disk = new SimDisk(1);
    var objects = new SimulatedObjects(random.split());
    StoreConfig config =
        StoreConfig.at(Path.of("/store"))
            .withLanes(1, 1)
            .withBuckets(60, Map.of())
            .withDiskReserveBytes(0);
    var options =
        new BackupOptions(
            Duration.ofSeconds(2),
            Duration.ofHours(1),
            1L << 40,
            BackupOptions.OBJECT_BYTES,
            "host",
            RetentionOptions.of(Duration.ofDays(7), 35));
    try (var driver = new StoreDriver(random);
        var store =
            new EmbeddedStore(
                new StoreOpener(config, disk, clock, Runnable::run)
                    .open(_ -> new FileJournal.Factory(disk, config, 1 << 16)));
        var backup = new Backup(store::backup, objects, options, clock::monotonicNanos)) {
      backup.step();
      backup.checkpoint();
      Map<String, Long> before = Map.copyOf(objects.counts());
      for (int second = 0; second < HOUR; second++) {
        driver.append(store, clock.wallNanos(), 3);
        driver.commit(store, Durability.DISK);
        store.maintain();
        clock.advance(SECOND);
        backup.step();
        backup.checkpoint();
      }
      assertEquals("shipping", backup.status().state(), () -> backup.status().toString());
      long all = 0;
      for (Map.Entry<String, Long> kind : objects.counts().entrySet()) {
        long calls = kind.getValue() - before.getOrDefault(kind.getKey(), 0L);
        System.out.printf("%s: %d an hour, %d a day%n", kind.getKey(), calls, 24 * calls);
        all += calls;
      }
      long sum = all;
      assertTrue(sum < 2_300, () -> sum + " requests an hour");
    }
  }
}
