package io.widerow.storage.cassandra.migrate;

import io.widerow.storage.EventStore;
import io.widerow.storage.StoreView;
import io.widerow.storage.cassandra.keyspace.Keyspace;
import io.widerow.storage.disk.Disk;
import io.widerow.storage.disk.RealDisk;
import io.widerow.storage.embedded.EmbeddedStore;
import io.widerow.storage.manifest.Manifest;
import io.widerow.storage.manifest.StoreFormat;
import java.nio.file.Path;
import java.util.Set;
import java.util.UUID;
import java.util.function.Predicate;
import java.util.function.Supplier;

/// Moves a store between a directory and a cluster. Both ways it copies the new events since the
/// last run, then compares the copy. Any run may be killed at any point: the next one continues.
///
/// - Threads: one migration at a time uses an object; it waits for the settings' threads.
public final class Migration {
  private final Keyspace keyspace;
  private final Supplier<StoreView> cluster;
  private final Settings settings;
  private final MigrationWatch watch;
  private final Workers workers;
  private final Disk disk = new RealDisk();

  /// @param keyspace stays the caller's
  /// @param cluster gives views of the keyspace's store
  public Migration(
      Keyspace keyspace, Supplier<StoreView> cluster, Settings settings, MigrationWatch watch) {
    this.keyspace = keyspace;
    this.cluster = cluster;
    this.settings = settings;
    this.watch = watch;
    this.workers = new Workers(settings.executor(), settings.threads());
  }

  /// Copies a directory into the cluster and compares the copy.
  ///
  /// @param directory a stopped store, or a snapshot of a running one
  /// @throws io.widerow.storage.StorageException when the directory is no store, in use or damaged,
  ///   when its daemon's number is another's in the cluster, or the cluster stays away
  public MigrationOutcome toCluster(Path directory) {
    try (EmbeddedStore store = EmbeddedStore.openForReading(directory);
        StoreView view = store.view()) {
      ClusterLoad load = load(directory, view);
      load.run();
      MigrationOutcome outcome = outcome(load.copied(), load, view, load.wanted());
      if (outcome.differences().isEmpty()) {
        load.compared();
      }
      return outcome;
    }
  }

  /// Compares a directory with what the cluster has of it.
  public MigrationOutcome verifyCluster(Path directory) {
    try (EmbeddedStore store = EmbeddedStore.openForReading(directory);
        StoreView view = store.view()) {
      ClusterLoad load = load(directory, view);
      load.readOwners();
      return outcome(0, load, view, _ -> true);
    }
  }

  private ClusterLoad load(Path directory, StoreView view) {
    UUID storeId = StoreFormat.read(disk, directory).storeId();
    int lanes;
    try (Manifest manifest = Manifest.read(disk, directory, storeId)) {
      lanes = Math.max(1, manifest.journals());
    }
    String place = "directory " + directory;
    MigrationStatements statements =
        new MigrationStatements(keyspace, settings.patience(), settings.pause(), watch);
    return new ClusterLoad(view, storeId, lanes, place, keyspace, statements, workers, watch);
  }

  private MigrationOutcome outcome(
      long copied, ClusterLoad load, StoreView view, Predicate<TypeDay> wanted) {
    try (StoreView there = cluster.get()) {
      return compared(
          copied,
          Comparison.Side.whole(view),
          new Comparison.Side(there, load::isOurs),
          wanted,
          workers,
          watch);
    }
  }

  /// Copies the cluster into a directory and compares the copy.
  ///
  /// @param directory empty or absent, or one that the same cluster was copied into before
  /// @throws io.widerow.storage.StorageException when the directory is something else or in use,
  ///   the disk is full, or the cluster stays away
  public MigrationOutcome toDirectory(Path directory) {
    try (StoreView view = cluster.get()) {
      DirectoryLoad load;
      try (DirectoryTarget target =
          DirectoryTarget.open(disk, directory, keyspace.identity().id(), _ -> {})) {
        load = new DirectoryLoad(view, target, workers, watch);
        load.run();
      }
      Set<TypeDay> touched = load.touched();
      return outcome(load.copied(), view, directory, touched::contains);
    }
  }

  /// Compares the cluster with a directory that it was copied into.
  public MigrationOutcome verifyDirectory(Path directory) {
    try (StoreView view = cluster.get()) {
      return outcome(0, view, directory, _ -> true);
    }
  }

  private MigrationOutcome outcome(
      long copied, StoreView view, Path directory, Predicate<TypeDay> wanted) {
    return compare(copied, view, directory, wanted, workers, watch);
  }

  /// Compares what a view shows with a directory that it was copied into.
  static MigrationOutcome compare(
      long copied,
      StoreView view,
      Path directory,
      Predicate<TypeDay> wanted,
      Workers workers,
      MigrationWatch watch) {
    try (EventStore store = EmbeddedStore.openForReading(directory);
        StoreView there = store.view()) {
      return compared(
          copied,
          Comparison.Side.whole(view),
          Comparison.Side.whole(there),
          wanted,
          workers,
          watch);
    }
  }

  private static MigrationOutcome compared(
      long copied,
      Comparison.Side from,
      Comparison.Side to,
      Predicate<TypeDay> wanted,
      Workers workers,
      MigrationWatch watch) {
    watch.begin("comparing", 3 * copied); // the target twice
    Comparison.Result result = Comparison.of(from, to, wanted, workers, watch);
    return new MigrationOutcome(copied, result.events(), result.differences());
  }
}
