package io.widerow.storage.live;

import io.widerow.storage.RetentionPolicy;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// Retention periods by event type.
///
/// - Threads: any.
public final class Retentions implements RetentionPolicy {
  private final Map<String, Kept> byType = new ConcurrentHashMap<>();
  private volatile Kept others;
  private volatile long shortestNanos;

  /// A retention period; null keeps events forever.
  private record Kept(@Nullable Duration age) {}

  /// @param others default retention; null keeps events forever
  Retentions(@Nullable Duration others) {
    this.others = new Kept(others);
    this.shortestNanos = shortest();
  }

  /// @param type null to set the default
  public synchronized void set(@Nullable String type, @Nullable Duration age) {
    if (age != null && !age.isPositive()) {
      throw new IllegalArgumentException("retention must be positive, got " + age);
    }
    if (type == null) {
      others = new Kept(age);
    } else {
      byType.put(type, new Kept(age));
    }
    shortestNanos = shortest();
  }

  private long shortest() {
    return Stream.concat(Stream.of(others), byType.values().stream())
        .map(Kept::age)
        .filter(Objects::nonNull)
        .mapToLong(Duration::toNanos)
        .min()
        .orElse(KEPT_FOREVER);
  }

  @Override
  public long shortestNanos() {
    return shortestNanos;
  }

  @Override
  public @Nullable Duration of(String type) {
    return byType.getOrDefault(type, others).age();
  }

  /// The least time of a type's events that are kept: the start of the first bucket that is not
  /// past its retention. Not before 1970.
  ///
  /// @param widthNanos width of the type's buckets
  public long keptFromNanos(String type, long widthNanos, long nowNanos) {
    Duration age = of(type);
    return age == null
        ? Long.MIN_VALUE
        : Math.max(0, Math.floorDiv(nowNanos - age.toNanos(), widthNanos) * widthNanos);
  }

  @Override
  public boolean isExpired(String type, long untilNanos, long nowNanos) {
    Duration age = of(type);
    return age != null && untilNanos + age.toNanos() <= nowNanos;
  }
}
