package io.widerow.cql.engine;

import io.widerow.storage.Damage;
import io.widerow.storage.JournalLoss;
import io.widerow.storage.StorageException;
import io.widerow.storage.disk.BlockCache;
import io.widerow.storage.disk.Disk;
import io.widerow.storage.disk.Quarantine;
import io.widerow.storage.embedded.ExtensionContext;
import io.widerow.storage.embedded.StoreExtension;
import io.widerow.storage.journal.Journal;
import io.widerow.storage.journal.Witness;
import io.widerow.storage.journal.WitnessFile;
import io.widerow.storage.manifest.Manifest;
import io.widerow.storage.manifest.StoreFormat;
import io.widerow.storage.manifest.TableEntry;
import io.widerow.storage.manifest.TableSection;
import io.widerow.storage.recovery.JournalRecovery;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;

/// Opens the tables of a store: first checks and changes nothing, then replays into memory the
/// records that only the journal has. [#begin] makes a lane, once the store may write.
///
/// ```
///   begin   new manifest -> replayed memory to files -> old journals go -> a new journal
/// ```
///
/// Killed at any point, or without room on the disk, the next call or opening comes to the same
/// state.
///
/// - Threads: one.
final class TableOpening {
  private final ExtensionContext context;
  private final Disk disk;
  private final Path directory;
  private final UUID storeId;
  private final Journal.Factory journals;
  private final WitnessFile witness;
  private final TableContents contents;
  private final boolean acceptsLoss;
  private final List<Damage> damage = new ArrayList<>();
  private final List<String> remarks = new ArrayList<>();
  private final List<Path> oldJournals = new ArrayList<>();
  private long lsn;
  private long groups;
  private String unreadable = "";
  private boolean isHealed;
  private boolean isTidy;
  private boolean isCleared;

  /// Looks at the tables of a store, if it has some, and reads them.
  ///
  /// @param acceptsLoss to continue without the groups that the journal lost
  /// @throws StorageException.AcknowledgedDataDamaged when the journal lost something
  /// @throws StorageException.Corrupt when the manifest cannot be read, or is gone
  TableOpening(ExtensionContext context, boolean acceptsLoss) {
    this.context = context;
    this.disk = context.disk();
    this.directory = context.directory();
    this.storeId = context.store().storeId();
    this.journals = context.journals().at(directory);
    this.acceptsLoss = acceptsLoss;
    this.witness = new WitnessFile(disk, directory, storeId);
    requireManifest(disk, context.storeDirectory());
    Manifest manifest = Manifest.read(disk, directory, storeId);
    heal(manifest);
    var cache = new BlockCache(TableLane.pieceBytes(context.store().config()));
    var files = new TableFiles(disk, directory, storeId, cache, context.store()::holdsLock);
    this.contents = new TableContents(context, manifest, files, open(manifest, files));
    try {
      recover(manifest);
    } catch (Throwable failure) {
      close();
      throw failure;
    }
  }

  /// A store that has tables has their manifest: it was there before the store said so.
  static void requireManifest(Disk disk, Path storeDirectory) {
    Path manifest = storeDirectory.resolve(StoreExtension.DIRECTORY).resolve(Manifest.NAME);
    if (StoreFormat.hasTables(disk, storeDirectory) && !disk.exists(manifest)) {
      throw new StorageException.Corrupt(manifest, 0, "the store has tables, and it is gone");
    }
  }

  /// The files that a manifest lists.
  static List<TableEntry> listed(Manifest manifest, Path directory) {
    try {
      return TableSection.of(manifest.sections()).files();
    } catch (IOException malformed) {
      String found = String.valueOf(malformed.getMessage());
      throw new StorageException.Corrupt(directory.resolve(Manifest.NAME), 0, found);
    }
  }

  /// Restores edits that the manifest lost. [#begin] rewrites the manifest, and a copy is kept.
  private void heal(Manifest manifest) {
    if (manifest.unreadableFrom() >= 0) {
      unreadable = manifest.unreadable();
    }
    var inventory =
        new TableInventory(new TableFiles(disk, directory, storeId), manifest, directory)
            .healMerges();
    if (inventory.hasFlushed()) {
      Witness told = Witness.read(disk, directory, storeId, manifest.journals());
      JournalRecovery.checked(journals, directory, manifest, told, inventory::heal).close();
    }
    remarks.addAll(inventory.healed());
    isHealed = !inventory.healed().isEmpty();
  }

  private List<LiveTableFile> open(Manifest manifest, TableFiles files) {
    List<LiveTableFile> open = new ArrayList<>();
    for (TableEntry entry : listed(manifest, directory)) {
      LiveTableFile file = files.open(entry);
      StorageException.Corrupt found = file.damage();
      if (found != null) {
        damage.add(found.damage(Damage.Kind.SEGMENT, List.of()));
      }
      open.add(file);
    }
    for (Path file : files.unlisted(listed(manifest, directory))) {
      long id = TableEntry.idOf(file.getFileName().toString());
      manifest.raiseSegmentId(Math.max(0, id) + 1); // no new file gets the name of one that is kept
    }
    return open;
  }

  private void recover(Manifest manifest) {
    Witness told = Witness.read(disk, directory, storeId, manifest.journals());
    Stream.ofNullable(told.damage()).forEach(damage::add);
    long sealed = manifest.sealedLsns().getOrDefault(TableContents.LANE, 0L);
    try (var recovery = JournalRecovery.checked(journals, directory, manifest, told, _ -> false)) {
      List<JournalLoss> losses = recovery.losses();
      if (!losses.isEmpty() && !acceptsLoss) {
        throw new StorageException.AcknowledgedDataDamaged(losses);
      }
      losses.forEach(loss -> damage.add(loss.damage()));
      long pieceBytes = TableLane.pieceBytes(context.store().config());
      if (recovery.files().isEmpty()) {
        lsn = Math.max(sealed, recovery.lsnSeen());
        contents.publish(lsn);
        return;
      }
      var replay = new TableReplay(contents, pieceBytes, sealed);
      recovery.replay(replay);
      replay.finish();
      oldJournals.addAll(recovery.files());
      lsn = Math.max(replay.lsnLast(), recovery.lsnSeen());
      groups = replay.groups();
      long torn = recovery.tornGroups() + replay.droppedFrames();
      if (torn > 0) {
        remarks.add(
            "%s: %d frames at the end were never acknowledged and are cut"
                .formatted(directory.resolve(Journal.DIRECTORY), torn));
      }
    }
  }

  TableContents contents() {
    return contents;
  }

  WitnessFile witness() {
    return witness;
  }

  /// The parts that are lost or cannot be read.
  List<Damage> damage() {
    return List.copyOf(damage);
  }

  List<String> remarks() {
    return List.copyOf(remarks);
  }

  /// True when there is something to write: tables, or their beginning.
  boolean isThere() {
    return disk.exists(directory.resolve(Manifest.NAME));
  }

  /// Groups that only the journal had.
  long groups() {
    return groups;
  }

  /// Makes the lane. Nothing is done twice when it is called again after it found no room.
  ///
  /// @throws StorageException when it cannot be made
  TableLane begin(TableUpkeep upkeep) {
    if (!isTidy) {
      tidy();
      isTidy = true;
    }
    upkeep.flushUntil(0);
    if (!isCleared) {
      contents.recovered(lsn);
      clear();
      isCleared = true;
    }
    Journal journal = journals.create(TableContents.LANE, lsn + 1);
    try {
      witness.write(List.of(Witness.Lane.of(lsn, journal)));
      contents.journalStarted();
      return new TableLane(contents, upkeep, journal, lsn);
    } catch (Throwable failure) {
      journal.close();
      isCleared = false; // a journal without frames is there
      throw failure;
    }
  }

  private void tidy() {
    Path store = context.storeDirectory();
    disk.createDirectory(directory);
    disk.forceDirectory(store);
    if (!unreadable.isEmpty() && (isHealed || !damage.isEmpty())) {
      Path kept = new Quarantine(disk, store).keep(directory.resolve(Manifest.NAME));
      remarks.add(unreadable + "; kept as " + kept);
    }
    contents.rewrite();
    StoreFormat.addTables(disk, store);
    contents.files().createDirectory();
    disk.forceDirectory(directory);
    boolean whole = damage.isEmpty() && !isHealed;
    List<TableEntry> listed = contents.state().files().stream().map(LiveTableFile::entry).toList();
    for (Path file : contents.files().unlisted(listed)) {
      if (whole) {
        contents.files().delete(file);
      } else {
        remarks.add(file + ": not listed, and kept: the tables are not whole");
      }
    }
  }

  /// Deletes the old journals, or keeps them as evidence of a loss. Everything in them is in files.
  private void clear() {
    if (acceptsLoss && !damage.isEmpty()) {
      Path journal = directory.resolve(Journal.DIRECTORY);
      Quarantine quarantine = new Quarantine(disk, context.storeDirectory());
      oldJournals.stream()
          .map(file -> journal.resolve(journal.relativize(file).getName(0)))
          .distinct()
          .filter(disk::exists)
          .forEach(quarantine::take);
      return;
    }
    journals.replay(new CountOnly());
    journals.deleteReplayed();
  }

  /// Lets files be counted, so that they are deleted.
  private static final class CountOnly implements Journal.FrameReader {
    @Override
    public void frame(int lane, Path file, long sequence, MemorySegment frame) {}

    @Override
    public boolean wants(int lane) {
      return false;
    }
  }

  void close() {
    contents.close();
    witness.close();
  }
}
