package io.widerow.cql.type;

import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// Times as CQL writes them. Those without a zone are in UTC.
final class CqlTimes {
  private static final Pattern FORM =
      Pattern.compile(
          "(\\d{4}-\\d\\d-\\d\\d)(?:[T ](\\d\\d:\\d\\d(?::\\d\\d(?:\\.\\d{1,9})?)?))?"
              + " ?(Z|z|[+-]\\d\\d(?::?\\d\\d)?)?");
  private static final DateTimeFormatter ISO = format("uuuu-MM-dd'T'HH:mm:ss.SSS'Z'");
  private static final DateTimeFormatter JSON = format("uuuu-MM-dd HH:mm:ss.SSS'Z'");

  private CqlTimes() {}

  private static DateTimeFormatter format(String pattern) {
    return DateTimeFormatter.ofPattern(pattern, Locale.ROOT).withZone(ZoneOffset.UTC);
  }

  /// The millisecond of a text.
  ///
  /// @throws DateTimeException when it is no time
  static Instant instant(String text) {
    Matcher parts = FORM.matcher(text);
    if (!parts.matches()) {
      throw new DateTimeException(text);
    }
    String time = parts.group(2);
    LocalTime clock = time == null ? LocalTime.MIDNIGHT : LocalTime.parse(time);
    Instant instant = LocalDate.parse(parts.group(1)).atTime(clock).toInstant(zone(parts.group(3)));
    return Instant.ofEpochMilli(instant.toEpochMilli());
  }

  private static ZoneOffset zone(@Nullable String text) {
    return text == null || text.equalsIgnoreCase("z") ? ZoneOffset.UTC : ZoneOffset.of(text);
  }

  /// Such as `2026-11-20T19:15:00.000Z`.
  static String iso(Instant time) {
    return inRange(time) ? ISO.format(time) : Long.toString(time.toEpochMilli());
  }

  /// Such as `2026-11-20 19:15:00.000Z`.
  static String json(Instant time) {
    return inRange(time) ? JSON.format(time) : Long.toString(time.toEpochMilli());
  }

  private static boolean inRange(Instant time) {
    return Math.abs(time.getEpochSecond()) < 1L << 40;
  }
}
