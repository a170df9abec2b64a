package io.widerow.storage.embedded;

import io.widerow.storage.StoreConfig;
import io.widerow.storage.disk.Disk;
import io.widerow.storage.disk.Quarantine;
import io.widerow.storage.journal.Journal;
import io.widerow.storage.journal.NotesFiles;
import io.widerow.storage.journal.Witness;
import io.widerow.storage.journal.WitnessFile;
import io.widerow.storage.live.SegmentFiles;
import io.widerow.storage.live.SegmentInventory;
import io.widerow.storage.live.StoreClock;
import io.widerow.storage.live.StoreContents;
import io.widerow.storage.manifest.Manifest;
import io.widerow.storage.manifest.VersionsFile;
import io.widerow.storage.recovery.JournalRecovery;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;

/// The files of a store that is being opened, read and checked: manifest, segments, notes, journals
/// and witness. Nothing on the disk has changed before [#tidy].
///
/// - Memory: owns the contents, which own manifest and segments, and the file of the witness, until
///   [#close]. The opener closes the recovery.
///
/// @param witness as it was found; `witnessFile` replaces it
/// @param contents the state of manifest and segments, which readers and writers share
/// @param recovery of the journals
record OpenedFiles(
    LockedDirectory directory,
    Journal.Factory journals,
    Manifest manifest,
    SegmentInventory inventory,
    SegmentFiles segments,
    NotesFiles notes,
    Witness witness,
    WitnessFile witnessFile,
    StoreContents contents,
    JournalRecovery recovery)
    implements AutoCloseable {
  /// Reads and checks the files. Nothing stays open when that fails.
  static OpenedFiles check(
      LockedDirectory directory,
      Journal.Factory journals,
      OpenPurpose purpose,
      StoreConfig config,
      StoreClock clock) {
    Disk disk = directory.disk();
    Path path = directory.path();
    UUID storeId = directory.storeId();
    boolean readOnly = purpose == OpenPurpose.READING;
    Manifest manifest = Manifest.read(disk, path, storeId);
    SegmentFiles segments = new SegmentFiles(disk, path, storeId);
    NotesFiles notes = new NotesFiles(disk, path, storeId);
    Witness witness = Witness.read(disk, path, storeId, manifest.journals());
    SegmentInventory inventory = SegmentInventory.open(segments, manifest);
    JournalRecovery recovery = null;
    try {
      recovery = JournalRecovery.checked(journals, path, manifest, witness, inventory::heal);
      purpose.requireWhole(recovery.losses());
      if (!readOnly) {
        notes.read(); // a store that is only read reports none
      }
      var contents =
          new StoreContents(config, clock, manifest, segments, inventory.segments(), readOnly);
      if (!readOnly) {
        contents.guard(directory.lock());
      }
      return new OpenedFiles(
          directory,
          journals,
          manifest,
          inventory,
          segments,
          notes,
          witness,
          new WitnessFile(disk, path, storeId),
          contents,
          recovery);
    } catch (Throwable failure) {
      inventory.close();
      if (recovery != null) {
        recovery.close();
      }
      throw failure;
    }
  }

  /// A sentence for each part that was healed or cannot be read, while nothing changes yet.
  List<String> remarks() {
    String versions = VersionsFile.remark(directory.disk(), directory.path());
    return Stream.concat(inventory.healed().stream(), Stream.ofNullable(versions)).toList();
  }

  /// Rewrites the manifest and deletes the leftovers of a crash. While a listed file is missing, an
  /// unlisted file may be all that remains of it, so unlisted files stay.
  ///
  /// @return a sentence for each part that was healed or kept
  List<String> tidy(OpenPurpose purpose) {
    List<String> remarks = new ArrayList<>(inventory.healed());
    segments.createDirectory();
    notes.createDirectory();
    Quarantine quarantine = quarantine();
    boolean whole = inventory.isWhole() && purpose != OpenPurpose.ACCEPTING_LOSS;
    if (!whole && manifest.unreadableFrom() >= 0) {
      Path kept = quarantine.keep(directory.path().resolve(Manifest.NAME));
      remarks.add(manifest.unreadable() + "; kept as " + kept);
    }
    manifest.rewrite();
    notes.cut(recovery::lsnCounted);
    manifest.keepRoom(); // before sealing takes the remaining room
    Stream.ofNullable(VersionsFile.writing(directory.disk(), directory.path()))
        .forEach(remarks::add);
    if (whole) {
      segments.deleteOrphans(manifest.segments());
      segments.figures().deleteOrphans(manifest.figures());
      return remarks;
    }
    for (Path file : inventory.unlisted()) {
      if (purpose == OpenPurpose.ACCEPTING_LOSS) {
        remarks.add("%s: not listed; moved to %s".formatted(file, quarantine.take(file)));
      } else {
        remarks.add(file + ": not listed, and kept: the store is not whole");
      }
    }
    return remarks;
  }

  /// Deletes the old journals after their events are sealed, unless they are evidence of a loss.
  void endJournals(OpenPurpose purpose) {
    if (purpose != OpenPurpose.ACCEPTING_LOSS) {
      journals.deleteReplayed();
      return;
    }
    Path journal = directory.path().resolve(Journal.DIRECTORY);
    Quarantine quarantine = quarantine();
    recovery.files().stream()
        .map(file -> journal.resolve(journal.relativize(file).getName(0)))
        .distinct()
        .forEach(quarantine::take);
  }

  /// Deletes all journals that there are, whether they were replayed or not.
  void deleteJournals() {
    journals.replay(
        new Journal.FrameReader() {
          @Override
          public void frame(int lane, Path file, long sequence, MemorySegment frame) {}

          @Override
          public boolean wants(int lane) {
            return false; // they are only counted
          }
        });
    journals.deleteReplayed();
  }

  private Quarantine quarantine() {
    return new Quarantine(directory.disk(), directory.path());
  }

  /// Segments are closed by their owner: one that stays open keeps its room on a full disk when it
  /// is deleted.
  @Override
  public void close() {
    try (contents) {
      witnessFile.close();
    }
  }
}
