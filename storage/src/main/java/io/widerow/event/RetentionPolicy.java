package io.widerow.event;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/// A retention policy: limits of age and bytes for the events of some types. Of several policies
/// the most specific one decides about a type. The constructor refuses values that cannot work with
/// an [IllegalArgumentException] that quotes them.
///
/// @param glob the types: an exact name, or a pattern with `*` and `?`
/// @param age how long events are kept, counted from the end of their bucket; null for no limit
/// @param bytes how many bytes of sealed files the types for which this policy decides may have
///   together; the oldest buckets go first. [#UNLIMITED] for no limit
/// @param grace how long events that a change of policies hides stay on disk after the change
/// @param source where it comes from
public record RetentionPolicy(
    String glob, @Nullable Duration age, long bytes, Duration grace, Source source)
    implements GlobPolicies.Policy {
  /// No limit of bytes.
  public static final long UNLIMITED = Long.MAX_VALUE;

  /// The grace of a policy that names none.
  public static final Duration GRACE = Duration.ofMinutes(15);

  private static final Duration AGE_MAX = Duration.ofDays(100_000);
  private static final Duration GRACE_MAX = Duration.ofDays(30);

  /// For a type for which no policy decides.
  public static final RetentionPolicy FOREVER =
      new RetentionPolicy("*", null, UNLIMITED, Duration.ZERO, Source.CONFIG);

  /// Where a policy comes from.
  public enum Source {
    /// The configuration of the program that opens the store.
    CONFIG,
    /// Set while the store was open. It is kept in the store, and stands before one of the
    /// configuration for the same types.
    API
  }

  public RetentionPolicy {
    TypeGlob.requireLength(glob);
    require(
        age == null || (age.isPositive() && age.compareTo(AGE_MAX) <= 0),
        "age: must be positive and at most 100000 days, got " + age);
    require(bytes > 0, "bytes: must be positive, got " + bytes);
    require(
        !grace.isNegative() && grace.compareTo(GRACE_MAX) <= 0,
        "grace: must be 0s to 30d, got " + grace);
  }

  private static void require(boolean holds, String message) {
    if (!holds) {
      throw new IllegalArgumentException(message);
    }
  }

  /// The policy of a configuration for one type or pattern.
  public static RetentionPolicy ofConfig(String glob, @Nullable Duration age, Duration grace) {
    return new RetentionPolicy(glob, age, UNLIMITED, grace, Source.CONFIG);
  }

  /// True when it keeps everything.
  public boolean keepsAll() {
    return age == null && bytes == UNLIMITED;
  }

  /// True when it keeps all that another one keeps, if both decide about the same types.
  public boolean keepsAllOf(RetentionPolicy other) {
    boolean asLong = age == null || (other.age != null && age.compareTo(other.age) >= 0);
    return asLong && bytes >= other.bytes;
  }
}
