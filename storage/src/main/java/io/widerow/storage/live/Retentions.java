package io.widerow.storage.live;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/// How long events are kept, by type.
///
/// - Threads: any.
public final class Retentions {
  private final Map<String, Kept> byType = new ConcurrentHashMap<>();
  private volatile Kept others;

  /// How long something is kept; null for ever.
  private record Kept(@Nullable Duration age) {}

  /// @param others how long types are kept of which nothing else is said
  Retentions(@Nullable Duration others) {
    this.others = new Kept(others);
  }

  /// @param type null for all types of which nothing else is said
  public void set(@Nullable String type, @Nullable Duration age) {
    if (age != null && !age.isPositive()) {
      throw new IllegalArgumentException("retention must be positive, got " + age);
    }
    if (type == null) {
      others = new Kept(age);
    } else {
      byType.put(type, new Kept(age));
    }
  }

  /// Null for ever.
  public @Nullable Duration of(String type) {
    return byType.getOrDefault(type, others).age();
  }

  /// True when a bucket of a type is past its retention.
  public boolean isExpired(String type, long untilNanos, long nowNanos) {
    Duration age = of(type);
    return age != null && untilNanos + age.toNanos() <= nowNanos;
  }
}
