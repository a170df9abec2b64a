package io.widerow.storage.segment;

import io.widerow.event.AttributeKind;
import io.widerow.event.AttributeName;
import io.widerow.event.EventId;
import io.widerow.event.TimeUuid;
import io.widerow.faults.TestEvent;
import io.widerow.rollup.RollupDefinition;
import io.widerow.rollup.RollupField;
import io.widerow.rollup.RollupFigure;
import io.widerow.rollup.RollupShape;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;

/// Events of a golden segment with cells of rollups, and these rollups: over two hours, with groups
/// of all kinds of values. Made without a random number generator, which may change.
public final class GoldenRollups {
  static final AttributeName STATUS = AttributeName.of("status");
  static final AttributeName HOST = AttributeName.of("host");
  static final AttributeName MS = AttributeName.of("ms");
  static final AttributeName USER = AttributeName.of("user");

  private GoldenRollups() {}

  /// Two rollups that apply, one that does not, and one that shares its shape.
  public static List<RollupDefinition> rollups() {
    RollupShape minutes =
        new RollupShape(
            1,
            List.of(STATUS, HOST),
            List.of(
                new RollupField(MS, RollupFigure.ALL),
                new RollupField(USER, RollupFigure.COUNT.bit | RollupFigure.DISTINCT.bit)));
    RollupShape hours =
        new RollupShape(60, List.of(), List.of(new RollupField(MS, RollupFigure.SUM.bit)));
    return List.of(
        new RollupDefinition("hours", "count*", hours, "sum(ms)", null),
        new RollupDefinition("minutes", "counted", minutes, "p99(ms)", null),
        new RollupDefinition(
            "other", "other", new RollupShape(1, List.of(), List.of()), "count", null),
        new RollupDefinition("same", "c*d", minutes, "p99(ms)", null));
  }

  public static List<TestEvent> events() {
    List<TestEvent> events = new ArrayList<>();
    for (int i = 0; i < 2_400; i++) {
      int minute = i / 20;
      if (minute % 7 == 3) {
        continue;
      }
      TreeMap<AttributeName, Object> attributes = new TreeMap<>();
      TestEvent.putText(attributes, "body", "line " + i);
      if (i % 11 > 0) {
        TestEvent.putBits(attributes, "status", AttributeKind.LONG, 200 + i % 3 * 100);
      }
      if (i % 5 == 0) {
        TestEvent.putBits(attributes, "host", AttributeKind.BOOLEAN, i % 2);
      } else if (i % 5 > 1) {
        TestEvent.putText(attributes, "host", "h" + i % 5);
      }
      if (i % 4 == 0) {
        TestEvent.putBits(attributes, "ms", AttributeKind.LONG, i * 1_000_003L - 5_000);
      } else if (i % 4 == 1) {
        long bits = Double.doubleToRawLongBits(i / 10.0);
        TestEvent.putBits(attributes, "ms", AttributeKind.DOUBLE, bits);
      } else if (i % 4 == 2) {
        TestEvent.putText(attributes, "ms", i % 8 == 2 ? "12.5" : "n/a");
      }
      TestEvent.putText(attributes, "user", "u" + i % 37);
      long nanos = minute * 60_000_000_000L + i % 20 * 2_000_000_000L;
      EventId id = new EventId(TimeUuid.timeOfNanos(nanos), TimeUuid.tailOf(nanos, 3, 9_000 + i));
      boolean own = minute % 5 == 4 && i % 4 == 0;
      events.add(new TestEvent(id, own ? 100 + i : 0, "counted", attributes));
    }
    return events;
  }
}
