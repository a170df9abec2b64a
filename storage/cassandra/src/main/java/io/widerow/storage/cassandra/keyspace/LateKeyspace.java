package io.widerow.storage.cassandra.keyspace;

import io.widerow.event.PartitionKey;
import io.widerow.storage.StorageException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// A keyspace that could not be reached when its daemon started, and is connected to as soon as it
/// can be. Until then every statement fails at once, as for a cluster that is away. When the
/// keyspace turns out to be that of another store, every statement is refused.
///
/// - Threads: any; one of its own connects.
public final class LateKeyspace implements Keyspace {
  private static final long PAUSE_MILLIS = 2_000;

  private final StoreIdentity identity;
  private final String name;
  private final Supplier<Keyspace> opener;
  private final ScheduledExecutorService connecting =
      Executors.newSingleThreadScheduledExecutor(
          Thread.ofPlatform().name("cluster-connect").daemon().factory());
  private volatile @Nullable Keyspace connected;
  private volatile KeyspaceException why;
  private boolean closed; // guarded by this

  /// @param identity of the store, as it was at an earlier start
  /// @param name of the keyspace, for people
  /// @param opener connects, or throws a [StorageException]
  /// @param first why it could not be reached at the start
  public LateKeyspace(
      StoreIdentity identity, String name, Supplier<Keyspace> opener, StorageException first) {
    this.identity = identity;
    this.name = name;
    this.opener = opener;
    this.why = unreachable(first);
    var _ =
        connecting.scheduleWithFixedDelay(
            this::connect, PAUSE_MILLIS, PAUSE_MILLIS, TimeUnit.MILLISECONDS);
  }

  private static KeyspaceException unreachable(RuntimeException failed) {
    return new KeyspaceException(
        KeyspaceException.Kind.UNREACHABLE, String.valueOf(failed.getMessage()), failed);
  }

  private void connect() {
    Keyspace opened;
    try {
      opened = opener.get();
    } catch (StorageException failed) {
      why =
          failed instanceof StorageException.Incompatible
              ? refused(String.valueOf(failed.getMessage()))
              : unreachable(failed);
      return;
    } catch (RuntimeException failed) { // otherwise it would never be tried again
      why = unreachable(failed);
      return;
    }
    if (!opened.identity().id().equals(identity.id())) {
      why =
          refused(
              "the keyspace %s is the store %s, and the directory belongs to the store %s"
                  .formatted(name, opened.identity().id(), identity.id()));
      opened.close();
      return;
    }
    synchronized (this) {
      if (closed) {
        opened.close();
      } else {
        connected = opened;
      }
    }
    connecting.shutdown();
  }

  private static KeyspaceException refused(String message) {
    return new KeyspaceException(KeyspaceException.Kind.REFUSED, message);
  }

  private <T extends @Nullable Object> CompletableFuture<T> ask(
      Function<Keyspace, CompletableFuture<T>> statement) {
    Keyspace now = connected;
    return now == null ? CompletableFuture.failedFuture(why) : statement.apply(now);
  }

  @Override
  public StoreIdentity identity() {
    return identity;
  }

  @Override
  public CompletableFuture<Void> write(DirectoryRow row, ByteBuffer value, int ttlSeconds) {
    return ask(now -> now.write(row, value, ttlSeconds));
  }

  @Override
  public CompletableFuture<Directory> directory(PartitionKey partition) {
    return ask(now -> now.directory(partition));
  }

  @Override
  public CompletableFuture<@Nullable ByteBuffer> value(SegmentKey key, boolean quorum) {
    return ask(now -> now.value(key, quorum));
  }

  @Override
  public CompletableFuture<List<@Nullable ByteBuffer>> values(List<SegmentKey> keys) {
    return ask(now -> now.values(keys));
  }

  @Override
  public CompletableFuture<Boolean> swap(
      PartitionKey partition, int expected, int next, Map<Integer, Long> covered) {
    return ask(now -> now.swap(partition, expected, next, covered));
  }

  @Override
  public CompletableFuture<Void> delete(
      PartitionKey partition, int tier, int daemon, long seqFirst, long seqLast) {
    return ask(now -> now.delete(partition, tier, daemon, seqFirst, seqLast));
  }

  @Override
  public CompletableFuture<Void> deletePartition(PartitionKey partition) {
    return ask(now -> now.deletePartition(partition));
  }

  @Override
  public CompletableFuture<Void> project(
      PartitionKey partition, List<EventRow> events, int ttlSeconds) {
    return ask(now -> now.project(partition, events, ttlSeconds));
  }

  @Override
  public CompletableFuture<Void> addBucket(BucketRow row) {
    return ask(now -> now.addBucket(row));
  }

  @Override
  public CompletableFuture<List<String>> spans() {
    return ask(now -> now.spans());
  }

  @Override
  public CompletableFuture<List<BucketRow>> buckets(String span) {
    return ask(now -> now.buckets(span));
  }

  @Override
  public CompletableFuture<Void> removeBucket(BucketRow row) {
    return ask(now -> now.removeBucket(row));
  }

  @Override
  public CompletableFuture<Void> removeSpan(String span) {
    return ask(now -> now.removeSpan(span));
  }

  @Override
  public CompletableFuture<List<DaemonRow>> daemons() {
    return ask(now -> now.daemons());
  }

  @Override
  public CompletableFuture<Boolean> begin(
      int daemon,
      @Nullable DaemonRow before,
      @Nullable UUID owner,
      String host,
      int epoch,
      long reserved) {
    return ask(now -> now.begin(daemon, before, owner, host, epoch, reserved));
  }

  @Override
  public CompletableFuture<Void> applied(int daemon, DaemonRow.Applied applied) {
    return ask(now -> now.applied(daemon, applied));
  }

  @Override
  public CompletableFuture<Void> seen(int daemon, long oldestMillis, long seenMillis) {
    return ask(now -> now.seen(daemon, oldestMillis, seenMillis));
  }

  @Override
  public CompletableFuture<Claim> claim(byte[] key, Claim mine, int ttlSeconds) {
    return ask(now -> now.claim(key, mine, ttlSeconds));
  }

  @Override
  public CompletableFuture<List<@Nullable Claim>> claims(List<byte[]> keys) {
    return ask(now -> now.claims(keys));
  }

  @Override
  public CompletableFuture<Void> noteClaims(List<byte[]> keys, List<Claim> claims, int ttlSeconds) {
    return ask(now -> now.noteClaims(keys, claims, ttlSeconds));
  }

  @Override
  public CompletableFuture<Integer> sole(int expected, int next) {
    return ask(now -> now.sole(expected, next));
  }

  @Override
  public CompletableFuture<Boolean> takeOver(byte[] key, Claim from, Claim mine, int ttlSeconds) {
    return ask(now -> now.takeOver(key, from, mine, ttlSeconds));
  }

  @Override
  public CompletableFuture<Map<String, String>> policies() {
    return ask(now -> now.policies());
  }

  @Override
  public CompletableFuture<Void> policy(String name, @Nullable String body) {
    return ask(now -> now.policy(name, body));
  }

  @Override
  public CompletableFuture<Boolean> lease(String what, int daemon, Duration kept) {
    return ask(now -> now.lease(what, daemon, kept));
  }

  @Override
  public CompletableFuture<Long> clockMillis() {
    return ask(now -> now.clockMillis());
  }

  @Override
  public KeyspaceHealth health() {
    Keyspace now = connected;
    return now == null ? new KeyspaceHealth(0, 0, 1, Map.of()) : now.health();
  }

  @Override
  public void close() {
    connecting.shutdownNow();
    synchronized (this) {
      closed = true;
    }
    Keyspace now = connected;
    if (now != null) {
      now.close();
    }
  }

  /// The name of the keyspace.
  @Override
  public String toString() {
    return Objects.requireNonNull(name);
  }
}
