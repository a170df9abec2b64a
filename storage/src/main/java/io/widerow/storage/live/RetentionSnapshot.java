package io.widerow.storage.live;

import io.widerow.event.RetentionPolicy;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;

/// A snapshot of retention: the data that it keeps at one moment.
///
/// A bucket of a type is past when its end and the age of its policy are before this moment, or
/// when newer buckets of the policy's types have as many bytes as they may. A bucket that is not
/// over is never past for its bytes.
///
/// - Threads: any; immutable.
public final class RetentionSnapshot {
  private final Policies policies;
  private final Map<RetentionPolicy, Long> horizons; // by policy with a limit of bytes, if any
  private final long nowNanos;

  private RetentionSnapshot(Policies policies, Map<RetentionPolicy, Long> horizons, long nowNanos) {
    this.policies = policies;
    this.horizons = horizons;
    this.nowNanos = nowNanos;
  }

  /// The data at rest of a type in a bucket.
  ///
  /// @param untilNanos end of the bucket
  /// @param bytes bytes in sealed files
  public record Weight(String type, long untilNanos, long bytes) {}

  /// Where limits of bytes lie: buckets that end at this time or before are past.
  ///
  /// @param nowNanos a bucket that ends later is not over
  static Map<RetentionPolicy, Long> horizons(
      Policies policies, Iterable<Weight> weights, long nowNanos) {
    if (!policies.weighs()) {
      return Map.of();
    }
    Map<RetentionPolicy, NavigableMap<Long, Long>> sums = new HashMap<>();
    for (Weight weight : weights) {
      RetentionPolicy policy = policies.of(weight.type);
      if (policy.bytes() != RetentionPolicy.UNLIMITED) {
        sums.computeIfAbsent(policy, _ -> new TreeMap<>())
            .merge(weight.untilNanos, weight.bytes, Long::sum);
      }
    }
    Map<RetentionPolicy, Long> horizons = new HashMap<>();
    sums.forEach((policy, byEnd) -> {
      long sum = 0;
      for (Map.Entry<Long, Long> bucket : byEnd.descendingMap().entrySet()) {
        sum += bucket.getValue();
        if (sum > policy.bytes() && bucket.getKey() <= nowNanos) {
          horizons.put(policy, bucket.getKey());
          break;
        }
      }
    });
    return Map.copyOf(horizons);
  }

  static RetentionSnapshot at(
      Policies policies, Map<RetentionPolicy, Long> horizons, long nowNanos) {
    return new RetentionSnapshot(policies, horizons, nowNanos);
  }

  public Policies policies() {
    return policies;
  }

  /// Nanoseconds since the Unix epoch.
  public long nowNanos() {
    return nowNanos;
  }

  /// True when a bucket of a type is past its retention.
  ///
  /// @param untilNanos end of the bucket
  public boolean isPast(String type, long untilNanos) {
    return isPast(policies.groupOf(type), untilNanos);
  }

  /// True when a bucket of the types that are kept so is past its retention.
  ///
  /// @param untilNanos end of the bucket
  public boolean isPast(Policies.Group types, long untilNanos) {
    Duration age = types.age();
    if (age != null && untilNanos <= nowNanos - age.toNanos()) {
      return true;
    }
    RetentionPolicy limit = types.limit();
    return limit != null && untilNanos <= horizons.getOrDefault(limit, Long.MIN_VALUE);
  }

  /// The least time of a type's events that are kept by their age: the start of the first bucket
  /// that is not past. Not before 1970.
  ///
  /// @param widthNanos width of the type's buckets
  public long keptFromNanos(String type, long widthNanos) {
    Duration age = policies.of(type).age();
    return age == null
        ? Long.MIN_VALUE
        : Math.max(0, Math.floorDiv(nowNanos - age.toNanos(), widthNanos) * widthNanos);
  }

  /// Buckets that end after this are past for no type; the least long when none is for any.
  public long pastUntilNanos() {
    Duration shortest = policies.shortest();
    long byAge = shortest == null ? Long.MIN_VALUE : nowNanos - shortest.toNanos();
    return horizons.values().stream().mapToLong(Long::longValue).reduce(byAge, Math::max);
  }
}
