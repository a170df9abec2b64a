package io.widerow.storage;

import io.widerow.event.EventView;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// A position in the order of arrival at a store on one machine. Each lane numbers its events as
/// they arrive and publishes them in this order, so one number for each lane determines exactly
/// which of its events were shown:
///
/// ```
///   lane 0   ... 17 18 21 | 24          shown below 24
///   lane 1   ... 19 20 | 22 23          shown below 22; the numbers are those of the whole store
/// ```
///
/// Every event in a segment that was begun before the view was made was shown too, so older
/// segments need not be searched for new events. The text form is `a1.` and the numbers in
/// hexadecimal, separated by dashes, the segments' number first. A position stays valid across
/// restarts, flushes and merges, and with any number of lanes.
///
/// @param segmentLimit segments with lower numbers hold only events that were shown
/// @param laneLimits for each lane, the first arrival number that was not shown
public record LaneArrivals(long segmentLimit, List<Long> laneLimits) implements Arrivals {
  static final String PREFIX = "a1.";
  private static final int LANES_MAX = 1 << 10;

  public LaneArrivals {
    laneLimits = List.copyOf(laneLimits);
    if (laneLimits.isEmpty() || laneLimits.size() > LANES_MAX) {
      throw new IllegalArgumentException("a position in %d lanes".formatted(laneLimits.size()));
    }
  }

  @Override
  public boolean isNew(EventView event, int shard) {
    return event.arrival() >= limitOf(shard);
  }

  @Override
  public void requireKindOf(Arrivals other) {
    LaneArrivals.of(other);
  }

  /// The position as one of a store on this machine; null stays null.
  ///
  /// @throws IllegalArgumentException when it is one of a cluster; the message quotes its beginning
  public static @Nullable LaneArrivals of(@Nullable Arrivals position) {
    if (position == null || position instanceof LaneArrivals) {
      return (LaneArrivals) position;
    }
    throw new IllegalArgumentException(
        "a position of a store on a cluster, and this store is on one machine: "
            + Arrivals.quoted(position.toString()));
  }

  /// The first arrival number in a shard that was not shown.
  public long limitOf(int shard) {
    return laneLimits.get(shard % laneLimits.size());
  }

  /// A lower bound of the first arrival number in a lane that was not shown: exact when the store
  /// had as many lanes when it gave the position.
  ///
  /// @param lanes how many the store has now
  public long limitOfLane(int lane, int lanes) {
    return lanes == laneLimits.size() ? laneLimits.get(lane) : limitMin();
  }

  /// The least of all lanes' first arrival numbers that were not shown.
  public long limitMin() {
    return laneLimits.stream().mapToLong(Long::longValue).min().orElseThrow();
  }

  /// The greatest of all lanes' first arrival numbers that were not shown: nothing that arrived
  /// from there on was shown.
  public long limitMax() {
    return laneLimits.stream().mapToLong(Long::longValue).max().orElseThrow();
  }

  /// Parses the text form.
  ///
  /// @throws IllegalArgumentException when the text is not such a position; the message quotes its
  ///   beginning
  static LaneArrivals parse(String text) {
    List<Long> numbers = new ArrayList<>();
    for (String number : text.substring(PREFIX.length()).split("-", LANES_MAX + 2)) {
      try {
        numbers.add(Long.parseUnsignedLong(number, 16));
      } catch (NumberFormatException bad) {
        throw new IllegalArgumentException(
            "not a position in the order of arrival: " + Arrivals.quoted(text), bad);
      }
    }
    return new LaneArrivals(numbers.getFirst(), numbers.subList(1, numbers.size()));
  }

  @Override
  public String toString() {
    StringBuilder text = new StringBuilder(PREFIX).append(Long.toHexString(segmentLimit));
    laneLimits.forEach(limit -> text.append('-').append(Long.toHexString(limit)));
    return text.toString();
  }
}
