package io.widerow.query.sizing;

import io.widerow.event.PartitionKey;
import io.widerow.event.PartitionWeights;
import io.widerow.storage.PartitionInfo;
import io.widerow.storage.TypeInfo;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// The partitions of one type in a store, compared with the layout that they would get now. The
/// store counts the events of a partition. The bytes at rest are estimated from the bytes of an
/// event of the type.
///
/// @param events an upper bound
/// @param bytes bytes at rest of sealed events
/// @param largest the heaviest partition
/// @param weight its weight
/// @param widthMinutes width of the latest bucket
/// @param shards partitions of the latest bucket
/// @param planned the form for its heaviest day
/// @param weights the limits of a good partition
/// @param closed partitions of days that are over
/// @param needed partitions that those days need in the form for each
public record TypePlan(
    String type,
    long events,
    long bytes,
    int partitions,
    PartitionKey largest,
    double weight,
    int widthMinutes,
    int shards,
    PlannedForm planned,
    PartitionWeights weights,
    int closed,
    long needed) {
  /// Partitions of days that are over, beyond those needed, that are still no reason to act.
  public static final int SPARE_MAX = 1_000;

  private static final long DAY_NANOS =
      PartitionKey.MINUTES_PER_DAY * PartitionKey.NANOS_PER_MINUTE;

  /// The problem of the partitions, or `OK`.
  public enum Verdict {
    OK("ok"),
    TOO_WIDE("too-wide"),
    TOO_HOT("too-hot"),
    TOO_NARROW("too-narrow");

    public final String text;

    Verdict(String text) {
      this.text = text;
    }
  }

  /// All types of a store, in order of names.
  ///
  /// @param partitions of all types, with known numbers of events
  /// @param types the metadata of each type
  /// @param bytesPerEvent bytes at rest of an event, for types without sealed events
  /// @param weights the limits of a good partition
  /// @param nowNanos the time now, nanoseconds since the Unix epoch
  public static List<TypePlan> of(
      List<PartitionInfo> partitions,
      List<TypeInfo> types,
      double bytesPerEvent,
      PartitionWeights weights,
      long nowNanos) {
    Map<String, List<PartitionInfo>> byType = new TreeMap<>();
    for (PartitionInfo info : partitions) {
      byType.computeIfAbsent(info.key().type(), _ -> new ArrayList<>()).add(info);
    }
    Map<String, TypeInfo> known = new TreeMap<>();
    types.forEach(info -> known.put(info.type(), info));
    return byType.entrySet().stream()
        .map(
            each -> of(each.getValue(), known.get(each.getKey()), bytesPerEvent, weights, nowNanos))
        .toList();
  }

  private static TypePlan of(
      List<PartitionInfo> partitions,
      @Nullable TypeInfo type,
      double otherwise,
      PartitionWeights weights,
      long nowNanos) {
    long bytes = type == null ? 0 : type.bytes();
    double perEvent =
        type == null || bytes == 0 || type.events() <= 0
            ? otherwise
            : (double) bytes / type.events();
    long events = 0;
    PartitionInfo largest = partitions.getFirst();
    PartitionKey latest = largest.key();
    Map<Long, Day> days = new TreeMap<>();
    for (PartitionInfo info : partitions) {
      PartitionKey key = info.key();
      events += info.events();
      largest = info.events() > largest.events() ? info : largest;
      latest = key.fromNanos() > latest.fromNanos() ? key : latest;
      days.computeIfAbsent(Math.floorDiv(key.fromNanos(), DAY_NANOS), _ -> new Day())
          .add(key, weight(weights, info.events(), perEvent));
    }
    PartitionKey last = latest;
    return new TypePlan(
        largest.key().type(),
        events,
        bytes,
        partitions.size(),
        largest.key(),
        weight(weights, largest.events(), perEvent),
        last.widthMinutes(),
        (int) partitions.stream().filter(info -> isBeside(info.key(), last)).count(),
        PlannedForm.of(days.values().stream().mapToDouble(day -> day.weight).max().orElse(0)),
        weights,
        closed(days, nowNanos).stream().mapToInt(day -> day.partitions).sum(),
        closed(days, nowNanos).stream().mapToLong(Day::needed).sum());
  }

  /// The data of a type in one day; partitions of several days count for their first.
  private static final class Day {
    private double weight;
    private int partitions;
    private long untilNanos;

    void add(PartitionKey key, double more) {
      weight += more;
      partitions++;
      untilNanos = Math.max(untilNanos, key.untilNanos());
    }

    long needed() {
      return Math.min(partitions, PlannedForm.of(weight).partitionsPerDay());
    }
  }

  /// The days that are over for a day, so that all of their events had time to come.
  private static List<Day> closed(Map<Long, Day> days, long nowNanos) {
    return days.values().stream().filter(day -> day.untilNanos <= nowNanos - DAY_NANOS).toList();
  }

  private static boolean isBeside(PartitionKey one, PartitionKey other) {
    return one.bucketMinutes() == other.bucketMinutes()
        && one.widthMinutes() == other.widthMinutes();
  }

  private static double weight(PartitionWeights weights, long events, double bytesPerEvent) {
    return Weight.of(weights, events * bytesPerEvent, (double) events);
  }

  /// Partitions of days that are over, beyond those needed.
  public long spare() {
    return Math.max(0, closed - needed);
  }

  /// @param shareOfRate the rate that comes now, as a share of what its shards take
  public Verdict verdict(double shareOfRate) {
    if (shareOfRate > 1) {
      return Verdict.TOO_HOT;
    }
    if (weight > Weight.MOST) {
      return Verdict.TOO_WIDE;
    }
    return spare() > SPARE_MAX ? Verdict.TOO_NARROW : Verdict.OK;
  }
}
