package io.widerow.query;

import java.math.BigDecimal;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Parses times and durations.
///
/// - Times: `now`; `15m`, which means 15 minutes ago, both in whole ticks of 100 ns, so that no
///   event needs a look at its time (see [TickBounds]); RFC 3339 with up to nine fractional digits,
///   seconds optional; the forms of [LocalTimeText] in a zone, such as `2026-11-24 20:00`, `20:00`
///   and `yesterday`; a Unix time in seconds, milliseconds, microseconds or nanoseconds, told apart
///   by the number of digits.
/// - Durations: numbers with units, such as `15ms`, `2h`, `1h30m`, `1.5d`. The units are ns us ms s
///   m h d w y. A day has 24 hours, a year 365 days.
public final class TimeText {
  private static final Pattern EPOCH = Pattern.compile("\\d{1,19}");
  private static final Pattern DURATION = // possessive, or a long text overflows the stack
      Pattern.compile("(?:\\d{1,18}(?:\\.\\d{1,18})?(?:ns|us|ms|s|m|h|d|w|y))++");
  private static final Pattern PART = Pattern.compile("(\\d+(?:\\.\\d+)?)([a-z]+)");
  private static final long SECOND_NANOS = 1_000_000_000L;

  /// Longest accepted text. A number with a fraction for each unit is shorter.
  private static final int CHARS_MAX = 360;

  private TimeText() {}

  /// Nanoseconds since the Unix epoch; times without a zone are in UTC.
  ///
  /// @param parameter where the text comes from, for the message
  public static long parse(String parameter, String text, long nowNanos) {
    return parse(parameter, text, nowNanos, ZoneOffset.UTC);
  }

  /// Nanoseconds since the Unix epoch.
  ///
  /// @param parameter where the text comes from, for the message
  /// @param zone of times that name none
  public static long parse(String parameter, String text, long nowNanos, ZoneId zone) {
    if (text.length() > CHARS_MAX) {
      throw tooLong(parameter, "time", text);
    }
    try {
      if (text.equals("now")) {
        return TickBounds.floor(nowNanos);
      }
      if (EPOCH.matcher(text).matches()) {
        return epoch(text);
      }
      if (DURATION.matcher(text).matches()) {
        return TickBounds.floor(Math.subtractExact(nowNanos, duration(text)));
      }
      Instant local = LocalTimeText.parse(text, nowNanos, zone);
      return nanos(local == null ? OffsetDateTime.parse(withT(text)).toInstant() : local);
    } catch (DateTimeException | ArithmeticException | NumberFormatException noTime) {
      throw new QueryException.Refused(
          parameter,
          "not a time: %s (write 15m, 1y, 2026-11-20, 2026-11-20 19:15, 19:15, yesterday,"
                  .formatted(text)
              + " 2026-11-20T19:15:00Z or an epoch)");
    }
  }

  /// True when the text is a time whose instant depends on the reader's zone.
  public static boolean isLocal(String text) {
    try {
      return text.length() <= CHARS_MAX && LocalTimeText.parse(text, 0, ZoneOffset.UTC) != null;
    } catch (DateTimeException noSuchDay) {
      return true; // parsing it will fail
    }
  }

  /// RFC 3339 with a space for the T, and one before the offset.
  private static String withT(String text) {
    return text.replaceFirst("^(\\d{4}-\\d\\d-\\d\\d)[Tt ](\\S+) ?(?=[-+Zz])", "$1T$2");
  }

  /// Eleven digits of seconds reach the year 5138. Every three more digits mean the next unit.
  private static long epoch(String text) {
    long value = Long.parseLong(text);
    if (text.length() <= 11) {
      return Math.multiplyExact(value, SECOND_NANOS);
    }
    if (text.length() <= 14) {
      return Math.multiplyExact(value, 1_000_000L);
    }
    return text.length() <= 17 ? Math.multiplyExact(value, 1_000L) : value;
  }

  private static long nanos(Instant instant) {
    return Math.addExact(
        Math.multiplyExact(instant.getEpochSecond(), SECOND_NANOS), (long) instant.getNano());
  }

  public static boolean isDuration(String text) {
    return text.length() <= CHARS_MAX && DURATION.matcher(text).matches();
  }

  /// Nanoseconds, rounded down.
  ///
  /// @throws ArithmeticException when the duration does not fit in a long
  public static long duration(String text) {
    Matcher parts = PART.matcher(text);
    BigDecimal sum = BigDecimal.ZERO;
    while (parts.find()) {
      sum = sum.add(new BigDecimal(parts.group(1)).multiply(unitNanos(parts.group(2))));
    }
    return sum.toBigInteger().longValueExact();
  }

  /// A duration above zero, in nanoseconds.
  ///
  /// @param parameter where the text comes from, for the message
  public static long positive(String parameter, String text) {
    if (text.length() > CHARS_MAX) {
      throw tooLong(parameter, "duration", text);
    }
    try {
      long nanos = isDuration(text) ? duration(text) : 0;
      if (nanos > 0) {
        return nanos;
      }
    } catch (ArithmeticException _) {
      // does not fit in a long: refused below like any other text
    }
    throw new QueryException.Refused(parameter, "not a duration: " + text + " (write 5m)");
  }

  private static QueryException.Refused tooLong(String parameter, String what, String text) {
    return new QueryException.Refused(
        parameter,
        "not a %s: %d characters, at most %d allowed".formatted(what, text.length(), CHARS_MAX));
  }

  private static BigDecimal unitNanos(String unit) {
    return BigDecimal.valueOf(
        switch (unit) {
          case "ns" -> 1L;
          case "us" -> 1_000L;
          case "ms" -> 1_000_000L;
          case "s" -> SECOND_NANOS;
          case "m" -> 60 * SECOND_NANOS;
          case "h" -> 3_600 * SECOND_NANOS;
          case "d" -> 86_400 * SECOND_NANOS;
          case "w" -> 7 * 86_400 * SECOND_NANOS;
          case "y" -> 365 * 86_400 * SECOND_NANOS;
          default -> throw new IllegalStateException("unit " + unit);
        });
  }
}
