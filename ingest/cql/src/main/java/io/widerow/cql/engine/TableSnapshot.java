package io.widerow.cql.engine;

import io.widerow.storage.StorageException;
import io.widerow.storage.disk.Disk;
import io.widerow.storage.embedded.ExtensionContext;
import io.widerow.storage.embedded.StoreExtension;
import io.widerow.storage.journal.Journal;
import io.widerow.storage.journal.Witness;
import io.widerow.storage.manifest.Manifest;
import io.widerow.storage.manifest.ManifestEdit;
import io.widerow.storage.manifest.TableEntry;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/// The tables of a store in a snapshot of it: links to table files and to full journal files, the
/// other journal file copied up to a group, and a manifest.
///
/// - Threads: one.
final class TableSnapshot {
  private final Disk disk;
  private final UUID storeId;
  private final Journal.Factory journals;
  private final Path from;
  private final Path to;
  private int files;

  /// @param store the store, which may be open
  /// @param snapshot directory of the other store, without tables
  TableSnapshot(StoreExtension.StoreFiles store, Path snapshot) {
    this.disk = store.disk();
    this.storeId = store.storeId();
    this.journals = store.journals();
    this.from = store.directory().resolve(StoreExtension.DIRECTORY);
    this.to = snapshot.resolve(StoreExtension.DIRECTORY);
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
  StoreExtension.Copy linkAll() {
    if (!begin()) {
      return new StoreExtension.Copy(0, 0);
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
    return new StoreExtension.Copy(files, copied);
  }

  private void link(Path file) {
    if (disk.exists(file)) {
      disk.link(file, to.resolve(Manifest.SEGMENTS).resolve(file.getFileName()));
      files++;
    }
  }

  /// Those of a store that got its first table after the moment of the snapshot: none.
  ///
  /// @param snapshot whose format has the bit for tables
  static void none(StoreExtension.StoreFiles store, Path snapshot) {
    Disk disk = store.disk();
    Path tables = snapshot.resolve(StoreExtension.DIRECTORY);
    disk.createDirectory(tables);
    var nothing = new ManifestEdit(1, 1, Long.MIN_VALUE, List.of(), List.of(), Map.of(), 0);
    Manifest.write(disk, tables, store.storeId(), nothing);
    disk.forceDirectory(snapshot);
  }

  /// The tables of an open store at one moment: their files stay until it is released.
  static final class Moment implements StoreExtension.Moment {
    private final ExtensionContext context;
    private final TableContents contents;
    private final TableContents.Moment moment;

    Moment(ExtensionContext context, TableContents contents) {
      this.context = context;
      this.contents = contents;
      this.moment = contents.moment();
    }

    @Override
    public boolean isEmpty() {
      return false;
    }

    @Override
    public long committed() {
      return contents.committed();
    }

    @Override
    public StoreExtension.Copy copyTo(Path snapshot, long committed) {
      return new TableSnapshot(context.files(), snapshot).linkMoment(moment, committed);
    }

    @Override
    public void release() {
      moment.state().release();
    }
  }

  private StoreExtension.Copy linkMoment(TableContents.Moment moment, long committed) {
    if (!begin()) {
      throw new StorageException.Corrupt(from.resolve(Manifest.NAME), 0, "it is gone");
    }
    for (LiveTableFile file : moment.state().files()) {
      link(from.resolve(Manifest.SEGMENTS).resolve(file.entry().fileName()));
    }
    disk.forceDirectory(to.resolve(Manifest.SEGMENTS));
    long copied = journals.at(from).copyTo(to, _ -> committed);
    Manifest.write(disk, to, storeId, moment.manifest());
    Witness.create(disk, to, storeId, List.of(new Witness.Lane(committed, 0, 0)));
    disk.forceDirectory(to);
    return new StoreExtension.Copy(files, copied);
  }
}
