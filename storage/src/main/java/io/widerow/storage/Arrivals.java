package io.widerow.storage;

import java.util.ArrayList;
import java.util.List;

/// A position in the order of arrival: what a view shows, and so what came since. Each lane numbers
/// its events as they arrive and shows them in this order, so one number a lane says exactly which
/// of its events were shown:
///
/// ```
///   lane 0   ... 17 18 21 | 24          shown below 24
///   lane 1   ... 19 20 | 22 23          shown below 22; the numbers are those of the whole store
/// ```
///
/// Everything in a segment that was begun before the view was made was shown as well, which keeps a
/// store's past out of the question what came since. As text: `a1.` and the numbers in hexadecimal,
/// the segments' first, with dashes between. It is good after any restart, sealing or merge, and
/// with any number of lanes.
///
/// @param segmentLimit segments with lower numbers hold only events that were shown
/// @param laneLimits by lane, the first arrival that was not shown
public record Arrivals(long segmentLimit, List<Long> laneLimits) {
  private static final String PREFIX = "a1.";
  private static final int LANES_MAX = 1 << 10;

  public Arrivals {
    laneLimits = List.copyOf(laneLimits);
    if (laneLimits.isEmpty() || laneLimits.size() > LANES_MAX) {
      throw new IllegalArgumentException("a position in %d lanes".formatted(laneLimits.size()));
    }
  }

  /// The first arrival in a shard that was not shown.
  long limitOf(int shard) {
    return laneLimits.get(shard % laneLimits.size());
  }

  /// The first arrival that was not shown in any shard.
  long limitMin() {
    return laneLimits.stream().mapToLong(Long::longValue).min().orElseThrow();
  }

  /// @throws IllegalArgumentException when the text is no position
  public static Arrivals parse(String text) {
    if (!text.startsWith(PREFIX)) {
      throw new IllegalArgumentException(
          "a position in the order of arrival starts with %s, got %s".formatted(PREFIX, text));
    }
    List<Long> numbers = new ArrayList<>();
    for (String number : text.substring(PREFIX.length()).split("-", LANES_MAX + 2)) {
      try {
        numbers.add(Long.parseUnsignedLong(number, 16));
      } catch (NumberFormatException bad) {
        throw new IllegalArgumentException("not a position in the order of arrival: " + text, bad);
      }
    }
    return new Arrivals(numbers.getFirst(), numbers.subList(1, numbers.size()));
  }

  @Override
  public String toString() {
    StringBuilder text = new StringBuilder(PREFIX).append(Long.toHexString(segmentLimit));
    laneLimits.forEach(limit -> text.append('-').append(Long.toHexString(limit)));
    return text.toString();
  }
}
