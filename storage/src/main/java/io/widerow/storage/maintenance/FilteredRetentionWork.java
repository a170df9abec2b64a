package io.widerow.storage.maintenance;

import io.widerow.rollup.RollupDefinition;
import io.widerow.storage.EventCursor;
import io.widerow.storage.FilteredRetention;
import io.widerow.storage.Filters;
import io.widerow.storage.Scan;
import io.widerow.storage.StorageException;
import io.widerow.storage.live.DeletionTarget;
import io.widerow.storage.live.FilteredRetentions;
import io.widerow.storage.live.LiveSegment;
import io.widerow.storage.live.SegmentSet;
import io.widerow.storage.live.StoreContents;
import io.widerow.storage.manifest.Deletion;
import io.widerow.storage.segment.SegmentSummary;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// Rewrites merged segments without the events that a retention policy with a filter has hidden,
/// once all their times are before the limit of the policy and enough of their events go: the same
/// share for which expired types are removed. Where aggregates outlive their events, any event is
/// enough, so that these aggregates do not count it.
///
/// Events that are too few stay on the disk, hidden, until their bucket expires, and so do those of
/// cold segments. The segments of which nothing goes are remembered, so that readers need no filter
/// there.
///
/// - Threads: the merging one.
final class FilteredRetentionWork extends RemovalWork {
  private @Nullable FilteredRetention policy; // of the step

  @Override
  boolean step(Tools tools) {
    StoreContents contents = tools.contents();
    try {
      long now = contents.clock().retentionNanos();
      contents.filteredRetentions().forget(contents.state().segments().all());
      for (FilteredRetention each : contents.filteredRetentions().policies()) {
        policy = each;
        if (each.mayRemove(now) && remove(each, each.keptFromNanos(now), tools)) {
          return true;
        }
      }
    } catch (StorageException failed) {
      contents.backgroundFailed(failed);
    }
    return false;
  }

  /// Does one step for a policy; false when there is nothing to do.
  private boolean remove(FilteredRetention of, long untilNanos, Tools tools) {
    StoreContents contents = tools.contents();
    DeletionTarget target = target(of, untilNanos);
    for (List<LiveSegment> unit : units(target, contents)) {
      boolean due =
          unit.stream().noneMatch(LiveSegment::isCold)
              && unit.stream()
                  .allMatch(live -> SegmentSet.bucketOf(live).untilNanos() <= untilNanos)
              && unit.stream().anyMatch(live -> live.entry().merged());
      if (due && isWorth(unit, of, target, tools) && write(unit, target, tools)) {
        return true;
      }
    }
    return false;
  }

  private static DeletionTarget target(FilteredRetention of, long untilNanos) {
    return new DeletionTarget(
        new Deletion(
            0,
            List.of(of.glob()),
            Long.MIN_VALUE,
            untilNanos,
            of.where(),
            of.filter(),
            Deletion.State.RUNNING,
            Long.MAX_VALUE,
            0,
            Deletion.Proof.NONE));
  }

  private static boolean isWorth(
      List<LiveSegment> unit, FilteredRetention of, DeletionTarget target, Tools tools) {
    long going = 0;
    long events = 0;
    long bytes = 0;
    boolean figures = false;
    for (LiveSegment live : unit) {
      going += count(live, of, target, tools);
      events += live.entry().events();
      bytes += live.entry().bytes();
      figures =
          figures
              || live.partitions().types().stream()
                  .anyMatch(type ->
                      of.matches(type)
                          && RollupDefinition.keepNanos(tools.contents().rollups(), type) > 0);
    }
    return going > 0 && (figures || FilteredRetention.isMuch(going, events, bytes));
  }

  /// The number of writes in a segment that the filter keeps; it is counted once.
  private static long count(
      LiveSegment live, FilteredRetention of, DeletionTarget target, Tools tools) {
    FilteredRetentions counts = tools.contents().filteredRetentions();
    Long known = counts.counted(of, live);
    if (known != null) {
      return known;
    }
    long count = 0;
    for (SegmentSummary.Partition partition : live.partitions()) {
      if (target.mayBeIn(partition.key())) {
        requireTime(tools);
        String type = partition.key().type();
        Scan scan =
            Scan.all().withColumns(Set.of()).withFilter(Filters.ofType(target.filter(), type));
        try (EventCursor events = open(live, partition, scan, tools.readers())) {
          while (EventCursor.nextLocal(events)) {
            count++;
          }
        }
      }
    }
    counts.count(of, live, count);
    return count;
  }

  @Override
  void commit(Done removal, Tools tools) {
    FilteredRetentions retentions = tools.contents().filteredRetentions();
    FilteredRetention of = Objects.requireNonNull(policy);
    boolean done =
        tools.writer().commit(removal.written(), removal.sources(), () -> retentions.isInForce(of));
    if (done) {
      removal.written().forEach(live -> retentions.count(of, live, 0));
    }
  }
}
