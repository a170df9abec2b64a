package io.widerow.storage.repair;

import io.widerow.storage.Damage;
import io.widerow.storage.JournalLoss;
import io.widerow.storage.StorageException;
import io.widerow.storage.StoreVersions;
import io.widerow.storage.cold.ColdStub;
import io.widerow.storage.disk.Disk;
import io.widerow.storage.disk.RealDisk;
import io.widerow.storage.disk.StoreLock;
import io.widerow.storage.embedded.StoreExtension;
import io.widerow.storage.journal.ChronicleJournalFactory;
import io.widerow.storage.journal.Journal;
import io.widerow.storage.journal.NotesFiles;
import io.widerow.storage.journal.Witness;
import io.widerow.storage.live.AggregateFiles;
import io.widerow.storage.live.LiveFigures;
import io.widerow.storage.live.LiveSegment;
import io.widerow.storage.live.SegmentFiles;
import io.widerow.storage.live.SegmentInventory;
import io.widerow.storage.manifest.Manifest;
import io.widerow.storage.manifest.SegmentEntry;
import io.widerow.storage.manifest.StoreFormat;
import io.widerow.storage.manifest.VersionsFile;
import io.widerow.storage.recovery.JournalRecovery;
import io.widerow.storage.segment.Segment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.function.Function;
import java.util.stream.Stream;

/// Verifier of a stopped store. It checks every byte: FORMAT, manifest, every block of every
/// segment, every frame of the journals and their witness, the notes. It changes nothing.
///
/// - Threads: one.
public final class StoreVerifier {
  private final Disk disk;
  private final Path directory;
  private final Function<UUID, Journal.Factory> journals;
  private final List<Damage> damage = new ArrayList<>();
  private final List<String> remarks = new ArrayList<>();
  private long segments;
  private long blocks;
  private long events;
  private long bytes;

  /// Result of a verification.
  ///
  /// @param segments number of segments in the manifest, of files of aggregates, and of table files
  /// @param blocks number of blocks in the segments that could be opened
  /// @param events number of events in all segments, according to the manifest
  /// @param bytes size of the segments
  /// @param damage all damage found
  /// @param remarks harmless findings: leftovers of a crash
  public record Verification(
      long segments,
      long blocks,
      long events,
      long bytes,
      List<Damage> damage,
      List<String> remarks) {
    public Verification {
      damage = List.copyOf(damage);
      remarks = List.copyOf(remarks);
    }
  }

  StoreVerifier(Disk disk, Path directory, Function<UUID, Journal.Factory> journals) {
    this.disk = disk;
    this.directory = directory;
    this.journals = journals;
  }

  /// @throws StorageException when the directory is not a store, in use, or of a newer format
  public static Verification verify(Path directory) {
    Disk disk = new RealDisk();
    return new StoreVerifier(disk, directory, ChronicleJournalFactory.ofStopped(directory, disk))
        .verify();
  }

  /// The versions of Widerow that the directory of a store records.
  public static StoreVersions versions(Path directory) {
    return VersionsFile.read(new RealDisk(), directory);
  }

  /// Whether the directory of a store has tables.
  public static boolean hasTables(Path directory) {
    return new RealDisk().exists(tables(directory).resolve(Manifest.NAME));
  }

  /// Where the tables of a store lie.
  public static Path tables(Path directory) {
    return directory.resolve(StoreExtension.DIRECTORY);
  }

  Verification verify() {
    StoreFormat.requireStore(disk, directory);
    return StoreLock.holding(disk, directory, this::verifyLocked);
  }

  private Verification verifyLocked() {
    try {
      verifyStore(StoreFormat.read(disk, directory).storeId());
    } catch (StorageException.Corrupt format) {
      damage.add(format.damage(Damage.Kind.FORMAT, List.of()));
    }
    return new Verification(segments, blocks, events, bytes, damage, remarks);
  }

  private void verifyStore(UUID storeId) {
    Stream.ofNullable(VersionsFile.remark(disk, directory)).forEach(remarks::add);
    Manifest manifest;
    try {
      manifest = Manifest.read(disk, directory, storeId);
    } catch (StorageException.Corrupt unreadable) {
      damage.add(unreadable.damage(Damage.Kind.MANIFEST, List.of()));
      return;
    }
    SegmentFiles files = new SegmentFiles(disk, directory, storeId);
    if (manifest.unreadableFrom() >= 0) {
      remarks.add(manifest.unreadable() + ": it was never in effect, or is damaged");
    }
    try (var inventory = SegmentInventory.open(files, manifest)) {
      List<Damage> lost = verifyJournals(storeId, manifest, inventory);
      inventory.healed().forEach(healed -> remarks.add(healed + "; healed at the next start"));
      manifest.segments().forEach(entry -> verifySegment(files, entry));
      verifyFigures(files.figures(), manifest);
      damage.addAll(lost);
      boolean leftovers = inventory.isWhole() && lost.isEmpty();
      for (Path file : inventory.unlisted()) {
        remarks.add(
            leftovers
                ? file + ": not in the manifest; left from a crash, deleted at the next start"
                : file + ": not in the manifest; kept, because the store is not whole");
      }
    }
    damage.addAll(new NotesFiles(disk, directory, storeId).damage());
    verifyExtension(storeId);
  }

  private void verifyExtension(UUID storeId) {
    var store = new StoreExtension.StoreFiles(disk, directory, storeId, journals.apply(storeId));
    StoreExtension.Verification verified =
        StoreExtension.Provider.of(disk, directory).verify(store);
    segments += verified.files();
    blocks += verified.blocks();
    bytes += verified.bytes();
    damage.addAll(verified.damage());
    remarks.addAll(verified.remarks());
  }

  private void verifyFigures(AggregateFiles files, Manifest manifest) {
    for (LiveFigures figures : files.open(manifest.figures())) {
      try {
        segments++;
        bytes += figures.entry().bytes();
        Damage found = AggregateRepair.damage(figures);
        if (found != null) {
          damage.add(found);
        }
      } finally {
        figures.close();
      }
    }
  }

  private void verifySegment(SegmentFiles files, SegmentEntry entry) {
    segments++;
    events += entry.events();
    bytes += entry.bytes();
    try (LiveSegment live = files.open(entry)) {
      Segment segment = live.file();
      if (segment == null) {
        Damage known = live.known();
        if (known != null) {
          damage.add(known);
        }
        return;
      }
      if (live.isCold()) {
        verifyStub(files.stub(entry.id()), entry);
        return;
      }
      SegmentCheck examined = SegmentCheck.of(segment);
      blocks += examined.blocks();
      damage.addAll(examined.damage());
    }
  }

  /// Of a cold segment what is here is checked; reads check the rest, and [ColdStub] has its hash.
  private void verifyStub(Path stub, SegmentEntry entry) {
    try {
      ColdStub.verify(disk, stub);
    } catch (StorageException.Corrupt damaged) {
      damage.add(damaged.damage(Damage.Kind.SEGMENT, entry.infos()));
    }
  }

  private List<Damage> verifyJournals(UUID storeId, Manifest manifest, SegmentInventory inventory) {
    Witness witness = Witness.read(disk, directory, storeId, manifest.journals());
    Stream.ofNullable(witness.damage()).forEach(damage::add);
    Stream.ofNullable(witness.remark()).forEach(remarks::add);
    try (var recovery =
        JournalRecovery.checked(
            journals.apply(storeId), directory, manifest, witness, inventory::heal)) {
      if (recovery.tornGroups() > 0) {
        remarks.add(
            "%s: %d frames at the end were never acknowledged and are cut at the next start"
                .formatted(directory.resolve(Journal.DIRECTORY), recovery.tornGroups()));
      }
      return recovery.losses().stream().map(JournalLoss::damage).toList();
    }
  }
}
