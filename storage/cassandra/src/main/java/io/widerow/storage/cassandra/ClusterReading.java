package io.widerow.storage.cassandra;

import io.widerow.event.PartitionKey;
import io.widerow.event.RetentionPolicy;
import io.widerow.storage.ReadingThreads;
import io.widerow.storage.RetentionLookup;
import io.widerow.storage.RetentionSettings;
import io.widerow.storage.StorageException;
import io.widerow.storage.StoreView;
import io.widerow.storage.WouldBlockException;
import io.widerow.storage.cassandra.keyspace.Keyspace;
import io.widerow.storage.cassandra.keyspace.KeyspaceException;
import io.widerow.storage.cassandra.maintenance.ClusterPolicies;
import io.widerow.storage.cassandra.maintenance.Upkeep;
import io.widerow.storage.cassandra.maintenance.UpkeepStatus;
import io.widerow.storage.cassandra.read.ClusterReader;
import io.widerow.storage.cassandra.read.ReadOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/// Reading of a store on a cluster, its retention, and its background work.
///
/// - Threads: any.
public final class ClusterReading implements CassandraStore.Reading {
  private final Keyspace keyspace;
  private final Settings settings;
  private final Executor upkeepThread;
  private final ClusterPolicies policies;
  private final ClusterReader reader;
  private final ClusterRetention settable;
  private final AtomicReference<@Nullable Runnable> configured = new AtomicReference<>();
  private volatile @Nullable Upkeep upkeep;

  /// The options of an operator.
  ///
  /// @param options of reading
  /// @param mergeAfter so long after its end a bucket is merged
  /// @param timeToLive how long past their retention rows are kept by the cluster, when it drops
  ///   them by itself; null when it does not
  public record Settings(ReadOptions options, Duration mergeAfter, @Nullable Duration timeToLive) {}

  /// @param ahead asks ahead for readers; its tasks wait for the cluster
  /// @param upkeepThread merges and drops; its tasks wait for the cluster, so it is a thread of its
  ///   own, of low priority
  public ClusterReading(
      Keyspace keyspace, Settings settings, Executor ahead, Executor upkeepThread) {
    this.keyspace = keyspace;
    this.settings = settings;
    this.upkeepThread = upkeepThread;
    this.policies = new ClusterPolicies(keyspace, System::currentTimeMillis);
    this.reader = new ClusterReader(keyspace, policies, settings.options(), ahead);
    this.settable = new ClusterRetention(policies, reader, System::currentTimeMillis);
    policies.refreshIfDue();
  }

  /// Reads the policies and waits for them: before that nothing is past its retention.
  ///
  /// @throws StorageException.Unreachable when they cannot be read
  public void awaitPolicies() {
    try {
      policies.refresh().join();
    } catch (CompletionException failed) {
      throw new StorageException.Unreachable(
          "the policies cannot be read: " + failed.getCause(), failed);
    }
  }

  /// Sets the retention that this daemon is configured with, when the store has none: now, or as
  /// soon as the policies can be read. Waits for the cluster, as long as a statement may take.
  ///
  /// @param retention calls [#retain]; run by the caller's thread, or later by that of the upkeep,
  ///   again while it throws [StorageException.Unreachable]
  public void propose(Runnable retention) {
    configured.set(retention);
    try {
      awaitPolicies();
    } catch (StorageException.Unreachable away) {
      return; // reported by troubles(); maintain() retries it
    }
    proposeNow();
  }

  private void proposeNow() {
    Runnable retention = configured.getAndSet(null);
    if (retention == null || policies.isSet()) {
      return;
    }
    try {
      retention.run();
    } catch (StorageException.Unreachable away) {
      configured.set(retention); // maintain() tries again
    }
  }

  /// Lets these threads help views to decode.
  public void helpWith(ReadingThreads threads) {
    reader.helpWith(threads);
  }

  @Override
  public StoreView view() {
    return reader.view();
  }

  /// A view waits for the cluster.
  @Override
  public StoreView viewWithin(long nanos) {
    throw new WouldBlockException();
  }

  @Override
  public void retain(@Nullable String type, @Nullable Duration age) {
    try {
      policies.set(type, age);
    } catch (KeyspaceException failed) {
      throw new StorageException.Unreachable(
          "the retention cannot be set: " + failed.getMessage(), failed);
    }
  }

  @Override
  public List<RetentionPolicy> unfiltered() {
    awaitPolicies();
    return policies.unfiltered();
  }

  @Override
  public RetentionLookup retention() {
    return policies;
  }

  @Override
  public RetentionSettings settings() {
    return settable;
  }

  @Override
  public void begin(int daemon) {
    upkeep =
        new Upkeep(keyspace, daemon, policies, settings.mergeAfter(), System::currentTimeMillis);
  }

  @Override
  public void maintain() {
    policies.refreshIfDue();
    if (configured.get() != null && policies.isKnown()) {
      upkeepThread.execute(this::proposeNow);
    }
    Upkeep work = upkeep;
    if (work != null) {
      work.maintain(upkeepThread);
    }
  }

  @Override
  public void touched(PartitionKey partition) {
    Upkeep work = upkeep;
    if (work != null) {
      work.touched(partition);
    }
  }

  @Override
  public int ttlSeconds(PartitionKey partition, long nodesMillis) {
    Duration slack = settings.timeToLive();
    Duration kept = policies.of(partition.type());
    if (slack == null || kept == null) {
      return 0;
    }
    long end = TimeUnit.NANOSECONDS.toSeconds(partition.untilNanos());
    long now = TimeUnit.MILLISECONDS.toSeconds(nodesMillis);
    return Math.clamp(end + kept.toSeconds() + slack.toSeconds() - now, 1, 20 * 365 * 86_400);
  }

  @Override
  public UpkeepStatus upkeep() {
    Upkeep work = upkeep;
    return work == null ? UpkeepStatus.NONE : work.status();
  }

  @Override
  public List<String> troubles() {
    List<String> all = new ArrayList<>();
    String policy = policies.trouble();
    if (policy != null) {
      all.add(policy);
    }
    UpkeepStatus status = upkeep();
    all.addAll(status.paused());
    all.addAll(status.trouble());
    return all;
  }

  @Override
  public void close() {
    Upkeep work = upkeep;
    if (work != null) {
      work.close();
    }
    reader.close();
  }
}
