package io.widerow.event;

import java.nio.charset.StandardCharsets;
import java.util.UUID;

/// A timeuuid as a value, for everywhere but the hot path, which carries the two longs. The bits
/// and their order are explained at [TimeUuid].
///
/// @param time 100 ns ticks since 1582-10-15 UTC, 60 bits
/// @param tail the low eight bytes in sortable form
public record EventId(long time, long tail) implements Comparable<EventId> {
  /// Before every id there is.
  public static final EventId LEAST = new EventId(0, TimeUuid.tailLeast());

  /// Behind every id there is: no UUID has this time.
  public static final EventId LIMIT = new EventId(1L << 60, TimeUuid.tailLeast());

  /// The least id of an instant. A range of time `[from, until)` is the range of ids
  /// `[leastOf(from), leastOf(until))`.
  ///
  /// @param epochNanos nanoseconds since the Unix epoch; anything a long can hold
  public static EventId leastOf(long epochNanos) {
    long time = TimeUuid.timeOfNanos(epochNanos);
    if (Math.floorMod(epochNanos, TimeUuid.NANOS_PER_TICK) == 0) {
      return new EventId(time, TimeUuid.tailLeast());
    }
    return new EventId(time, TimeUuid.tailOf(epochNanos, 0, 0) & ~TimeUuid.MULTICAST);
  }

  /// The greatest id of an instant.
  public static EventId greatestOf(long epochNanos) {
    return leastOf(epochNanos + 1).previous();
  }

  /// @throws IllegalArgumentException when it is not a version-1 UUID of RFC 9562's variant
  public static EventId of(UUID uuid) {
    long high = uuid.getMostSignificantBits();
    long low = uuid.getLeastSignificantBits();
    if (!TimeUuid.isTimeUuid(high, low)) {
      throw new IllegalArgumentException("not a version-1 UUID: " + uuid);
    }
    return new EventId(
        TimeUuid.timeOfMostSignificantBits(high), TimeUuid.tailOfLeastSignificantBits(low));
  }

  /// Parses the 36 characters of a version-1 UUID.
  ///
  /// @throws IllegalArgumentException when the text is anything else, with the text in the message
  public static EventId parse(String text) {
    if (text.length() != 36) {
      throw new IllegalArgumentException("not a version-1 UUID: " + text);
    }
    try {
      return of(UUID.fromString(text));
    } catch (NumberFormatException notHex) {
      throw new IllegalArgumentException("not a version-1 UUID: " + text, notHex);
    }
  }

  /// The id that follows this one directly; [#LIMIT] behind the last.
  public EventId next() {
    if (tail != TimeUuid.tailGreatest()) {
      return new EventId(time, tail + 1);
    }
    return new EventId(time + 1, TimeUuid.tailLeast());
  }

  private EventId previous() {
    if (tail != TimeUuid.tailLeast()) {
      return new EventId(time, tail - 1);
    }
    return new EventId(time - 1, TimeUuid.tailGreatest());
  }

  public UUID toUuid() {
    return TimeUuid.toUuid(time, tail);
  }

  @Override
  public int compareTo(EventId other) {
    return TimeUuid.compare(time, tail, other.time, other.tail);
  }

  /// The 36 characters of the UUID.
  @Override
  public String toString() {
    byte[] text = new byte[36];
    TimeUuid.print(time, tail, text, 0);
    return new String(text, StandardCharsets.US_ASCII);
  }
}
