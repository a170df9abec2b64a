package io.widerow.cql.type;

import java.text.ParsePosition;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;
import java.time.format.TextStyle;
import java.time.temporal.TemporalAccessor;
import java.time.temporal.TemporalQueries;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// Times as CQL writes them. Those without a zone are in UTC.
final class CqlTimes {
  private static final Pattern FORM =
      Pattern.compile(
          "(\\d{4})-(\\d\\d?)-(\\d\\d?)(?:[T ](\\d\\d:\\d\\d(?::\\d\\d(?:\\.\\d{1,9})?)?))?"
              + " ?(Z|z|[+-]\\d\\d(?::?\\d\\d)?|(?<= )[A-Z][A-Za-z_/ ]*+)?");
  private static final List<DateTimeFormatter> ZONES = // names such as CET and Europe/Berlin
      Stream.of(TextStyle.SHORT, TextStyle.FULL)
          .map(style ->
              new DateTimeFormatterBuilder().appendZoneText(style).toFormatter(Locale.ENGLISH))
          .toList();
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
    String time = parts.group(4);
    LocalTime clock = time == null ? LocalTime.MIDNIGHT : LocalTime.parse(time);
    LocalDate date =
        LocalDate.of(
            Integer.parseInt(parts.group(1)),
            Integer.parseInt(parts.group(2)),
            Integer.parseInt(parts.group(3)));
    Instant instant = date.atTime(clock).atZone(zone(parts.group(5))).toInstant();
    return Instant.ofEpochMilli(instant.toEpochMilli());
  }

  private static ZoneId zone(@Nullable String text) {
    if (text == null || text.equalsIgnoreCase("z")) {
      return ZoneOffset.UTC;
    }
    if (text.startsWith("+") || text.startsWith("-")) {
      return ZoneOffset.of(text);
    }
    for (DateTimeFormatter names : ZONES) {
      ParsePosition end = new ParsePosition(0);
      TemporalAccessor parsed = names.parseUnresolved(text, end);
      ZoneId zone = parsed == null ? null : parsed.query(TemporalQueries.zoneId());
      if (zone != null && end.getIndex() == text.length()) {
        return zone;
      }
    }
    throw new DateTimeException(text);
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
