package io.widerow.storage.live;

import io.widerow.rollup.RollupDefinition;
import io.widerow.storage.StorageException;
import io.widerow.storage.aggregatefile.AggregateFileWriter;
import io.widerow.storage.disk.Disk;
import io.widerow.storage.manifest.AggregateEntry;
import io.widerow.storage.manifest.AggregateSection;
import io.widerow.storage.manifest.ManifestSections;
import io.widerow.storage.segment.Segment;
import io.widerow.storage.segment.SegmentOrigin;
import io.widerow.storage.segment.SegmentSummary;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.UUID;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/// The directory of the files of aggregates whose events are gone: it names, writes, adopts, opens
/// and deletes them.
///
/// - Threads: any.
public final class AggregateFiles {
  /// Name of the directory in a store.
  public static final String DIRECTORY = "figures";

  private final Disk disk;
  private final Path store;
  private final Path directory;
  private final UUID storeId;
  private final BooleanSupplier guard;

  /// @param guard false when this process has lost the store
  AggregateFiles(Disk disk, Path store, UUID storeId, BooleanSupplier guard) {
    this.disk = disk;
    this.store = store;
    this.directory = store.resolve(DIRECTORY);
    this.storeId = storeId;
    this.guard = guard;
  }

  Path directory() {
    return directory;
  }

  /// Where a listed file lies.
  public Path named(AggregateEntry entry) {
    return directory.resolve(entry.fileName());
  }

  private Path temporary(long id) {
    return directory.resolve("%016x".formatted(id) + SegmentFiles.TEMPORARY);
  }

  /// Begins a file.
  ///
  /// @param kept rollups whose cells are counted from events
  public AggregateFileWriter writer(long id, List<RollupDefinition> kept) {
    if (!disk.exists(directory)) {
      disk.createDirectory(directory);
      disk.forceDirectory(store);
    }
    disk.delete(temporary(id));
    return new AggregateFileWriter(disk, temporary(id), storeId, id, kept);
  }

  /// Finishes a file that has partitions, reads it back, and gives it its name. The name is durable
  /// only after [#forceDirectory].
  ///
  /// @param keepNanos how long it is kept, from the end of its last bucket on
  /// @param origin the files that it replaces, and the files that are written with it
  public LiveFigures adopt(AggregateFileWriter writer, long keepNanos, SegmentOrigin origin) {
    writer.tell(origin.ofFigures(writer.id(), keepNanos));
    AggregateEntry entry = entryOf(writer.finish(), keepNanos);
    try (Segment file = Segment.open(disk, temporary(entry.id()), storeId, entry.id())) {
      file.verify();
    }
    if (!guard.getAsBoolean()) {
      throw SegmentFiles.lockLost(named(entry));
    }
    disk.rename(temporary(entry.id()), named(entry));
    return new LiveFigures(entry, Segment.open(disk, named(entry), storeId, entry.id()));
  }

  private static AggregateEntry entryOf(SegmentSummary file, long keepNanos) {
    return new AggregateEntry(
        file.segmentId(),
        file.bytes(),
        file.events(),
        file.partitions().stream().mapToLong(p -> p.key().fromNanos()).min().orElseThrow(),
        file.partitions().stream().mapToLong(p -> p.key().untilNanos()).max().orElseThrow(),
        keepNanos);
  }

  /// A finished file that the manifest does not list.
  ///
  /// @param entry the one that the manifest would have
  record Unlisted(AggregateEntry entry, SegmentOrigin origin) {}

  /// Null for a path that is not such a file, or that cannot be read. The file does not change.
  @Nullable Unlisted unlisted(Path path) {
    long id = AggregateEntry.idOf(path.getFileName().toString());
    if (id < 0) {
      return null;
    }
    try (Segment file = Segment.open(disk, path, storeId, id)) {
      long keepNanos = file.origin().keepNanos(id);
      return keepNanos <= 0 || !file.isOfFigures() || file.partitions().size() == 0
          ? null
          : new Unlisted(entryOf(file.summary(), keepNanos), file.origin());
    } catch (StorageException.Corrupt | StorageException.Failed unreadable) {
      return null;
    }
  }

  /// Reads a whole file.
  boolean isIntact(AggregateEntry entry) {
    try (Segment file = openFile(entry)) {
      file.verify();
      return true;
    } catch (StorageException.Corrupt | StorageException.Failed unreadable) {
      return false;
    }
  }

  public void forceDirectory() {
    disk.forceDirectory(directory);
  }

  /// Opens the files that the manifest lists. Missing or damaged files do not change and are
  /// reported.
  ///
  /// @throws StorageException.Incompatible when a newer program wrote one
  public List<LiveFigures> open(AggregateSection listed) {
    List<LiveFigures> opened = new ArrayList<>();
    try {
      listed.files().forEach(entry -> opened.add(open(entry)));
      return opened;
    } catch (Throwable failure) {
      opened.forEach(LiveFigures::close);
      throw failure;
    }
  }

  private LiveFigures open(AggregateEntry entry) {
    Path file = named(entry);
    try {
      return new LiveFigures(entry, openFile(entry));
    } catch (StorageException.Corrupt damaged) {
      return new LiveFigures(entry, damaged);
    } catch (StorageException.Failed failed) {
      return new LiveFigures(entry, SegmentFiles.unreadable(file, failed));
    }
  }

  /// @throws StorageException.Corrupt when it is missing or not the listed one
  private Segment openFile(AggregateEntry entry) {
    Path path = named(entry);
    if (!disk.exists(path)) {
      throw new StorageException.Corrupt(path, 0, "the manifest lists this file, and it is gone");
    }
    Segment file = SegmentFiles.open(disk, path, storeId, entry.id());
    SegmentSummary found = file.summary();
    if (!file.isOfFigures() || found.bytes() != entry.bytes() || found.events() != entry.events()) {
      file.close();
      throw new StorageException.Corrupt(
          path,
          0,
          "aggregates of %d events in %d bytes, the manifest says %d in %d"
              .formatted(found.events(), found.bytes(), entry.events(), entry.bytes()));
    }
    return file;
  }

  /// Deletes a file that never entered the manifest. If that fails, the next opening does it.
  public void abandon(LiveFigures written, Throwable failure) {
    written.close();
    try {
      delete(written.entry());
    } catch (StorageException left) {
      failure.addSuppressed(left);
    }
  }

  void delete(AggregateEntry entry) {
    if (guard.getAsBoolean()) {
      disk.delete(named(entry));
    }
  }

  /// Files that the manifest does not list, left by a crash.
  public List<Path> orphans(AggregateSection listed) {
    return SegmentFiles.unlisted(
        disk, directory, listed.files().stream().map(AggregateEntry::fileName));
  }

  /// Deletes files that the manifest does not list.
  public void deleteOrphans(AggregateSection listed) {
    orphans(listed).forEach(disk::delete);
  }

  /// What the manifest says after a change.
  static ManifestSections sections(List<LiveFigures> files) {
    return new AggregateSection(
            files.stream()
                .map(LiveFigures::entry)
                .sorted(Comparator.comparingLong(AggregateEntry::id))
                .toList())
        .toSections();
  }
}
