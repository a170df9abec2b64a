package io.widerow.cluster;

import io.widerow.event.Bucket;
import io.widerow.event.EventId;
import io.widerow.event.PartitionKey;
import io.widerow.storage.SourceRange;
import io.widerow.storage.cassandra.keyspace.BucketRow;
import io.widerow.storage.cassandra.keyspace.Claim;
import io.widerow.storage.cassandra.keyspace.DaemonRow;
import io.widerow.storage.cassandra.keyspace.Directory;
import io.widerow.storage.cassandra.keyspace.DirectoryRow;
import io.widerow.storage.cassandra.keyspace.EventRow;
import io.widerow.storage.cassandra.keyspace.Keyspace;
import io.widerow.storage.cassandra.keyspace.KeyspaceHealth;
import io.widerow.storage.cassandra.keyspace.SegmentKey;
import io.widerow.storage.cassandra.keyspace.SourceRows;
import io.widerow.storage.cassandra.keyspace.StoreIdentity;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// A keyspace without faults: every statement is applied at once, on the caller's thread. The
/// reference of what [Keyspace] says; simulated faults go around it.
///
/// - Threads: any.
public class MemoryKeyspace implements Keyspace {
  private static final Comparator<SegmentKey> ORDER =
      Comparator.comparingInt(SegmentKey::tier)
          .thenComparingInt(SegmentKey::daemon)
          .thenComparingLong(SegmentKey::seq)
          .thenComparingInt(SegmentKey::part);

  /// A partition of the two tables that share their key.
  private static final class Partition {
    final TreeMap<SegmentKey, DirectoryRow> rows = new TreeMap<>(ORDER);
    final TreeMap<SegmentKey, byte[]> values = new TreeMap<>(ORDER);
    final TreeMap<SegmentKey, Long> untilMillis = new TreeMap<>(ORDER); // of rows with a TTL
    int generation;
    Map<Integer, Long> covered = Map.of();
  }

  private record Lease(int daemon, long untilMillis) {}

  private final StoreIdentity identity;
  private final Map<PartitionKey, Partition> partitions = new HashMap<>();
  private final Map<PartitionKey, TreeMap<EventId, EventRow>> projected = new HashMap<>();
  private final TreeMap<String, Set<BucketRow>> catalog = new TreeMap<>();
  private final TreeSet<String> spans = new TreeSet<>(); // a table of its own
  private final TreeMap<Integer, DaemonRow> daemons = new TreeMap<>();
  private final Map<String, Claim> claims = new HashMap<>();
  private final Map<String, SourceRows> sources = new HashMap<>();
  private final Map<String, String> policies = new TreeMap<>();
  private final Map<String, Lease> leases = new HashMap<>();
  private int sole;
  private long clockMillis = 1_764_000_000_000L;

  public MemoryKeyspace() {
    this.identity = new StoreIdentity(new UUID(1, 2), "07".repeat(32), 1);
  }

  /// Sets the clock of the nodes.
  public synchronized void setClockMillis(long now) {
    clockMillis = now;
  }

  /// The projected events of a partition, by id.
  public synchronized Map<EventId, EventRow> projected(PartitionKey partition) {
    return Map.copyOf(projected.getOrDefault(partition, new TreeMap<>()));
  }

  private synchronized <T extends @Nullable Object> CompletableFuture<T> now(
      Supplier<T> statement) {
    return CompletableFuture.completedFuture(statement.get());
  }

  private CompletableFuture<Void> run(Runnable statement) {
    return now(() -> {
      statement.run();
      return null;
    });
  }

  private Partition partition(PartitionKey key) {
    return partitions.computeIfAbsent(key, _ -> new Partition());
  }

  /// A partition without the rows whose time to live is over.
  private Partition alive(PartitionKey key) {
    Partition of = partitions.getOrDefault(key, new Partition());
    of.untilMillis
        .entrySet()
        .removeIf(row -> {
          boolean isOver = row.getValue() <= clockMillis;
          if (isOver) {
            of.rows.remove(row.getKey());
            of.values.remove(row.getKey());
          }
          return isOver;
        });
    return of;
  }

  /// Until when the rows of a partition live, in milliseconds since the Unix epoch; rows without a
  /// TTL are not among them.
  public synchronized List<Long> untilMillis(PartitionKey partition) {
    return List.copyOf(alive(partition).untilMillis.values());
  }

  @Override
  public StoreIdentity identity() {
    return identity;
  }

  @Override
  public CompletableFuture<Void> write(DirectoryRow row, ByteBuffer value, int ttlSeconds) {
    return run(() -> {
      byte[] bytes = new byte[value.remaining()];
      value.duplicate().get(bytes);
      Partition in = partition(row.key().partition());
      in.rows.put(row.key(), row);
      in.values.put(row.key(), bytes);
      if (ttlSeconds > 0) {
        in.untilMillis.put(row.key(), clockMillis + ttlSeconds * 1_000L);
      } else {
        in.untilMillis.remove(row.key());
      }
    });
  }

  @Override
  public CompletableFuture<Directory> directory(PartitionKey partition) {
    return now(() -> {
      Partition of = alive(partition);
      return new Directory(partition, of.generation, of.covered, new ArrayList<>(of.rows.values()));
    });
  }

  @Override
  public CompletableFuture<@Nullable ByteBuffer> value(SegmentKey key, boolean quorum) {
    return now(() -> {
      byte[] value = alive(key.partition()).values.get(key);
      return value == null ? null : ByteBuffer.wrap(value.clone());
    });
  }

  @Override
  public CompletableFuture<List<@Nullable ByteBuffer>> values(List<SegmentKey> keys) {
    List<CompletableFuture<@Nullable ByteBuffer>> each = new ArrayList<>();
    keys.forEach(key -> each.add(value(key, false)));
    return CompletableFuture.allOf(each.toArray(CompletableFuture<?>[]::new))
        .thenApply(_ -> {
          List<@Nullable ByteBuffer> values = new ArrayList<>();
          each.forEach(one -> values.add(one.join()));
          return values;
        });
  }

  @Override
  public CompletableFuture<Boolean> swap(
      PartitionKey partition, int expected, int next, Map<Integer, Long> covered) {
    return now(() -> {
      Partition of = partition(partition);
      if (of.generation == next && of.covered.equals(covered)) {
        return true;
      }
      if (of.generation != expected) {
        return false;
      }
      of.generation = next;
      of.covered = Map.copyOf(covered);
      return true;
    });
  }

  @Override
  public CompletableFuture<Void> delete(
      PartitionKey partition, int tier, int daemon, long seqFirst, long seqLast) {
    return run(() -> {
      Partition of = partition(partition);
      of.rows.keySet().removeIf(key -> isIn(key, tier, daemon, seqFirst, seqLast));
      of.values.keySet().removeIf(key -> isIn(key, tier, daemon, seqFirst, seqLast));
    });
  }

  private static boolean isIn(SegmentKey key, int tier, int daemon, long first, long last) {
    return key.tier() == tier && key.daemon() == daemon && key.seq() >= first && key.seq() <= last;
  }

  @Override
  public CompletableFuture<Void> deletePartition(PartitionKey partition) {
    return run(() -> {
      partitions.remove(partition);
      projected.remove(partition);
    });
  }

  @Override
  public CompletableFuture<Void> project(
      PartitionKey partition, List<EventRow> events, int ttlSeconds) {
    return run(() -> {
      TreeMap<EventId, EventRow> rows = projected.computeIfAbsent(partition, _ -> new TreeMap<>());
      events.forEach(event -> rows.put(event.id(), event));
    });
  }

  /// The span of a bucket in the catalog: its hour, or its day when it is wider than an hour.
  private static String span(Bucket bucket) {
    int width = bucket.widthMinutes() <= 60 ? 60 : PartitionKey.MINUTES_PER_DAY;
    int start = bucket.startMinutes() - bucket.startMinutes() % width;
    String printed = new PartitionKey(start, width, "x", 0).toString();
    return printed.substring(0, printed.indexOf('|'));
  }

  @Override
  public CompletableFuture<Void> addBucket(BucketRow row) {
    return run(() -> {
      catalog.computeIfAbsent(span(row.bucket()), _ -> new HashSet<>()).add(row);
      spans.add(span(row.bucket()));
    });
  }

  @Override
  public CompletableFuture<List<String>> spans() {
    return now(() -> List.copyOf(spans));
  }

  @Override
  public CompletableFuture<List<BucketRow>> buckets(String span) {
    return now(() -> List.copyOf(catalog.getOrDefault(span, Set.of())));
  }

  @Override
  public CompletableFuture<Void> removeBucket(BucketRow row) {
    return run(() -> {
      Set<BucketRow> rows = catalog.get(span(row.bucket()));
      if (rows != null) {
        rows.remove(row);
      }
    });
  }

  @Override
  public CompletableFuture<Void> removeSpan(String span) {
    return run(() -> spans.remove(span));
  }

  @Override
  public CompletableFuture<List<DaemonRow>> daemons() {
    return now(() -> List.copyOf(daemons.values()));
  }

  @Override
  public CompletableFuture<Boolean> begin(
      int daemon,
      @Nullable DaemonRow before,
      @Nullable UUID owner,
      String host,
      int epoch,
      long reserved) {
    return now(() -> {
      DaemonRow row = daemons.get(daemon);
      boolean asRead =
          before == null
              ? row == null
              : row != null
                  && row.epoch() == before.epoch()
                  && row.reserved() == before.reserved()
                  && Objects.equals(row.owner(), before.owner());
      if (!asRead) {
        return row != null
            && row.epoch() == epoch
            && row.reserved() == reserved
            && Objects.equals(row.owner(), owner);
      }
      DaemonRow.Applied applied = row == null ? DaemonRow.Applied.NOTHING : row.applied();
      long oldest = row == null ? 0 : row.oldestMillis();
      long seen = row == null ? 0 : row.seenMillis();
      daemons.put(
          daemon, new DaemonRow(daemon, owner, host, epoch, reserved, applied, oldest, seen));
      return true;
    });
  }

  @Override
  public CompletableFuture<Void> applied(int daemon, DaemonRow.Applied applied) {
    return run(() -> {
      DaemonRow row = daemons.get(daemon);
      if (row != null && applied.stamp() > row.applied().stamp()) {
        put(row, applied, row.oldestMillis(), row.seenMillis());
      }
    });
  }

  @Override
  public CompletableFuture<Void> seen(int daemon, long oldestMillis, long seenMillis) {
    return run(() -> {
      DaemonRow row = daemons.get(daemon);
      if (row != null) {
        put(row, row.applied(), oldestMillis, seenMillis);
      }
    });
  }

  private void put(DaemonRow row, DaemonRow.Applied applied, long oldest, long seen) {
    int daemon = row.daemon();
    daemons.put(
        daemon,
        new DaemonRow(
            daemon, row.owner(), row.host(), row.epoch(), row.reserved(), applied, oldest, seen));
  }

  @Override
  public CompletableFuture<Claim> claim(byte[] key, Claim mine, int ttlSeconds) {
    return now(() -> {
      Claim before = claims.putIfAbsent(HexFormat.of().formatHex(key), mine);
      return before == null ? mine : before;
    });
  }

  @Override
  public CompletableFuture<List<@Nullable Claim>> claims(List<byte[]> keys) {
    return now(() -> {
      List<@Nullable Claim> found = new ArrayList<>();
      keys.forEach(key -> found.add(claims.get(HexFormat.of().formatHex(key))));
      return found;
    });
  }

  @Override
  public CompletableFuture<Void> noteClaims(List<byte[]> keys, List<Claim> noted, int ttlSeconds) {
    return run(() -> {
      for (int i = 0; i < keys.size(); i++) {
        claims.putIfAbsent(HexFormat.of().formatHex(keys.get(i)), noted.get(i));
      }
    });
  }

  @Override
  public CompletableFuture<Integer> sole(int expected, int next) {
    return now(() -> {
      if (sole == expected) {
        sole = next;
      }
      return sole;
    });
  }

  @Override
  public CompletableFuture<Boolean> takeOver(byte[] key, Claim from, Claim mine, int ttlSeconds) {
    return now(() -> {
      String name = HexFormat.of().formatHex(key);
      Claim now = claims.get(name);
      if (from.equals(now)) {
        claims.put(name, mine);
        return true;
      }
      return mine.equals(now);
    });
  }

  private static String name(UUID topic, int partition) {
    return topic + "/" + partition;
  }

  @Override
  public CompletableFuture<SourceRows> source(UUID topic, int partition) {
    return now(() -> sources.getOrDefault(name(topic, partition), SourceRows.NONE));
  }

  @Override
  public CompletableFuture<Boolean> advance(
      SourceRange range, int daemon, long stamp, boolean owes) {
    return now(() -> {
      String name = name(range.topic(), range.partition());
      SourceRows rows = sources.getOrDefault(name, SourceRows.NONE);
      TreeMap<Integer, SourceRows.Owed> claimed = new TreeMap<>();
      rows.claims().forEach(each -> claimed.put(each.daemon(), each));
      SourceRange.Released again = range.again();
      SourceRows moved = new SourceRows(range.term(), range.next(), range.leaderEpoch(), List.of());
      if (again == null) {
        if (rows.term() != range.fromTerm() || rows.position() != range.from()) {
          return false;
        }
      } else {
        SourceRows.Owed of = claimed.get(again.daemon());
        if (of == null || of.stamp() != again.stamp() || of.first() != range.from()) {
          return false;
        }
        claimed.put(
            again.daemon(),
            new SourceRows.Owed(again.daemon(), of.term(), range.next(), of.next(), of.stamp()));
        moved = rows;
      }
      if (owes) {
        claimed.put(
            daemon, new SourceRows.Owed(daemon, range.term(), range.from(), range.next(), stamp));
      }
      sources.put(
          name,
          new SourceRows(
              moved.term(), moved.position(), moved.leaderEpoch(), List.copyOf(claimed.values())));
      return true;
    });
  }

  @Override
  public CompletableFuture<Map<String, String>> policies() {
    return now(() -> Map.copyOf(policies));
  }

  @Override
  public CompletableFuture<Void> policy(String name, @Nullable String body) {
    return run(() -> {
      if (body == null) {
        policies.remove(name);
      } else {
        policies.put(name, body);
      }
    });
  }

  @Override
  public CompletableFuture<Boolean> lease(String what, int daemon, Duration kept) {
    return now(() -> {
      Lease held = leases.get(what);
      if (held != null && held.daemon != daemon && held.untilMillis > clockMillis) {
        return false;
      }
      leases.put(what, new Lease(daemon, clockMillis + kept.toMillis()));
      return true;
    });
  }

  @Override
  public CompletableFuture<Long> clockMillis() {
    return now(() -> clockMillis);
  }

  @Override
  public KeyspaceHealth health() {
    return new KeyspaceHealth(1, 0, 1, Map.of());
  }

  @Override
  public void close() {}
}
