package io.widerow.storage.embedded;

import io.widerow.storage.FailureReason;
import io.widerow.storage.StorageException;
import io.widerow.storage.disk.Disk;
import io.widerow.storage.disk.StoreLock;
import io.widerow.storage.manifest.StoreFormat;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;
import java.util.function.Function;
import java.util.function.Supplier;

/// The directory of a store, locked by this process. Its FORMAT permits the purpose of the opening.
///
/// @param storeId from its FORMAT
record LockedDirectory(Disk disk, Path path, UUID storeId, Disk.Lock lock)
    implements AutoCloseable {
  /// Locks the directory of a store for writing; makes a store of an empty directory.
  static LockedDirectory create(Disk disk, Path path) {
    makeDirectory(disk, path);
    if (StoreFormat.isStore(disk, path, List.of(StoreLock.NAME))) {
      StoreFormat.read(disk, path).requireWritable(disk, path);
    } else {
      Path parent = path.toAbsolutePath().getParent();
      if (parent != null) {
        disk.forceDirectory(parent); // it was made just now, or by an opening that was cut off
      }
    }
    return lock(disk, path, () -> storeId(disk, path));
  }

  /// Locks the directory of a store for writing.
  static LockedDirectory forWriting(Disk disk, Path path) {
    StoreFormat format = StoreFormat.read(disk, path);
    format.requireWritable(disk, path);
    return lock(disk, path, format::storeId);
  }

  /// Locks the directory of a store for reading.
  static LockedDirectory forReading(Disk disk, Path path) {
    StoreFormat.requireStore(disk, path);
    return lock(disk, path, StoreFormat.read(disk, path)::storeId);
  }

  /// A directory that cannot be created is a mistake of the operator, and no failure of the disk
  /// that passes.
  private static void makeDirectory(Disk disk, Path path) {
    try {
      disk.createDirectory(path);
    } catch (StorageException.Failed refused) {
      String why =
          refused.getCause() instanceof IOException failure
              ? FailureReason.of(failure)
              : String.valueOf(refused.getMessage());
      throw new StorageException.Incompatible(
          path, "the directory of the store cannot be created: " + why);
    }
  }

  /// The id of the store that the directory is now, or becomes. Read under the lock: another
  /// process may have made the store before.
  private static UUID storeId(Disk disk, Path path) {
    if (!disk.exists(path.resolve(StoreFormat.NAME))) {
      return StoreFormat.create(disk, path, UUID.randomUUID()).storeId();
    }
    StoreFormat format = StoreFormat.read(disk, path);
    format.requireWritable(disk, path);
    return format.storeId();
  }

  private static LockedDirectory lock(Disk disk, Path path, Supplier<UUID> storeId) {
    Disk.Lock lock = StoreLock.take(disk, path);
    try {
      return new LockedDirectory(disk, path, storeId.get(), lock);
    } catch (Throwable failure) {
      StoreLock.giveBack(lock, failure);
      throw failure;
    }
  }

  /// Opens the store in it. The lock goes when that fails; otherwise it belongs to the result.
  <T> T open(Function<LockedDirectory, T> opener) {
    try {
      return opener.apply(this);
    } catch (Throwable failure) {
      StoreLock.giveBack(lock, failure);
      throw failure;
    }
  }

  @Override
  public void close() {
    StoreLock.giveBack(path, lock);
  }
}
