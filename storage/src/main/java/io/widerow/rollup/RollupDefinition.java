package io.widerow.rollup;

import io.widerow.event.TypeGlob;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// A rollup as its owner defined it: of these types, segments that are written from now on keep
/// cells of this shape.
///
/// @param name 1 to 100 letters, digits, `.`, `_` and `-`, without a `.` at its start
/// @param glob a type, or a pattern with `*` and `?`
/// @param stats the aggregates that it was defined for, as text
/// @param keep how long cells are kept when the events are past their retention; null for as long
///   as the events
public record RollupDefinition(
    String name, String glob, RollupShape shape, String stats, @Nullable Duration keep) {
  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9_-][A-Za-z0-9._-]{0,99}");
  private static final int GLOB_BYTES_MAX = 255;
  private static final int STATS_BYTES_MAX = 4_096;
  private static final Duration KEEP_MAX = Duration.ofDays(36_500);

  public RollupDefinition {
    if (!NAME.matcher(name).matches()) {
      throw new IllegalArgumentException(
          "rollup: one word of up to 100 letters, digits, '_', '-' and, inside, '.', got '%s'"
              .formatted(name.substring(0, Math.min(name.length(), 200))));
    }
    int globBytes = glob.getBytes(StandardCharsets.UTF_8).length;
    if (globBytes < 1 || globBytes > GLOB_BYTES_MAX) {
      throw new IllegalArgumentException(
          "type: a type or a pattern of 1 to %d bytes, got %d"
              .formatted(GLOB_BYTES_MAX, globBytes));
    }
    int statsBytes = stats.getBytes(StandardCharsets.UTF_8).length;
    if (statsBytes < 1 || statsBytes > STATS_BYTES_MAX) {
      throw new IllegalArgumentException(
          "stats: 1 to %d bytes, got %d".formatted(STATS_BYTES_MAX, statsBytes));
    }
    if (keep != null && (keep.isNegative() || keep.isZero())) {
      throw new IllegalArgumentException("keep: must be longer than nothing, got " + keep);
    }
    if (keep != null && keep.compareTo(KEEP_MAX) > 0) {
      throw new IllegalArgumentException(
          "keep: at most %dd, got %s".formatted(KEEP_MAX.toDays(), keep));
    }
  }

  /// True when it is one of a type's.
  public boolean matches(String type) {
    return TypeGlob.matches(glob, type);
  }

  /// The time for which aggregates of a type's events are kept, from the end of their bucket on, by
  /// the rollup that keeps them longest; 0 for as long as the events.
  public static long keepNanos(List<RollupDefinition> defined, String type) {
    long longest = 0;
    for (RollupDefinition rollup : defined) {
      if (rollup.keep != null && rollup.matches(type)) {
        longest = Math.max(longest, rollup.keep.toNanos());
      }
    }
    return longest;
  }
}
