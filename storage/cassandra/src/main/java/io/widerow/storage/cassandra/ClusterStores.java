package io.widerow.storage.cassandra;

import io.widerow.storage.EventStore;
import io.widerow.storage.StorageException;
import io.widerow.storage.StoreConfig;
import io.widerow.storage.cassandra.apply.ApplyOptions;
import io.widerow.storage.cassandra.apply.DaemonNumber;
import io.widerow.storage.cassandra.keyspace.ClusterOptions;
import io.widerow.storage.cassandra.keyspace.DriverKeyspace;
import io.widerow.storage.cassandra.keyspace.Keyspace;
import io.widerow.storage.cassandra.keyspace.LateKeyspace;
import io.widerow.storage.cassandra.keyspace.StoreIdentity;
import io.widerow.storage.cassandra.read.ReadOptions;
import io.widerow.storage.disk.RealDisk;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/// Opens stores on real clusters.
public final class ClusterStores {
  private ClusterStores() {}

  /// Connects to the store of a daemon. When the cluster cannot be reached, and the daemon's
  /// directory names its store, it is connected to later.
  ///
  /// @param directory of the daemon; need not exist
  /// @throws StorageException.Unreachable when the cluster cannot be reached, and the directory
  ///   does not say enough to start without it
  /// @throws StorageException.Incompatible when the keyspace is not one that this program can use
  /// @throws IllegalArgumentException for a file of the options that cannot be used
  public static Keyspace connect(ClusterOptions options, Path directory) {
    try {
      return DriverKeyspace.open(options);
    } catch (StorageException.Unreachable away) {
      StoreIdentity known = DaemonNumber.storeOf(new RealDisk(), directory);
      if (known == null) {
        throw away;
      }
      return LateKeyspace.of(
          known, options.uri().keyspace(), () -> DriverKeyspace.open(options), away);
    }
  }

  /// Opens a store for reading and writing on a keyspace, which it closes.
  ///
  /// @param config of the store on this machine, see [CassandraStore#open]
  /// @param background runs the maintenance that is due on this machine
  /// @throws StorageException as [CassandraStore#open]; the keyspace is closed then
  public static CassandraStore open(
      Keyspace keyspace,
      StoreConfig config,
      ApplyOptions options,
      ClusterReading reading,
      ExecutorService background) {
    try {
      return CassandraStore.open(keyspace, config, options, reading, background);
    } catch (Throwable failure) {
      reading.close();
      keyspace.close();
      throw failure;
    }
  }

  /// Opens a store for reading, without a directory on this machine.
  ///
  /// @throws StorageException.Unreachable when the cluster cannot be reached, or has no such store
  /// @throws StorageException.Incompatible when the keyspace is not one that this program can use
  public static EventStore openForReading(ClusterOptions options) {
    Keyspace keyspace = DriverKeyspace.openExisting(options);
    ExecutorService ahead =
        Executors.newThreadPerTaskExecutor(Thread.ofVirtual().name("cluster-", 0).factory());
    var settings = new ClusterReading.Settings(ReadOptions.DEFAULT, Duration.ZERO, null);
    var reading = new ClusterReading(keyspace, settings, ahead, ahead);
    var store = new ClusterReadStore(keyspace, reading, ahead::close);
    try {
      reading.awaitPolicies();
      return store;
    } catch (Throwable failure) {
      store.close();
      throw failure;
    }
  }
}
