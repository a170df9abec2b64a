package io.widerow.query;

import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalTime;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// Parses times without a zone: `2026-11-24`, `2026-11-24 20:00`, `2026-11-24T20:00:05.25`,
/// `20:00`, `today`, `yesterday`, `yesterday 20:00`. A time alone is of today, a day alone means
/// its midnight.
///
/// Where clocks are set forward, a time that does not exist is as much later; where they are set
/// back, a time that comes twice is the first.
final class LocalTimeText {
  private static final Pattern FORM =
      Pattern.compile(
          "(?<day>\\d{4}-\\d\\d-\\d\\d|today|yesterday)?"
              + "(?<gap>[Tt ])?"
              + "(?<hour>\\d{1,2})?(?<rest>:\\d\\d(?::\\d\\d(?:\\.\\d{1,9})?)?)?");

  private LocalTimeText() {}

  /// The instant; null when the text has none of these forms.
  ///
  /// @throws DateTimeException when there is no such day or time, such as `2026-02-30`
  static @Nullable Instant parse(String text, long nowNanos, ZoneId zone) {
    Matcher parts = FORM.matcher(text);
    if (!parts.matches()) {
      return null;
    }
    String day = parts.group("day");
    String hour = parts.group("hour");
    String rest = parts.group("rest");
    boolean timed = hour != null && rest != null;
    boolean both = day != null && timed;
    boolean odd = (hour == null) != (rest == null) || both != (parts.group("gap") != null);
    if (odd || (day == null && !timed)) {
      return null;
    }
    LocalTime time = timed ? LocalTime.parse(twoDigits(hour) + rest) : LocalTime.MIDNIGHT;
    return ZonedDateTime.of(day(day, nowNanos, zone), time, zone).toInstant();
  }

  private static String twoDigits(String hour) {
    return hour.length() == 1 ? "0" + hour : hour;
  }

  private static LocalDate day(@Nullable String text, long nowNanos, ZoneId zone) {
    LocalDate today = Instant.EPOCH.plusNanos(nowNanos).atZone(zone).toLocalDate();
    return switch (text) {
      case null -> today;
      case "today" -> today;
      case "yesterday" -> today.minusDays(1);
      default -> LocalDate.parse(text);
    };
  }
}
