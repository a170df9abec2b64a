package io.widerow.cql.engine;

import io.widerow.storage.Damage;
import io.widerow.storage.JournalLoss;
import io.widerow.storage.StorageException;
import io.widerow.storage.disk.Disk;
import io.widerow.storage.embedded.StoreExtension;
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
final class TableCheck {
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

  TableCheck(StoreExtension.StoreFiles store) {
    this.disk = store.disk();
    this.store = store.directory();
    this.directory = this.store.resolve(StoreExtension.DIRECTORY);
    this.storeId = store.storeId();
    this.journals = store.journals();
  }

  /// Looks at everything.
  StoreExtension.Verification check() {
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
    return new StoreExtension.Verification(files, blocks, bytes, damage, remarks);
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
}
