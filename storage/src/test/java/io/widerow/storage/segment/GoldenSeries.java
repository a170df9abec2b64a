package io.widerow.storage.segment;

import io.widerow.event.AttributeKind;
import io.widerow.event.AttributeName;
import io.widerow.event.EventId;
import io.widerow.event.TimeUuid;
import io.widerow.faults.TestEvent;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;

/// Events of golden segments with series: twenty hosts of two cores, with values of all kinds
/// derived from them, some absent. Made without a random number generator, which may change.
public final class GoldenSeries {
  private GoldenSeries() {}

  public static List<TestEvent> events() {
    List<TestEvent> events = new ArrayList<>();
    for (int i = 0; i < 1_200; i++) {
      int host = (i * 7 + i / 100) % 20;
      int core = i / 20 % 2;
      TreeMap<AttributeName, Object> attributes = new TreeMap<>();
      TestEvent.putText(attributes, "host", "host-" + host);
      TestEvent.putText(
          attributes, "body", "core %d of host %d did %d of %d".formatted(core, host, i, i + 7));
      TestEvent.putText(attributes, "team", "team-" + host % 3);
      if (i % 5 != 0) {
        TestEvent.putText(attributes, "core", "" + core);
        TestEvent.putBits(attributes, "sparse", AttributeKind.LONG, host * 1_000L + i * i % 11);
      }
      TestEvent.putBits(
          attributes, "walk", AttributeKind.LONG, host * 100L + core * 10L + i * 31 % 5);
      TestEvent.putBits(attributes, "count", AttributeKind.LONG, (long) i * (host + 3) * 1_000);
      TestEvent.putBits(attributes, "odd", AttributeKind.BOOLEAN, host & 1);
      double rate = (host * 100 + i % 9) / 100.0;
      TestEvent.putBits(attributes, "rate", AttributeKind.DOUBLE, Double.doubleToRawLongBits(rate));
      long nanos = 1_700_000_000_000_000_000L + i * 1_000_000L;
      EventId id = new EventId(TimeUuid.timeOfNanos(nanos), TimeUuid.tailOf(nanos, 1, 1_000 + i));
      events.add(new TestEvent(id, 0, "cpu", attributes));
    }
    return events;
  }
}
