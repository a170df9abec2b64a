package io.widerow.storage.cassandra.read;

import io.widerow.event.PartitionKey;
import io.widerow.storage.ClusterArrivals;
import io.widerow.storage.EventCursor;
import io.widerow.storage.Filter;
import io.widerow.storage.FilteredRetention;
import io.widerow.storage.PartitionInfo;
import io.widerow.storage.ReadingThreads;
import io.widerow.storage.RetentionLookup;
import io.widerow.storage.RetentionSettings;
import io.widerow.storage.Scan;
import io.widerow.storage.StorageException;
import io.widerow.storage.StoreView;
import io.widerow.storage.cassandra.keyspace.DaemonRow;
import io.widerow.storage.cassandra.keyspace.Keyspace;
import io.widerow.storage.cassandra.keyspace.Stamp;
import io.widerow.storage.live.FilteredRetentions.Hidden;
import io.widerow.storage.live.StoreClock;
import io.widerow.storage.scan.BlockReaderPool;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;

/// Makes views of a store on a cluster, and has what they share: the cached catalog and
/// directories, the limit of requests, idle memory for decoding.
///
/// - Threads: any.
/// - Memory: bounded caches, see [ReadOptions]; until [#close]. Does not own the keyspace.
public final class ClusterReader implements AutoCloseable {
  private final Keyspace keyspace;
  private final RetentionLookup retention;
  private final ReadOptions options;
  private final StoreClock clock;
  private final Executor executor;
  private final Requests requests;
  private final ClusterCatalog catalog;
  private final Directories directories;
  private final ValueFetcher values;
  private final BlockReaderPool blockReaders = new BlockReaderPool();
  private volatile ClusterArrivals last = new ClusterArrivals(Map.of());

  /// @param executor asks ahead for values, and for the next group of partitions; tasks of that
  ///   kind wait for the cluster. It refuses what it does not run
  public ClusterReader(
      Keyspace keyspace, RetentionLookup retention, ReadOptions options, Executor executor) {
    this(keyspace, retention, options, executor, StoreClock.system());
  }

  /// The same with a clock, for retention.
  public ClusterReader(
      Keyspace keyspace,
      RetentionLookup retention,
      ReadOptions options,
      Executor executor,
      StoreClock clock) {
    this.keyspace = keyspace;
    this.retention = retention;
    this.options = options;
    this.clock = clock;
    this.executor = executor;
    this.requests = new Requests(options);
    this.catalog = new ClusterCatalog(keyspace, requests, options);
    this.directories = new Directories(keyspace, requests, options);
    this.values = new ValueFetcher(keyspace, requests, options, executor);
  }

  /// Sets the threads that help views opened from now on to decode.
  public void helpWith(ReadingThreads threads) {
    blockReaders.helpWith(threads);
  }

  /// A view of all that daemons have applied. Waits for the cluster.
  ///
  /// @throws StorageException.Unreachable when the cluster does not answer
  public StoreView view() {
    return view(new Hidden(retention.filtered(), clock.wallNanos()));
  }

  /// The events that a policy with a filter hides, or would, by partition, whatever other such
  /// policies hide. Reads the events of its types that are older than its age.
  ///
  /// @throws StorageException.Unreachable when the cluster does not answer
  public SortedMap<PartitionKey, Long> hiddenBy(FilteredRetention policy) {
    long nowNanos = clock.wallNanos();
    long untilNanos = policy.keptFromNanos(nowNanos);
    Filter filter = Hidden.hiddenBy(policy, untilNanos);
    Scan scan = Scan.all().withFilter(filter).withColumns(Set.of());
    SortedMap<PartitionKey, Long> hidden = new TreeMap<>();
    try (StoreView view = view(new Hidden(List.of(), nowNanos))) {
      for (PartitionInfo info : view.partitions(policy::matches, 0, untilNanos, null)) {
        long events = 0;
        try (EventCursor cursor = view.open(List.of(info.key()), scan)) {
          while (cursor.nextWhenReady() == EventCursor.Step.EVENT) {
            events++;
          }
        }
        if (events > 0) {
          hidden.put(info.key(), events);
        }
      }
    }
    return hidden;
  }

  /// All partitions with what they hold, whatever retention hides. Reads every directory.
  ///
  /// @throws StorageException.Unreachable when the cluster does not answer
  public List<RetentionSettings.Going> stored() {
    return view(Hidden.NONE).stored();
  }

  private ClusterView view(Hidden hidden) {
    List<DaemonRow> daemons =
        Requests.await(
            requests.ask(
                new ReadCounts(),
                ReadCounts.Kind.CATALOG,
                () -> "how far the daemons have applied",
                keyspace::daemons));
    return new ClusterView(this, position(daemons), hidden);
  }

  /// The position from the rows of daemons. Equal ones are the same object, which makes comparing
  /// cheap.
  private ClusterArrivals position(List<DaemonRow> daemons) {
    Map<Integer, ClusterArrivals.Position> positions = new TreeMap<>();
    for (DaemonRow row : daemons) {
      DaemonRow.Applied applied = row.applied();
      if (applied.stamp() != Stamp.NONE) {
        positions.put(
            row.daemon(),
            new ClusterArrivals.Position(
                applied.stamp(), applied.versionLimit(), applied.laneLimits()));
      }
    }
    ClusterArrivals now = new ClusterArrivals(positions);
    ClusterArrivals before = last;
    if (now.equals(before)) {
      return before;
    }
    last = now;
    return now;
  }

  /// Runs something that saves time later, if there is a thread for it.
  void inBackground(Runnable action) {
    try {
      executor.execute(() -> {
        try {
          action.run();
        } catch (StorageException failed) {
          // The reader asks for the same when it comes there, and reports what it meets.
        }
      });
    } catch (RejectedExecutionException over) {
      // Nothing depends on it.
    }
  }

  boolean isExpiredByNow(PartitionKey key) {
    return retention.isExpired(key.type(), key.untilNanos(), clock.wallNanos());
  }

  ClusterCatalog catalog() {
    return catalog;
  }

  Directories directories() {
    return directories;
  }

  ValueFetcher values() {
    return values;
  }

  RetentionLookup retention() {
    return retention;
  }

  ReadOptions options() {
    return options;
  }

  BlockReaderPool blockReaders() {
    return blockReaders;
  }

  UUID storeId() {
    return keyspace.identity().id();
  }

  /// Frees idle memory. Views must be closed before.
  @Override
  public void close() {
    blockReaders.close();
  }
}
