package io.widerow.cql.engine;

import io.widerow.cql.fragment.TombstonePolicy;
import io.widerow.storage.Damage;
import io.widerow.storage.JournalLoss;
import io.widerow.storage.StorageException;
import io.widerow.storage.disk.Disk;
import io.widerow.storage.disk.DiskFile;
import io.widerow.storage.disk.Quarantine;
import io.widerow.storage.embedded.StoreExtension;
import io.widerow.storage.journal.Journal;
import io.widerow.storage.journal.Witness;
import io.widerow.storage.manifest.Manifest;
import io.widerow.storage.manifest.ManifestEdit;
import io.widerow.storage.manifest.TableEntry;
import io.widerow.storage.manifest.TableSection;
import io.widerow.storage.recovery.JournalRecovery;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/// Repairs the tables of a stopped store: damaged files move into the quarantine, and their
/// readable rows are written to new files. A repair that is killed continues when it is started
/// again.
///
/// - Threads: one.
final class TableRepair {
  private final Disk disk;
  private final Path store;
  private final Path directory;
  private final UUID storeId;
  private final boolean acceptLoss;
  private final Journal.Factory journals;
  private final Quarantine quarantine;
  private final TableFiles files;
  private final List<Damage> lost = new ArrayList<>();
  private final List<Damage> left = new ArrayList<>();
  private final List<String> done = new ArrayList<>();
  private boolean journalIsDamaged;

  /// @param acceptLoss to continue without acknowledged groups that the journal lost
  TableRepair(StoreExtension.StoreFiles store, boolean acceptLoss) {
    this.disk = store.disk();
    this.store = store.directory();
    this.directory = this.store.resolve(StoreExtension.DIRECTORY);
    this.storeId = store.storeId();
    this.acceptLoss = acceptLoss;
    this.journals = store.journals();
    this.quarantine = new Quarantine(disk, this.store);
    this.files = new TableFiles(disk, directory, storeId);
  }

  /// Repairs what it can.
  StoreExtension.Repair repair() {
    try {
      TableOpening.requireManifest(disk, store);
      if (disk.exists(directory.resolve(Manifest.NAME))) {
        try (Manifest manifest = Manifest.read(disk, directory, storeId)) {
          var inventory = new TableInventory(files, manifest, directory).healMerges();
          checkJournal(manifest, inventory);
          repair(manifest, inventory);
        }
      }
    } catch (StorageException.Corrupt unreadable) {
      left.add(unreadable.damage(Damage.Kind.MANIFEST, List.of()));
    }
    return new StoreExtension.Repair(lost, left, done, journalIsDamaged);
  }

  private void repair(Manifest manifest, TableInventory inventory) {
    List<TableEntry> listed = TableOpening.listed(manifest, directory);
    List<TableEntry> damaged = new ArrayList<>();
    for (TableEntry entry : listed) {
      try (LiveTableFile live = files.open(entry)) {
        if (!TableCheck.damage(live).isEmpty()) {
          damaged.add(entry);
        }
      }
    }
    if (damaged.isEmpty() && inventory.healed().isEmpty()) {
      return;
    }
    if (manifest.unreadableFrom() >= 0) {
      Path kept = quarantine.keep(directory.resolve(Manifest.NAME));
      done.add(manifest.unreadable() + "; kept as " + kept);
    }
    manifest.rewrite();
    done.addAll(inventory.healed());
    for (Path file : files.unlisted(listed)) {
      manifest.raiseSegmentId(Math.max(0, TableEntry.idOf(file.getFileName().toString())) + 1);
      done.add("%s: not listed; moved to %s".formatted(file, quarantine.take(file)));
    }
    damaged.forEach(entry -> repair(manifest, entry));
  }

  private void repair(Manifest manifest, TableEntry entry) {
    Path file = files.named(entry);
    // An interrupted repair may have moved it already.
    Path kept = disk.exists(file) ? quarantine.take(file) : quarantine.place(entry.fileName());
    LiveTableFile rewritten = null;
    if (disk.exists(kept)) {
      rewritten = rewrite(manifest, entry, kept);
      done.add("%s: moved to %s".formatted(file, kept));
    } else {
      String gone = "the manifest lists this file, and it is gone";
      lost.add(new Damage(Damage.Kind.SEGMENT, file, 0, gone, List.of()));
    }
    List<TableEntry> entries = new ArrayList<>(TableOpening.listed(manifest, directory));
    entries.remove(entry);
    if (rewritten != null) {
      entries.add(rewritten.entry());
      done.add(
          "%s: written, with %d of %d rows"
              .formatted(files.named(rewritten.entry()), rewritten.entry().rows(), entry.rows()));
      rewritten.close();
    }
    manifest.commit(ManifestEdit.ofSections(manifest, new TableSection(entries).toSections()));
  }

  /// Writes what can be read of a file to a new one; null when that is nothing.
  private @Nullable LiveTableFile rewrite(Manifest manifest, TableEntry entry, Path kept) {
    try (TableFile source = source(entry, kept)) {
      Set<Integer> bad = new HashSet<>();
      source.verify((block, found) -> {
        bad.add(block);
        lost.add(found.damage(Damage.Kind.BLOCK, List.of()));
      });
      var rows = List.of(source.fragmentsWithout(bad));
      return files.write(
          manifest.takeSegmentId(),
          rows,
          TombstonePolicy.NOTHING,
          ObsoleteKeys.NOTHING,
          source.origin());
    }
  }

  private TableFile source(TableEntry entry, Path kept) {
    try {
      return TableFile.open(disk, kept, storeId, entry.id());
    } catch (StorageException.Corrupt unreadable) {
      lost.add(unreadable.damage(Damage.Kind.SEGMENT, List.of()));
      DiskFile file = disk.open(kept);
      return TableFile.salvage(file, storeId, entry.id());
    }
  }

  private void checkJournal(Manifest manifest, TableInventory inventory) {
    Witness witness = Witness.read(disk, directory, storeId, manifest.journals());
    if (witness.damage() != null) {
      done.add(Witness.renew(disk, directory, storeId, quarantine));
    }
    try (var recovery =
        JournalRecovery.checked(
            journals.at(directory), directory, manifest, witness, inventory::heal)) {
      List<JournalLoss> losses = recovery.losses();
      journalIsDamaged = !losses.isEmpty();
      losses.forEach(loss -> (acceptLoss ? lost : left).add(loss.damage()));
    }
  }
}
