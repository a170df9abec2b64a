package io.widerow.ingest.kafka;

import io.widerow.ingest.config.DaemonConfig;
import io.widerow.storage.StoreConfig;
import io.widerow.storage.cassandra.CassandraStore;
import io.widerow.storage.cassandra.ClusterReading;
import io.widerow.storage.cassandra.ClusterStores;
import io.widerow.storage.cassandra.apply.ApplyOptions;
import io.widerow.storage.cassandra.keyspace.ClusterOptions;
import io.widerow.storage.cassandra.keyspace.Keyspace;
import io.widerow.storage.cassandra.read.ReadOptions;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/// Opens the store on a cluster of a daemon that reads topics.
final class ClusterStore {
  private static final Duration REQUEST_TIMEOUT = Duration.ofSeconds(5);

  private ClusterStore() {}

  /// Over the nodes that the configuration names.
  static CassandraStore open(DaemonConfig config) {
    return open(config, ClusterStores.connect(options(config), config.data()));
  }

  static ClusterOptions options(DaemonConfig config) {
    String uri = Objects.requireNonNull(config.cluster().store());
    return ClusterOptions.parse(uri, REQUEST_TIMEOUT, false, true);
  }

  static CassandraStore open(DaemonConfig config, Keyspace keyspace) {
    StoreConfig local = config.store().storeConfig(config.data(), config.lanes());
    ExecutorService threads =
        Executors.newThreadPerTaskExecutor(Thread.ofVirtual().name("cluster-", 0).factory());
    var reading =
        new ClusterReading(
            keyspace,
            new ClusterReading.Settings(
                ReadOptions.DEFAULT.withBucketMinutes(local::bucketMinutesOf),
                Duration.ofDays(1),
                null),
            threads,
            threads);
    return ClusterStores.open(keyspace, local, ApplyOptions.of("here"), reading, threads);
  }
}
