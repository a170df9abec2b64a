package io.widerow.cql.engine;

import io.widerow.storage.StorageException;
import io.widerow.storage.disk.Lease;
import io.widerow.storage.manifest.TableEntry;
import org.jspecify.annotations.Nullable;

/// A file that the manifest of the tables lists. If it cannot be read, the store continues, and
/// readers of tables get an error, because the contents of the file are unknown.
///
/// - Threads: any.
/// - Memory: the open file, until the last lease is released.
final class LiveTableFile implements AutoCloseable {
  private static final int SHARE = 4;

  private final TableEntry entry;
  private final @Nullable TableFile file;
  private final StorageException.@Nullable Corrupt damage;
  private final Lease lease = new Lease(this::free);
  private volatile Runnable delete = () -> {};
  private volatile @Nullable Weighed weighed;

  /// The number of bytes of obsolete keys.
  private record Weighed(ObsoleteKeys by, long bytes) {}

  LiveTableFile(TableEntry entry, TableFile file) {
    this.entry = entry;
    this.file = file;
    this.damage = null;
  }

  LiveTableFile(TableEntry entry, StorageException.Corrupt damage) {
    this.entry = entry;
    this.file = null;
    this.damage = damage;
  }

  TableEntry entry() {
    return entry;
  }

  /// Null for a file that cannot be read.
  @Nullable TableFile fileIfWhole() {
    return file;
  }

  /// Null for a file that can be read, by its index.
  StorageException.@Nullable Corrupt damage() {
    return damage;
  }

  /// @throws StorageException.Corrupt when it cannot be read
  TableFile file() {
    TableFile open = file;
    if (open != null) {
      return open;
    }
    StorageException.Corrupt known = damage;
    throw known == null ? new IllegalStateException("no file and no damage") : known;
  }

  /// True when a quarter of the file or more is of forgotten keys.
  boolean isLargelyForgotten(ObsoleteKeys forgotten) {
    TableFile open = file;
    if (open == null || forgotten.isEmpty()) {
      return false;
    }
    Weighed known = weighed;
    if (known == null || !known.by.equals(forgotten)) {
      known = new Weighed(forgotten, open.bytesOf(forgotten));
      weighed = known;
    }
    return known.bytes >= Math.max(1, open.bytes() / SHARE);
  }

  boolean tryAcquire() {
    return lease.tryAcquire();
  }

  void release() {
    lease.release();
  }

  /// Deletes the file when no reader uses it any more; it is not listed from now on.
  void retire(Runnable deletion) {
    delete = deletion;
    lease.close();
  }

  private void free() {
    TableFile open = file;
    if (open != null) {
      open.close();
    }
    delete.run();
  }

  /// Lets go of the file, which stays.
  @Override
  public void close() {
    lease.close();
  }
}
