package io.widerow.cql.engine;

import io.widerow.cql.tablestats.TableOrigin;
import io.widerow.storage.JournalLoss;
import io.widerow.storage.StorageException;
import io.widerow.storage.manifest.Manifest;
import io.widerow.storage.manifest.TableEntry;
import io.widerow.storage.manifest.TableSection;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/// The files of the tables of a stopped store: compares the files that the tables' manifest lists
/// with the files that exist. It heals a manifest that lost its last edits, where the files prove
/// the content of these edits, and changes no file: see [io.widerow.storage.live.SegmentInventory],
/// whose rules are the same.
///
/// ```
///   manifest   A B              lost: +M -A -B
///   files            M(of A, B)
///   healed           M          listed in place of A and B
///
///   manifest   A, flushed 1-5   lost: +F, flushed 1-9
///   journal    from 10          so 6-9 were durable when this file got its name
///   files      A F(of 6-9)
///   healed     A F, flushed 1-9
/// ```
///
/// - Threads: one.
final class TableInventory {
  private final TableFiles files;
  private final Manifest manifest;
  private final Path directory;
  private final List<String> healed = new ArrayList<>();

  /// @param directory that of the tables
  TableInventory(TableFiles files, Manifest manifest, Path directory) {
    this.files = files;
    this.manifest = manifest;
    this.directory = directory;
  }

  /// A sentence for each healed part.
  List<String> healed() {
    return List.copyOf(healed);
  }

  /// A finished file that is not listed.
  private record Unlisted(TableEntry entry, TableOrigin origin) {}

  private List<Unlisted> unlisted() {
    List<Unlisted> found = new ArrayList<>();
    for (Path path : files.unlisted(listed())) {
      TableFile file = files.openUnlisted(path);
      if (file != null) {
        try (file) {
          long id = TableEntry.idOf(path.getFileName().toString());
          found.add(new Unlisted(new TableEntry(id, file.bytes(), file.rows()), file.origin()));
        }
      }
    }
    return found;
  }

  private List<TableEntry> listed() {
    return TableOpening.listed(manifest, directory);
  }

  private boolean isWhole(TableEntry entry) {
    try (LiveTableFile file = files.open(entry)) {
      return file.damage() == null;
    }
  }

  /// Reads the whole file.
  private boolean isIntact(Unlisted unlisted) {
    try (LiveTableFile live = files.open(unlisted.entry)) {
      return TableCheck.damage(live).isEmpty();
    } catch (StorageException.Corrupt | StorageException.Failed unreadable) {
      return false;
    }
  }

  /// Lists merged files in place of sources, all of which are listed and some of which are missing
  /// or cannot be read: sources are deleted only after that edit.
  TableInventory healMerges() {
    Set<Long> missing = new HashSet<>();
    Set<Long> there = new HashSet<>();
    for (TableEntry entry : listed()) {
      (isWhole(entry) ? there : missing).add(entry.id());
    }
    if (missing.isEmpty()) {
      return this;
    }
    for (Unlisted merged : unlisted()) {
      List<Long> sources = merged.origin.sources();
      long lost = sources.stream().filter(missing::contains).count();
      boolean known = sources.stream().allMatch(id -> there.contains(id) || missing.contains(id));
      if (lost > 0 && known && isIntact(merged)) {
        list(merged, sources, Map.of());
        sources.forEach(missing::remove);
        sources.forEach(there::remove);
        healed.add(
            "%s: replaces %d sources, %d of them missing; the manifest lost this edit"
                .formatted(files.named(merged.entry), sources.size(), lost));
      }
    }
    return this;
  }

  /// True when a file is there that was flushed after the last one that is listed.
  boolean hasFlushed() {
    long last = flushed();
    return unlisted().stream()
        .anyMatch(file -> file.origin.sources().isEmpty() && file.origin.lsnAfter() >= last);
  }

  /// Lists flushed files in place of what the journal lost: a journal is trimmed only after that
  /// edit.
  ///
  /// @return true when the manifest has changed, so that the journal has to be checked again
  boolean heal(List<JournalLoss> losses) {
    long lost = losses.stream().mapToLong(JournalLoss::lsnLast).max().orElse(0);
    boolean changed = false;
    long last = flushed();
    while (last < lost && healNext(last)) {
      changed = true;
      last = flushed();
    }
    return changed;
  }

  private long flushed() {
    return manifest.sealedLsns().getOrDefault(TableContents.LANE, 0L);
  }

  private boolean healNext(long lsnAfter) {
    for (Unlisted file : unlisted()) {
      TableOrigin origin = file.origin;
      if (origin.sources().isEmpty()
          && origin.lsnAfter() == lsnAfter
          && origin.lsnLast() > lsnAfter
          && isIntact(file)) {
        list(file, List.of(), Map.of(TableContents.LANE, origin.lsnLast()));
        healed.add(
            "%s: replaces groups %d to %d; the manifest lost this edit"
                .formatted(files.named(file.entry), lsnAfter + 1, origin.lsnLast()));
        return true;
      }
    }
    return false;
  }

  private void list(Unlisted file, List<Long> removed, Map<Integer, Long> flushed) {
    List<TableEntry> entries = new ArrayList<>(listed());
    entries.removeIf(entry -> removed.contains(entry.id()));
    entries.add(file.entry);
    manifest.restore(TableSection.ofUnsorted(entries).toSections(), flushed);
    manifest.raiseSegmentId(file.entry.id() + 1);
  }
}
