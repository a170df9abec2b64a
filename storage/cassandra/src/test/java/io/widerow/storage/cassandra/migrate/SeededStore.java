package io.widerow.storage.cassandra.migrate;

import io.widerow.event.EventBatch;
import io.widerow.event.EventId;
import io.widerow.event.PartitionKey;
import io.widerow.event.TimeUuid;
import io.widerow.faults.TestEvent;
import io.widerow.storage.Durability;
import io.widerow.storage.EventCursor;
import io.widerow.storage.PartitionInfo;
import io.widerow.storage.Scan;
import io.widerow.storage.StoreConfig;
import io.widerow.storage.StoreView;
import io.widerow.storage.embedded.EmbeddedStore;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;

/// A directory with seeded events: four types in buckets of a quarter of an hour, an hour and a
/// day, two lanes, four shards, late events, and clients' ids that are written again and again.
final class SeededStore {
  private static final long START_NANOS = 1_763_900_000_000_000_000L;
  private static final long SPAN_NANOS = 30L * 3_600 * 1_000_000_000;
  private static final String[] TYPES = {"nginx.access", "cpu", "app", "daily"};
  private static final int BATCH = 500;
  private static final int OWN_IDS = 300;

  private final SplittableRandom random;
  private StoreConfig config;
  private int number;
  private int ids; // where clients' ids begin

  SeededStore(Path directory, long seed) {
    this.random = new SplittableRandom(seed);
    this.config =
        StoreConfig.at(directory)
            .withLanes(2, 4)
            .withBuckets(60, Map.of("cpu", 15, "daily", 1_440))
            .withMemory(8 << 20, Duration.ofMinutes(10))
            .withDiskReserveBytes(0);
  }

  /// The next openings have other shards, lanes and widths.
  void changeLayout() {
    config = config.withLanes(3, 6).withBuckets(30, Map.of("cpu", 60, "daily", 240));
  }

  void daemon(int newNumber) {
    config = config.withDaemon(newNumber);
  }

  /// Clients have other ids here than elsewhere.
  void clientsOfItsOwn() {
    ids = 5_000;
  }

  EmbeddedStore open() {
    return EmbeddedStore.open(config, Runnable::run);
  }

  /// Opens the store, writes, and closes it.
  void write(int events) {
    try (EmbeddedStore store = open()) {
      write(store, events);
    }
  }

  void write(EmbeddedStore store, int events) {
    int lanes = store.lanes();
    List<EventBatch> batches = new ArrayList<>();
    for (int lane = 0; lane < lanes; lane++) {
      batches.add(new EventBatch(1 << 20, 8 << 20));
    }
    for (int done = 0; done < events; done += BATCH) {
      batches.forEach(EventBatch::clear);
      for (int i = done; i < Math.min(events, done + BATCH); i++) {
        add(store, batches);
      }
      for (int lane = 0; lane < lanes; lane++) {
        store
            .lane(lane)
            .append(
                batches.get(lane),
                random.nextLong(),
                (index, why) -> {
                  throw new AssertionError(index + ": " + why);
                });
        store.lane(lane).commit(Durability.OS);
      }
    }
    batches.forEach(EventBatch::close);
  }

  /// Seals everything and merges closed buckets: small partitions become larger ones.
  static void merge(EmbeddedStore store) {
    store.sealAll();
    store.maintain();
  }

  private void add(EmbeddedStore store, List<EventBatch> batches) {
    int n = number++;
    byte[] type = TYPES[random.nextInt(TYPES.length)].getBytes(StandardCharsets.UTF_8);
    long late = random.nextInt(20) == 0 ? random.nextLong(SPAN_NANOS) : 0;
    long time = START_NANOS + (n % 200_000) * (SPAN_NANOS / 200_000) - late;
    EventBatch batch;
    if (random.nextInt(10) == 0) {
      EventId id = ownId(random.nextInt(OWN_IDS));
      batch = batches.get(store.laneOf(id));
      batch.begin(type, 0, type.length, id);
    } else {
      batch = batches.get(random.nextInt(batches.size()));
      batch.begin(type, 0, type.length, time);
    }
    String text = "GET /cart/%d HTTP/1.1 200 %d".formatted(n % 977, n);
    byte[] body = text.getBytes(StandardCharsets.UTF_8);
    put("body", name -> batch.putString(name, 0, name.length, body));
    if (n % 3 == 0) {
      put("load", name -> batch.putDouble(name, 0, name.length, n / 7.0));
    }
    if (n % 5 == 0) {
      put("n", name -> batch.putLong(name, 0, name.length, n));
    }
    if (n % 7 == 0) {
      put("ok", name -> batch.putBoolean(name, 0, name.length, n % 2 == 0));
    }
    var refused = batch.end();
    if (refused != null) {
      throw new AssertionError("event %d: %s".formatted(n, refused));
    }
  }

  private interface Put {
    void with(byte[] name);
  }

  private static void put(String name, Put put) {
    put.with(name.getBytes(StandardCharsets.UTF_8));
  }

  private EventId ownId(int number) {
    long nanos = START_NANOS + number * (SPAN_NANOS / OWN_IDS);
    return new EventId(TimeUuid.timeOfNanos(nanos), TimeUuid.tailOf(0, 17, ids + number));
  }

  /// The partitions of a stopped directory.
  static List<PartitionKey> keys(Path directory) {
    try (EmbeddedStore store = EmbeddedStore.openForReading(directory);
        StoreView view = store.view()) {
      return Views.partitions(view, null).stream().map(PartitionInfo::key).toList();
    }
  }

  /// Everything that a stopped directory shows.
  static List<String> read(Path directory, boolean descending) {
    try (EmbeddedStore store = EmbeddedStore.openForReading(directory);
        StoreView view = store.view()) {
      return read(view, descending);
    }
  }

  /// Everything that a view shows, an event a line, without versions.
  static List<String> read(StoreView view, boolean descending) {
    List<PartitionKey> keys =
        Views.partitions(view, null).stream().map(PartitionInfo::key).toList();
    List<String> lines = new ArrayList<>();
    try (EventCursor cursor = view.open(keys, Scan.all().withDescending(descending))) {
      while (Views.next(cursor)) {
        TestEvent event = TestEvent.copyOf(cursor.event());
        boolean own = event.version() != 0;
        lines.add("%s %s %s %s".formatted(event.id(), own, event.type(), event.attributes()));
      }
    }
    return lines;
  }
}
