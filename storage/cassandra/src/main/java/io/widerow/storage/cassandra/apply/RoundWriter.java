package io.widerow.storage.cassandra.apply;

import io.widerow.event.Bucket;
import io.widerow.event.EventView;
import io.widerow.event.PartitionKey;
import io.widerow.event.WrappedEvent;
import io.widerow.storage.EventCursor;
import io.widerow.storage.LaneArrivals;
import io.widerow.storage.PartitionInfo;
import io.widerow.storage.Scan;
import io.widerow.storage.StoreView;
import io.widerow.storage.cassandra.keyspace.BucketRow;
import io.widerow.storage.cassandra.keyspace.DirectoryRow;
import io.widerow.storage.cassandra.keyspace.Keyspace;
import io.widerow.storage.cassandra.keyspace.SegmentKey;
import io.widerow.storage.cassandra.value.SegmentValue;
import io.widerow.storage.segment.SegmentMemory;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// Writes the events of rounds to the keyspace: for each partition segments and their rows of the
/// directory, before them the catalog, and rows for users of CQL where they are wanted. All of it
/// follows from the round, so that repeating it changes nothing.
///
/// - Threads: one.
/// - Memory: the values in flight, and one encoder.
final class RoundWriter implements AutoCloseable {
  /// Buckets that are known to be in the catalog are forgotten when there are so many.
  private static final int BUCKETS_MAX = 1 << 16;

  private static final long BUCKETS_MILLIS = 600_000;

  private final Keyspace keyspace;
  private final RetryingStatements statements;
  private final ApplyOptions.Pacing pacing;
  private final Projection projection;
  private final TimeToLive timeToLive;
  private final Map<BucketOfType, Integer> buckets = new HashMap<>(); // to shards in the catalog
  private long bucketsMillis;
  private final ArrayDeque<InFlight> flying = new ArrayDeque<>();
  private final SegmentMemory memory = new SegmentMemory(SegmentValue.APPLIED);
  private long flyingBytes;
  private long events;
  private long bytes;

  private record BucketOfType(Bucket bucket, String type) {}

  private record InFlight(RetryingStatements.Try<Void> statement, long bytes) {}

  RoundWriter(
      Keyspace keyspace,
      RetryingStatements statements,
      ApplyOptions options,
      TimeToLive timeToLive) {
    this.keyspace = keyspace;
    this.statements = statements;
    this.pacing = options.pacing();
    this.projection = new Projection(options.rows());
    this.timeToLive = timeToLive;
  }

  /// A round to write, with its destination.
  ///
  /// @param daemon number of the daemon
  /// @param storeId of the cluster's store
  /// @param left batches that are left out; of batches that came to this daemon before, events with
  ///   clients' ids are written again
  /// @param leftOfSources ranges of sources that are left out
  /// @param nodesMillis the time of the nodes, in milliseconds since the Unix epoch
  record Task(
      Round round,
      int daemon,
      UUID storeId,
      List<PendingBatch.LeftOut> left,
      List<SourceRanges.Pending> leftOfSources,
      long nodesMillis) {
    boolean wants(EventView event, int shard) {
      if (!round.holds(event, shard)) {
        return false;
      }
      for (SourceRanges.Pending out : leftOfSources) {
        if (out.has(event.arrival())) {
          return false;
        }
      }
      for (PendingBatch.LeftOut out : left) {
        if (out.batch().has(event.arrival())) {
          // A repeat that came here twice may hide the first one's write of the same id.
          return Round.isOwn(event) && out.other().daemon() == daemon;
        }
      }
      return true;
    }
  }

  /// Writes a round; on return everything is acknowledged.
  void write(StoreView view, Task task, long nowMillis) {
    flying.clear();
    flyingBytes = 0;
    LaneArrivals since = since(task.round());
    List<PartitionKey> partitions =
        view.partitions(_ -> true, 0, Long.MAX_VALUE, since).stream()
            .map(PartitionInfo::key)
            .toList();
    addBuckets(partitions, nowMillis);
    for (PartitionKey partition : partitions) {
      writePartition(view, partition, since, task);
    }
    while (!flying.isEmpty()) {
      awaitFirst();
    }
  }

  /// Where the events of a round begin.
  private static LaneArrivals since(Round round) {
    LaneArrivals since = round.from();
    long stamp = Long.MAX_VALUE;
    for (PendingBatch.LeftOut taken : round.taken()) {
      if (taken.stamp() < stamp) {
        stamp = taken.stamp();
        since = taken.held();
      }
    }
    return since;
  }

  /// Adds buckets that are not known to be in the catalog, before their segments are written.
  private void addBuckets(List<PartitionKey> partitions, long nowMillis) {
    if (buckets.size() > BUCKETS_MAX || Math.abs(nowMillis - bucketsMillis) > BUCKETS_MILLIS) {
      buckets.clear(); // retention may have dropped one
      bucketsMillis = nowMillis;
    }
    Map<BucketOfType, Integer> wanted = new HashMap<>();
    for (PartitionKey key : partitions) {
      wanted.merge(new BucketOfType(Bucket.of(key), key.type()), key.shard() + 1, Math::max);
    }
    wanted.forEach((bucket, shards) -> {
      if (buckets.getOrDefault(bucket, 0) < shards) {
        BucketRow row = new BucketRow(bucket.bucket(), bucket.type(), shards);
        fly("add to the catalog", () -> keyspace.addBucket(row), 0);
      }
    });
    while (!flying.isEmpty()) {
      awaitFirst();
    }
    wanted.forEach((bucket, shards) -> buckets.merge(bucket, shards, Math::max));
  }

  private void writePartition(
      StoreView view, PartitionKey partition, LaneArrivals since, Task task) {
    boolean projected = projection.wants(partition.type());
    projection.begin();
    Restamped own = new Restamped();
    int part = 0;
    try (EventCursor cursor = view.open(List.of(partition), Scan.all().withSince(since));
        SegmentValue.Writer writer = new SegmentValue.Writer(partition, memory, task.storeId())) {
      while (cursor.next() == EventCursor.Step.EVENT) {
        EventView event = cursor.event();
        if (!task.wants(event, partition.shard())) {
          continue;
        }
        writer.add(
            Round.isOwn(event)
                ? own.of(event, task.round().version(task.daemon(), event.arrival()))
                : event);
        if (projected) {
          project(partition, projection.add(event), task);
        }
        if (writer.isFull()) {
          write(writer.finish(), partition, part++, task);
        }
      }
      if (writer.events() > 0) {
        write(writer.finish(), partition, part, task);
      }
    }
    project(partition, projection.take(), task);
  }

  private void write(SegmentValue.Encoded value, PartitionKey partition, int part, Task task) {
    SegmentKey key =
        new SegmentKey(partition, SegmentKey.APPLIED, task.daemon(), task.round().stamp(), part);
    DirectoryRow row = value.row(key);
    int ttl = timeToLive.seconds(partition, task.nodesMillis);
    fly("write " + partition, () -> keyspace.write(row, value.bytes(), ttl), row.bytes());
    events += row.events();
    bytes += row.bytes();
  }

  private void project(PartitionKey partition, Projection.@Nullable Rows full, Task task) {
    if (full == null) {
      return;
    }
    int ttl = timeToLive.seconds(partition, task.nodesMillis);
    fly(
        "write rows of " + partition,
        () -> keyspace.project(partition, full.rows(), ttl),
        full.bytes());
  }

  private void fly(String what, Supplier<CompletableFuture<Void>> statement, long size) {
    while (!flying.isEmpty()
        && (flying.size() >= pacing.inFlight() || flyingBytes + size > pacing.inFlightBytes())) {
      awaitFirst();
    }
    flying.add(new InFlight(statements.start(what, statement), size));
    flyingBytes += size;
  }

  private void awaitFirst() {
    InFlight first = flying.removeFirst();
    first.statement.await();
    flyingBytes -= first.bytes;
  }

  /// Events written since the start, including events that were written again.
  long events() {
    return events;
  }

  long bytes() {
    return bytes;
  }

  @Override
  public void close() {
    memory.close();
  }

  /// An event with another version.
  private static final class Restamped extends WrappedEvent {
    private long version;

    EventView of(EventView newEvent, long newVersion) {
      wrap(newEvent);
      version = newVersion;
      return this;
    }

    @Override
    public long version() {
      return version;
    }
  }
}
