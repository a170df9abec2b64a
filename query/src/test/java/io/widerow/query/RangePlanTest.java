package io.widerow.query;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.query.StoreDirectory.Stored;
import io.widerow.storage.EventCursor;
import io.widerow.storage.StoreConfig;
import io.widerow.storage.StoreView;
import io.widerow.storage.embedded.EmbeddedStore;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Goal: a wide bucket does not make a query open all hours inside of it at once, and each event is
/// read once. Method: thin history of years in a store on disk, merged into wide buckets, then
/// thousands of busy hours amid it.
class RangePlanTest {
  private static final long HOUR = Duration.ofHours(1).toNanos();

  /// Of a wide bucket, long ago.
  private static final long START = 30 * 512 * 24 * HOUR;

  private static final int HOURS = 3_000;
  private static final int PARTITIONS_MAX = 1_100;

  @TempDir Path directory;

  private final List<Long> times = new ArrayList<>();
  private EmbeddedStore store;

  @BeforeEach
  void fill() {
    store = EmbeddedStore.open(StoreConfig.at(directory.resolve("store")), Runnable::run);
    append(512 * 24 / 300, 300);
    store.sealAll();
    store.maintain();
    assertEquals(1, store.statistics().segments(), "one wide bucket");
    append(1, HOURS);
  }

  /// Appends an event every some hours.
  private void append(int everyHours, int count) {
    List<Stored> events = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      long time = START + (long) i * everyHours * HOUR + times.size();
      times.add(time);
      events.add(new Stored("app", time, Map.of("body", "x" + i)));
    }
    StoreDirectory.append(store, events);
  }

  @AfterEach
  void close() {
    store.close();
  }

  private List<Long> read(RangeQuery query) {
    var budget = new QueryBudget(PARTITIONS_MAX, Long.MAX_VALUE, Duration.ofHours(1));
    List<Long> read = new ArrayList<>();
    try (StoreView view = store.view();
        var reader = RangeReader.open(view, query, budget)) {
      assertTrue(reader.planSize().groups() > 2, reader.planSize() + "");
      while (reader.next() == EventCursor.Step.EVENT) {
        read.add(reader.event().timeNanos());
      }
    }
    return read;
  }

  @Test
  void busyHoursInAWideBucketAreReadInParts() {
    List<Long> sorted = times.stream().sorted().toList();
    assertEquals(sorted, read(RangeQuery.ALL));
    assertEquals(sorted.reversed(), read(RangeQuery.ALL.withDescending(true)));
    long from = sorted.get(17);
    long until = sorted.get(sorted.size() - 17);
    assertEquals(
        sorted.subList(17, sorted.size() - 17), read(RangeQuery.ALL.withRange(from, until)));
  }
}
