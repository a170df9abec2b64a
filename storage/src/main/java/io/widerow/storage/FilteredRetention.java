package io.widerow.storage;

import io.widerow.event.RetentionPolicy;
import io.widerow.event.TypeGlob;
import java.time.Duration;
import java.util.Objects;

/// A retention policy for the events of some types that a filter keeps: it hides them when their
/// own time is older than its age, whatever the bucket. It only shortens the retention of a type.
///
/// - Threads: any; immutable.
///
/// @param policy its types, age and grace; without a limit of bytes
/// @param where the filter as it was written
/// @param setNanos when it was set, nanoseconds since the Unix epoch; its grace begins then
public record FilteredRetention(
    RetentionPolicy policy, String where, Filter filter, long setNanos) {
  /// Policies hide whole minutes.
  public static final long MINUTE_NANOS = 60_000_000_000L;

  public FilteredRetention {
    if (policy.age() == null || policy.bytes() != RetentionPolicy.UNLIMITED) {
      throw new IllegalArgumentException(
          "where: a policy with a filter needs an age and has no limit of bytes, got "
              + (policy.age() == null ? "no age" : policy.bytes() + " bytes"));
    }
    if (policy.source() != RetentionPolicy.Source.API) {
      throw new IllegalArgumentException("a policy with a filter has the source API");
    }
    if (where.isBlank()) {
      throw new IllegalArgumentException("where: the filter is empty");
    }
  }

  /// One that is set now.
  ///
  /// @throws IllegalArgumentException when the policy has no age or a limit of bytes, or the filter
  ///   tests times
  public static FilteredRetention of(
      RetentionPolicy policy, String where, Filter filter, long nowNanos) {
    FilteredRetention made = new FilteredRetention(policy, where, filter, nowNanos);
    if (Filters.testsTime(filter)) {
      throw new IllegalArgumentException(
          "where: a retention cannot test the time or the id, its age does that, got " + where);
    }
    return made;
  }

  public String glob() {
    return policy.glob();
  }

  public Duration age() {
    return Objects.requireNonNull(policy.age());
  }

  /// True for the policy of the same types and filter, however that is written and whatever its
  /// age.
  public boolean isFor(String types, Filter other) {
    return glob().equals(types) && Filters.sameAs(filter).equals(Filters.sameAs(other));
  }

  public boolean matches(String type) {
    return TypeGlob.matches(glob(), type);
  }

  /// The first time that it keeps: events before it are hidden if the filter keeps them. A whole
  /// minute, so that stored aggregates by minute are right on both sides.
  ///
  /// @param nowNanos the time of retention, nanoseconds since the Unix epoch
  public long keptFromNanos(long nowNanos) {
    return Math.max(0, Math.floorDiv(nowNanos - age().toNanos(), MINUTE_NANOS) * MINUTE_NANOS);
  }

  /// True when some of the events of a file are enough to write it again without them.
  ///
  /// @param going the number of those events
  /// @param events of the file
  /// @param bytes of the file
  public static boolean isMuch(long going, long events, long bytes) {
    return RetentionLookup.isMuch((long) ((double) going / Math.max(1, events) * bytes), bytes);
  }

  /// True once hidden events may be removed.
  public boolean mayRemove(long nowNanos) {
    return nowNanos >= removesFromNanos();
  }

  /// When its grace ends, nanoseconds since the Unix epoch.
  public long removesFromNanos() {
    return setNanos + policy.grace().toNanos();
  }
}
