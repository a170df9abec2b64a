package io.widerow.storage.embedded;

import io.widerow.event.TypeGlob;
import io.widerow.rollup.RollupDefinition;
import io.widerow.storage.live.LiveFigures;
import io.widerow.storage.live.LiveSegment;
import io.widerow.storage.live.SegmentFiles;
import io.widerow.storage.live.StoreContents;
import io.widerow.storage.maintenance.RollupFill;
import io.widerow.storage.manifest.RollupSection;
import io.widerow.storage.segment.SegmentSummary;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/// The rollups of an open store. A change is durable when the call returns. Segments that are begun
/// from then on have their cells; minutes without cells are counted from events.
///
/// - Threads: any. The lock of the contents, which is held while the manifest is edited, orders the
///   changes.
public final class RollupControl {
  private final StoreContents contents;
  private final SegmentFiles files;
  private final Runnable requireOpen;
  private final Runnable changed;

  /// @param requireOpen throws while the store may not be changed yet
  /// @param changed runs after a change, to fill stored segments
  RollupControl(
      StoreContents contents, SegmentFiles files, Runnable requireOpen, Runnable changed) {
    this.contents = contents;
    this.files = files;
    this.requireOpen = requireOpen;
    this.changed = changed;
  }

  /// All rollups, in the order of names.
  public List<RollupDefinition> all() {
    return files.rollups();
  }

  /// A rollup and how far it is filled.
  ///
  /// @param segments segments that have events of its types
  /// @param without those of them that have no cells of it: their events are counted one by one
  /// @param cold those of `without` that are kept elsewhere, which no merge fills
  /// @param keptEvents events of its types that are gone, and of which figures are kept
  public record Standing(
      RollupDefinition rollup, int segments, int without, int cold, long keptEvents) {}

  /// The state of a rollup.
  public Standing standing(RollupDefinition rollup) {
    int segments = 0;
    int without = 0;
    int cold = 0;
    for (LiveSegment live : contents.state().segments().all()) {
      if (live.partitions().types().stream()
          .anyMatch(type -> TypeGlob.matches(rollup.glob(), type))) {
        segments++;
        boolean lacks = RollupFill.lacks(live, rollup);
        without += lacks ? 1 : 0;
        cold += lacks && live.isCold() ? 1 : 0;
      }
    }
    long keptEvents = 0;
    for (LiveFigures figures : contents.state().segments().figures()) {
      keptEvents += figures.isWhole() && rollup.keep() != null ? events(figures, rollup) : 0;
    }
    return new Standing(rollup, segments, without, cold, keptEvents);
  }

  private static long events(LiveFigures figures, RollupDefinition rollup) {
    return figures.file().partitions().stream()
        .filter(partition -> rollup.matches(partition.key().type()))
        .mapToLong(SegmentSummary.Partition::events)
        .sum();
  }

  /// Defines a rollup, in place of the one with its name.
  ///
  /// @throws IllegalArgumentException when there are too many
  public void set(RollupDefinition rollup) {
    requireOpen.run();
    synchronized (contents) {
      List<RollupDefinition> next = without(rollup.name());
      next.add(rollup);
      if (next.size() > RollupSection.COUNT_MAX) {
        throw new IllegalArgumentException(
            "rollup: %d are defined; at most %d can be"
                .formatted(next.size() - 1, RollupSection.COUNT_MAX));
      }
      next.sort(Comparator.comparing(RollupDefinition::name));
      change(next);
    }
    changed.run();
  }

  /// Removes a rollup. Its cells stay in their files until these are merged.
  ///
  /// @throws IllegalArgumentException when there is none of this name
  public void unset(String name) {
    requireOpen.run();
    synchronized (contents) {
      List<RollupDefinition> next = without(name);
      if (next.size() == all().size()) {
        List<String> names = all().stream().map(RollupDefinition::name).toList();
        throw new IllegalArgumentException(
            "rollup: there is no '%s'; %s"
                .formatted(
                    name,
                    names.isEmpty() ? "none is defined" : "there are " + String.join(", ", names)));
      }
      change(next);
    }
  }

  private List<RollupDefinition> without(String name) {
    List<RollupDefinition> rollups = new ArrayList<>(all());
    rollups.removeIf(rollup -> rollup.name().equals(name));
    return rollups;
  }

  /// Durable first, then in use.
  private void change(List<RollupDefinition> next) {
    contents.change(_ -> new RollupSection(next).toSections());
    files.define(next);
  }
}
