package io.widerow.storage.cassandra.keyspace;

import io.widerow.event.PartitionKey;
import io.widerow.storage.SourceRange;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/// The statements that a store makes of its keyspace. Reads and writes are at the store's
/// consistency (LOCAL_QUORUM), so a read sees every write that completed before it, unless a method
/// says otherwise. Rows are written once, under keys that follow from their contents: repeating any
/// statement is harmless.
///
/// A future fails with a [KeyspaceException]. A failed conditional statement (LWT) may have been
/// applied; a retry shows it, because its result is the row in force.
///
/// - Threads: any. No call waits; futures complete on the connection's threads, which must not be
///   kept waiting.
public interface Keyspace extends AutoCloseable {
  StoreIdentity identity();

  // Segments and their directory.

  /// Writes a segment and its row of the directory, both or none.
  ///
  /// @param value at most 8 MiB, from its position to its limit; must not change until the future
  ///   completes
  /// @param ttlSeconds after which the cluster drops it by itself; 0 for never
  CompletableFuture<Void> write(DirectoryRow row, ByteBuffer value, int ttlSeconds);

  /// The directory of a partition; without rows when there is none.
  CompletableFuture<Directory> directory(PartitionKey partition);

  /// The value of a segment, which belongs to the caller; null when it is not there.
  ///
  /// @param quorum false to ask one replica only, which may not have it although it was written
  CompletableFuture<@Nullable ByteBuffer> value(SegmentKey key, boolean quorum);

  /// Values of segments of one partition, tier and daemon, in one request to one replica, which may
  /// not have all although they were written. One request costs a node much less than one each.
  ///
  /// @param keys at least one
  /// @return in the order of the keys, null where there is none; they belong to the caller
  CompletableFuture<List<@Nullable ByteBuffer>> values(List<SegmentKey> keys);

  /// Puts merged segments in force, if `expected` is the generation now (LWT).
  ///
  /// @param covered the rounds that they replace, see [Directory]
  /// @return true when `next` is in force now
  CompletableFuture<Boolean> swap(
      PartitionKey partition, int expected, int next, Map<Integer, Long> covered);

  /// Deletes segments of one daemon and tier by an exact range of keys.
  ///
  /// @param seqFirst least `seq`, inclusive
  /// @param seqLast greatest `seq`, inclusive
  CompletableFuture<Void> delete(
      PartitionKey partition, int tier, int daemon, long seqFirst, long seqLast);

  /// Deletes all of a partition: segments, directory, generation.
  CompletableFuture<Void> deletePartition(PartitionKey partition);

  /// Writes events of one partition as rows of the projection for users of CQL.
  CompletableFuture<Void> project(PartitionKey partition, List<EventRow> events, int ttlSeconds);

  // The catalog.

  /// Adds to the catalog.
  CompletableFuture<Void> addBucket(BucketRow row);

  /// The hours and days that have any buckets, as printed buckets of an hour or a day
  /// (`2026-11-20T19`, `2026-11-20`), in no order.
  CompletableFuture<List<String>> spans();

  /// The buckets of a span.
  CompletableFuture<List<BucketRow>> buckets(String span);

  /// Takes a dropped bucket out of the catalog.
  CompletableFuture<Void> removeBucket(BucketRow row);

  /// Takes a span without buckets out of the catalog.
  CompletableFuture<Void> removeSpan(String span);

  // Daemons.

  /// All daemons that ever registered, by number.
  CompletableFuture<List<DaemonRow>> daemons();

  /// Begins an epoch of a daemon (LWT): registers an owner or starts it again, and reserves
  /// counters.
  ///
  /// @param before the row as it was read; null when there was none
  /// @return true when the row has the new owner, host, epoch and reservation now
  CompletableFuture<Boolean> begin(
      int daemon,
      @Nullable DaemonRow before,
      @Nullable UUID owner,
      String host,
      int epoch,
      long reserved);

  /// Records a daemon's applied position. Of several, the one with the greatest stamp stays.
  CompletableFuture<Void> applied(int daemon, DaemonRow.Applied applied);

  /// Records that a daemon is alive.
  ///
  /// @param oldestMillis see [DaemonRow]
  CompletableFuture<Void> seen(int daemon, long oldestMillis, long seenMillis);

  // Batch keys.

  /// Claims a batch key (LWT), unless it is claimed.
  ///
  /// @param key of 16 bytes
  /// @return the claim in force, `mine` or another
  CompletableFuture<Claim> claim(byte[] key, Claim mine, int ttlSeconds);

  /// Takes over a claim of a daemon that was released (LWT).
  ///
  /// @return true when `mine` is in force now
  CompletableFuture<Boolean> takeOver(byte[] key, Claim from, Claim mine, int ttlSeconds);

  /// The claims in force for keys; null at the index of an unclaimed key.
  ///
  /// @param keys of 16 bytes each
  CompletableFuture<List<@Nullable Claim>> claims(List<byte[]> keys);

  /// Writes claims without asking whether another daemon has them, at a fraction of the cost of
  /// [#claim] to the nodes. When both run for one key at once, [#claim] wins. Only for a daemon
  /// that is alone, see [#sole].
  ///
  /// @param keys of 16 bytes each
  /// @param claims one for each key
  CompletableFuture<Void> noteClaims(List<byte[]> keys, List<Claim> claims, int ttlSeconds);

  /// Records which daemon is the only one of the store, if `expected` is the recorded value (LWT).
  ///
  /// @param expected the value recorded last; 0 for none
  /// @param next not 0
  /// @return the value recorded now, `next` or another
  CompletableFuture<Integer> sole(int expected, int next);

  // Positions of sources.

  /// The position of a partition, and the claims of its offsets. Unlike other reads it waits for
  /// conditional statements whose outcome is unknown.
  CompletableFuture<SourceRows> source(UUID topic, int partition);

  /// Moves a position, if it is where the range begins (LWT), and records in the same mutation that
  /// this daemon owes the offsets. It replaces the daemon's claim of an earlier round.
  ///
  /// @param owes false when the range has no events, so that nothing is recorded
  /// @return whether it was moved by this statement
  CompletableFuture<Boolean> advance(SourceRange range, int daemon, long stamp, boolean owes);

  // Policies and leases.

  /// All policies by name.
  CompletableFuture<Map<String, String>> policies();

  /// Sets a policy.
  ///
  /// @param body null to remove it
  CompletableFuture<Void> policy(String name, @Nullable String body);

  /// Takes or renews a lease (LWT). It only saves work: nothing may depend on it.
  ///
  /// @return true when the daemon has it now
  CompletableFuture<Boolean> lease(String what, int daemon, Duration kept);

  /// The clock of a node, in milliseconds since the Unix epoch.
  CompletableFuture<Long> clockMillis();

  /// The state of the connections, without a request.
  KeyspaceHealth health();

  /// Closes connections; pending futures fail.
  @Override
  void close();
}
