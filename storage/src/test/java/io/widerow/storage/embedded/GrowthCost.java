package io.widerow.storage.embedded;

import io.widerow.event.AttributeName;
import io.widerow.event.AttributeValue;
import io.widerow.event.EventBatch;
import io.widerow.event.PartitionKey;
import io.widerow.faults.AccessLogEvents;
import io.widerow.storage.Durability;
import io.widerow.storage.EventCursor;
import io.widerow.storage.LaneWriter;
import io.widerow.storage.PartitionInfo;
import io.widerow.storage.Scan;
import io.widerow.storage.StoreConfig;
import io.widerow.storage.StoreStatistics;
import io.widerow.storage.StoreView;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/// Measurement of how a store's costs grow with its size: events of 30 days, about 100 million in a
/// full run. At each size: the rate of the last million appends, the time to open after a clean
/// stop, the cost of the latest 100 events of all partitions, and the heap.
///
/// ```
/// GrowthCost <empty directory> <millions> <millions> ...        rising
/// ```
///
/// With `-Dunmerged=true` segments stay as they were sealed, which gives the most files.
final class GrowthCost {
  private static final int BATCH_EVENTS = 1_000;
  private static final int EVENTS_PER_SECOND = 40;
  private static final int LATEST = 100;
  private static final int CALLS = 51;
  private static final int OPENINGS = 3;
  private static final int MILLION = 1_000_000;

  private GrowthCost() {}

  /// @param args an empty directory, then sizes
  public static void main(String[] args) throws InterruptedException {
    StoreConfig config =
        StoreConfig.at(Path.of(args[0]).toAbsolutePath().resolve("store"))
            .withDiskReserveBytes(0)
            .withAges(Duration.ofDays(Boolean.getBoolean("unmerged") ? 3_650 : 1), null);
    var source =
        new AccessLogEvents(
            AccessLogEvents.REAL_LOG,
            1,
            Instant.parse("2026-10-01T00:00:00Z"),
            EVENTS_PER_SECOND,
            0.02);
    System.out.println(
        "millions, last million events/s, settle s, segments, B/event,"
            + " open ms, latest 100 us, heap MB");
    try (ExecutorService background = Executors.newFixedThreadPool(2);
        var batch = new EventBatch(1 << 20, 16 << 20)) {
      for (int i = 1; i < args.length; i++) {
        grow(config, background, source, batch, Integer.parseInt(args[i]));
      }
    }
  }

  private static void grow(
      StoreConfig config,
      ExecutorService background,
      AccessLogEvents source,
      EventBatch batch,
      int millions)
      throws InterruptedException {
    double rate = 0;
    double settle;
    try (EmbeddedStore store = EmbeddedStore.open(config, background)) {
      while (source.made() < (long) millions * MILLION) {
        rate = appendMillion(store, source, batch);
        store.maintain();
      }
      long start = System.nanoTime();
      store.sealAll();
      store.awaitBackground();
      store.maintain();
      store.awaitBackground();
      settle = (System.nanoTime() - start) / 1e9;
    }
    long[] open = new long[OPENINGS];
    for (int i = 0; i < OPENINGS; i++) {
      long start = System.nanoTime();
      EmbeddedStore store = EmbeddedStore.open(config, background);
      open[i] = System.nanoTime() - start;
      store.close();
    }
    Arrays.sort(open);
    try (EmbeddedStore store = EmbeddedStore.open(config, background)) {
      StoreStatistics statistics = store.statistics();
      double latest = latestMicros(store, source.made());
      System.gc();
      long heap = ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
      System.out.printf(
          "%d, %.0f, %.1f, %d, %.2f, %.0f, %.0f, %.0f%n",
          millions,
          rate,
          settle,
          statistics.segments(),
          (double) statistics.segmentBytes() / statistics.segmentEvents(),
          open[OPENINGS / 2] / 1e6,
          latest,
          heap / 1e6);
    }
  }

  private static double appendMillion(
      EmbeddedStore store, AccessLogEvents source, EventBatch batch) {
    LaneWriter lane = store.lane(0);
    long nanos = 0;
    for (int i = 0; i < MILLION / BATCH_EVENTS; i++) {
      batch.clear();
      source.fill(batch, BATCH_EVENTS);
      long start = System.nanoTime();
      lane.append(
          batch,
          0,
          (index, why) -> {
            throw new IllegalStateException(index + ": " + why);
          });
      lane.commit(Durability.OS);
      nanos += System.nanoTime() - start;
    }
    return MILLION * 1e9 / nanos;
  }

  /// The latest of the whole store, newest bucket first, as a query would read them.
  private static double latestMicros(EmbeddedStore store, long events) {
    var body = new AttributeValue();
    long[] nanos = new long[CALLS];
    for (int call = 0; call < CALLS; call++) {
      long start = System.nanoTime();
      long bytes = 0;
      int seen = 0;
      try (StoreView view = store.view()) {
        List<PartitionKey> keys =
            view.partitions(_ -> true, 0, Long.MAX_VALUE / 2).stream()
                .map(PartitionInfo::key)
                .toList();
        for (PartitionKey key : keys.reversed()) {
          try (EventCursor cursor = view.open(List.of(key), Scan.all().withDescending(true))) {
            while (seen < LATEST && cursor.next() == EventCursor.Step.EVENT) {
              bytes += cursor.event().find(AttributeName.BODY, body) ? body.length() : 0;
              seen++;
            }
          }
          if (seen == LATEST) {
            break;
          }
        }
      }
      nanos[call] = System.nanoTime() - start;
      if (seen != LATEST || bytes == 0) {
        throw new IllegalStateException(seen + " events of " + events);
      }
    }
    Arrays.sort(nanos);
    return nanos[CALLS / 2] / 1e3;
  }
}
