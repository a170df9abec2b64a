package io.widerow.ingest.config;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/// A maximum age as an operator writes it: `30d`, `12h`, `10m`, `5s`, or `forever`.
///
/// @param duration null for no limit
public record Age(@Nullable Duration duration) {
  static final Age FOREVER = new Age(null);

  private static final String UNITS = "smhd";
  private static final long[] UNIT_SECONDS = {1, 60, 3_600, 86_400};
  private static final int DIGITS_MAX = 6;

  /// @throws IllegalArgumentException with the key in it
  public static Age parse(String key, String text) {
    if (text.equals("forever")) {
      return FOREVER;
    }
    int digits = text.length() - 1;
    int unit = text.isEmpty() ? -1 : UNITS.indexOf(text.charAt(digits));
    if (unit < 0 || digits > DIGITS_MAX || !text.substring(0, digits).matches("[1-9][0-9]*")) {
      throw new IllegalArgumentException(
          "%s must be like 30d, 12h, 10m, 5s or forever, got %s".formatted(key, text));
    }
    long number = Long.parseLong(text.substring(0, digits));
    return new Age(Duration.ofSeconds(number * UNIT_SECONDS[unit]));
  }

  /// A duration that may also be `0s`, and not `forever`.
  ///
  /// @throws IllegalArgumentException with the key in it
  public static Duration parseGrace(String key, String text) {
    Duration grace = text.equals("0s") ? Duration.ZERO : parse(key, text).duration();
    if (grace == null) {
      throw new IllegalArgumentException(key + " must be like 15m or 0s, got " + text);
    }
    return grace;
  }

  /// A duration as it would be written.
  ///
  /// @param duration null for `forever`
  public static String text(@Nullable Duration duration) {
    return new Age(duration).toString();
  }

  @Override
  public String toString() {
    if (duration == null) {
      return "forever";
    }
    if (duration.isZero()) {
      return "0s";
    }
    long seconds = duration.toSeconds();
    int unit = UNIT_SECONDS.length - 1;
    while (seconds % UNIT_SECONDS[unit] != 0) {
      unit--;
    }
    return seconds / UNIT_SECONDS[unit] + UNITS.substring(unit, unit + 1);
  }
}
