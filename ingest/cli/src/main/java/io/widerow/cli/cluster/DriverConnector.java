package io.widerow.cli.cluster;

import io.widerow.storage.RetentionSettings;
import io.widerow.storage.StorageException;
import io.widerow.storage.StoreView;
import io.widerow.storage.cassandra.ClusterRetention;
import io.widerow.storage.cassandra.keyspace.ClusterOptions;
import io.widerow.storage.cassandra.keyspace.DriverKeyspace;
import io.widerow.storage.cassandra.keyspace.Keyspace;
import io.widerow.storage.cassandra.maintenance.ClusterPolicies;
import io.widerow.storage.cassandra.read.ClusterReader;
import io.widerow.storage.cassandra.read.ReadOptions;
import java.time.Duration;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/// A cluster by the driver, read as it is: with its retention, and waited for when it is away.
final class DriverConnector implements OpenCluster {
  private static final Duration REQUEST_TIMEOUT = Duration.ofSeconds(10);
  private static final Duration READ_PATIENCE = Duration.ofMinutes(10);

  private final Keyspace keyspace;
  private final ExecutorService background =
      Executors.newThreadPerTaskExecutor(Thread.ofVirtual().name("cluster-", 0).factory());
  private final ClusterPolicies policies;
  private final ClusterReader reader;

  private DriverConnector(Keyspace keyspace) {
    this.keyspace = keyspace;
    this.policies = new ClusterPolicies(keyspace, System::currentTimeMillis);
    try {
      policies.refresh().join();
    } catch (CompletionException failed) {
      keyspace.close();
      background.close();
      throw new StorageException.Unreachable(
          "cannot read the cluster's policies: " + failed.getCause(), failed);
    }
    this.reader =
        new ClusterReader(
            keyspace, policies, ReadOptions.DEFAULT.withPatience(READ_PATIENCE), background);
  }

  /// See [ClusterConnector#open].
  static OpenCluster open(String uri, boolean insecure, boolean make) {
    DriverLog.silence();
    ClusterOptions options = ClusterOptions.parse(uri, REQUEST_TIMEOUT, false, insecure);
    return new DriverConnector(
        make ? DriverKeyspace.open(options) : DriverKeyspace.openExisting(options));
  }

  @Override
  public Keyspace keyspace() {
    return keyspace;
  }

  @Override
  public StoreView view() {
    return reader.view();
  }

  @Override
  public RetentionSettings retention() {
    return new ClusterRetention(policies, reader, System::currentTimeMillis);
  }

  @Override
  public void close() {
    reader.close();
    keyspace.close();
    background.close();
  }
}
