package io.widerow.storage.maintenance;

import io.widerow.event.EventId;
import io.widerow.event.EventView;
import io.widerow.event.PartitionKey;
import io.widerow.storage.EventCursor;
import io.widerow.storage.Filters;
import io.widerow.storage.Scan;
import io.widerow.storage.live.DeletionTarget;
import io.widerow.storage.live.LiveSegment;
import io.widerow.storage.live.StoreContents;
import io.widerow.storage.segment.SegmentSummary;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// Rewrites segments without events of a [DeletionTarget].
///
/// Each write that the filter selects goes. When the last write of an id goes, its earlier writes
/// go too, which would be visible again otherwise.
///
/// - Threads: the merging one.
abstract class RemovalWork extends SegmentRewrite<Boolean> {
  @Override
  final Boolean result() {
    return true;
  }

  static List<List<LiveSegment>> units(DeletionTarget target, StoreContents contents) {
    return units(contents, live -> target.mayHoldEarlierWrites(live, contents));
  }

  /// Does one step. False when there is nothing to remove.
  final boolean write(List<LiveSegment> unit, DeletionTarget target, Tools tools) {
    return write(unit, () -> new Removal(target, idsThatGo(unit, target, tools)), tools);
  }

  /// @param ids whose last write goes, by type
  private record Removal(DeletionTarget target, Map<String, Set<EventId>> ids) implements Step {
    @Override
    public boolean mayBeIn(PartitionKey key) {
      return target.mayBeIn(key);
    }

    @Override
    public Scan scan(SegmentSummary.Partition partition) {
      String type = partition.key().type();
      return partition.ownIds() && ids.containsKey(type)
          ? Scan.all()
          : Scan.all().withFilter(Filters.ofType(target.filter(), type));
    }

    @Override
    public @Nullable EventView of(EventView event) {
      boolean goes =
          target.isMatch(event)
              || (!ids.isEmpty()
                  && target.isEarlier(event)
                  && ids.getOrDefault(event.type(), Set.of()).contains(event.id()));
      return goes ? null : event;
    }
  }

  /// Ids that clients brought and whose last write goes, by type: two types may have the same id.
  private static Map<String, Set<EventId>> idsThatGo(
      List<LiveSegment> unit, DeletionTarget target, Tools tools) {
    Map<String, List<MergeOutput.Source>> types = new TreeMap<>();
    for (LiveSegment live : unit) {
      for (SegmentSummary.Partition partition : live.partitions()) {
        if (partition.ownIds() && target.mayBeIn(partition.key())) {
          types
              .computeIfAbsent(partition.key().type(), _ -> new ArrayList<>())
              .add(new MergeOutput.Source(live, partition));
        }
      }
    }
    Map<String, Set<EventId>> ids = new HashMap<>();
    types.forEach((type, sources) -> {
      try (EventCursor events = MergeOutput.Target.all(sources).open(tools.readers())) {
        while (EventCursor.nextLocal(events)) {
          if (events.event().version() != 0 && target.isMatch(events.event())) {
            ids.computeIfAbsent(type, _ -> new HashSet<>()).add(events.event().id());
          }
        }
      }
    });
    return ids;
  }
}
