package io.widerow.storage.table;

import io.widerow.storage.Damage;
import io.widerow.storage.JournalLoss;
import io.widerow.storage.StorageException;
import io.widerow.storage.disk.Disk;
import io.widerow.storage.journal.Journal;
import io.widerow.storage.journal.Witness;
import io.widerow.storage.manifest.Manifest;
import io.widerow.storage.manifest.TableEntry;
import io.widerow.storage.recovery.JournalRecovery;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;

/// Checks every byte of the tables of a stopped store: manifest, every block and fragment of every
/// file, every frame of the journal. It changes nothing.
///
/// - Threads: one.
public final class TableCheck {
  private final Disk disk;
  private final Path store;
  private final Path directory;
  private final UUID storeId;
  private final Journal.Factory journals;
  private final List<Damage> damage = new ArrayList<>();
  private final List<String> remarks = new ArrayList<>();
  private long files;
  private long blocks;
  private long bytes;

  /// @param store its directory
  /// @param journals of the events
  public TableCheck(Disk disk, Path store, UUID storeId, Journal.Factory journals) {
    this.disk = disk;
    this.store = store;
    this.directory = TableContext.directoryIn(store);
    this.storeId = storeId;
    this.journals = journals;
  }

  /// Looks at everything.
  public TableCheck check() {
    try {
      TableOpening.requireManifest(disk, store);
      if (disk.exists(directory.resolve(Manifest.NAME))) {
        try (Manifest manifest = Manifest.read(disk, directory, storeId)) {
          check(manifest);
        }
      }
    } catch (StorageException.Corrupt unreadable) {
      damage.add(unreadable.damage(Damage.Kind.MANIFEST, List.of()));
    }
    return this;
  }

  private void check(Manifest manifest) {
    if (manifest.unreadableFrom() >= 0) {
      remarks.add(manifest.unreadable() + ": it was never in effect, or is damaged");
    }
    var tables = new TableFiles(disk, directory, storeId);
    var inventory = new TableInventory(tables, manifest, directory).healMerges();
    checkJournal(manifest, inventory);
    inventory.healed().forEach(healed -> remarks.add(healed + "; healed at the next start"));
    List<TableEntry> listed = TableOpening.listed(manifest, directory);
    for (TableEntry entry : listed) {
      files++;
      bytes += entry.bytes();
      try (LiveTableFile live = tables.open(entry)) {
        damage.addAll(damage(live));
        TableFile file = live.fileIfWhole();
        blocks += file == null ? 0 : file.blocks();
      }
    }
    for (Path file : tables.unlisted(listed)) {
      remarks.add(file + ": not in the manifest; left from a crash");
    }
  }

  /// The damaged parts of a file.
  static List<Damage> damage(LiveTableFile live) {
    List<Damage> found = new ArrayList<>();
    TableFile file = live.fileIfWhole();
    StorageException.Corrupt known = live.damage();
    if (file != null) {
      file.verify((_, block) -> found.add(block.damage(Damage.Kind.BLOCK, List.of())));
    } else if (known != null) {
      found.add(known.damage(Damage.Kind.SEGMENT, List.of()));
    }
    return found;
  }

  private void checkJournal(Manifest manifest, TableInventory inventory) {
    Witness witness = Witness.read(disk, directory, storeId, manifest.journals());
    Stream.ofNullable(witness.damage()).forEach(damage::add);
    try (var recovery =
        JournalRecovery.checked(
            journals.at(directory), directory, manifest, witness, inventory::heal)) {
      recovery.losses().stream().map(JournalLoss::damage).forEach(damage::add);
      if (recovery.tornGroups() > 0) {
        remarks.add(
            "%s: %d frames at the end were never acknowledged and are cut at the next start"
                .formatted(directory.resolve(Journal.DIRECTORY), recovery.tornGroups()));
      }
    }
  }

  public List<Damage> damage() {
    return List.copyOf(damage);
  }

  public List<String> remarks() {
    return List.copyOf(remarks);
  }

  /// Number of files that the manifest lists.
  public long files() {
    return files;
  }

  /// Number of blocks of the files that could be opened.
  public long blocks() {
    return blocks;
  }

  /// Size of the files.
  public long bytes() {
    return bytes;
  }
}
