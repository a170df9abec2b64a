package io.widerow.storage.live;

import io.widerow.event.AttributeValue;
import io.widerow.event.EventView;
import io.widerow.event.PartitionKey;
import io.widerow.storage.Filter;
import io.widerow.storage.FilterEvaluation;
import io.widerow.storage.manifest.Deletion;
import io.widerow.storage.segment.SegmentSummary;
import java.util.List;
import java.util.function.Predicate;

/// The target of a deletion: events, and the partitions and segments that may hold them.
///
/// - Threads: one.
public final class DeletionTarget {
  private final Deletion deletion;
  private final Filter filter;
  private final Predicate<String> types;
  private final AttributeValue scratch = new AttributeValue();

  public DeletionTarget(Deletion deletion) {
    this.deletion = deletion;
    this.filter = LiveDeletions.filterOf(deletion);
    this.types = LiveDeletions.typesOf(deletion.globs());
  }

  /// Keeps the events of the types and times that the filter keeps, whenever they arrived.
  public Filter filter() {
    return filter;
  }

  public boolean mayBeIn(PartitionKey key) {
    return types.test(key.type())
        && key.untilNanos() > deletion.fromNanos()
        && key.fromNanos() < deletion.untilNanos();
  }

  /// True when the event arrived before the deletion began.
  public boolean isEarlier(EventView event) {
    return event.arrival() < deletion.arrivedBefore();
  }

  public boolean isMatch(EventView event) {
    return isEarlier(event) && FilterEvaluation.keeps(filter, event, scratch);
  }

  /// The damaged segments that may hold events of it: this is unknown until they are repaired.
  public List<LiveSegment> damaged(StoreContents contents) {
    return contents.state().segments().all().stream()
        .filter(live -> !live.isWhole() && mayBeIn(live, contents, _ -> true))
        .toList();
  }

  /// True when a segment may hold an earlier write of an event that was written again: such a write
  /// is removed with the last one, whatever its own contents.
  public boolean mayHoldEarlierWrites(LiveSegment live, StoreContents contents) {
    return mayBeIn(live, contents, SegmentSummary.Partition::ownIds);
  }

  private boolean mayBeIn(
      LiveSegment live, StoreContents contents, Predicate<SegmentSummary.Partition> which) {
    return !contents.segmentArrivals().isFrom(live, deletion.arrivedBefore())
        && live.partitions().stream()
            .anyMatch(partition -> which.test(partition) && mayBeIn(partition.key()));
  }
}
