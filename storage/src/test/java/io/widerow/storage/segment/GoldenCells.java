package io.widerow.storage.segment;

import io.widerow.event.AttributeName;
import io.widerow.event.EventId;
import io.widerow.event.TimeUuid;
import io.widerow.faults.TestEvent;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;

/// Events of a golden segment with cells: over half an hour with some minutes of none, and in every
/// fifth minute with ids that came along. Made without a random number generator, which may change.
public final class GoldenCells {
  private GoldenCells() {}

  /// The same events of another type, without ids that came along.
  public static List<TestEvent> assigned() {
    return events().stream()
        .map(event -> new TestEvent(event.id(), 0, "plain", event.attributes()))
        .toList();
  }

  public static List<TestEvent> events() {
    List<TestEvent> events = new ArrayList<>();
    for (int i = 0; i < 1_500; i++) {
      int minute = i / 50;
      if (minute % 7 == 3) {
        continue;
      }
      TreeMap<AttributeName, Object> attributes = new TreeMap<>();
      TestEvent.putText(attributes, "body", "line ".repeat(1 + i % 3) + i);
      long nanos = minute * 60_000_000_000L + i % 50 * 1_000_000_000L;
      EventId id = new EventId(TimeUuid.timeOfNanos(nanos), TimeUuid.tailOf(nanos, 3, 9_000 + i));
      boolean own = minute % 5 == 4 && i % 4 == 0;
      events.add(new TestEvent(id, own ? 100 + i : 0, "counted", attributes));
    }
    return events;
  }
}
