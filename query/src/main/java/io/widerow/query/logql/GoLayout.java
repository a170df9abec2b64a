package io.widerow.query.logql;

import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;
import java.time.format.TextStyle;
import java.time.temporal.ChronoField;
import java.time.temporal.TemporalAccessor;
import java.time.temporal.TemporalQueries;
import java.util.List;
import java.util.Locale;

/// Times as Go writes them by an example: `2006-01-02 15:04:05.000`.
final class GoLayout {
  /// The parts of an example with the patterns that stand for them, the longest first.
  private static final List<List<String>> PARTS =
      List.of(
          List.of("January", "MMMM"),
          List.of("Jan", "MMM"),
          List.of("Monday", "EEEE"),
          List.of("Mon", "EEE"),
          List.of("MST", "zzz"),
          List.of("2006", "uuuu"),
          List.of("-07:00", "xxx"),
          List.of("Z07:00", "XXX"),
          List.of("-0700", "xx"),
          List.of("Z0700", "XX"),
          List.of("-07", "x"),
          List.of("Z07", "X"),
          List.of("002", "DDD"),
          List.of("01", "MM"),
          List.of("02", "dd"),
          List.of("03", "hh"),
          List.of("04", "mm"),
          List.of("05", "ss"),
          List.of("06", "uu"),
          List.of("15", "HH"),
          List.of("PM", "a"),
          List.of("pm", "a"),
          List.of("_2", "ppd"),
          List.of("1", "M"),
          List.of("2", "d"),
          List.of("3", "h"),
          List.of("4", "m"),
          List.of("5", "s"));

  private static final int CHARS_MAX = 1 << 10;

  private GoLayout() {}

  private static DateTimeFormatter formatter(String layout) {
    if (layout.length() > CHARS_MAX) {
      throw new DateTimeException(
          "layout of %d characters, more than %d".formatted(layout.length(), CHARS_MAX));
    }
    DateTimeFormatterBuilder builder = new DateTimeFormatterBuilder();
    int at = 0;
    while (at < layout.length()) {
      String rest = layout.substring(at);
      int digits = fraction(rest);
      if (digits > 0) {
        boolean fixed = rest.charAt(1) == '0';
        builder.appendFraction(ChronoField.NANO_OF_SECOND, fixed ? digits : 0, digits, true);
        at += digits + 1;
        continue;
      }
      String found = "";
      for (List<String> part : PARTS) {
        if (found.isEmpty() && rest.startsWith(part.getFirst())) {
          found = part.getFirst();
          append(builder, part.getLast());
        }
      }
      if (found.isEmpty()) {
        builder.appendLiteral(rest.charAt(0));
      }
      at += Math.max(1, found.length());
    }
    return builder.toFormatter(Locale.ENGLISH);
  }

  private static void append(DateTimeFormatterBuilder builder, String pattern) {
    if (pattern.equals("zzz")) {
      builder.appendZoneText(TextStyle.SHORT);
    } else {
      builder.appendPattern(pattern);
    }
  }

  /// The number of digits of `.000` or `.999`; 0 for another part.
  private static int fraction(String rest) {
    if (rest.length() < 2 || rest.charAt(0) != '.' || "09".indexOf(rest.charAt(1)) < 0) {
      return 0;
    }
    int end = 1;
    while (end < rest.length() && rest.charAt(end) == rest.charAt(1)) {
      end++;
    }
    boolean isNumber = end < rest.length() && Character.isDigit(rest.charAt(end));
    return isNumber || end > 10 ? 0 : end - 1;
  }

  static String format(String layout, Instant time) {
    return formatter(layout).format(time.atZone(ZoneOffset.UTC)).replace("Z[UTC]", "UTC");
  }

  /// @throws DateTimeException when the text is not of the layout
  static Instant parse(String layout, ZoneId zone, String text) {
    TemporalAccessor parsed = formatter(layout).parse(text);
    ZoneId own = parsed.query(TemporalQueries.zone());
    ZoneOffset offset = parsed.query(TemporalQueries.offset());
    int year = get(parsed, ChronoField.YEAR, 1);
    LocalDateTime time =
        LocalDateTime.of(
            year,
            get(parsed, ChronoField.MONTH_OF_YEAR, 1),
            get(parsed, ChronoField.DAY_OF_MONTH, 1),
            get(parsed, ChronoField.HOUR_OF_DAY, 0),
            get(parsed, ChronoField.MINUTE_OF_HOUR, 0),
            get(parsed, ChronoField.SECOND_OF_MINUTE, 0),
            get(parsed, ChronoField.NANO_OF_SECOND, 0));
    ZoneId in = offset != null ? offset : own != null ? own : zone;
    return ZonedDateTime.of(time, in).toInstant();
  }

  private static int get(TemporalAccessor parsed, ChronoField field, int absent) {
    return parsed.isSupported(field) ? parsed.get(field) : absent;
  }
}
