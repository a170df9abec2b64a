package io.widerow.storage.cassandra.maintenance;

import io.widerow.cluster.MemoryKeyspace;
import io.widerow.event.AttributeKind;
import io.widerow.event.AttributeName;
import io.widerow.event.Bucket;
import io.widerow.event.EventId;
import io.widerow.event.PartitionKey;
import io.widerow.event.TimeUuid;
import io.widerow.faults.TestEvent;
import io.widerow.storage.ClusterArrivals;
import io.widerow.storage.EventCursor;
import io.widerow.storage.Scan;
import io.widerow.storage.cassandra.keyspace.BucketRow;
import io.widerow.storage.cassandra.keyspace.DaemonRow;
import io.widerow.storage.cassandra.keyspace.Directory;
import io.widerow.storage.cassandra.keyspace.DirectoryRow;
import io.widerow.storage.cassandra.keyspace.Keyspace;
import io.widerow.storage.cassandra.keyspace.SegmentKey;
import io.widerow.storage.cassandra.keyspace.Stamp;
import io.widerow.storage.cassandra.value.SegmentValue;
import io.widerow.storage.cursor.MergeCursor;
import io.widerow.storage.scan.SegmentCursor;
import io.widerow.storage.segment.Segment;
import io.widerow.storage.segment.SegmentProfile;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/// A keyspace with daemons that apply rounds of generated events to one partition, and a reader
/// that shows them as the design says. It records the applied events, so it computes every expected
/// result.
final class TestCluster {
  static final int START_MINUTES = 29_400_000;
  static final PartitionKey PARTITION = new PartitionKey(START_MINUTES, 60, "log", 0);
  private static final int OWN_IDS = 20;

  final MemoryKeyspace memory = new MemoryKeyspace();
  private final RandomGenerator random;
  private final List<Round> rounds = Collections.synchronizedList(new ArrayList<>());
  private final Map<Integer, DaemonState> daemons = new HashMap<>();
  private long versions = 1_000;

  private record Round(int daemon, long stamp, List<TestEvent> events) {}

  private static final class DaemonState {
    long round;
    long counter = 1;
  }

  TestCluster(RandomGenerator random, int daemons) {
    this.random = random;
    for (int daemon = 0; daemon < daemons; daemon++) {
      memory.begin(daemon, null, new UUID(5, daemon), "host" + daemon, 1, 0).join();
      this.daemons.put(daemon, new DaemonState());
    }
    memory.addBucket(new BucketRow(Bucket.of(PARTITION), "log", 1)).join();
  }

  /// A round of a daemon, to be applied by [#apply].
  ///
  /// @param slice events are mostly of this minute of the bucket; negative for all of it
  List<TestEvent> round(int daemon, int events, int slice) {
    TreeMap<EventId, TestEvent> round = new TreeMap<>();
    DaemonState state = daemons.computeIfAbsent(daemon, _ -> new DaemonState());
    for (int i = 0; i < events; i++) {
      TestEvent event = event(daemon, state, slice);
      round.merge(event.id(), event, (a, b) -> a.version() > b.version() ? a : b);
    }
    return List.copyOf(round.values());
  }

  private TestEvent event(int daemon, DaemonState state, int slice) {
    TreeMap<AttributeName, Object> attributes = new TreeMap<>();
    TestEvent.putBits(attributes, "n", AttributeKind.LONG, random.nextInt(1_000));
    TestEvent.putText(attributes, "body", "line " + random.nextInt(50) + " of " + daemon);
    if (random.nextInt(8) == 0) {
      long own = random.nextInt(OWN_IDS);
      EventId id =
          new EventId(
              TimeUuid.timeOfNanos(PARTITION.fromNanos() + own * 150_000_000_000L),
              TimeUuid.tailOf(0, 511, own));
      return new TestEvent(id, versions++ << 9 | daemon, "log", attributes);
    }
    int minute = slice < 0 || random.nextInt(20) == 0 ? random.nextInt(60) : slice;
    long nanos =
        PARTITION.fromNanos()
            + minute * PartitionKey.NANOS_PER_MINUTE
            + random.nextLong(PartitionKey.NANOS_PER_MINUTE);
    EventId id =
        new EventId(TimeUuid.timeOfNanos(nanos), TimeUuid.tailOf(nanos, daemon, state.counter++));
    return new TestEvent(id, 0, "log", attributes);
  }

  /// Applies a round through a keyspace: its parts, then the daemon's row.
  void apply(Keyspace through, int daemon, List<TestEvent> events, int partEvents) {
    DaemonState state = daemons.computeIfAbsent(daemon, _ -> new DaemonState());
    long stamp = Stamp.of(1, ++state.round);
    DaemonRow.Applied applied = new DaemonRow.Applied(stamp, versions << 9, List.of(state.counter));
    rounds.add(new Round(daemon, stamp, events));
    for (int part = 0; part * partEvents < events.size(); part++) {
      int limit = Math.min(events.size(), (part + 1) * partEvents);
      write(
          through,
          new SegmentKey(PARTITION, SegmentKey.APPLIED, daemon, stamp, part),
          events.subList(part * partEvents, limit));
    }
    through.applied(daemon, applied).join();
  }

  void apply(int daemon, int events, int slice) {
    apply(memory, daemon, round(daemon, events, slice), 40);
  }

  /// Writes a segment.
  static void write(Keyspace through, SegmentKey key, List<TestEvent> events) {
    try (var writer =
        new SegmentValue.Writer(key.partition(), SegmentProfile.SEALED, through.identity().id())) {
      events.forEach(writer::add);
      SegmentValue.Encoded encoded = writer.finish();
      through.write(encoded.row(key), encoded.bytes(), 0).join();
    }
  }

  /// A position: what the daemons had applied.
  static ClusterArrivals view(Keyspace keyspace) {
    Map<Integer, ClusterArrivals.Position> positions = new HashMap<>();
    for (DaemonRow row : keyspace.daemons().join()) {
      DaemonRow.Applied applied = row.applied();
      positions.put(
          row.daemon(),
          new ClusterArrivals.Position(
              applied.stamp(), applied.versionLimit(), applied.laneLimits()));
    }
    return new ClusterArrivals(positions);
  }

  /// What a view shows, as the keyspace has it.
  static List<TestEvent> read(Keyspace keyspace, ClusterArrivals view, boolean descending) {
    while (true) {
      Directory directory = keyspace.directory(PARTITION).join();
      List<TestEvent> answer = read(keyspace, view, descending, directory);
      if (answer != null) {
        return answer;
      }
    }
  }

  /// Null when a merge deleted a value during the read.
  private static @Nullable List<TestEvent> read(
      Keyspace keyspace, ClusterArrivals view, boolean descending, Directory directory) {
    Scan scan = Scan.all().withDescending(descending);
    List<EventCursor> cursors = new ArrayList<>();
    for (DirectoryRow row : directory.rows()) {
      SegmentKey key = row.key();
      boolean merged = key.tier() == SegmentKey.MERGED;
      if (!directory.isShown(key) || (!merged && key.seq() > view.stampOf(key.daemon()))) {
        continue;
      }
      ByteBuffer value = keyspace.value(key, true).join();
      if (value == null) {
        return null;
      }
      try (Segment segment = SegmentValue.open(value, row, keyspace.identity().id())) {
        cursors.add(SegmentCursor.open(segment, PARTITION, scan));
      }
    }
    List<TestEvent> answer = new ArrayList<>();
    try (EventCursor events = MergeCursor.of(cursors, descending)) {
      while (events.next() == EventCursor.Step.EVENT) {
        if (!view.isNew(events.event(), PARTITION.shard())) {
          answer.add(TestEvent.copyOf(events.event()));
        }
      }
    }
    return answer;
  }

  /// What a view must show. An older version of an event may be missing when a newer one was
  /// applied after the view.
  List<TestEvent> expected(ClusterArrivals view, boolean descending) {
    TreeMap<EventId, TestEvent> newest = new TreeMap<>();
    for (Round round : List.copyOf(rounds)) {
      if (round.stamp <= view.stampOf(round.daemon)) {
        for (TestEvent event : round.events) {
          newest.merge(event.id(), event, (a, b) -> a.version() > b.version() ? a : b);
        }
      }
    }
    List<TestEvent> expected = new ArrayList<>(newest.values());
    if (descending) {
      Collections.reverse(expected);
    }
    return expected;
  }

  /// True when a newer version of an event was applied after a view.
  boolean isReplacedAfter(ClusterArrivals view, TestEvent event) {
    return List.copyOf(rounds).stream()
        .filter(round -> round.stamp > view.stampOf(round.daemon))
        .flatMap(round -> round.events.stream())
        .anyMatch(other -> other.id().equals(event.id()) && other.version() > event.version());
  }

  Directory directory() {
    return memory.directory(PARTITION).join();
  }
}
