package io.widerow.storage.maintenance;

import io.widerow.event.Bucket;
import io.widerow.event.PartitionKey;
import io.widerow.rollup.RollupDefinition;
import io.widerow.storage.StorageException;
import io.widerow.storage.live.LiveFigures;
import io.widerow.storage.live.LiveSegment;
import io.widerow.storage.live.Retentions;
import io.widerow.storage.live.SegmentFiles;
import io.widerow.storage.live.SegmentReplacement;
import io.widerow.storage.live.SegmentSet;
import io.widerow.storage.live.StoreContents;
import io.widerow.storage.rows.OpenRow;
import io.widerow.storage.rows.OpenRows;
import io.widerow.storage.scan.BlockReaders;
import io.widerow.storage.segment.SegmentSummary;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;

/// Drops expired events and keeps their aggregates: one edit of the manifest replaces segments with
/// files of aggregates. So at any moment an aggregate is in a segment or in such a file, and never
/// in both. The same edit replaces a segment that has other types too with a copy without the
/// dropped types.
///
/// ```
///   events      |########|########|########|        retention is past for the first two
///   segments             ...      [seg 3   ]
///   figures     [fig 1            ]                  kept for `keep` from the end of their bucket
/// ```
///
/// Nothing is dropped this way while a deletion runs, or while open rows have events of the same
/// buckets, because the aggregates must count all events. A damaged segment stays until it is
/// repaired.
///
/// - Threads: the merging one; [#isDue] any.
final class AggregateRetainer {
  /// Segments that one edit drops, about.
  private static final int SEGMENTS_MAX = 64;

  private final StoreContents contents;
  private final SegmentFiles files;
  private final MergeWriter segments;
  private final AggregateMerges merges;
  private final Set<Long> unreadable = ConcurrentHashMap.newKeySet(); // ids of segments

  AggregateRetainer(StoreContents contents, SegmentFiles files, MergeWriter segments) {
    this.contents = contents;
    this.files = files;
    this.segments = segments;
    this.merges = new AggregateMerges(contents, files);
  }

  /// True when there is something to do.
  boolean isDue() {
    return !units().isEmpty() || merges.isDue();
  }

  private List<Set<LiveSegment>> units() {
    if (contents.rollups().stream().allMatch(rollup -> rollup.keep() == null)
        || !contents.deletions().isQuiet()) {
      return List.of();
    }
    Map<String, List<Bucket>> open = new HashMap<>();
    for (OpenRows rows : contents.state().rows()) {
      OpenRows.View view = rows.view();
      if (view == null) {
        return List.of(); // they are being sealed; the next look sees segments
      }
      try (view) {
        for (OpenRow row : view.rows()) {
          open.computeIfAbsent(row.key.type(), _ -> new ArrayList<>()).add(Bucket.of(row.key));
        }
      }
    }
    SegmentSet now = contents.state().segments();
    return new AggregatePlan(now, contents.retentions().onDisk(), open).units(unreadable);
  }

  /// Drops some segments or expired files of aggregates, or merges small files of aggregates.
  ///
  /// @return false when nothing was done
  boolean step(RetentionEnforcer expiry, BlockReaders readers) {
    List<Set<LiveSegment>> units = units();
    Set<LiveSegment> taken = new LinkedHashSet<>();
    for (Set<LiveSegment> unit : units) {
      if (taken.size() < SEGMENTS_MAX) {
        taken.addAll(unit);
      }
    }
    List<LiveSegment> due = List.copyOf(taken);
    try {
      return due.isEmpty() ? merges.step() : expiry.take(due) && drop(due, readers);
    } catch (StorageException.Corrupt damaged) {
      contents.backgroundFailed(damaged);
      return !due.isEmpty() && dropApart(units, due, readers);
    } catch (StorageException failed) {
      contents.backgroundFailed(failed);
      return false;
    } finally {
      expiry.giveBack();
    }
  }

  /// Drops one unit after the other, and leaves those alone that cannot be read.
  private boolean dropApart(
      List<Set<LiveSegment>> units, List<LiveSegment> taken, BlockReaders readers) {
    for (Set<LiveSegment> unit : units) {
      if (taken.containsAll(unit)) {
        try {
          if (!drop(List.copyOf(unit), readers)) {
            return false;
          }
        } catch (StorageException.Corrupt damaged) {
          contents.backgroundFailed(damaged);
          unit.forEach(live -> unreadable.add(live.entry().id()));
        }
      }
    }
    return true;
  }

  /// The outcome for the partitions of some segments.
  ///
  /// @param figured dropped partitions whose aggregates are kept
  /// @param gone keys of all dropped partitions
  /// @param mixed segments of which a part stays
  /// @param kept the part that stays, for each of them
  private record Parts(
      List<MergeOutput.Source> figured,
      Set<PartitionKey> gone,
      List<LiveSegment> mixed,
      List<MergeOutput> kept) {}

  private Parts parts(List<LiveSegment> due) {
    Retentions.OnDisk onDisk = contents.retentions().onDisk();
    Parts parts =
        new Parts(new ArrayList<>(), new HashSet<>(), new ArrayList<>(), new ArrayList<>());
    for (LiveSegment live : due) {
      NavigableMap<PartitionKey, List<MergeOutput.Source>> kept = new TreeMap<>();
      for (SegmentSummary.Partition partition : live.partitions()) {
        PartitionKey key = partition.key();
        var source = new MergeOutput.Source(live, partition);
        if (!onDisk.mayGo(key.type(), key.untilNanos())) {
          kept.put(key, List.of(source));
          continue;
        }
        parts.gone.add(key);
        if (onDisk.leavesFigures(key.type(), key.untilNanos())) {
          parts.figured.add(source);
        }
      }
      if (!kept.isEmpty()) {
        parts.mixed.add(live);
        parts.kept.add(MergeOutput.of(SegmentSet.bucketOf(live), kept));
      }
    }
    return parts;
  }

  private boolean drop(List<LiveSegment> due, BlockReaders readers) {
    Parts parts = parts(due);
    List<Long> figuresFirst =
        parts.figured.isEmpty() ? List.of() : List.of(contents.takeSegmentId());
    List<LiveSegment> written = List.of();
    if (!parts.kept.isEmpty()) {
      written = segments.write(due, parts.kept, readers, event -> event, figuresFirst);
      if (written.isEmpty()) {
        return false;
      }
    }
    List<LiveFigures> figures = List.of();
    try {
      if (!figuresFirst.isEmpty()) {
        figures = write(parts.figured, due, figuresFirst.getFirst(), written, readers);
        if (figures.isEmpty()) {
          segments.abandon(written, new IllegalStateException("it was given up"));
          return false;
        }
      }
    } catch (Throwable failed) {
      segments.abandon(written, failed);
      throw failed;
    }
    List<LiveSegment> all = written;
    SegmentReplacement swap = new SegmentReplacement(all, due, figures, List.of());
    return segments.commit(all, () -> commit(swap, () -> mayGo(parts.gone)));
  }

  private boolean mayGo(Set<PartitionKey> gone) {
    Retentions.OnDisk now = contents.retentions().onDisk();
    return gone.stream().allMatch(key -> now.mayGo(key.type(), key.untilNanos()));
  }

  /// None when it was given up.
  ///
  /// @param first number of the first file
  /// @param with segments that the same edit lists
  private List<LiveFigures> write(
      List<MergeOutput.Source> figured,
      List<LiveSegment> due,
      long first,
      List<LiveSegment> with,
      BlockReaders readers) {
    List<RollupDefinition> kept =
        contents.rollups().stream().filter(rollup -> rollup.keep() != null).toList();
    List<Long> ids = with.stream().map(live -> live.entry().id()).toList();
    var edit = new AggregateDraft.Edit(segments.originOf(due), first, ids);
    try (var draft =
        new AggregateDraft(contents, files.figures(), kept, readers, segments::isTime, edit)) {
      return draft.write(figured) ? draft.finish() : List.of();
    }
  }

  /// Lists files of aggregates and segments in place of segments. When that fails, the files of
  /// aggregates are deleted.
  ///
  /// @param still asked under the lock of the changes; when false, nothing happens
  private boolean commit(SegmentReplacement swap, BooleanSupplier still) {
    try {
      if (!swap.figures().isEmpty()) {
        files.figures().forceDirectory();
      }
      if (contents.replaced(swap, () -> contents.deletions().isQuiet() && still.getAsBoolean())) {
        return true;
      }
      abandon(swap.figures(), new IllegalStateException("something changed"));
      return false;
    } catch (Throwable failed) {
      abandon(swap.figures(), failed);
      throw failed;
    }
  }

  private void abandon(List<LiveFigures> written, Throwable failure) {
    contents.abandon(SegmentReplacement.ofFigures(written, List.of()), failure);
  }
}
