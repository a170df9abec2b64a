package io.widerow.storage.cassandra.read;

import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.event.AttributeKind;
import io.widerow.event.AttributeName;
import io.widerow.event.Bucket;
import io.widerow.event.EventBatch;
import io.widerow.event.EventId;
import io.widerow.event.EventLayout;
import io.widerow.event.PartitionKey;
import io.widerow.event.TimeUuid;
import io.widerow.faults.Appends;
import io.widerow.faults.FileJournal;
import io.widerow.faults.SimDisk;
import io.widerow.faults.TestClock;
import io.widerow.faults.TestEvent;
import io.widerow.storage.Durability;
import io.widerow.storage.RetentionLookup;
import io.widerow.storage.StoreConfig;
import io.widerow.storage.cassandra.keyspace.BucketRow;
import io.widerow.storage.cassandra.keyspace.DaemonRow;
import io.widerow.storage.cassandra.keyspace.Directory;
import io.widerow.storage.cassandra.keyspace.SegmentKey;
import io.widerow.storage.cassandra.keyspace.Stamp;
import io.widerow.storage.cassandra.value.SegmentValue;
import io.widerow.storage.embedded.EmbeddedStore;
import io.widerow.storage.segment.SegmentProfile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.ForkJoinPool;

/// Writes one stream of events to a keyspace, as several daemons would in rounds, and to an
/// embedded store, in the order of the rounds. There all events have clients' ids, so that both
/// have the same ones.
///
/// - Threads: one.
final class ClusterWorld implements AutoCloseable {
  static final long START_NANOS = 1_763_596_800_000_000_000L; // 2025-11-20
  static final long HOUR = 3_600_000_000_000L;
  static final AttributeName STATUS = AttributeName.of("status");
  private static final int PART_EVENTS = 25;
  private static final int[] DAEMONS = {0, 1, 200};

  /// Width of the buckets by type, in minutes; types with `own` in the name have clients' ids.
  private static final Map<String, Integer> WIDTHS =
      Map.of("a", 60, "b", 5, "c", 1_440, "d", 60, "own", 60, "own.day", 1_440, "w", 8 * 1_440);

  private static final List<String> TYPES = List.copyOf(new TreeSet<>(WIDTHS.keySet()));

  final HookedKeyspace keyspace = new HookedKeyspace();
  final SplittableRandom random;
  final EmbeddedStore reference;
  final ClusterReader reader;
  private final List<Daemon> daemons = new ArrayList<>();
  private final Map<PartitionKey, List<Applied>> written = new TreeMap<>();
  private final List<EventId> ownIds = new ArrayList<>();
  private final Set<BucketRow> catalog = new java.util.HashSet<>();
  private long micros = 1_000_000;

  /// An event as it was applied.
  private record Applied(int daemon, long stamp, TestEvent event) {}

  /// An event that a daemon has and did not apply.
  private record Pending(int lane, int shard, long counter, TestEvent event) {}

  /// One daemon: its lanes, its counter, its rounds.
  private static final class Daemon {
    final int number;
    final int lanes;
    final int shards;
    final long[] limits;
    final List<Pending> pending = new ArrayList<>();
    long counter = 1;
    int rounds;

    Daemon(int number, int lanes, int shards) {
      this.number = number;
      this.lanes = lanes;
      this.shards = shards;
      this.limits = new long[lanes];
    }

    long stamp() {
      return rounds == 0 ? Stamp.NONE : Stamp.of(1, rounds);
    }
  }

  ClusterWorld(long seed) {
    this(seed, ReadOptions.DEFAULT.withPatience(Duration.ofSeconds(5)));
  }

  ClusterWorld(long seed, ReadOptions options) {
    random = new SplittableRandom(seed);
    reader =
        new ClusterReader(keyspace, RetentionLookup.FOREVER, options, ForkJoinPool.commonPool());
    SimDisk disk = new SimDisk(seed);
    StoreConfig config =
        StoreConfig.at(Path.of("/store")).withDiskReserveBytes(0).withJournal(1 << 20, 4 << 20);
    reference = FileJournal.openStore(config, disk, new TestClock(START_NANOS + 1000 * HOUR));
    for (int i = 0; i < DAEMONS.length; i++) {
      daemons.add(new Daemon(DAEMONS[i], 1 + i % 2, 2 + 2 * (i % 2)));
      assertTrue(keyspace.begin(DAEMONS[i], null, new UUID(3, i), "host" + i, 1, 1L << 28).join());
    }
  }

  /// One daemon takes events in and applies a round of them.
  void round() {
    Daemon daemon = daemons.get(random.nextInt(daemons.size()));
    int count = 1 + random.nextInt(60);
    for (int i = 0; i < count; i++) {
      take(daemon);
    }
    apply(daemon);
  }

  private void take(Daemon daemon) {
    String type = TYPES.get(random.nextInt(TYPES.size()));
    long counter = daemon.counter++;
    long time = START_NANOS + random.nextLong(random.nextInt(4) == 0 ? 40 * HOUR : 2 * HOUR);
    time -= time % 1_000;
    EventId id;
    int shard;
    if (type.startsWith("own")) {
      boolean again = !ownIds.isEmpty() && random.nextInt(3) == 0;
      id =
          again
              ? ownIds.get(random.nextInt(ownIds.size()))
              : new EventId(TimeUuid.timeOfNanos(time), TimeUuid.tailOf(time, 7, counter));
      ownIds.add(id);
      shard = Math.floorMod(id.hashCode(), daemon.shards);
    } else {
      id = new EventId(TimeUuid.timeOfNanos(time), TimeUuid.tailOf(time, daemon.number, counter));
      shard = random.nextInt(daemon.shards);
    }
    TreeMap<AttributeName, Object> attributes = new TreeMap<>();
    TestEvent.putText(attributes, "body", "line %d of %d".formatted(counter, daemon.number));
    TestEvent.putBits(attributes, "status", AttributeKind.LONG, 200 + random.nextInt(3));
    TestEvent event = new TestEvent(id, EventLayout.VERSION_ASSIGNED, type, attributes);
    daemon.pending.add(new Pending(shard % daemon.lanes, shard, counter, event));
  }

  /// Applies what one daemon has, up to a limit in each lane.
  private void apply(Daemon daemon) {
    long from = Long.MAX_VALUE;
    for (long limit : daemon.limits) {
      from = Math.min(from, limit);
    }
    for (int lane = 0; lane < daemon.lanes; lane++) {
      int in = lane;
      List<Pending> there = daemon.pending.stream().filter(event -> event.lane == in).toList();
      boolean all = there.isEmpty() || random.nextInt(3) > 0;
      daemon.limits[lane] = all ? daemon.counter : there.get(random.nextInt(there.size())).counter;
    }
    daemon.rounds++;
    micros += 1_000_000;
    long base = micros;
    Map<PartitionKey, TreeMap<EventId, TestEvent>> round = new TreeMap<>();
    for (Pending one : List.copyOf(daemon.pending)) {
      if (one.counter < daemon.limits[one.lane]) {
        daemon.pending.remove(one);
        TestEvent event = one.event;
        if (event.type().startsWith("own")) {
          long version = ((base + one.counter - from) << 9) | daemon.number;
          event = new TestEvent(event.id(), version, event.type(), event.attributes());
        }
        round.computeIfAbsent(partition(daemon, one), _ -> new TreeMap<>()).put(event.id(), event);
        refer(event);
      }
    }
    round.forEach((key, events) -> write(daemon, key, List.copyOf(events.values())));
    List<Long> limits = new ArrayList<>();
    for (long limit : daemon.limits) {
      limits.add(limit);
    }
    reference.lane(0).commit(Durability.DISK);
    long span = daemon.counter - from;
    keyspace
        .applied(
            daemon.number, new DaemonRow.Applied(daemon.stamp(), (base + span + 1) << 9, limits))
        .join();
  }

  /// The partition of an event. Type `d` was given narrower buckets on the way.
  private static PartitionKey partition(Daemon daemon, Pending one) {
    String type = one.event.type();
    int width = type.equals("d") && daemon.rounds % 2 == 0 ? 15 : WIDTHS.getOrDefault(type, 60);
    long time = TimeUuid.tickNanos(one.event.id().time());
    int minute = Math.toIntExact(time / PartitionKey.NANOS_PER_MINUTE);
    return new PartitionKey(minute - minute % width, width, type, one.shard);
  }

  private void refer(TestEvent event) {
    byte[] type = event.type().getBytes(StandardCharsets.UTF_8);
    try (var batch = new EventBatch(1 << 12, 1 << 20)) {
      batch.begin(type, 0, type.length, event.id());
      event
          .attributes()
          .forEach((name, value) -> {
            byte[] utf8 = name.toString().getBytes(StandardCharsets.UTF_8);
            if (value instanceof TestEvent.Words words) {
              batch.putString(utf8, 0, utf8.length, words.bytes().array());
            } else if (value instanceof TestEvent.Bits bits) {
              batch.putLong(utf8, 0, utf8.length, bits.bits());
            }
          });
      assertNull(batch.end());
      Appends.all(reference.lane(0), batch, 0);
    }
  }

  private void write(Daemon daemon, PartitionKey key, List<TestEvent> events) {
    BucketRow bucket = new BucketRow(Bucket.of(key), key.type(), daemon.shards);
    if (catalog.add(bucket)) {
      keyspace.addBucket(bucket).join();
    }
    events.forEach(event ->
        written
            .computeIfAbsent(key, _ -> new ArrayList<>())
            .add(new Applied(daemon.number, daemon.stamp(), event)));
    put(key, SegmentKey.APPLIED, daemon.number, daemon.stamp(), events);
  }

  private void put(PartitionKey key, int tier, int daemon, long seq, List<TestEvent> events) {
    SegmentProfile form = tier == SegmentKey.APPLIED ? SegmentProfile.SEALED : SegmentProfile.FINAL;
    try (var writer = new SegmentValue.Writer(key, form, keyspace.identity().id())) {
      for (int at = 0, part = 0; at < events.size(); at += PART_EVENTS, part++) {
        events.subList(at, Math.min(events.size(), at + PART_EVENTS)).forEach(writer::add);
        SegmentValue.Encoded encoded = writer.finish();
        keyspace
            .write(encoded.row(new SegmentKey(key, tier, daemon, seq, part)), encoded.bytes(), 0)
            .join();
      }
    }
  }

  /// Some partition that has events.
  PartitionKey anyPartition() {
    return List.copyOf(written.keySet()).get(random.nextInt(written.size()));
  }

  Set<PartitionKey> partitions() {
    return written.keySet();
  }

  /// Merges a partition, as any daemon might, and deletes what the merge covers.
  void merge(PartitionKey key) {
    Map<Integer, Long> covered = new HashMap<>();
    daemons.forEach(daemon -> covered.put(daemon.number, daemon.stamp()));
    Directory before = keyspace.directory(key).join();
    TreeMap<EventId, TestEvent> latest = new TreeMap<>();
    for (Applied one : written.getOrDefault(key, List.of())) {
      latest.merge(one.event.id(), one.event, (a, b) -> a.version() > b.version() ? a : b);
    }
    int next = before.generation() + 1;
    put(key, SegmentKey.MERGED, 200, next, List.copyOf(latest.values()));
    assertTrue(keyspace.swap(key, before.generation(), next, covered).join());
    if (random.nextInt(3) == 0) {
      return; // killed before it has deleted what it covers
    }
    covered.forEach(
        (daemon, stamp) -> keyspace.delete(key, SegmentKey.APPLIED, daemon, 0, stamp).join());
    if (before.generation() > 0) {
      keyspace.delete(key, SegmentKey.MERGED, 200, before.generation(), before.generation()).join();
    }
  }

  /// Orders events as an answer does.
  static Comparator<TestEvent> order() {
    return Comparator.comparing(TestEvent::id).thenComparing(TestEvent::type);
  }

  @Override
  public void close() {
    reader.close();
    reference.close();
  }
}
