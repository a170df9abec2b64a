package io.widerow.cli.cluster;

import io.widerow.ingest.config.ClusterKeys;
import io.widerow.ingest.config.DaemonConfig;
import io.widerow.ingest.config.SecurityOptions;
import io.widerow.query.QueryThreads;
import io.widerow.query.SecretFile;
import io.widerow.storage.EventStore;
import io.widerow.storage.StoreConfig;
import io.widerow.storage.cassandra.CassandraStore;
import io.widerow.storage.cassandra.ClusterReading;
import io.widerow.storage.cassandra.ClusterStores;
import io.widerow.storage.cassandra.apply.ApplyOptions;
import io.widerow.storage.cassandra.keyspace.ClusterOptions;
import io.widerow.storage.cassandra.keyspace.Keyspace;
import io.widerow.storage.cassandra.read.ReadOptions;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadFactory;

/// Opens the store on a cluster that a daemon is configured with, with its threads.
public final class ClusterDaemonStore {
  /// The cluster keeps what it drops by itself for so long after its retention.
  private static final Duration TTL_SLACK = Duration.ofDays(7);

  private static final Duration REQUEST_TIMEOUT = Duration.ofSeconds(5);

  private ClusterDaemonStore() {}

  /// Checks the URI of the cluster, and the files that it names.
  ///
  /// @throws IllegalArgumentException when one cannot be used
  public static void check(DaemonConfig config) {
    if (!config.cluster().isOn()) {
      return;
    }
    ClusterOptions options;
    try {
      options = options(config);
    } catch (IllegalArgumentException wrong) {
      throw new IllegalArgumentException("store: " + wrong.getMessage(), wrong);
    }
    Path password = options.passwordFile();
    if (password != null) {
      byte[] _ = SecretFile.read("store", password);
    }
    SecurityOptions.requireReadable("store", options.ca());
    SecurityOptions.requireReadable("store", options.certificate());
    SecurityOptions.requireReadable("store", options.key());
  }

  /// Opens it. The retention of the configuration becomes that of the store when it has none.
  ///
  /// @param low makes threads of low priority, for merging and for searching blocks
  public static EventStore open(DaemonConfig config, Low low) {
    ClusterKeys keys = config.cluster();
    Keyspace keyspace = ClusterStores.connect(options(config), config.data());
    StoreConfig local = config.store().storeConfig(config.data(), config.lanes());
    ExecutorService background =
        Executors.newFixedThreadPool(
            2 + (config.lanes() + 1) / 2,
            Thread.ofPlatform().name("widerow-background-", 0).daemon().factory());
    ExecutorService ahead =
        Executors.newThreadPerTaskExecutor(Thread.ofVirtual().name("cluster-", 0).factory());
    var settings =
        new ClusterReading.Settings(
            ReadOptions.DEFAULT.withBucketMinutes(local::bucketMinutesOf),
            local.mergeAfter(),
            keys.ttl() ? TTL_SLACK : null);
    ExecutorService merge = Executors.newSingleThreadExecutor(low.factory("widerow-merge"));
    var reading = new ClusterReading(keyspace, settings, ahead, merge);
    reading.helpWith(
        QueryThreads.start(low.factory("widerow-search"), config.limits().searchThreads()));
    CassandraStore store = ClusterStores.open(keyspace, local, apply(config), reading, background);
    reading.propose(() -> {
      if (local.retention() != null) {
        store.retain(null, local.retention());
      }
      config.store().retain(store);
    });
    return store;
  }

  /// Makes factories of threads of low priority.
  @FunctionalInterface
  public interface Low {
    ThreadFactory factory(String name);
  }

  private static ClusterOptions options(DaemonConfig config) {
    ClusterKeys keys = config.cluster();
    return ClusterOptions.parse(
        Objects.requireNonNull(keys.store()), REQUEST_TIMEOUT, keys.ttl(), config.insecure());
  }

  private static ApplyOptions apply(DaemonConfig config) {
    ClusterKeys keys = config.cluster();
    ApplyOptions base = ApplyOptions.of(host());
    Integer number = keys.daemonNumber();
    Long bytes = keys.journalBytes();
    return base.withDaemon(number == null ? ApplyOptions.AUTO : number)
        .withKeys(new ApplyOptions.BatchKeys(keys.claimKeep(), keys.acceptsRepeats()))
        .withRows(keys.rows())
        .withPendingBytesMax(bytes == null ? Long.MAX_VALUE : bytes);
  }

  /// The name of this machine, for the list of daemons.
  private static String host() {
    try {
      return InetAddress.getLocalHost().getHostName();
    } catch (UnknownHostException unnamed) {
      return "unknown";
    }
  }
}
