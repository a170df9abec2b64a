package io.widerow.faults;

import io.widerow.event.EventBatch;
import io.widerow.event.EventId;
import io.widerow.event.TimeUuid;
import java.nio.charset.StandardCharsets;

/// Events that are a function of their number, so that a killed process and its checker agree on
/// the written events. One in 16 is late. One in 10 has an id of its own, equal to the id of its
/// neighbours of the same kind, so that most of these replace another.
public final class NumberedEvents {
  static final long START_NANOS = 1_700_000_000_000_000_000L;
  private static final byte[] TYPE = "numbered".getBytes(StandardCharsets.UTF_8);
  private static final byte[] NUMBER = "n".getBytes(StandardCharsets.UTF_8);
  private static final byte[] NOISE = "noise".getBytes(StandardCharsets.UTF_8);
  private static final byte[] BODY = "body".getBytes(StandardCharsets.UTF_8);

  private NumberedEvents() {}

  public static boolean isOwn(long number) {
    return number % 10 == 3;
  }

  /// The id of an event with [#isOwn].
  public static EventId ownId(long number) {
    long group = number / 40;
    return new EventId(
        TimeUuid.timeOfNanos(START_NANOS + group * 1_000_000), TimeUuid.tailOf(0, 511, group));
  }

  public static long timeNanos(long number) {
    long late = number % 16 == 5 ? 3_600_000_000_000L : 0;
    return START_NANOS + number / 4 * 1_000_000 - late;
  }

  public static void add(EventBatch batch, long number) {
    add(batch, number, new byte[0]);
  }

  /// @param noise additional bytes of any content
  static void add(EventBatch batch, long number, byte[] noise) {
    if (isOwn(number)) {
      batch.begin(TYPE, 0, TYPE.length, ownId(number));
    } else {
      batch.begin(TYPE, 0, TYPE.length, timeNanos(number));
    }
    batch.putLong(NUMBER, 0, NUMBER.length, number);
    byte[] body =
        ("event " + number + " of a process that will be killed").getBytes(StandardCharsets.UTF_8);
    batch.putString(BODY, 0, BODY.length, body);
    if (noise.length > 0) {
      batch.putBytes(NOISE, 0, NOISE.length, noise, 0, noise.length);
    }
    var rejection = batch.end();
    if (rejection != null) {
      throw new IllegalStateException("event " + number + ": " + rejection);
    }
  }
}
