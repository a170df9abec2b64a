package io.widerow.storage.embedded;

import io.widerow.storage.disk.Disk;
import io.widerow.storage.journal.Journal;
import io.widerow.storage.live.StoreClock;
import io.widerow.storage.live.StoreContents;
import io.widerow.storage.maintenance.DiskRoom;
import io.widerow.storage.maintenance.JournalPin;
import java.nio.file.Path;
import java.util.concurrent.Executor;

/// The parts of a store that its extension uses.
///
/// @param store the store of the events: its configuration, its lock and its failures
/// @param journals of the events; those of the extension are made like them
/// @param trims holds off the deletion of journal files
/// @param background flushes and merges, and runs the writes unless others do
public record ExtensionContext(
    StoreContents store,
    StoreClock clock,
    Disk disk,
    Journal.Factory journals,
    DiskRoom room,
    JournalPin trims,
    Executor background) {
  /// Directory of the store.
  public Path storeDirectory() {
    return store.config().directory();
  }

  /// Directory of the extension.
  public Path directory() {
    return storeDirectory().resolve(StoreExtension.DIRECTORY);
  }

  public StoreExtension.StoreFiles files() {
    return new StoreExtension.StoreFiles(disk, storeDirectory(), store.storeId(), journals);
  }

  public long nowSeconds() {
    return Math.floorDiv(clock.wallNanos(), 1_000_000_000L);
  }

  /// The time by which something may be forgotten for good. A clock that jumped ahead only hides.
  public long purgeSeconds() {
    return Math.min(nowSeconds(), Math.floorDiv(store.clock().retentionNanos(), 1_000_000_000L));
  }
}
