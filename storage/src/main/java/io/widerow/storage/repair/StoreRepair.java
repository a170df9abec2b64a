package io.widerow.storage.repair;

import io.widerow.storage.Damage;
import io.widerow.storage.EventCursor;
import io.widerow.storage.JournalLoss;
import io.widerow.storage.RecoveryReport;
import io.widerow.storage.StorageException;
import io.widerow.storage.StoreConfig;
import io.widerow.storage.cold.ColdStub;
import io.widerow.storage.disk.Disk;
import io.widerow.storage.disk.DiskFile;
import io.widerow.storage.disk.Quarantine;
import io.widerow.storage.disk.RealDisk;
import io.widerow.storage.disk.StoreLock;
import io.widerow.storage.embedded.EmbeddedStore;
import io.widerow.storage.embedded.StoreExtension;
import io.widerow.storage.embedded.StoreOpener;
import io.widerow.storage.journal.ChronicleJournalFactory;
import io.widerow.storage.journal.Journal;
import io.widerow.storage.journal.NotesFiles;
import io.widerow.storage.journal.Witness;
import io.widerow.storage.live.LiveSegment;
import io.widerow.storage.live.SegmentFiles;
import io.widerow.storage.live.SegmentInventory;
import io.widerow.storage.live.StoreClock;
import io.widerow.storage.manifest.Manifest;
import io.widerow.storage.manifest.ManifestEdit;
import io.widerow.storage.manifest.SegmentEntry;
import io.widerow.storage.manifest.StoreFormat;
import io.widerow.storage.recovery.JournalRecovery;
import io.widerow.storage.scan.SegmentCursor;
import io.widerow.storage.segment.Segment;
import io.widerow.storage.segment.SegmentIndex;
import io.widerow.storage.segment.SegmentSummary;
import io.widerow.storage.segment.SegmentWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// Repair of a stopped store: afterwards it is consistent, without its unreadable parts. It never
/// deletes anything: it moves damaged files into the [Quarantine] and writes their readable content
/// to new files.
///
/// | damage | action |
/// |---|---|
/// | a block | the segment's other blocks become a new segment |
/// | a segment's index, or a cut file | the blocks that can still be found become a new segment |
/// | a missing segment | it is removed from the manifest |
/// | a file of figures whose events are gone | its readable partitions become a new file |
/// | a table file, or blocks of it | what can be read becomes a new file |
/// | groups of the journal | if the operator accepts the loss, the store starts without them |
/// | notes | if the operator accepts that repeated batches are stored twice, the store goes
/// without them |
/// | the witness of the journals | it moves to the quarantine, and an empty one is written |
/// | FORMAT, manifest | nothing: they name everything else, and only a backup restores them |
///
/// Each segment is repaired on its own: quarantined, rewritten, and then replaced by one edit of
/// the manifest. A repair that is killed at any point continues when it is started again. A running
/// deletion continues afterwards and also covers the files written here. A deletion is done only
/// when no damaged file may hold its events.
///
/// - Threads: one.
public final class StoreRepair {
  private final Disk disk;
  private final Path directory;
  private final boolean acceptLoss;
  private final Function<UUID, Journal.Factory> journals;
  private final Quarantine quarantine;
  private final List<Damage> lost = new ArrayList<>();
  private final List<Damage> left = new ArrayList<>();
  private final List<String> done = new ArrayList<>();
  private boolean journalIsDamaged;

  /// Result of a repair.
  ///
  /// @param lost data that the store no longer has; the files are in the quarantine
  /// @param left damage that was not repaired
  /// @param done one sentence for each action
  public record Repair(List<Damage> lost, List<Damage> left, List<String> done) {
    public Repair {
      lost = List.copyOf(lost);
      left = List.copyOf(left);
      done = List.copyOf(done);
    }
  }

  StoreRepair(
      Disk disk, Path directory, boolean acceptLoss, Function<UUID, Journal.Factory> journals) {
    this.disk = disk;
    this.directory = directory;
    this.acceptLoss = acceptLoss;
    this.journals = journals;
    this.quarantine = new Quarantine(disk, directory);
  }

  /// @param acceptLoss whether to go on without acknowledged groups that the journal lost
  /// @throws StorageException when the directory is not a store, in use, of a newer format, or
  ///   read-only
  public static Repair repair(Path directory, boolean acceptLoss) {
    Disk disk = new RealDisk();
    return new StoreRepair(
            disk, directory, acceptLoss, ChronicleJournalFactory.ofStopped(directory, disk))
        .repair();
  }

  Repair repair() {
    StoreFormat.requireStore(disk, directory);
    try {
      StoreFormat format = StoreFormat.read(disk, directory);
      format.requireWritable(disk, directory);
      StoreLock.holding(disk, directory, () -> repairFiles(format.storeId()));
    } catch (StorageException.Corrupt unreadable) {
      boolean format = Path.of(unreadable.place).endsWith(StoreFormat.NAME);
      left.add(unreadable.damage(format ? Damage.Kind.FORMAT : Damage.Kind.MANIFEST, List.of()));
      return new Repair(lost, left, done);
    }
    if (journalIsDamaged && acceptLoss && left.isEmpty()) {
      acceptJournalLoss();
    }
    return new Repair(lost, left, done);
  }

  private boolean repairFiles(UUID storeId) {
    StoreExtension.Provider provider = StoreExtension.Provider.of(disk, directory);
    try (Manifest manifest = Manifest.read(disk, directory, storeId)) {
      SegmentFiles files = new SegmentFiles(disk, directory, storeId);
      boolean rewritten = heal(manifest, files, storeId);
      for (SegmentEntry entry : manifest.segments()) {
        if (files.isCold(entry.id())) {
          leaveStub(files, entry);
        } else if (!isWhole(files, entry)) {
          if (!rewritten) {
            manifest.rewrite();
            rewritten = true;
          }
          repair(manifest, files, storeId, entry);
        }
      }
      boolean wasRewritten = rewritten;
      var figures =
          new AggregateRepair(
                  disk, files.figures(), manifest, quarantine, () -> freeId(manifest, files))
              .repair(wasRewritten ? () -> {} : manifest::rewrite);
      lost.addAll(figures.lost());
      done.addAll(figures.done());
      repairNotes(storeId);
      checkJournals(storeId, manifest);
      repair(provider, storeId);
      return rewritten;
    }
  }

  /// Restores edits that the manifest lost. If a file is still missing afterwards, moves unlisted
  /// files into the quarantine: a start after the repair would delete them as leftovers.
  ///
  /// @return true when the manifest was written again
  private boolean heal(Manifest manifest, SegmentFiles files, UUID storeId) {
    Witness witness = Witness.read(disk, directory, storeId, manifest.journals());
    try (var inventory = SegmentInventory.open(files, manifest);
        var recovery =
            JournalRecovery.checked(
                journals.apply(storeId), directory, manifest, witness, inventory::heal)) {
      boolean goesOn = recovery.losses().isEmpty() || !acceptLoss; // or only reports the losses
      if (inventory.isWhole() && goesOn) {
        return false;
      }
      if (manifest.unreadableFrom() >= 0) {
        Path kept = quarantine.keep(directory.resolve(Manifest.NAME));
        done.add(manifest.unreadable() + "; kept as " + kept);
      }
      manifest.rewrite();
      done.addAll(inventory.healed());
      for (Path file : inventory.unlisted()) {
        done.add("%s: not listed; moved to %s".formatted(file, quarantine.take(file)));
      }
      return true;
    }
  }

  /// The object of a cold segment has all of it, so a damaged stub is no loss, and stays.
  private void leaveStub(SegmentFiles files, SegmentEntry entry) {
    try {
      ColdStub.verify(disk, files.stub(entry.id()));
    } catch (StorageException.Corrupt damaged) {
      left.add(damaged.damage(Damage.Kind.SEGMENT, entry.infos()));
    }
  }

  private static boolean isWhole(SegmentFiles files, SegmentEntry entry) {
    try (LiveSegment live = files.open(entry)) {
      Segment segment = live.file();
      return segment != null && SegmentCheck.of(segment).damage().isEmpty();
    }
  }

  private void repair(Manifest manifest, SegmentFiles files, UUID storeId, SegmentEntry entry) {
    Path file = files.named(entry.id());
    // An interrupted repair may have moved it already.
    Path kept = disk.exists(file) ? quarantine.take(file) : quarantine.place(entry.fileName());
    LiveSegment rewritten = null;
    if (disk.exists(kept)) {
      rewritten = rewrite(manifest, files, storeId, entry, kept);
      done.add("%s: moved to %s".formatted(file, kept));
    } else {
      String gone = "the manifest lists this file, and it is gone";
      lost.add(new Damage(Damage.Kind.SEGMENT, file, 0, gone, entry.infos()));
    }
    List<SegmentEntry> added = rewritten == null ? List.of() : List.of(rewritten.entry());
    manifest.commit(
        new ManifestEdit(
            manifest.segmentIdNext(),
            manifest.counterLimit(),
            manifest.clockNanos(),
            added,
            List.of(entry.id()),
            Map.of(),
            manifest.journals()));
    if (rewritten != null) {
      done.add(
          "%s: written, with %d of %d events"
              .formatted(
                  files.named(rewritten.entry().id()), rewritten.entry().events(), entry.events()));
      rewritten.close();
    }
  }

  /// Writes the readable content of a file to a new segment; null when there is none.
  private @Nullable LiveSegment rewrite(
      Manifest manifest, SegmentFiles files, UUID storeId, SegmentEntry entry, Path kept) {
    try (Segment source = source(files, storeId, entry, kept)) {
      SegmentCheck examined = SegmentCheck.of(source);
      lost.addAll(examined.lost());
      long id = freeId(manifest, files);
      try (SegmentWriter writer = files.writer(files.temporary(id), id, entry.merged())) {
        for (SegmentIndex index : source.indexes()) {
          writer.begin(index.partition.key());
          copy(source, index, examined, writer);
        }
        SegmentSummary summary = writer.finish();
        if (summary.events() == 0) {
          disk.delete(files.temporary(id));
          return null;
        }
        LiveSegment written =
            files.adopt(
                SegmentEntry.of(summary, entry.partitions().getFirst().key(), entry.merged()));
        files.forceDirectory();
        return written;
      }
    }
  }

  /// A segment id without a file, not even one that a crash left.
  private long freeId(Manifest manifest, SegmentFiles files) {
    long id = manifest.takeSegmentId();
    while (disk.exists(files.named(id)) || disk.exists(files.temporary(id))) {
      id = manifest.takeSegmentId();
    }
    return id;
  }

  /// Opens the file as a segment, with as many blocks as can be found.
  private Segment source(SegmentFiles files, UUID storeId, SegmentEntry entry, Path kept) {
    try {
      return files.open(entry, kept);
    } catch (StorageException.Corrupt unreadable) {
      DiskFile file = disk.open(kept);
      try {
        SegmentSalvage salvage = SegmentSalvage.of(file, storeId, entry);
        lost.addAll(salvage.lost());
        return Segment.of(file, storeId, entry.id(), salvage.indexes());
      } catch (Throwable failure) {
        file.close();
        throw failure;
      }
    }
  }

  private static void copy(
      Segment source, SegmentIndex index, SegmentCheck examined, SegmentWriter writer) {
    var key = index.partition.key();
    try (EventCursor events = SegmentCursor.openWithout(source, key, examined.badOf(key))) {
      while (EventCursor.nextLocal(events)) {
        writer.add(events.event());
      }
    }
  }

  private void repair(StoreExtension.Provider provider, UUID storeId) {
    var store = new StoreExtension.StoreFiles(disk, directory, storeId, journals.apply(storeId));
    StoreExtension.Repair repaired = provider.repair(store, acceptLoss);
    lost.addAll(repaired.lost());
    left.addAll(repaired.left());
    done.addAll(repaired.done());
    journalIsDamaged |= repaired.journalIsDamaged();
  }

  private void repairNotes(UUID storeId) {
    for (Damage notes : new NotesFiles(disk, directory, storeId).damage()) {
      if (!acceptLoss) {
        left.add(notes);
        continue;
      }
      done.add("%s: moved to %s".formatted(notes.file(), quarantine.take(notes.file())));
      lost.add(notes);
    }
  }

  private void checkJournals(UUID storeId, Manifest manifest) {
    Witness witness = Witness.read(disk, directory, storeId, manifest.journals());
    if (witness.damage() != null) {
      done.add(Witness.renew(disk, directory, storeId, quarantine));
    }
    try (var recovery =
        JournalRecovery.checked(
            journals.apply(storeId), directory, manifest, witness, _ -> false)) {
      List<JournalLoss> losses = recovery.losses();
      journalIsDamaged = !losses.isEmpty();
      losses.forEach(loss -> (acceptLoss ? lost : left).add(loss.damage()));
    }
  }

  private void acceptJournalLoss() {
    StoreConfig config = StoreConfig.at(directory);
    StoreOpener opener = new StoreOpener(config, disk, StoreClock.system(), Runnable::run);
    try (var store = new EmbeddedStore(opener.openAcceptingLoss(journals))) {
      RecoveryReport report = store.recovery();
      done.add(
          "%s: sealed the remaining %d events in %d groups; the old files moved to %s"
              .formatted(
                  directory.resolve(Journal.DIRECTORY),
                  report.eventsReplayed(),
                  report.groupsReplayed(),
                  quarantine.place("")));
    }
  }
}
