package io.widerow.faults;

import io.widerow.event.EventBatch;
import io.widerow.storage.Durability;
import io.widerow.storage.LaneWriter;
import io.widerow.storage.StoreConfig;
import io.widerow.storage.embedded.EmbeddedStore;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.Executors;

/// Program that [StoreKillTest] kills: it appends numbered events to a real store and reports on
/// standard output how many are acknowledged, after they are.
public final class KilledWriter {
  private KilledWriter() {}

  public static StoreConfig config(Path directory) {
    return StoreConfig.at(directory)
        .withBuckets(60, Map.of())
        .withMemory(4 << 20, Duration.ofSeconds(1))
        .withJournal(1 << 20, 2 << 20)
        .withDiskReserveBytes(0)
        .withAges(Duration.ZERO, null);
  }

  /// The same with one more set of rows, each filled so soon that two are sealed at once.
  static StoreConfig busyConfig(Path directory) {
    return config(directory).withMemory(192 << 20, Duration.ofMillis(1));
  }

  /// @param args directory, first number, seed, and `busy` for that configuration
  public static void main(String[] args) throws Exception {
    Path directory = Path.of(args[0]);
    long number = Long.parseLong(args[1]);
    var random = new SplittableRandom(Long.parseLong(args[2]));
    boolean busy = args.length > 3;
    try (var background = Executors.newFixedThreadPool(busy ? 3 : 1);
        var store =
            EmbeddedStore.open(busy ? busyConfig(directory) : config(directory), background);
        var batch = new EventBatch(1 << 16, 1 << 22)) {
      System.out.println("open");
      LaneWriter lane = store.lane(0);
      while (true) {
        for (int batches = 1 + random.nextInt(3); batches > 0; batches--) {
          batch.clear();
          for (int events = 1 + random.nextInt(120); events > 0; events--) {
            NumberedEvents.add(batch, number++);
          }
          lane.append(
              batch,
              random.nextLong(),
              (index, why) -> {
                throw new IllegalStateException(index + ": " + why);
              });
        }
        lane.commit(Durability.DISK);
        System.out.println(number);
        if (busy || random.nextInt(20) == 0) {
          store.maintain();
        }
      }
    }
  }
}
