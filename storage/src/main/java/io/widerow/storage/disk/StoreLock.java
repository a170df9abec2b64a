package io.widerow.storage.disk;

import io.widerow.storage.StorageException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.function.Supplier;

/// The lock of a store directory, held by the process that has it open.
public final class StoreLock {
  public static final String NAME = "LOCK";

  private StoreLock() {}

  /// @throws StorageException.Locked when another process, or this one, has it
  public static Disk.Lock take(Disk disk, Path directory) {
    return disk.lock(
        directory.resolve(NAME), "process %d".formatted(ProcessHandle.current().pid()));
  }

  public static void giveBack(Path directory, AutoCloseable lock) {
    try {
      lock.close();
    } catch (IOException failure) {
      throw new StorageException.Failed(directory, "unlock", failure);
    } catch (Exception failure) {
      throw new IllegalStateException("cannot unlock", failure);
    }
  }

  /// Gives a lock back because of a failure.
  public static void giveBack(Disk.Lock lock, Throwable failure) {
    try {
      lock.close();
    } catch (Exception unlock) {
      failure.addSuppressed(unlock);
    }
  }

  /// Runs `work` while holding the lock, so that no other process has the store open.
  public static <T> T holding(Disk disk, Path directory, Supplier<T> work) {
    AutoCloseable lock = take(disk, directory);
    try {
      return work.get();
    } finally {
      giveBack(directory, lock);
    }
  }
}
