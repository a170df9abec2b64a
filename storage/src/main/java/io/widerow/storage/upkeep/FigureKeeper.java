package io.widerow.storage.upkeep;

import io.widerow.event.Bucket;
import io.widerow.event.PartitionKey;
import io.widerow.rollup.RollupDefinition;
import io.widerow.storage.StorageException;
import io.widerow.storage.live.LiveFigures;
import io.widerow.storage.live.LiveSegment;
import io.widerow.storage.live.Retentions;
import io.widerow.storage.live.SegmentFiles;
import io.widerow.storage.live.SegmentSet;
import io.widerow.storage.live.StoreContents;
import io.widerow.storage.live.Swap;
import io.widerow.storage.rows.OpenRow;
import io.widerow.storage.rows.OpenRows;
import io.widerow.storage.scan.BlockReaders;
import io.widerow.storage.segment.SegmentSummary;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/// Drops events that are past their retention and keeps their figures: one edit of the manifest
/// puts files of figures in the place of segments. So a figure is in a segment or in such a file at
/// any moment, and never in both.
///
/// ```
///   events      |########|########|########|        retention is past for the first two
///   segments             ...      [seg 3   ]
///   figures     [fig 1            ]                  kept for `keep` from the end of their bucket
/// ```
///
/// Nothing is dropped so while a deletion runs, or while open rows have events of the same buckets:
/// what is counted must be all that there is. A damaged segment stays until it is repaired.
///
/// - Threads: the merging one; [#moment] any.
final class FigureKeeper {
  /// Segments that one edit drops.
  private static final int SEGMENTS_MAX = 64;

  private final StoreContents contents;
  private final SegmentFiles files;
  private final FigureDraft.Pace pace;
  private final FigureMerges merges;
  private final Set<Long> unreadable = ConcurrentHashMap.newKeySet(); // ids of segments

  FigureKeeper(StoreContents contents, SegmentFiles files, BooleanSupplier isTime) {
    this.contents = contents;
    this.files = files;
    this.pace = isTime::getAsBoolean;
    this.merges = new FigureMerges(contents, files);
  }

  /// What may be dropped now if figures of it are kept.
  ///
  /// @param quiet false while a deletion runs
  /// @param open buckets of open rows, by type
  record Moment(boolean quiet, Map<String, List<Bucket>> open) {
    /// True when a bucket of a type may be dropped, with figures left behind or without.
    boolean mayGo(Retentions.OnDisk onDisk, String type, Bucket bucket) {
      long until = bucket.untilNanos();
      if (!onDisk.mayGo(type, until)) {
        return false;
      }
      return !onDisk.leavesFigures(type, until)
          || (quiet
              && open.getOrDefault(type, List.of()).stream()
                  .noneMatch(row -> row.overlaps(bucket.fromNanos(), until)));
    }
  }

  /// What may be dropped now.
  Moment moment() {
    if (contents.rollups().stream().noneMatch(rollup -> rollup.keep() != null)) {
      return new Moment(true, Map.of());
    }
    Map<String, List<Bucket>> open = new HashMap<>();
    for (OpenRows rows : contents.state().rows()) {
      OpenRows.View view = rows.view();
      if (view == null) {
        return new Moment(false, Map.of()); // they are being sealed; the next look sees segments
      }
      try (view) {
        for (OpenRow row : view.rows()) {
          open.computeIfAbsent(row.key.type(), _ -> new ArrayList<>()).add(Bucket.of(row.key));
        }
      }
    }
    return new Moment(contents.deletions().isQuiet(), open);
  }

  /// True when there is something to do.
  boolean isDue(Expiry expiry) {
    return !due(expiry).isEmpty() || merges.isDue();
  }

  private List<LiveSegment> due(Expiry expiry) {
    return expiry.pastWithFigures(moment()).stream()
        .filter(live -> !unreadable.contains(live.entry().id()))
        .limit(SEGMENTS_MAX)
        .toList();
  }

  /// Drops some segments, or files of figures that are past, or writes small ones as one.
  ///
  /// @return false when nothing was done
  boolean step(Expiry expiry, BlockReaders readers) {
    List<LiveSegment> due = due(expiry);
    try {
      if (due.isEmpty()) {
        return merges.step();
      }
      return expiry.take(due) && drop(due, readers);
    } catch (StorageException.Corrupt damaged) {
      contents.backgroundFailed(damaged);
      if (due.size() <= 1) {
        due.forEach(live -> unreadable.add(live.entry().id()));
        return !due.isEmpty();
      }
      return dropOneByOne(due, readers);
    } catch (StorageException failed) {
      contents.backgroundFailed(failed);
      return false;
    } finally {
      expiry.giveBack();
    }
  }

  private boolean dropOneByOne(List<LiveSegment> due, BlockReaders readers) {
    for (LiveSegment live : due) {
      try {
        if (!drop(List.of(live), readers)) {
          return false;
        }
      } catch (StorageException.Corrupt damaged) {
        contents.backgroundFailed(damaged);
        unreadable.add(live.entry().id());
      }
    }
    return true;
  }

  private boolean drop(List<LiveSegment> due, BlockReaders readers) {
    List<MergeOutput.Source> sources = new ArrayList<>();
    Retentions.OnDisk onDisk = contents.retentions().onDisk();
    for (LiveSegment live : due) {
      for (SegmentSummary.Partition partition : live.partitions()) {
        PartitionKey key = partition.key();
        if (onDisk.leavesFigures(key.type(), key.untilNanos())) {
          sources.add(new MergeOutput.Source(live, partition));
        }
      }
    }
    List<LiveFigures> figures = write(sources, readers);
    return figures != null
        && commit(
            new Swap(List.of(), due, figures, List.of()),
            () -> due.stream().allMatch(this::mayGo));
  }

  private boolean mayGo(LiveSegment live) {
    Retentions.OnDisk now = contents.retentions().onDisk();
    long until = SegmentSet.bucketOf(live).untilNanos();
    return live.partitions().types().stream().allMatch(type -> now.mayGo(type, until));
  }

  /// Writes the figures of partitions that are dropped by one edit.
  ///
  /// @return the files; null when it was given up
  @Nullable List<LiveFigures> write(List<MergeOutput.Source> dropped, BlockReaders readers) {
    if (dropped.isEmpty()) {
      return List.of();
    }
    List<RollupDefinition> kept =
        contents.rollups().stream().filter(rollup -> rollup.keep() != null).toList();
    try (var draft = new FigureDraft(contents, files.figures(), kept, readers, pace)) {
      return draft.write(dropped) ? draft.finish() : null;
    }
  }

  /// Lists files of figures, in the place of segments too. They go when it does not.
  ///
  /// @param still asked under the lock of the changes; when false, nothing happens
  /// @return what it said
  boolean commit(Swap swap, BooleanSupplier still) {
    try {
      if (!swap.figures().isEmpty()) {
        files.figures().forceDirectory();
      }
      if (!contents.replaced(swap, () -> isAll(swap) && still.getAsBoolean())) {
        abandon(swap.figures(), new IllegalStateException("something changed"));
        return false;
      }
      return true;
    } catch (Throwable failed) {
      if (!contents.hasEnded()) { // otherwise the manifest may list them
        abandon(swap.figures(), failed);
      }
      throw failed;
    }
  }

  /// True when nothing was counted that is to be deleted now.
  private boolean isAll(Swap swap) {
    return swap.figures().isEmpty() || contents.deletions().isQuiet();
  }

  /// Deletes files that no manifest lists.
  void abandon(List<LiveFigures> written, Throwable failure) {
    written.forEach(each -> files.figures().abandon(each, failure));
  }
}
