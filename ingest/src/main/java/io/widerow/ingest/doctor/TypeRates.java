package io.widerow.ingest.doctor;

import io.widerow.storage.PartitionInfo;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;

/// The number of events of each type that arrived between the last two checks.
///
/// - Threads: one.
/// - Memory: a number for each type.
final class TypeRates {
  private static final double NANOS_PER_SECOND = 1e9;

  private Map<String, Long> events = Map.of();
  private Map<String, Double> perSecond = Map.of();
  private long lookedNanos;
  private boolean looked;

  /// Takes the partitions of all types at a moment.
  ///
  /// @param nanos monotonic time
  void look(List<PartitionInfo> partitions, long nanos) {
    Map<String, Long> now = new HashMap<>();
    for (PartitionInfo info : partitions) {
      now.merge(info.key().type(), info.events(), Long::sum);
    }
    double seconds = (nanos - lookedNanos) / NANOS_PER_SECOND;
    Map<String, Double> rates = new HashMap<>();
    if (looked && seconds > 0) {
      // Merging and retention remove events: then the difference is negative and is ignored.
      now.forEach((type, count) ->
          rates.put(type, Math.max(0, count - events.getOrDefault(type, 0L)) / seconds));
    }
    events = now;
    perSecond = Map.copyOf(rates);
    lookedNanos = nanos;
    looked = true;
  }

  /// Events a second; empty before two looks.
  OptionalDouble of(String type) {
    Double rate = perSecond.get(type);
    return rate == null ? OptionalDouble.empty() : OptionalDouble.of(rate);
  }
}
