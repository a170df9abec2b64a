package io.widerow.storage.cassandra.keyspace;

import static io.widerow.storage.cassandra.keyspace.Rows.present;
import static io.widerow.storage.cassandra.keyspace.StatementRunner.now;
import static io.widerow.storage.cassandra.keyspace.StatementRunner.together;

import com.datastax.oss.driver.api.core.ConsistencyLevel;
import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.cql.BoundStatement;
import com.datastax.oss.driver.api.core.cql.Row;
import com.datastax.oss.driver.api.core.type.DataTypes;
import com.datastax.oss.driver.api.core.type.TupleType;
import io.widerow.event.PartitionKey;
import io.widerow.storage.SourceRange;
import io.widerow.storage.StorageException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/// A keyspace on a real cluster, over the Java driver. Statements are prepared and idempotent, and
/// sent to a replica of their partition; the coordinator assigns their timestamps.
///
/// - Threads: any. Futures complete on the driver's threads, two a processor, which end with
///   [#close].
public final class DriverKeyspace implements Keyspace {
  private static final TupleType SEQ_AND_PART = DataTypes.tupleOf(DataTypes.BIGINT, DataTypes.INT);

  private final CqlSession session;
  private final ClusterOptions options;
  private final StoreIdentity identity;
  private final StatementRunner runner;
  private final DirectoryReader directories;
  private final ClaimsTable claims;
  private final SourcesTable sources;
  private final EventsTable projection;
  private final RequestCounts counts;
  private final ConsistencyLevel serial;

  private DriverKeyspace(
      CqlSession session,
      ClusterOptions options,
      ClusterSchema schema,
      StoreIdentity identity,
      RequestCounts counts) {
    this.session = session;
    this.options = options;
    this.identity = identity;
    this.counts = counts;
    this.runner =
        new StatementRunner(
            session, new StoreStatements(session, options.uri().keyspaceInCql()), schema);
    this.directories = new DirectoryReader(runner);
    this.claims = new ClaimsTable(runner);
    this.projection = new EventsTable(runner);
    this.serial =
        options.consistency() == ClusterOptions.Consistency.LOCAL_QUORUM
            ? ConsistencyLevel.LOCAL_SERIAL
            : ConsistencyLevel.SERIAL;
    this.sources = new SourcesTable(runner, serial);
  }

  /// Opens a store and makes what it lacks: the keyspace only when the URI has a number of
  /// replicas, the tables when the keyspace has no store.
  ///
  /// @throws StorageException.Unreachable when no node answers, the datacenter or the keyspace is
  ///   not there, or the cluster refuses the user
  /// @throws StorageException.Incompatible when the tables are not those of this program
  /// @throws IllegalArgumentException for a file of the options that cannot be used
  public static DriverKeyspace open(ClusterOptions options) {
    return open(options, true);
  }

  /// Opens a store that is there, for reading: makes nothing, and needs no permission to.
  ///
  /// @throws StorageException.Unreachable as [#open], and when there is no store
  /// @throws StorageException.Incompatible when the tables are not those of this program
  /// @throws IllegalArgumentException for a file of the options that cannot be used
  public static DriverKeyspace openExisting(ClusterOptions options) {
    return open(options, false);
  }

  private static DriverKeyspace open(ClusterOptions options, boolean make) {
    var counts = new RequestCounts();
    CqlSession session = Connections.open(options, counts);
    try {
      var schema = new ClusterSchema(session, options.uri());
      StoreIdentity identity = schema.open(make, options.ttl());
      return new DriverKeyspace(session, options, schema, identity, counts);
    } catch (StorageException failure) {
      session.close();
      throw failure;
    } catch (RuntimeException failure) {
      session.close();
      RuntimeException known = KeyspaceErrors.of(options.uri().toString(), failure);
      throw known instanceof KeyspaceException
          ? new StorageException.Unreachable(Objects.toString(known.getMessage()), known)
          : known;
    }
  }

  @Override
  public StoreIdentity identity() {
    return identity;
  }

  // Segments and their directory.

  @Override
  public CompletableFuture<Void> write(DirectoryRow row, ByteBuffer value, int ttlSeconds) {
    SegmentKey key = row.key();
    BoundStatement segment =
        bindSegment(StoreStatements.Kind.SEGMENT_INSERT, key, value, ttlSeconds);
    BoundStatement directory =
        bindSegment(
            StoreStatements.Kind.DIRECTORY_INSERT,
            key,
            row.first().toUuid(),
            row.last().toUuid(),
            row.events(),
            row.bytes(),
            row.own(),
            row.crc(),
            ttlSeconds);
    return runner.done("writing segment " + key, together(segment, directory));
  }

  private BoundStatement bindSegment(StoreStatements.Kind kind, SegmentKey key, Object... more) {
    List<Object> values = new ArrayList<>(List.of(key.tier(), key.daemon(), key.seq(), key.part()));
    values.addAll(Arrays.asList(more));
    return runner.bindPartition(kind, key.partition(), values.toArray());
  }

  @Override
  public CompletableFuture<Directory> directory(PartitionKey partition) {
    return directories.read(partition);
  }

  @Override
  public CompletableFuture<@Nullable ByteBuffer> value(SegmentKey key, boolean quorum) {
    BoundStatement select = bindSegment(StoreStatements.Kind.SEGMENT_SELECT, key);
    return runner.run(
        "reading segment " + key,
        quorum ? select : select.setExecutionProfileName(Connections.ONE),
        page -> {
          Row row = page.one();
          return now(row == null ? null : row.getByteBuffer("data"));
        });
  }

  @Override
  public CompletableFuture<List<@Nullable ByteBuffer>> values(List<SegmentKey> keys) {
    SegmentKey first = keys.getFirst();
    BoundStatement select =
        runner.bindPartition(
            StoreStatements.Kind.SEGMENTS_SELECT,
            first.partition(),
            first.tier(),
            first.daemon(),
            keys.stream().map(key -> SEQ_AND_PART.newValue(key.seq(), key.part())).toList());
    return runner
        .rows(
            "reading %d segments from %s".formatted(keys.size(), first),
            select.setExecutionProfileName(Connections.ONE),
            row ->
                Map.entry(
                    new SegmentKey(
                        first.partition(),
                        first.tier(),
                        first.daemon(),
                        row.getLong("seq"),
                        row.getInt("part")),
                    present(row.getByteBuffer("data"))))
        .thenApply(rows -> {
          Map<SegmentKey, ByteBuffer> found = new HashMap<>();
          rows.forEach(row -> found.put(row.getKey(), row.getValue()));
          List<@Nullable ByteBuffer> values = new ArrayList<>();
          keys.forEach(key -> values.add(found.get(key)));
          return values;
        });
  }

  @Override
  public CompletableFuture<Boolean> swap(
      PartitionKey partition, int expected, int next, Map<Integer, Long> covered) {
    BoundStatement update =
        runner.bind(
            StoreStatements.Kind.DIRECTORY_SWAP,
            next,
            covered,
            Rows.bucket(partition),
            partition.type(),
            partition.shard(),
            expected == 0 ? null : (Integer) expected);
    return runner.run(
        "putting generation %d of %s in force".formatted(next, partition),
        update,
        answer ->
            answer.wasApplied()
                ? now(true)
                : directories
                    .state(partition, serial)
                    .thenApply(is -> is.generation() == next && is.covered().equals(covered)));
  }

  @Override
  public CompletableFuture<Void> delete(
      PartitionKey partition, int tier, int daemon, long seqFirst, long seqLast) {
    return runner.done(
        "deleting segments of " + partition,
        together(
            runner.bindPartition(
                StoreStatements.Kind.SEGMENTS_DELETE, partition, tier, daemon, seqFirst, seqLast),
            runner.bindPartition(
                StoreStatements.Kind.DIRECTORY_DELETE,
                partition,
                tier,
                daemon,
                seqFirst,
                seqLast)));
  }

  @Override
  public CompletableFuture<Void> deletePartition(PartitionKey partition) {
    return runner.done(
        "deleting " + partition,
        together(
            runner.bindPartition(StoreStatements.Kind.SEGMENTS_DROP, partition),
            runner.bindPartition(StoreStatements.Kind.DIRECTORY_DROP, partition),
            runner.bindPartition(StoreStatements.Kind.EVENTS_DROP, partition)));
  }

  @Override
  public CompletableFuture<Void> project(
      PartitionKey partition, List<EventRow> events, int ttlSeconds) {
    return projection.project(partition, events, ttlSeconds);
  }

  // The catalog.

  @Override
  public CompletableFuture<Void> addBucket(BucketRow row) {
    String span = BucketRow.spanOf(row.bucket());
    return CompletableFuture.allOf(
        runner.done("adding span " + span, runner.bind(StoreStatements.Kind.SPAN_INSERT, span)),
        runner.done("adding " + row, bindBucket(StoreStatements.Kind.BUCKET_INSERT, row)));
  }

  private BoundStatement bindBucket(StoreStatements.Kind kind, BucketRow row) {
    return runner.bind(
        kind, BucketRow.spanOf(row.bucket()), row.type(), row.bucket().text(), row.shards());
  }

  @Override
  public CompletableFuture<List<String>> spans() {
    return runner.rows(
        "reading the spans",
        runner.bind(StoreStatements.Kind.SPAN_SELECT),
        row -> present(row.getString("span")));
  }

  @Override
  public CompletableFuture<List<BucketRow>> buckets(String span) {
    return runner.rows(
        "reading the buckets of " + span,
        runner.bind(StoreStatements.Kind.BUCKET_SELECT, span),
        Rows::bucketRow);
  }

  @Override
  public CompletableFuture<Void> removeBucket(BucketRow row) {
    return runner.done("removing " + row, bindBucket(StoreStatements.Kind.BUCKET_DELETE, row));
  }

  @Override
  public CompletableFuture<Void> removeSpan(String span) {
    return runner.done(
        "removing span " + span, runner.bind(StoreStatements.Kind.SPAN_DELETE, span));
  }

  // Daemons.

  private static int slot(int daemon) {
    return daemon / StoreStatements.SLOT_DAEMONS;
  }

  @Override
  public CompletableFuture<List<DaemonRow>> daemons() {
    return runner
        .rows(
            "reading the daemons", runner.bind(StoreStatements.Kind.DAEMON_SELECT), Rows::daemonRow)
        .thenApply(all -> all.stream().sorted(Comparator.comparingInt(DaemonRow::daemon)).toList());
  }

  @Override
  public CompletableFuture<Boolean> begin(
      int daemon,
      @Nullable DaemonRow before,
      @Nullable UUID owner,
      String host,
      int epoch,
      long reserved) {
    BoundStatement statement =
        before == null
            ? runner.bind(
                StoreStatements.Kind.DAEMON_INSERT,
                slot(daemon),
                daemon,
                owner,
                host,
                epoch,
                reserved)
            : runner.bind(
                StoreStatements.Kind.DAEMON_BEGIN,
                owner,
                host,
                epoch,
                reserved,
                slot(daemon),
                daemon,
                before.owner(),
                before.epoch() == 0 ? null : (Integer) before.epoch(),
                before.reserved() == 0 ? null : (Long) before.reserved());
    return runner.run(
        "beginning epoch %d of daemon %d".formatted(epoch, daemon),
        statement,
        answer -> {
          if (answer.wasApplied()) {
            return now(true);
          }
          Row row = answer.one();
          return now(
              row != null
                  && Objects.equals(row.getUuid("owner"), owner)
                  && row.getInt("epoch") == epoch
                  && row.getLong("reserved") == reserved);
        });
  }

  @Override
  public CompletableFuture<Void> applied(int daemon, DaemonRow.Applied applied) {
    return runner.done(
        "telling that daemon %d has applied %s".formatted(daemon, Stamp.text(applied.stamp())),
        runner.bind(
            StoreStatements.Kind.DAEMON_APPLIED,
            applied.stamp(),
            applied.stamp(),
            applied.versionLimit(),
            applied.laneLimits(),
            slot(daemon),
            daemon));
  }

  @Override
  public CompletableFuture<Void> seen(int daemon, long oldestMillis, long seenMillis) {
    return runner.done(
        "telling that daemon %d is alive".formatted(daemon),
        runner.bind(
            StoreStatements.Kind.DAEMON_SEEN,
            Instant.ofEpochMilli(oldestMillis),
            Instant.ofEpochMilli(seenMillis),
            slot(daemon),
            daemon));
  }

  // Batch keys.

  @Override
  public CompletableFuture<Claim> claim(byte[] key, Claim mine, int ttlSeconds) {
    return claims.claim(key, mine, ttlSeconds);
  }

  @Override
  public CompletableFuture<List<@Nullable Claim>> claims(List<byte[]> keys) {
    return claims.claims(keys);
  }

  @Override
  public CompletableFuture<Void> noteClaims(List<byte[]> keys, List<Claim> noted, int ttlSeconds) {
    return claims.noteClaims(keys, noted, ttlSeconds);
  }

  @Override
  public CompletableFuture<Integer> sole(int expected, int next) {
    return claims.sole(expected, next);
  }

  @Override
  public CompletableFuture<Boolean> takeOver(byte[] key, Claim from, Claim mine, int ttlSeconds) {
    return claims.takeOver(key, from, mine, ttlSeconds);
  }

  // Positions of sources.

  @Override
  public CompletableFuture<SourceRows> source(UUID topic, int partition) {
    return sources.source(topic, partition);
  }

  @Override
  public CompletableFuture<Boolean> advance(
      SourceRange range, int daemon, long stamp, boolean owes) {
    return sources.advance(range, daemon, stamp, owes);
  }

  // Policies and leases.

  @Override
  public CompletableFuture<Map<String, String>> policies() {
    return runner
        .rows("reading the policies", runner.bind(StoreStatements.Kind.POLICY_SELECT), row -> row)
        .thenApply(rows -> {
          Map<String, String> policies = new HashMap<>();
          rows.forEach(
              row -> policies.put(present(row.getString("name")), present(row.getString("body"))));
          return Map.copyOf(policies);
        });
  }

  @Override
  public CompletableFuture<Void> policy(String name, @Nullable String body) {
    return runner.done(
        "setting policy " + name,
        body == null
            ? runner.bind(StoreStatements.Kind.POLICY_DELETE, name)
            : runner.bind(StoreStatements.Kind.POLICY_INSERT, name, body));
  }

  @Override
  public CompletableFuture<Boolean> lease(String what, int daemon, Duration kept) {
    int seconds = Math.toIntExact(Math.max(1, Math.ceilDiv(kept.toMillis(), 1_000)));
    return lease(what, daemon, seconds, null);
  }

  /// @param holder the daemon that has it; null for none
  private CompletableFuture<Boolean> lease(
      String what, int daemon, int seconds, @Nullable Integer holder) {
    return runner.run(
        "leasing " + what,
        runner.bind(StoreStatements.Kind.LEASE, seconds, daemon, what, holder),
        answer -> {
          if (answer.wasApplied()) {
            return now(true);
          }
          Row row = answer.one();
          boolean mine =
              row != null
                  && row.getColumnDefinitions().contains("daemon")
                  && !row.isNull("daemon")
                  && row.getInt("daemon") == daemon;
          return mine && holder == null ? lease(what, daemon, seconds, daemon) : now(false);
        });
  }

  @Override
  public CompletableFuture<Long> clockMillis() {
    return runner.run(
        "asking for the time",
        runner.bind(StoreStatements.Kind.CLOCK).setExecutionProfileName(Connections.ONE),
        page -> now(present(page.one()).getLong("millis")));
  }

  @Override
  public KeyspaceHealth health() {
    return Connections.health(session, options.uri(), counts);
  }

  @Override
  public void close() {
    session.close();
  }

  /// The name of the keyspace.
  @Override
  public String toString() {
    return options.uri().keyspace();
  }
}
