package io.widerow.storage.objects;

import java.time.Duration;

/// How long a backup is kept.
///
/// @param keep span of which every second can be restored
/// @param daily days before it of which a single moment is kept
/// @param day length of a day, which tests shorten
/// @param grace time from the finding that an object is not needed to its deletion
/// @param every interval of looking
public record RetentionOptions(
    Duration keep, int daily, Duration day, Duration grace, Duration every) {
  private static final Duration DAY = Duration.ofDays(1);
  private static final Duration SIX_HOURS = Duration.ofHours(6);
  private static final Duration MINUTE = Duration.ofMinutes(1);
  private static final int PARTS = 24;

  public RetentionOptions {
    if (keep.isNegative() || daily < 0 || day.isZero() || grace.isNegative()) {
      throw new IllegalArgumentException(
          "spans are not negative, got %s, %d, %s".formatted(keep, daily, grace));
    }
  }

  /// @param keep also looked at its 24th part each, at most every six hours
  public static RetentionOptions of(Duration keep, int daily) {
    Duration part = keep.dividedBy(PARTS);
    Duration every = part.compareTo(SIX_HOURS) > 0 ? SIX_HOURS : part;
    return new RetentionOptions(
        keep, daily, DAY, DAY, every.compareTo(MINUTE) < 0 ? MINUTE : every);
  }
}
