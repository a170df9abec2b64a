package io.widerow.storage.table;

import io.widerow.storage.disk.Disk;
import io.widerow.storage.journal.Journal;
import io.widerow.storage.live.StoreClock;
import io.widerow.storage.live.StoreContents;
import io.widerow.storage.upkeep.DiskRoom;
import io.widerow.storage.upkeep.JournalPin;
import java.nio.file.Path;
import java.util.concurrent.Executor;

/// The parts of a store that its tables use.
///
/// @param store the store of the events: its configuration, its lock and its failures
/// @param journals of the events; those of the tables are made like them
/// @param trims holds off the deletion of journal files
/// @param background flushes and merges, and runs the writes unless others do
public record TableContext(
    StoreContents store,
    StoreClock clock,
    Disk disk,
    Journal.Factory journals,
    DiskRoom room,
    JournalPin trims,
    Executor background) {
  /// Directory of the tables in that of the store.
  public static final String DIRECTORY = "tables";

  Path directory() {
    return directoryIn(store.config().directory());
  }

  /// The directory of the tables of a store.
  public static Path directoryIn(Path storeDirectory) {
    return storeDirectory.resolve(DIRECTORY);
  }

  long nowSeconds() {
    return Math.floorDiv(clock.wallNanos(), 1_000_000_000L);
  }

  /// The time by which something may be forgotten for good. A clock that jumped ahead only hides.
  long purgeSeconds() {
    return Math.min(nowSeconds(), Math.floorDiv(store.clock().retentionNanos(), 1_000_000_000L));
  }
}
