package io.widerow.storage.cassandra;

import io.widerow.event.AttributeName;
import io.widerow.event.AttributeValue;
import io.widerow.event.EventBatch;
import io.widerow.event.EventId;
import io.widerow.event.EventView;
import io.widerow.event.TimeUuid;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/// Events for runs with real nodes, numbered from 0: everything about an event follows from its
/// number. No two have one time, so that every store shows them in one order. One of eight is late
/// by a third of the run; one of five has an id that its sender chose.
///
/// @param count of the run, spread over [#SPAN_NANOS]
record RunEvents(int count) {
  static final long START_NANOS = 1_763_600_400_000_000_000L;
  private static final long SPAN_NANOS = 30 * 3_600_000_000_000L;
  private static final String[] TYPES = {"access", "access.error", "cpu"};
  private static final byte[] BODY = utf8("body");
  private static final byte[] NUMBER = utf8("n");
  private static final byte[] RATIO = utf8("x");
  private static final AttributeName NUMBER_NAME = AttributeName.of("n");
  private static final int DAEMON_OF_CLIENTS = 511;

  static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private long nanos(int number) {
    long step = SPAN_NANOS / count / 1_000 * 1_000;
    return number % 8 == 7
        ? START_NANOS + (number - count / 3) * step + step / 2_000 * 1_000
        : START_NANOS + number * step;
  }

  static boolean hasOwnId(int number) {
    return number % 5 == 2;
  }

  /// The id that the sender chose; null when the store gives one.
  @Nullable EventId id(int number) {
    long nanos = nanos(number);
    return hasOwnId(number)
        ? new EventId(
            TimeUuid.timeOfNanos(nanos), TimeUuid.tailOf(nanos, DAEMON_OF_CLIENTS, number))
        : null;
  }

  void add(EventBatch batch, int number) {
    EventId id = id(number);
    byte[] type = utf8(id == null ? TYPES[number % TYPES.length] : "own");
    if (id == null) {
      batch.begin(type, 0, type.length, nanos(number));
    } else {
      batch.begin(type, 0, type.length, id);
    }
    byte[] body = utf8("GET /item/%d took %d".formatted(number % 997, number % 77));
    batch.putString(BODY, 0, BODY.length, body);
    batch.putLong(NUMBER, 0, NUMBER.length, number);
    if (number % 3 == 0) {
      batch.putDouble(RATIO, 0, RATIO.length, number / 7.0);
    }
    if (batch.end() != null) {
      throw new AssertionError("event " + number);
    }
  }

  static int number(EventView event, AttributeValue scratch) {
    if (!event.find(NUMBER_NAME, scratch)) {
      throw new AssertionError(event.id() + " has no number");
    }
    return Math.toIntExact(scratch.bits());
  }
}
