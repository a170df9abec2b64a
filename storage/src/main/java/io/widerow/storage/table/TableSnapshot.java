package io.widerow.storage.table;

import io.widerow.storage.StorageException;
import io.widerow.storage.disk.Disk;
import io.widerow.storage.journal.Journal;
import io.widerow.storage.journal.Witness;
import io.widerow.storage.manifest.Manifest;
import io.widerow.storage.manifest.ManifestEdit;
import io.widerow.storage.manifest.TableEntry;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/// The tables of a store in a snapshot of it: links to table files and to full journal files, the
/// other journal file copied up to a group, and a manifest.
///
/// - Threads: one.
public final class TableSnapshot {
  /// Parts of an unfinished one, in the order in which they are made.
  public static final List<String> PARTS =
      List.of(Manifest.SEGMENTS, Journal.DIRECTORY, Manifest.NAME, Manifest.NAME_NEW, Witness.NAME);

  private final Disk disk;
  private final UUID storeId;
  private final Path from;
  private final Path to;
  private int files;

  /// @param store directory of the store
  /// @param snapshot directory of the other store, without tables
  public TableSnapshot(Disk disk, UUID storeId, Path store, Path snapshot) {
    this.disk = disk;
    this.storeId = storeId;
    this.from = TableContext.directoryIn(store);
    this.to = TableContext.directoryIn(snapshot);
  }

  /// Number of table files in it.
  public int files() {
    return files;
  }

  private boolean begin() {
    if (!disk.exists(from.resolve(Manifest.NAME))) {
      return false;
    }
    disk.createDirectory(to);
    disk.createDirectory(to.resolve(Manifest.SEGMENTS));
    return true;
  }

  /// Those of a stopped store, whatever their state.
  ///
  /// @param journals of the events
  /// @return bytes written
  public long linkAll(Journal.Factory journals) {
    if (!begin()) {
      return 0;
    }
    Path segments = from.resolve(Manifest.SEGMENTS);
    if (disk.exists(segments)) {
      for (Path file : disk.list(segments)) {
        if (TableEntry.idOf(file.getFileName().toString()) >= 0) {
          link(file);
        }
      }
    }
    disk.forceDirectory(to.resolve(Manifest.SEGMENTS));
    long copied = 0;
    if (disk.exists(from.resolve(Journal.DIRECTORY))) {
      copied += journals.at(from).copyTo(to, _ -> Long.MAX_VALUE);
    }
    disk.link(from.resolve(Manifest.NAME), to.resolve(Manifest.NAME));
    copied += Witness.copy(disk, from, to);
    disk.forceDirectory(to);
    return copied;
  }

  private void link(Path file) {
    if (disk.exists(file)) {
      disk.link(file, to.resolve(Manifest.SEGMENTS).resolve(file.getFileName()));
      files++;
    }
  }

  /// Those of a store that got its first table after the moment of the snapshot: none.
  ///
  /// @param snapshot whose format says that it has tables
  public static void none(Disk disk, UUID storeId, Path snapshot) {
    Path tables = TableContext.directoryIn(snapshot);
    disk.createDirectory(tables);
    var nothing = new ManifestEdit(1, 1, Long.MIN_VALUE, List.of(), List.of(), Map.of(), 0);
    Manifest.write(disk, tables, storeId, nothing);
    disk.forceDirectory(snapshot);
  }

  /// What a store that writes had at a moment. Nothing is trimmed until [#linkMoment].
  ///
  /// @param tables null when there are none
  public record Moment(Tables.@Nullable Held tables) {
    /// LSN of the last group that is shown, now.
    public long committed() {
      return tables == null ? 0 : tables.committed();
    }

    public boolean isWithoutTables() {
      return tables == null;
    }

    /// Lets go of it.
    public void release() {
      if (tables != null) {
        tables.release();
      }
    }
  }

  /// Those of an open store.
  ///
  /// @param moment taken before `committed` was looked up
  /// @param committed LSN of the last group that the snapshot has
  /// @return bytes written
  public long linkMoment(Moment moment, long committed, Journal.Factory journals) {
    Tables.Held held = moment.tables;
    if (held == null) {
      return 0;
    }
    if (!begin()) {
      throw new StorageException.Corrupt(from.resolve(Manifest.NAME), 0, "it is gone");
    }
    for (TableEntry entry : held.files()) {
      link(from.resolve(Manifest.SEGMENTS).resolve(entry.fileName()));
    }
    disk.forceDirectory(to.resolve(Manifest.SEGMENTS));
    long copied = journals.at(from).copyTo(to, _ -> committed);
    Manifest.write(disk, to, storeId, held.manifest());
    Witness.create(disk, to, storeId, List.of(new Witness.Lane(committed, 0, 0)));
    disk.forceDirectory(to);
    return copied;
  }
}
