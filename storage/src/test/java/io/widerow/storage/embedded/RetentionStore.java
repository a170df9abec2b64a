package io.widerow.storage.embedded;

import io.widerow.event.AttributeName;
import io.widerow.event.AttributeValue;
import io.widerow.event.EventBatch;
import io.widerow.event.EventView;
import io.widerow.event.PartitionKey;
import io.widerow.event.Rejection;
import io.widerow.event.RetentionPolicy;
import io.widerow.faults.FileJournal;
import io.widerow.faults.SimDisk;
import io.widerow.faults.TestClock;
import io.widerow.storage.Arrivals;
import io.widerow.storage.Durability;
import io.widerow.storage.EventCursor;
import io.widerow.storage.LaneWriter;
import io.widerow.storage.PartitionInfo;
import io.widerow.storage.Scan;
import io.widerow.storage.StoreConfig;
import io.widerow.storage.StoreView;
import io.widerow.storage.disk.Disk;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Executor;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/// A store on a simulated disk, with a clock that the test sets, for tests of retention.
final class RetentionStore implements AutoCloseable {
  static final long START_NANOS = 1_700_000_000_000_000_000L / HourNanos.VALUE * HourNanos.VALUE;
  static final Duration HOUR = Duration.ofHours(1);

  /// So short that no history is thin enough for wide buckets.
  static final Duration KEPT = Duration.ofDays(59);

  private static final byte[] BODY = "body".getBytes(StandardCharsets.UTF_8);

  /// For a constant that another one needs.
  private static final class HourNanos {
    static final long VALUE = 3_600_000_000_000L;
  }

  final SimDisk disk;
  final TestClock clock;
  private final Executor background;
  private final int lanes;
  private EmbeddedStore store;
  private int written;

  RetentionStore() {
    this(new SimDisk(1), new TestClock(START_NANOS), Runnable::run);
  }

  /// @param lanes each with two shards
  RetentionStore(int lanes) {
    this(new SimDisk(1), new TestClock(START_NANOS), Runnable::run, lanes);
  }

  RetentionStore(SimDisk disk, TestClock clock, Executor background) {
    this(disk, clock, background, config().lanes());
  }

  private RetentionStore(SimDisk disk, TestClock clock, Executor background, int lanes) {
    this.disk = disk;
    this.clock = clock;
    this.background = background;
    this.lanes = lanes;
    this.store = open(disk);
  }

  static StoreConfig config() {
    return StoreConfig.at(Path.of("/store"))
        .withBuckets(60, Map.of())
        .withMemory(4 << 20, Duration.ofDays(1))
        .withJournal(1 << 20, 4 << 20)
        .withDiskReserveBytes(0)
        .withAges(Duration.ofMinutes(5), KEPT);
  }

  private EmbeddedStore open(Disk seen) {
    StoreConfig config =
        lanes == config().lanes()
            ? config()
            : config()
                .withMemory(lanes * (2L << 20), Duration.ofDays(1))
                .withLanes(lanes, 2 * lanes);
    return new EmbeddedStore(
        new StoreOpener(config, seen, clock, background)
            .open(_ -> new FileJournal.Factory(disk, config)));
  }

  EmbeddedStore store() {
    return store;
  }

  RetentionControl retention() {
    return store.retention();
  }

  void reopen() {
    reopen(disk);
  }

  /// @param seen the disk as the store sees it from now on
  void reopen(Disk seen) {
    store.close();
    store = open(seen);
  }

  static RetentionPolicy rule(String glob, @Nullable Duration age, Duration grace) {
    return new RetentionPolicy(
        glob, age, RetentionPolicy.UNLIMITED, grace, RetentionPolicy.Source.API);
  }

  static RetentionPolicy bytes(String glob, long bytes, Duration grace) {
    return new RetentionPolicy(glob, null, bytes, grace, RetentionPolicy.Source.API);
  }

  /// Writes events of a type at a time.
  ///
  /// @return the sentences with which they were refused
  List<String> write(String type, long nanos, int count) {
    return write(0, type, nanos, count);
  }

  /// The same by a lane.
  List<String> write(int lane, String type, long nanos, int count) {
    List<String> refused = new ArrayList<>();
    byte[] utf8 = type.getBytes(StandardCharsets.UTF_8);
    try (var batch = new EventBatch(1 << 12, 1 << 22)) {
      for (int i = 0; i < count; i++) {
        batch.begin(utf8, 0, utf8.length, nanos + i);
        String body = "%s line %d of %x".formatted(type, written, Integer.hashCode(written++) * 31);
        batch.putString(BODY, 0, BODY.length, body.getBytes(StandardCharsets.UTF_8));
        Rejection why = batch.end();
        if (why != null) {
          throw new AssertionError(why.reason());
        }
      }
      store
          .lane(lane)
          .append(
              batch,
              0,
              new LaneWriter.Rejections() {
                @Override
                public void rejected(int index, Rejection why) {
                  refused.add(why.reason());
                }

                @Override
                public void pastRetention(int index, Duration kept) {
                  refused.add(Rejection.pastRetention(kept));
                }
              });
    }
    store.lane(lane).commit(Durability.DISK);
    return refused;
  }

  /// Seals, closes all buckets that are over, and merges them.
  void merge() {
    store.sealAll();
    clock.advance(Duration.ofMinutes(6).toNanos());
    store.maintain();
  }

  /// What a reader of all types sees: each event with its id, type and text, in order.
  List<String> shown() {
    return shown(_ -> true);
  }

  List<String> shown(Predicate<String> types) {
    return shown(types, null);
  }

  /// @param since only events that arrived from there on; null for all
  List<String> shown(Predicate<String> types, @Nullable Arrivals since) {
    try (StoreView view = store.view()) {
      return shown(view, types, since);
    }
  }

  static List<String> shown(StoreView view, Predicate<String> types, @Nullable Arrivals since) {
    List<String> shown = new ArrayList<>();
    var body = new AttributeValue();
    List<PartitionKey> keys =
        view.partitions(types, 0, Long.MAX_VALUE / 2, since).stream()
            .map(PartitionInfo::key)
            .toList();
    try (EventCursor cursor = view.open(keys, Scan.all().withSince(since))) {
      while (cursor.next() == EventCursor.Step.EVENT) {
        EventView event = cursor.event();
        boolean found = event.find(AttributeName.of("body"), body);
        shown.add(event.id() + " " + event.type() + " " + (found ? body : "nothing"));
      }
    }
    return shown;
  }

  /// Events by type, as a reader sees them.
  Map<String, Long> counts() {
    Map<String, Long> counts = new TreeMap<>();
    for (String event : shown()) {
      counts.merge(event.split(" ", 3)[1], 1L, Long::sum);
    }
    return counts;
  }

  long fileBytes() {
    return store.statistics().segmentBytes();
  }

  long filesOnDisk() {
    return disk.files().stream().filter(file -> file.toString().endsWith(".seg")).count();
  }

  @Override
  public void close() {
    store.close();
  }
}
