package io.widerow.storage.embedded;

import io.widerow.event.EventBatch;
import io.widerow.faults.Appends;
import io.widerow.storage.Durability;
import io.widerow.storage.EventCursor;
import io.widerow.storage.LaneArrivals;
import io.widerow.storage.PartitionInfo;
import io.widerow.storage.Scan;
import io.widerow.storage.StoreConfig;
import io.widerow.storage.StoreView;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.jspecify.annotations.Nullable;

/// Measurement of a backlog: what a drained store holds after an outage of the cluster is read from
/// its start, and from its middle. Run it with a small heap, `-Xmx64m`: reading is one pass.
///
/// ```
/// SpoolCost <empty directory> <MiB of backlog> <late events of 100>
/// ```
final class SpoolCost {
  private static final byte[] TYPE = "app".getBytes(StandardCharsets.UTF_8);
  private static final byte[] BODY = "body".getBytes(StandardCharsets.UTF_8);
  private static final int BODY_BYTES = 1_000;
  private static final int BATCH_EVENTS = 500;
  private static final long MIB = 1 << 20;
  private static final long SECONDS = 1_000_000_000L;
  private static final long HOUR = 3_600 * SECONDS;

  private SpoolCost() {}

  /// @param args an empty directory, MiB of segments, share of late events
  public static void main(String[] args) throws InterruptedException {
    StoreConfig config =
        StoreConfig.at(Path.of(args[0]).toAbsolutePath().resolve("store"))
            .withLanes(2, 4)
            .withBuckets(60, Map.of())
            .withMemory(64 * MIB, Duration.ofMinutes(1))
            .withJournal(16 * MIB, 64 * MIB)
            .withDiskReserveBytes(0);
    long bytes = Long.parseLong(args[1]) * MIB;
    int late = Integer.parseInt(args[2]);
    LaneArrivals middle = null;
    try (ExecutorService background = Executors.newFixedThreadPool(2)) {
      try (EmbeddedStore store = EmbeddedStore.openSpool(config, background)) {
        var random = new SplittableRandom(1);
        long from = store.nowNanos() - HOUR;
        long batches = bytes / (BODY_BYTES * (long) BATCH_EVENTS);
        for (long i = 0; i < batches; i++) {
          append(store, (int) (i % 2), from + i * HOUR / batches, late, random);
          middle = i == batches / 2 ? position(store) : middle;
        }
        store.sealAll();
        store.awaitBackground();
        read(store, null, "all");
        read(store, middle, "from the middle");
      }
      try (EmbeddedStore store = EmbeddedStore.openSpool(config, background)) {
        read(store, null, "all, opened again");
        long start = System.nanoTime();
        store.release(position(store));
        store.awaitBackground();
        System.out.printf(
            "released: %d segments left after %d ms%n",
            store.statistics().segments(), (System.nanoTime() - start) / 1_000_000);
      }
    }
  }

  private static LaneArrivals position(EmbeddedStore store) {
    try (StoreView view = store.view()) {
      return (LaneArrivals) view.arrivals();
    }
  }

  private static void append(
      EmbeddedStore store, int lane, long nowNanos, int late, SplittableRandom random) {
    byte[] body = new byte[BODY_BYTES];
    try (var batch = new EventBatch(BATCH_EVENTS, 2 * BATCH_EVENTS * BODY_BYTES)) {
      for (int i = 0; i < BATCH_EVENTS; i++) {
        random.nextBytes(body);
        long time = nowNanos - (random.nextInt(100) < late ? random.nextLong(HOUR) : 0);
        batch.begin(TYPE, 0, TYPE.length, time);
        batch.putBytes(BODY, 0, BODY.length, body, 0, body.length);
        if (batch.end() != null) {
          throw new IllegalStateException("refused");
        }
      }
      Appends.all(store.lane(lane), batch, random.nextLong());
    }
    store.lane(lane).commit(Durability.DISK);
  }

  private static void read(EmbeddedStore store, @Nullable LaneArrivals from, String what) {
    long start = System.nanoTime();
    long events = 0;
    long blocks = 0;
    long blockBytes = 0;
    try (StoreView view = store.view()) {
      Scan scan = Scan.all().withSince(from);
      for (PartitionInfo each : view.partitions(_ -> true, 0, Long.MAX_VALUE / 2, from)) {
        try (EventCursor cursor = view.open(List.of(each.key()), scan)) {
          while (cursor.next() == EventCursor.Step.EVENT) {
            events++;
          }
          blocks += cursor.statistics().blocksRead();
          blockBytes += cursor.statistics().bytesRead();
        }
      }
    }
    System.out.printf(
        "%s: %d segments of %d MiB; %d events, %d blocks, %d MiB read in %d ms%n",
        what,
        store.statistics().segments(),
        store.statistics().segmentBytes() / MIB,
        events,
        blocks,
        blockBytes / MIB,
        (System.nanoTime() - start) / 1_000_000);
  }
}
