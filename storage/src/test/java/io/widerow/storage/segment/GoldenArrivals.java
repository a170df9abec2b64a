package io.widerow.storage.segment;

import io.widerow.event.AttributeName;
import io.widerow.event.EventId;
import io.widerow.event.TimeUuid;
import io.widerow.faults.TestEvent;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.TreeMap;

/// Events of a golden segment with ids in order of arrival: at whole seconds, up to forty seconds
/// late. Made without a random number generator, which may change.
public final class GoldenArrivals {
  private GoldenArrivals() {}

  public static List<TestEvent> events() {
    List<TestEvent> events = new ArrayList<>();
    for (int i = 0; i < 1_200; i++) {
      TreeMap<AttributeName, Object> attributes = new TreeMap<>();
      TestEvent.putText(attributes, "body", "line " + i);
      long seconds = 1_700_000_000L + i / 3 - i * 7_919 % 40;
      long nanos = seconds * 1_000_000_000L;
      EventId id = new EventId(TimeUuid.timeOfNanos(nanos), TimeUuid.tailOf(nanos, 7, 5_000 + i));
      events.add(new TestEvent(id, 0, "late", attributes));
    }
    events.sort(Comparator.comparing(TestEvent::id));
    return events;
  }
}
