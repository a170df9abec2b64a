package io.widerow.storage.cassandra;

import io.widerow.event.EventId;
import io.widerow.event.PartitionKey;
import io.widerow.event.RetentionPolicy;
import io.widerow.storage.ClockReport;
import io.widerow.storage.ClusterReport;
import io.widerow.storage.EventStore;
import io.widerow.storage.LaneWriter;
import io.widerow.storage.RetentionLookup;
import io.widerow.storage.RetentionSettings;
import io.widerow.storage.SharedSources;
import io.widerow.storage.StorageException;
import io.widerow.storage.StoreConfig;
import io.widerow.storage.StoreStatistics;
import io.widerow.storage.StoreView;
import io.widerow.storage.cassandra.apply.ApplyOptions;
import io.widerow.storage.cassandra.apply.Pace;
import io.widerow.storage.cassandra.keyspace.DaemonRow;
import io.widerow.storage.cassandra.keyspace.Keyspace;
import io.widerow.storage.cassandra.keyspace.KeyspaceException;
import io.widerow.storage.cassandra.keyspace.KeyspaceHealth;
import io.widerow.storage.cassandra.keyspace.Stamp;
import io.widerow.storage.cassandra.maintenance.UpkeepStatus;
import io.widerow.storage.cassandra.migrate.ClusterCopier;
import io.widerow.storage.disk.Disk;
import io.widerow.storage.disk.RealDisk;
import io.widerow.storage.disk.StoreLock;
import io.widerow.storage.embedded.EmbeddedStore;
import io.widerow.storage.embedded.Pending;
import io.widerow.storage.live.StoreClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// A store on a cluster. A store on this machine journals incoming events; this class applies them
/// to a keyspace and reads them from there.
///
/// ```
///   directory/
///     owner      which daemon this is            LOCK     who has the directory open
///     rounds     the rounds in progress          spool/   a store on this machine: events not
///                                                         applied yet
/// ```
///
/// - Threads: one of its own applies; everything else runs on callers' threads and the executor.
/// - Errors: a cluster that is away delays; nothing is lost. Another daemon with the same number
///   ends the write side.
public final class CassandraStore implements EventStore {
  /// The longest time for which closing applies the remaining events.
  private static final long CLOSE_NANOS = TimeUnit.SECONDS.toNanos(10);

  private final ClusterOpener.Parts parts;
  private final EmbeddedStore local;
  private final Reading reading;
  private final SharedSources sources;
  private final EventStore.Copier copier;
  private final @Nullable Thread thread; // null in a simulation

  /// The options of reading and retention.
  public interface Reading {
    /// A view of everything that all daemons have applied.
    StoreView view();

    /// The same for a thread that must not block.
    StoreView viewWithin(long nanos);

    /// See [EventStore#retain].
    void retain(@Nullable String type, @Nullable Duration age);

    /// The retention: an event that has expired when it arrives is refused.
    default RetentionLookup retention() {
      return RetentionLookup.FOREVER;
    }

    /// The retention for an operator; null when it cannot be changed.
    default @Nullable RetentionSettings settings() {
      return null;
    }

    /// The retention policies without a filter, by precedence.
    default List<RetentionPolicy> unfiltered() {
      return List.of();
    }

    /// The daemon has its number; nothing was applied yet.
    default void begin(int daemon) {}

    /// Starts the background work that is due.
    void maintain();

    /// A segment of a partition is about to be applied.
    default void touched(PartitionKey partition) {}

    /// The counters of the background work.
    default UpkeepStatus upkeep() {
      return UpkeepStatus.NONE;
    }

    /// The obstacles of the background work, for people; empty without any.
    default List<String> troubles() {
      return List.of();
    }

    /// Seconds after which the cluster drops a partition's rows by itself; 0 for never.
    ///
    /// @param nodesMillis the time of the nodes, in milliseconds since the Unix epoch
    default int ttlSeconds(PartitionKey partition, long nodesMillis) {
      return 0;
    }

    /// Ends the background work.
    void close();
  }

  /// The machine that a store runs on.
  ///
  /// @param disk has the directory
  /// @param clock of the machine
  /// @param pace how to wait
  /// @param spool opens the store on this machine
  /// @param isSimulated whether the caller applies, by [#step]
  record Machine(
      Disk disk,
      StoreClock clock,
      Pace pace,
      Function<StoreConfig, EmbeddedStore> spool,
      boolean isSimulated) {
    static Machine real(Executor background) {
      return new Machine(
          new RealDisk(),
          StoreClock.system(),
          new Pace.Real(),
          config -> EmbeddedStore.openSpool(config, background),
          false);
    }
  }

  /// Opens the store of a keyspace for reading and writing.
  ///
  /// @param keyspace closed by [#close]
  /// @param config of the store on this machine; its directory is made when it is absent, and its
  ///   number of the daemon and its retention are not used
  /// @param reading how events are read
  /// @param background runs the tasks of [#maintain], and flushes of the store on this machine
  /// @throws StorageException.Locked when the directory is in use, or the number is another's
  /// @throws StorageException.Incompatible when the directory belongs to another store
  /// @throws StorageException.Unreachable when the cluster is away at the first start
  public static CassandraStore open(
      Keyspace keyspace,
      StoreConfig config,
      ApplyOptions options,
      Reading reading,
      Executor background) {
    return open(keyspace, config, options, reading, Machine.real(background));
  }

  static CassandraStore open(
      Keyspace keyspace,
      StoreConfig config,
      ApplyOptions options,
      Reading reading,
      Machine machine) {
    return new CassandraStore(
        new ClusterOpener(keyspace, config, options, reading, machine).open());
  }

  private CassandraStore(ClusterOpener.Parts parts) {
    this.parts = parts;
    this.local = parts.local();
    this.reading = parts.reading();
    this.sources = new ClusterSources(parts.keyspace(), parts.number(), parts.ranges());
    this.copier =
        new ClusterCopier(parts.disk(), parts.keyspace(), this::view, reading::unfiltered);
    this.thread =
        parts.isSimulated()
            ? null
            : Thread.ofPlatform().name("applier").daemon().start(parts.applier()::run);
  }

  /// Applies everything that is committed now; for simulations.
  ///
  /// @return true when nothing was left to apply
  boolean step() {
    return parts.applier().step();
  }

  /// Frees what a simulated daemon that died still holds of this process; nothing reaches its disk.
  void abandon() {
    parts.applier().close();
    local.close();
  }

  @Override
  public int lanes() {
    return local.lanes();
  }

  @Override
  public LaneWriter lane(int lane) {
    return parts.lanes().get(lane);
  }

  @Override
  public int laneOf(EventId id, int lanesThen) {
    return local.laneOf(id, lanesThen);
  }

  @Override
  public byte[] secret() {
    return HexFormat.of().parseHex(parts.number().store().secret());
  }

  @Override
  public long arrivalNanos() {
    return local.arrivalNanos();
  }

  @Override
  public long nowNanos() {
    return local.nowNanos();
  }

  @Override
  public long latestNanos() {
    return local.latestNanos();
  }

  @Override
  public ClockReport clock() {
    return local.clock();
  }

  @Override
  public void acceptClock() {
    local.acceptClock();
  }

  @Override
  public StoreView view() {
    return reading.view();
  }

  @Override
  public StoreView viewWithin(long nanos) {
    return reading.viewWithin(nanos);
  }

  @Override
  public void retain(@Nullable String type, @Nullable Duration age) {
    reading.retain(type, age);
  }

  @Override
  public @Nullable RetentionSettings retention() {
    return reading.settings();
  }

  @Override
  public boolean lease(String what, Duration kept) {
    try {
      return parts.keyspace().lease(what, parts.number().daemon(), kept).join();
    } catch (CompletionException failed) {
      throw new StorageException.Unreachable(
          "the lease of %s: %s".formatted(what, failed.getMessage()), failed);
    }
  }

  @Override
  public void allowSources() {
    local.allowSources();
  }

  @Override
  public SharedSources sharedSources() {
    return sources;
  }

  @Override
  public EventStore.Copier copier() {
    return copier;
  }

  @Override
  public void maintain() {
    local.maintain();
    parts.side().look();
    reading.maintain();
  }

  @Override
  public StoreStatistics statistics() {
    StoreStatistics here = local.statistics();
    StorageException ended = parts.side().ended();
    return ended == null ? here : here.withFailure(String.valueOf(ended.getMessage()));
  }

  @Override
  public ClusterReport cluster() {
    KeyspaceHealth health = parts.keyspace().health();
    UpkeepStatus upkeep = reading.upkeep();
    Pending pending = local.pending(parts.applier().appliedTo());
    long oldest = parts.applier().oldest();
    long now = TimeUnit.NANOSECONDS.toMillis(local.nowNanos());
    return new ClusterReport(
        state(health),
        parts.number().store().id().toString(),
        parts.keyspace().toString(),
        parts.number().daemon(),
        parts.number().epoch(),
        Stamp.text(parts.applier().appliedStamp()),
        pending.events(),
        pending.bytes(),
        oldest == 0 ? 0 : Math.max(0, now - oldest) / 1_000.0,
        health.nodesUp(),
        health.nodesDown(),
        health.replication(),
        parts.applier().skewMillis(),
        upkeep.waiting(),
        trouble(),
        counters(upkeep),
        parts.number().daemons().stream().map(CassandraStore::member).toList());
  }

  private String trouble() {
    List<String> all = new ArrayList<>(reading.troubles());
    if (!parts.statements().trouble().isEmpty()) {
      all.addFirst(parts.statements().trouble());
    }
    return String.join("; ", all);
  }

  private static ClusterReport.State state(KeyspaceHealth health) {
    if (!health.hasQuorum()) {
      return ClusterReport.State.UNREACHABLE;
    }
    return health.nodesDown() > 0 ? ClusterReport.State.DEGRADED : ClusterReport.State.UP;
  }

  private static ClusterReport.Member member(DaemonRow row) {
    return new ClusterReport.Member(
        row.daemon(),
        row.host(),
        Stamp.text(row.applied().stamp()),
        row.oldestMillis(),
        row.seenMillis());
  }

  private List<ClusterReport.Counter> counters(UpkeepStatus upkeep) {
    List<ClusterReport.Counter> all = new ArrayList<>();
    parts
        .keyspace()
        .health()
        .requests()
        .forEach((node, count) -> all.add(new ClusterReport.Counter("requests", node, count)));
    for (KeyspaceException.Kind kind : KeyspaceException.Kind.values()) {
      all.add(
          new ClusterReport.Counter(
              "retries", kind.name().toLowerCase(Locale.ROOT), parts.statements().retries(kind)));
    }
    all.add(new ClusterReport.Counter("claims", "mine", parts.applier().batchesClaimed()));
    all.add(new ClusterReport.Counter("claims", "another", parts.applier().batchesLeftOut()));
    all.add(new ClusterReport.Counter("claims", "offsets", parts.applier().rangesLeftOut()));
    all.add(new ClusterReport.Counter("merges", "", upkeep.merges()));
    all.add(new ClusterReport.Counter("merges lost", "", upkeep.swapsLost()));
    all.add(new ClusterReport.Counter("merged events", "", upkeep.eventsMerged()));
    all.add(new ClusterReport.Counter("merged bytes", "", upkeep.bytesMerged()));
    all.add(new ClusterReport.Counter("removed events", "", upkeep.eventsRemoved()));
    all.add(new ClusterReport.Counter("segments deleted", "", upkeep.segmentsDeleted()));
    all.add(new ClusterReport.Counter("partitions dropped", "", upkeep.partitionsDropped()));
    return all;
  }

  @Override
  public @Nullable String full() {
    String here = local.full();
    return here == null ? parts.side().full() : here;
  }

  /// Applies what it can within ten seconds; the rest stays on this machine for the next start.
  @Override
  public void close() {
    parts.pace().stop(CLOSE_NANOS);
    try {
      if (thread != null) {
        thread.join();
      }
    } catch (InterruptedException interrupt) {
      Thread.currentThread().interrupt();
    } finally {
      parts.applier().close();
      reading.close();
      local.close();
      parts.rounds().close();
      parts.keyspace().close();
      StoreLock.giveBack(parts.directory(), parts.lock());
    }
  }
}
