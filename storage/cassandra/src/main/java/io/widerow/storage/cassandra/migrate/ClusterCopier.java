package io.widerow.storage.cassandra.migrate;

import io.widerow.event.RetentionPolicy;
import io.widerow.storage.EventStore;
import io.widerow.storage.StorageException;
import io.widerow.storage.StoreView;
import io.widerow.storage.cassandra.keyspace.Keyspace;
import io.widerow.storage.disk.Disk;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.function.Supplier;

/// Copies the store of a keyspace into directories, as a migration does, and keeps a copy exact:
/// what the cluster has dropped since goes there too.
///
/// - Threads: any; a copy is made by the caller's.
public final class ClusterCopier implements EventStore.Copier {
  private static final String TEMPORARY = ".tmp";

  private final Disk disk;
  private final Keyspace keyspace;
  private final Supplier<StoreView> views;
  private final Supplier<List<RetentionPolicy>> retention;

  /// @param disk has the directories
  /// @param views of the keyspace's store
  /// @param retention its policies without a filter
  public ClusterCopier(
      Disk disk,
      Keyspace keyspace,
      Supplier<StoreView> views,
      Supplier<List<RetentionPolicy>> retention) {
    this.disk = disk;
    this.keyspace = keyspace;
    this.views = views;
    this.retention = retention;
  }

  @Override
  public UUID storeId() {
    return keyspace.identity().id();
  }

  @Override
  public long copy(Path target) {
    if (disk.exists(target)) {
      throw new StorageException.Incompatible(target, "it exists, and nothing is ever replaced");
    }
    Path directory = target.resolveSibling(target.getFileName() + TEMPORARY);
    long copied = copyAndCompare(directory);
    disk.rename(directory, target);
    disk.forceDirectory(Objects.requireNonNull(target.toAbsolutePath().getParent()));
    return copied;
  }

  private long copyAndCompare(Path directory) {
    try (StoreView view = views.get()) {
      DirectoryLoad load = load(view, directory, _ -> {});
      List<HourMismatch> differences =
          Migration.compare(
                  load.copied(), view, directory, _ -> true, Workers.CALLER, MigrationWatch.NONE)
              .differences();
      if (!differences.isEmpty()) {
        throw new StorageException.Corrupt(
            directory,
            0,
            "the copy of %d hours is not as the cluster, the first: %s"
                .formatted(differences.size(), differences.getFirst()));
      }
      return load.copied();
    }
  }

  @Override
  public long update(Path directory, Consumer<Path> written) {
    try (StoreView view = views.get()) {
      return load(view, directory, written).copied();
    }
  }

  private DirectoryLoad load(StoreView view, Path directory, Consumer<Path> written) {
    try (DirectoryTarget target = DirectoryTarget.open(disk, directory, storeId(), written)) {
      var load = new DirectoryLoad(view, target, Workers.CALLER, MigrationWatch.NONE);
      load.runExactly(retention.get());
      return load;
    }
  }
}
