package io.widerow.cluster;

import io.widerow.event.PartitionKey;
import io.widerow.storage.SourceRange;
import io.widerow.storage.cassandra.keyspace.BucketRow;
import io.widerow.storage.cassandra.keyspace.Claim;
import io.widerow.storage.cassandra.keyspace.DaemonRow;
import io.widerow.storage.cassandra.keyspace.Directory;
import io.widerow.storage.cassandra.keyspace.DirectoryRow;
import io.widerow.storage.cassandra.keyspace.EventRow;
import io.widerow.storage.cassandra.keyspace.Keyspace;
import io.widerow.storage.cassandra.keyspace.KeyspaceException;
import io.widerow.storage.cassandra.keyspace.KeyspaceHealth;
import io.widerow.storage.cassandra.keyspace.SegmentKey;
import io.widerow.storage.cassandra.keyspace.SourceRows;
import io.widerow.storage.cassandra.keyspace.StoreIdentity;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// A daemon's connection to a [SimCluster]: each statement may fail before it is applied, be
/// applied and time out, or be applied much later; and the daemon may die at any of them. A
/// conditional statement (LWT) that fails has an unknown outcome, like any other.
///
/// - Threads: one.
public final class SimKeyspace implements Keyspace {
  private final SimCluster cluster;
  private final Keyspace real;
  private long dieIn = Long.MAX_VALUE;

  /// Thrown at the statement at which the daemon dies, and at each one after it.
  public static final class Died extends Error {
    private static final long serialVersionUID = 1L;
  }

  public SimKeyspace(SimCluster cluster) {
    this.cluster = cluster;
    this.real = cluster.keyspace();
  }

  /// Lets the daemon die at a statement, which may still reach the cluster.
  ///
  /// @param statements from now, 0 for the next one
  public void dieIn(long statements) {
    dieIn = statements;
  }

  private <T extends @Nullable Object> CompletableFuture<T> make(
      Supplier<CompletableFuture<T>> statement) {
    if (dieIn != Long.MAX_VALUE && dieIn-- <= 0) {
      if (dieIn == -1 && cluster.flip()) {
        apply(statement);
      }
      throw new Died();
    }
    SimCluster.Fate fate = cluster.next();
    return switch (fate) {
      case APPLIED -> statement.get();
      case AWAY -> failed(KeyspaceException.Kind.UNREACHABLE, fate);
      case LOST -> failed(KeyspaceException.Kind.TIMEOUT, fate);
      case LATE_ANSWER -> {
        apply(statement);
        yield failed(KeyspaceException.Kind.TIMEOUT, fate);
      }
      case DELAYED -> {
        cluster.delay(() -> apply(statement));
        yield failed(KeyspaceException.Kind.TIMEOUT, fate);
      }
    };
  }

  /// Applies a statement whose answer nobody gets.
  private static <T extends @Nullable Object> void apply(Supplier<CompletableFuture<T>> statement) {
    CompletableFuture<T> unheard = statement.get();
    if (!unheard.isDone()) {
      throw new AssertionError("a keyspace in memory answers at once");
    }
  }

  private static <T extends @Nullable Object> CompletableFuture<T> failed(
      KeyspaceException.Kind kind, SimCluster.Fate fate) {
    return CompletableFuture.failedFuture(new KeyspaceException(kind, "simulated: " + fate));
  }

  @Override
  public StoreIdentity identity() {
    return real.identity();
  }

  @Override
  public CompletableFuture<Void> write(DirectoryRow row, ByteBuffer value, int ttlSeconds) {
    return make(() -> real.write(row, value, ttlSeconds));
  }

  @Override
  public CompletableFuture<Directory> directory(PartitionKey partition) {
    return make(() -> real.directory(partition));
  }

  @Override
  public CompletableFuture<@Nullable ByteBuffer> value(SegmentKey key, boolean quorum) {
    return make(() -> real.value(key, quorum));
  }

  @Override
  public CompletableFuture<List<@Nullable ByteBuffer>> values(List<SegmentKey> keys) {
    return make(() -> real.values(keys));
  }

  @Override
  public CompletableFuture<Boolean> swap(
      PartitionKey partition, int expected, int next, Map<Integer, Long> covered) {
    return make(() -> real.swap(partition, expected, next, covered));
  }

  @Override
  public CompletableFuture<Void> delete(
      PartitionKey partition, int tier, int daemon, long seqFirst, long seqLast) {
    return make(() -> real.delete(partition, tier, daemon, seqFirst, seqLast));
  }

  @Override
  public CompletableFuture<Void> deletePartition(PartitionKey partition) {
    return make(() -> real.deletePartition(partition));
  }

  @Override
  public CompletableFuture<Void> project(
      PartitionKey partition, List<EventRow> events, int ttlSeconds) {
    return make(() -> real.project(partition, events, ttlSeconds));
  }

  @Override
  public CompletableFuture<Void> addBucket(BucketRow row) {
    return make(() -> real.addBucket(row));
  }

  @Override
  public CompletableFuture<List<String>> spans() {
    return make(real::spans);
  }

  @Override
  public CompletableFuture<List<BucketRow>> buckets(String span) {
    return make(() -> real.buckets(span));
  }

  @Override
  public CompletableFuture<Void> removeBucket(BucketRow row) {
    return make(() -> real.removeBucket(row));
  }

  @Override
  public CompletableFuture<Void> removeSpan(String span) {
    return make(() -> real.removeSpan(span));
  }

  @Override
  public CompletableFuture<List<DaemonRow>> daemons() {
    return make(real::daemons);
  }

  @Override
  public CompletableFuture<Boolean> begin(
      int daemon,
      @Nullable DaemonRow before,
      @Nullable UUID owner,
      String host,
      int epoch,
      long reserved) {
    return make(() -> real.begin(daemon, before, owner, host, epoch, reserved));
  }

  @Override
  public CompletableFuture<Void> applied(int daemon, DaemonRow.Applied applied) {
    return make(() -> real.applied(daemon, applied));
  }

  @Override
  public CompletableFuture<Void> seen(int daemon, long oldestMillis, long seenMillis) {
    return make(() -> real.seen(daemon, oldestMillis, seenMillis));
  }

  @Override
  public CompletableFuture<Claim> claim(byte[] key, Claim mine, int ttlSeconds) {
    return make(() -> real.claim(key, mine, ttlSeconds));
  }

  @Override
  public CompletableFuture<List<@Nullable Claim>> claims(List<byte[]> keys) {
    return make(() -> real.claims(keys));
  }

  @Override
  public CompletableFuture<Void> noteClaims(List<byte[]> keys, List<Claim> claims, int ttlSeconds) {
    return make(() -> real.noteClaims(keys, claims, ttlSeconds));
  }

  @Override
  public CompletableFuture<Integer> sole(int expected, int next) {
    return make(() -> real.sole(expected, next));
  }

  @Override
  public CompletableFuture<Boolean> takeOver(byte[] key, Claim from, Claim mine, int ttlSeconds) {
    return make(() -> real.takeOver(key, from, mine, ttlSeconds));
  }

  @Override
  public CompletableFuture<SourceRows> source(UUID topic, int partition) {
    return make(() -> real.source(topic, partition));
  }

  @Override
  public CompletableFuture<Boolean> advance(
      SourceRange range, int daemon, long stamp, boolean owes) {
    return make(() -> real.advance(range, daemon, stamp, owes));
  }

  @Override
  public CompletableFuture<Map<String, String>> policies() {
    return make(real::policies);
  }

  @Override
  public CompletableFuture<Void> policy(String name, @Nullable String body) {
    return make(() -> real.policy(name, body));
  }

  @Override
  public CompletableFuture<Boolean> lease(String what, int daemon, Duration kept) {
    return make(() -> real.lease(what, daemon, kept));
  }

  @Override
  public CompletableFuture<Long> clockMillis() {
    return make(real::clockMillis);
  }

  @Override
  public KeyspaceHealth health() {
    return real.health();
  }

  @Override
  public void close() {}
}
