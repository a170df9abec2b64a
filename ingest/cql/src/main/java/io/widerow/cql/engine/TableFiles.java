package io.widerow.cql.engine;

import io.widerow.cql.fragment.FragmentEncoder;
import io.widerow.cql.fragment.TombstonePolicy;
import io.widerow.cql.tablestats.TableOrigin;
import io.widerow.storage.StorageException;
import io.widerow.storage.codec.ByteSink;
import io.widerow.storage.disk.BlockCache;
import io.widerow.storage.disk.Disk;
import io.widerow.storage.manifest.Manifest;
import io.widerow.storage.manifest.TableEntry;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/// The directory of the table files: it names, writes, opens and deletes them.
///
/// - Threads: any.
final class TableFiles {
  private static final String TEMPORARY = ".tmp";

  private final Disk disk;
  private final Path directory;
  private final UUID storeId;
  private final BlockCache cache;
  private final BooleanSupplier guard;

  /// @param tables directory of the tables
  TableFiles(Disk disk, Path tables, UUID storeId) {
    this(disk, tables, storeId, BlockCache.none(), () -> true);
  }

  /// @param tables directory of the tables
  /// @param cache of the blocks of listed files
  /// @param guard files are written and get their names only while this holds: afterwards they may
  ///   be those of another process
  TableFiles(Disk disk, Path tables, UUID storeId, BlockCache cache, BooleanSupplier guard) {
    this.disk = disk;
    this.directory = tables.resolve(Manifest.SEGMENTS);
    this.storeId = storeId;
    this.cache = cache;
    this.guard = guard;
  }

  void createDirectory() {
    disk.createDirectory(directory);
  }

  private Path temporary(long id) {
    return directory.resolve(new TableEntry(id, 1, 0).fileName() + TEMPORARY);
  }

  Path named(TableEntry entry) {
    return directory.resolve(entry.fileName());
  }

  /// Writes the remaining fragments of all rows of some sources to a file, and reads it back.
  ///
  /// @param sources are closed
  /// @param forgotten rows that are left out
  /// @return null when nothing is left
  @Nullable LiveTableFile write(
      long id,
      List<Fragments> sources,
      TombstonePolicy purge,
      ObsoleteKeys forgotten,
      TableOrigin origin) {
    Path temporary = temporary(id);
    requireLock(temporary);
    disk.delete(temporary);
    TableEntry entry;
    try (var rows = new MergedRows(sources, false);
        var writer = new TableFileWriter(disk, temporary, storeId, id)) {
      copy(rows, writer::add, purge, forgotten.sweep());
      if (writer.rows() == 0) {
        entry = null;
      } else {
        entry = writer.finish(origin);
      }
    } catch (Throwable failure) {
      discard(temporary, failure);
      throw failure;
    }
    if (entry == null) {
      disk.delete(temporary);
      return null;
    }
    return adopt(entry, temporary);
  }

  /// Receives the remaining fragments of rows.
  @FunctionalInterface
  interface Target {
    /// @param key in its first bytes; they change afterwards, as does the fragment
    void add(byte[] key, int keyBytes, int partition, ByteSink fragment, FragmentEncoder told);
  }

  /// Passes the remaining fragments of all rows to a target.
  ///
  /// @param forgotten rows that are left out
  static void copy(
      MergedRows rows, Target to, TombstonePolicy purge, ObsoleteKeys.Sweep forgotten) {
    var encoder = new FragmentEncoder();
    var out = new ByteSink();
    var hidden = new HiddenRows();
    while (rows.next()) {
      if (forgotten.holds(rows.key(), rows.keyBytes())) {
        continue;
      }
      if (!hidden.isOf(rows)) {
        hidden.begin(rows);
      }
      if (rows.isHeader()) {
        hidden.add(rows.merge());
      }
      long deleted = rows.isHeader() ? Long.MIN_VALUE : hidden.deleted(rows);
      out.clear();
      if (rows.merge().write(encoder, out, deleted, purge)) {
        to.add(rows.key(), rows.keyBytes(), rows.partition(), out, encoder);
      }
    }
  }

  /// Reads back the whole of a finished file, then gives it its name.
  private LiveTableFile adopt(TableEntry entry, Path temporary) {
    try {
      try (TableFile written = TableFile.open(disk, temporary, storeId, entry.id())) {
        written.verify((_, damage) -> {
          throw damage;
        });
      }
      Path named = named(entry);
      requireLock(named);
      disk.rename(temporary, named);
      disk.forceDirectory(directory);
      return new LiveTableFile(entry, TableFile.open(disk, named, storeId, entry.id(), cache));
    } catch (Throwable failure) {
      discard(temporary, failure);
      throw failure;
    }
  }

  private void requireLock(Path file) {
    if (!guard.getAsBoolean()) {
      String lost = file + ": not written: this process has lost the store's lock";
      throw new StorageException.Failed(lost, new IOException(lost));
    }
  }

  private void discard(Path temporary, Throwable failure) {
    if (!guard.getAsBoolean()) {
      return; // it may be that of another process by now
    }
    try {
      disk.delete(temporary);
    } catch (StorageException left) {
      failure.addSuppressed(left); // the next opening deletes it
    }
  }

  /// Opens a file that the manifest lists. If it cannot be read, it stays as it is.
  LiveTableFile open(TableEntry entry) {
    Path file = named(entry);
    try {
      if (!disk.exists(file)) {
        throw new StorageException.Corrupt(file, 0, "the manifest lists this file, and it is gone");
      }
      TableFile open = TableFile.open(disk, file, storeId, entry.id(), cache);
      if (open.bytes() != entry.bytes() || open.rows() != entry.rows()) {
        open.close();
        throw new StorageException.Corrupt(file, 0, "it is not the file that the manifest lists");
      }
      return new LiveTableFile(entry, open);
    } catch (StorageException.Corrupt damaged) {
      return new LiveTableFile(entry, damaged);
    } catch (StorageException.Failed unreadable) {
      String found = "it cannot be read: " + unreadable.getMessage();
      return new LiveTableFile(entry, new StorageException.Corrupt(file, 0, found));
    }
  }

  /// Files that are not listed.
  List<Path> unlisted(List<TableEntry> listed) {
    if (!disk.exists(directory)) {
      return List.of();
    }
    Set<String> names = new HashSet<>();
    listed.forEach(entry -> names.add(entry.fileName()));
    return disk.list(directory).stream()
        .filter(path -> !names.contains(path.getFileName().toString()))
        .toList();
  }

  /// Opens a file that is not listed; null when it is none or cannot be read.
  @Nullable TableFile openUnlisted(Path file) {
    long id = TableEntry.idOf(file.getFileName().toString());
    try {
      return id < 0 ? null : TableFile.open(disk, file, storeId, id);
    } catch (StorageException.Corrupt | StorageException.Failed unreadable) {
      return null;
    }
  }

  void delete(Path file) {
    disk.delete(file);
  }

  void delete(TableEntry entry) {
    disk.deleteInSteps(named(entry));
  }
}
