package io.widerow.event;

import java.nio.charset.StandardCharsets;
import java.util.UUID;

/// A timeuuid as a value object. The hot path carries the two longs instead. [TimeUuid] explains
/// the bits and their order.
///
/// @param time 100 ns ticks since 1582-10-15 UTC, 60 bits
/// @param tail the low eight bytes in sortable form, with the variant of RFC 9562
public record EventId(long time, long tail) implements Comparable<EventId> {
  /// The least id.
  public static final EventId LEAST = new EventId(0, TimeUuid.tailLeast());

  /// An upper bound above every id. It is not an id: no UUID has this time.
  public static final EventId LIMIT = new EventId(TimeUuid.ID_TIME_LIMIT, TimeUuid.tailLeast());

  private static final int TEXT_LENGTH = 36;

  public EventId {
    if (time < 0 || time > TimeUuid.ID_TIME_LIMIT || !TimeUuid.isTail(tail)) {
      throw new IllegalArgumentException("no id: time %d, tail %016x".formatted(time, tail));
    }
  }

  /// The least id of an instant: the time range `[from, until)` is the id range `[leastOf(from),
  /// leastOf(until))`. Below the tick of 100 ns this orders ids as Widerow assigns them. A client's
  /// id is ordered by its bits there, although its time is the start of its tick.
  ///
  /// @param epochNanos nanoseconds since the Unix epoch; any long
  public static EventId leastOf(long epochNanos) {
    long time = TimeUuid.timeOfNanos(epochNanos);
    if (Math.floorMod(epochNanos, TimeUuid.NANOS_PER_TICK) == 0) {
      return new EventId(time, TimeUuid.tailLeast());
    }
    return new EventId(time, TimeUuid.tailOf(epochNanos, 0, 0) & ~TimeUuid.MULTICAST);
  }

  /// The greatest id of an instant.
  ///
  /// @param epochNanos nanoseconds since the Unix epoch; any long
  public static EventId greatestOf(long epochNanos) {
    if (Math.floorMod(epochNanos, TimeUuid.NANOS_PER_TICK) == TimeUuid.NANOS_PER_TICK - 1) {
      return new EventId(TimeUuid.timeOfNanos(epochNanos), TimeUuid.tailGreatest());
    }
    long tail = TimeUuid.tailOf(epochNanos, TimeUuid.DAEMON_LIMIT - 1, -1);
    return new EventId(TimeUuid.timeOfNanos(epochNanos), tail);
  }

  /// The lesser of two ids.
  public static EventId min(EventId a, EventId b) {
    return a.compareTo(b) <= 0 ? a : b;
  }

  /// The greater of two ids.
  public static EventId max(EventId a, EventId b) {
    return a.compareTo(b) >= 0 ? a : b;
  }

  /// @throws IllegalArgumentException when `uuid` is not version 1 or not of the variant of RFC
  ///   9562
  public static EventId of(UUID uuid) {
    long high = uuid.getMostSignificantBits();
    long low = uuid.getLeastSignificantBits();
    if (!TimeUuid.isTimeUuid(high, low)) {
      throw new IllegalArgumentException("not a version-1 UUID: " + uuid);
    }
    return new EventId(
        TimeUuid.timeOfMostSignificantBits(high), TimeUuid.tailOfLeastSignificantBits(low));
  }

  /// Parses the 36 characters of a version-1 UUID, with hexadecimal digits of either case.
  ///
  /// @throws IllegalArgumentException when the text is anything else; the message quotes it
  public static EventId parse(String text) {
    if (text.length() != TEXT_LENGTH) {
      throw new IllegalArgumentException("not a version-1 UUID: " + text);
    }
    long high = 0;
    long low = 0;
    int digits = 0;
    for (int i = 0; i < TEXT_LENGTH; i++) {
      boolean dash = i == 8 || i == 13 || i == 18 || i == 23;
      int digit = dash ? (text.charAt(i) == '-' ? 0 : -1) : hexDigit(text.charAt(i));
      if (digit < 0) {
        throw new IllegalArgumentException("not a version-1 UUID: " + text);
      }
      if (dash) {
        continue;
      }
      high = digits < 16 ? (high << 4) | digit : high;
      low = digits < 16 ? low : (low << 4) | digit;
      digits++;
    }
    return of(new UUID(high, low));
  }

  /// Negative when `c` is not a hexadecimal digit. Unlike [Character#digit], ASCII only.
  private static int hexDigit(char c) {
    return c < 0x80 ? Character.digit(c, 16) : -1;
  }

  /// The next greater id; [#LIMIT] after the greatest.
  ///
  /// @throws IllegalStateException when this is [#LIMIT]
  public EventId next() {
    requireId();
    if (tail != TimeUuid.tailGreatest()) {
      return new EventId(time, tail + 1);
    }
    return new EventId(time + 1, TimeUuid.tailLeast());
  }

  /// @throws IllegalStateException when this is [#LIMIT], which is not a UUID
  public UUID toUuid() {
    requireId();
    return TimeUuid.toUuid(time, tail);
  }

  private void requireId() {
    if (time == TimeUuid.ID_TIME_LIMIT) {
      throw new IllegalStateException("the upper bound of ids is not an id");
    }
  }

  @Override
  public int compareTo(EventId other) {
    return TimeUuid.compare(time, tail, other.time, other.tail);
  }

  /// The 36 characters of the UUID; `limit` for [#LIMIT].
  @Override
  public String toString() {
    if (time == TimeUuid.ID_TIME_LIMIT) {
      return "limit";
    }
    byte[] text = new byte[TEXT_LENGTH];
    TimeUuid.print(time, tail, text, 0);
    return new String(text, StandardCharsets.US_ASCII);
  }
}
