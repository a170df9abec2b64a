package io.widerow.storage.maintenance;

import io.widerow.storage.RetentionLookup;
import io.widerow.storage.StorageException;
import io.widerow.storage.live.LiveSegment;
import io.widerow.storage.live.Retentions;
import io.widerow.storage.live.SegmentSet;
import io.widerow.storage.live.StoreContents;
import io.widerow.storage.segment.SegmentSummary;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.function.Predicate;

/// Drops expired data: files with only expired data are unlinked; files with enough of it are
/// written again without it, by the [Merger].
///
/// Events that a change of policies hid stay for its grace, see [Retentions]. The retention is
/// checked again under the lock of the changes: when it was raised in time, no event that it keeps
/// is dropped.
///
/// - Threads: any; one task runs at a time. It does not wait for a merge, and leaves alone what one
///   is reading.
final class RetentionEnforcer {
  private final StoreContents contents;
  private final Executor executor;
  private final Set<LiveSegment> taken = new HashSet<>(); // by a merge; guarded by this
  private final OneTask task = new OneTask(this::run);

  RetentionEnforcer(StoreContents contents, Executor executor) {
    this.contents = contents;
    this.executor = executor;
  }

  /// Starts dropping if anything is due, unless it is running already.
  void start() {
    if (past(contents.retentions().onDisk()).isEmpty()) {
      return;
    }
    task.start(executor);
  }

  void drain() throws InterruptedException {
    task.drain();
  }

  private void run() {
    try {
      drop();
    } catch (StorageException failed) {
      contents.backgroundFailed(failed);
    }
  }

  private synchronized void drop() {
    List<LiveSegment> past = new ArrayList<>(past(contents.retentions().onDisk()));
    past.removeAll(taken);
    if (!past.isEmpty()) {
      boolean _ =
          contents.replaced(
              List.of(),
              past,
              () -> {
                Retentions.OnDisk now = contents.retentions().onDisk();
                return past.stream().allMatch(live -> isPast(live, now));
              });
    }
  }

  /// A merge reads these from now on; nothing drops them until [#giveBack].
  ///
  /// @return false when one of them is gone
  synchronized boolean take(Collection<LiveSegment> sources) {
    if (!new HashSet<>(contents.state().segments().all()).containsAll(sources)) {
      return false;
    }
    taken.addAll(sources);
    return true;
  }

  synchronized void giveBack() {
    taken.clear();
  }

  /// Segments with nothing in them that must stay.
  private List<LiveSegment> past(Retentions.OnDisk onDisk) {
    return contents.state().segments().all().stream().filter(live -> isPast(live, onDisk)).toList();
  }

  private static boolean isPast(LiveSegment live, Retentions.OnDisk onDisk) {
    long until = SegmentSet.bucketOf(live).untilNanos();
    return !onDisk.staysWhole(until)
        && live.partitions().types().stream().allMatch(type -> onDisk.mayGoWhole(type, until));
  }

  /// Segments that are worth rewriting without their expired events, oldest first. Cold ones go as
  /// a whole only: a place that is away must not hold up merges.
  List<LiveSegment> worthRewriting() {
    Retentions.OnDisk onDisk = contents.retentions().onDisk();
    return contents.state().segments().all().stream()
        .filter(live -> live.entry().merged() && live.mayMerge())
        .filter(live -> isWorthRewriting(live, onDisk))
        .filter(live -> !isPast(live, onDisk))
        .toList();
  }

  private static boolean isWorthRewriting(LiveSegment live, Retentions.OnDisk onDisk) {
    long until = SegmentSet.bucketOf(live).untilNanos();
    return !onDisk.staysWhole(until) && isMuch(live, type -> onDisk.mayGoWhole(type, until));
  }

  /// True when the partitions of some types are enough of a segment to write it again without.
  static boolean isMuch(LiveSegment live, Predicate<String> types) {
    if (live.partitions().types().stream().noneMatch(types)) {
      return false;
    }
    long[] bytes = live.partitionBytes();
    long past = 0;
    int at = 0;
    for (SegmentSummary.Partition partition : live.partitions()) {
      past += types.test(partition.key().type()) ? bytes[at] : 0;
      at++;
    }
    return RetentionLookup.isMuch(past, live.entry().bytes());
  }
}
