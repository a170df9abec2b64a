package io.widerow.storage.segment;

import io.widerow.event.AttributeKind;
import io.widerow.event.AttributeName;
import io.widerow.event.EventId;
import io.widerow.event.TimeUuid;
import io.widerow.faults.TestEvent;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;

/// Events of a golden segment of lines that repeat their events' times, from shortly before
/// midnight, in UTC and in a zone an hour away. The lines are of eleven kinds with many numbers,
/// and a few of no kind; some of those begin with the time as well. Every thirteenth event has no
/// line. Made without a random number generator, which may change.
public final class GoldenLines {
  private static final List<String> KINDS =
      List.of(
          "ack", "batch", "close", "drop", "end", "fetch", "get", "hit", "idle", "join", "keep");
  private static final long BEGIN_MILLIS = 1_699_999_200_000L; // 22:00 UTC
  private static final long STEP_MILLIS = 5_003;

  private GoldenLines() {}

  public static List<TestEvent> events() {
    List<TestEvent> events = new ArrayList<>();
    for (int i = 0; i < 1_650; i++) {
      long millis = BEGIN_MILLIS + i * STEP_MILLIS;
      TreeMap<AttributeName, Object> attributes = new TreeMap<>();
      if (i % 13 == 3) {
        TestEvent.putBits(attributes, "n", AttributeKind.LONG, i);
      } else {
        TestEvent.putText(attributes, "body", line(i, millis));
      }
      long nanos = millis * 1_000_000;
      EventId id = new EventId(TimeUuid.timeOfNanos(nanos), TimeUuid.tailOf(nanos, 7, 5_000 + i));
      events.add(new TestEvent(id, 0, "lines", attributes));
    }
    return events;
  }

  private static String line(int i, long millis) {
    String time = time(millis) + ",%03d".formatted(millis % 1_000);
    String zone = time(millis + 3_600_000);
    String kind = KINDS.get(i % KINDS.size());
    if (i % 97 == 5) {
      return "a line of no time, " + Character.toString('a' + i % 26).repeat(20);
    }
    if (i % 41 == 5) {
      return "[" + time + "] INFO only once: " + kind + Character.toString('a' + i % 26);
    }
    return "[%s] INFO %s size=%d left=%d at %s from host-%d"
        .formatted(time, kind, i * 7_919 % 61, 200 - i / 11, zone, i % 5);
  }

  private static String time(long millis) {
    long second = millis / 1_000 % 86_400;
    return "%02d:%02d:%02d".formatted(second / 3_600, second / 60 % 60, second % 60);
  }
}
