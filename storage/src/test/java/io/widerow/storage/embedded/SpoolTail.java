package io.widerow.storage.embedded;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.event.AttributeValue;
import io.widerow.event.EventId;
import io.widerow.event.EventView;
import io.widerow.event.PartitionKey;
import io.widerow.faults.StoreModel;
import io.widerow.storage.EventCursor;
import io.widerow.storage.LaneArrivals;
import io.widerow.storage.PartitionInfo;
import io.widerow.storage.Scan;
import io.widerow.storage.StoreView;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/// A tail over a drained store, and what it has brought elsewhere: that survives crashes of the
/// store, with the position up to which it goes. It finds an event that comes twice.
final class SpoolTail {
  /// An event with a client's id: a later version replaces an earlier one.
  private record OwnKey(String type, EventId id) {}

  private record Version(long arrival, long number) {}

  private final Map<Long, EventId> assigned = new HashMap<>(); // by number
  private final Set<EventId> ids = new HashSet<>();
  private final Map<OwnKey, Version> own = new HashMap<>();
  private final List<LaneArrivals> positions = new ArrayList<>(); // oldest first

  /// What has been brought elsewhere by now, to go on with a crashed copy of the store.
  SpoolTail copy() {
    var copy = new SpoolTail();
    copy.assigned.putAll(assigned);
    copy.ids.addAll(ids);
    copy.own.putAll(own);
    copy.positions.addAll(positions);
    return copy;
  }

  /// Up to where everything was brought elsewhere; null before the first round.
  @Nullable LaneArrivals position() {
    return positions.isEmpty() ? null : positions.getLast();
  }

  /// One of the positions so far, any; null before the first round.
  @Nullable LaneArrivals anyPosition(SplittableRandom random) {
    return positions.isEmpty() ? null : positions.get(random.nextInt(positions.size()));
  }

  /// Takes everything that arrived since the last position.
  ///
  /// @return number of events
  int take(EmbeddedStore store) {
    try (StoreView view = store.view()) {
      return take(view);
    }
  }

  private int take(StoreView view) {
    LaneArrivals from = position();
    LaneArrivals to = (LaneArrivals) view.arrivals();
    Scan scan = Scan.all().withSince(from);
    int taken = 0;
    for (PartitionInfo partition : view.partitions(_ -> true, 0, Long.MAX_VALUE / 2, from)) {
      PartitionKey key = partition.key();
      try (EventCursor cursor = view.open(List.of(key), scan)) {
        while (cursor.next() == EventCursor.Step.EVENT) {
          EventView event = cursor.event();
          assertTrue(from == null || from.isNew(event, key.shard()), "before the position");
          assertTrue(!to.isNew(event, key.shard()), "a view shows events before its position");
          take(event);
          taken++;
        }
      }
    }
    positions.add(to);
    return taken;
  }

  private void take(EventView event) {
    StoreModel.Shown shown = StoreModel.Shown.of(event, new AttributeValue());
    if (event.version() != io.widerow.event.EventLayout.VERSION_ASSIGNED) {
      own.merge(
          new OwnKey(shown.type(), shown.id()),
          new Version(event.arrival(), shown.number()),
          (a, b) -> {
            assertTrue(a.arrival != b.arrival, "twice: " + shown);
            return a.arrival > b.arrival ? a : b;
          });
      return;
    }
    assertNull(assigned.put(shown.number(), shown.id()), "twice: " + shown);
    assertTrue(ids.add(shown.id()), "an id again: " + shown);
  }

  /// The numbers of all events that were brought elsewhere, of each client's id the last one.
  Set<Long> numbers() {
    Set<Long> numbers = new HashSet<>(assigned.keySet());
    own.values().forEach(version -> numbers.add(version.number));
    assertEquals(assigned.size() + own.size(), numbers.size(), "a number twice");
    return numbers;
  }
}
