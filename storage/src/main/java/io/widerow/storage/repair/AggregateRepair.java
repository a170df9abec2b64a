package io.widerow.storage.repair;

import io.widerow.storage.Damage;
import io.widerow.storage.PartitionInfo;
import io.widerow.storage.StorageException;
import io.widerow.storage.aggregatefile.AggregateFileWriter;
import io.widerow.storage.disk.Disk;
import io.widerow.storage.disk.Quarantine;
import io.widerow.storage.live.AggregateFiles;
import io.widerow.storage.live.LiveFigures;
import io.widerow.storage.manifest.AggregateEntry;
import io.widerow.storage.manifest.AggregateSection;
import io.widerow.storage.manifest.Manifest;
import io.widerow.storage.manifest.ManifestEdit;
import io.widerow.storage.segment.Segment;
import io.widerow.storage.segment.SegmentOrigin;
import io.widerow.storage.segment.SegmentSummary;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/// Repair of the files of aggregates whose events are gone. The readable part of a damaged file
/// becomes a new file, and the damaged file moves into the quarantine. One edit of the manifest
/// lists the new file in place of the damaged one.
///
/// - Threads: one.
final class AggregateRepair {
  private final Disk disk;
  private final AggregateFiles files;
  private final Manifest manifest;
  private final Quarantine quarantine;
  private final LongSupplier ids;
  private final List<Damage> lost = new ArrayList<>();
  private final List<String> done = new ArrayList<>();

  /// @param ids numbers of files that are not taken
  AggregateRepair(
      Disk disk, AggregateFiles files, Manifest manifest, Quarantine quarantine, LongSupplier ids) {
    this.disk = disk;
    this.files = files;
    this.manifest = manifest;
    this.quarantine = quarantine;
    this.ids = ids;
  }

  /// The damage of a file, after reading all of it; null when it is intact.
  static @Nullable Damage damage(LiveFigures figures) {
    try {
      figures.file().verify();
      return null;
    } catch (StorageException.Corrupt damaged) {
      return damaged.damage(Damage.Kind.SEGMENT, List.of());
    }
  }

  /// Repairs all of them.
  ///
  /// @param begin runs before the first change
  AggregateRepair repair(Runnable begin) {
    List<AggregateEntry> listed = new ArrayList<>(manifest.figures().files());
    for (LiveFigures figures : files.open(manifest.figures())) {
      try {
        Damage found = damage(figures);
        if (found != null) {
          begin.run();
          repair(figures, found, listed);
        }
      } finally {
        figures.close();
      }
    }
    return this;
  }

  private void repair(LiveFigures figures, Damage found, List<AggregateEntry> listed) {
    AggregateEntry written = figures.isWhole() ? rewrite(figures) : null;
    if (written == null) {
      lost.add(found);
    }
    listed.remove(figures.entry());
    if (written != null) {
      listed.add(written);
      listed.sort(Comparator.comparingLong(AggregateEntry::id));
    }
    manifest.commit(ManifestEdit.ofSections(manifest, new AggregateSection(listed).toSections()));
    Path file = files.named(figures.entry());
    if (disk.exists(file)) {
      done.add("%s: moved to %s".formatted(file, quarantine.take(file)));
    }
    if (written != null) {
      done.add(
          "%s: written, with aggregates of %d of %d events"
              .formatted(files.named(written), written.events(), figures.entry().events()));
    }
  }

  /// Copies the partitions that can be read; null when there is none.
  private @Nullable AggregateEntry rewrite(LiveFigures figures) {
    Segment source = figures.file();
    List<PartitionInfo> gone = new ArrayList<>();
    StorageException.Corrupt first = null;
    try (AggregateFileWriter writer = files.writer(ids.getAsLong(), List.of())) {
      for (int number = 0; number < source.partitions().size(); number++) {
        SegmentSummary.Partition partition = source.partitions().get(number);
        try {
          writer.copy(source, number, partition.key(), null);
        } catch (StorageException.Corrupt damaged) {
          first = first == null ? damaged : first;
          gone.add(partition.info());
        }
      }
      if (first != null) {
        lost.add(first.damage(Damage.Kind.SEGMENT, gone));
      }
      if (writer.isEmpty()) {
        return null;
      }
      LiveFigures written = files.adopt(writer, figures.entry().keepNanos(), SegmentOrigin.NONE);
      files.forceDirectory();
      written.close();
      return written.entry();
    }
  }

  List<Damage> lost() {
    return lost;
  }

  List<String> done() {
    return done;
  }
}
