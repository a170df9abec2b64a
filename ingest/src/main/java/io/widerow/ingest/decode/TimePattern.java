package io.widerow.ingest.decode;

import java.nio.charset.StandardCharsets;
import java.text.ParsePosition;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoField;
import java.time.temporal.TemporalAccessor;
import java.time.temporal.TemporalQueries;
import java.util.Locale;

/// The place and the format of the time in a line of text.
///
/// - Threads: one.
public sealed interface TimePattern {
  /// The line has no time: the time of its arrival counts.
  record Arrival() implements TimePattern {}

  /// RFC 3339 at the start of the line, optionally after a `[`.
  record Rfc3339() implements TimePattern {}

  /// `[17/May/2015:10:05:03 +0000]` at the first bracket of the line: the common log format.
  record Clf() implements TimePattern {}

  /// `[2016-12-19 16:31:47,999]` at the start of the line, with or without brackets, with a comma
  /// or a point.
  record Log4j(ZoneId zone) implements TimePattern {}

  /// Epoch digits that stand alone at the start of the line, in 2001 to 2100. Their magnitude tells
  /// the unit.
  record Epoch() implements TimePattern {}

  /// Whatever time the line has. A line without one has that of the line before it.
  record Auto(TimeSight sight) implements TimePattern {}

  /// A pattern of [DateTimeFormatter], at a byte offset in the line, or where a word begins.
  ///
  /// @param offset negative for the first word that matches
  record Custom(DateTimeFormatter formatter, int offset, LocalTimes local, ZoneId zone)
      implements TimePattern {
    private static final int WORDS_MAX = 32; // each costs a parse
    private static final int PATTERN_CHARS = 64;
  }

  /// @param name `auto`, `arrival`, `rfc3339`, `clf`, `log4j`, `epoch`, or a pattern of
  ///   [DateTimeFormatter]; empty is `auto`
  /// @param offset in bytes in the line, for a pattern of [DateTimeFormatter] only; negative for
  ///   the first word that matches
  /// @param zone of times without one
  /// @throws IllegalArgumentException when the name is none of these
  static TimePattern of(String name, int offset, ZoneId zone) {
    return switch (name) {
      case "", "auto" -> new Auto(new TimeSight(zone));
      case "arrival" -> new Arrival();
      case "rfc3339" -> new Rfc3339();
      case "clf" -> new Clf();
      case "log4j" -> new Log4j(zone);
      case "epoch" -> new Epoch();
      default -> new Custom(formatter(name), offset, new LocalTimes(zone), zone);
    };
  }

  private static DateTimeFormatter formatter(String pattern) {
    try {
      DateTimeFormatter asGiven = DateTimeFormatter.ofPattern(pattern, Locale.ROOT);
      String loose = withShortHours(pattern);
      return loose.equals(pattern) ? asGiven : DateTimeFormatter.ofPattern(loose, Locale.ROOT);
    } catch (ClassCastException unforeseen) { // the JDK throws this for padding before some letters
      throw new IllegalArgumentException("not a time pattern: " + pattern, unforeseen);
    }
  }

  /// The pattern with `H:` for `HH:`, which reads hours of one digit and of two; likewise `h`, `k`
  /// and `K`. Hours right after another letter keep their width: it separates them.
  private static String withShortHours(String pattern) {
    StringBuilder out = new StringBuilder();
    boolean quoted = false;
    for (int i = 0; i < pattern.length(); i++) {
      char c = pattern.charAt(i);
      quoted ^= c == '\'';
      boolean twice =
          !quoted
              && "HhkK".indexOf(c) >= 0
              && pattern.startsWith(c + ":", i + 1)
              && (i == 0 || !Character.isLetter(pattern.charAt(i - 1)));
      out.append(c);
      i += twice ? 1 : 0;
    }
    return out.toString();
  }

  /// The time of the line in `[offset, limit)`; [Times#NONE] when it has none of this format.
  ///
  /// @param nowNanos completes times without a year
  default long nanos(byte[] bytes, int offset, int limit, long nowNanos) {
    return switch (this) {
      case Arrival() -> Times.NONE;
      case Rfc3339() -> rfc3339(bytes, offset, limit);
      case Clf() -> clf(bytes, offset, limit);
      case Log4j(ZoneId zone) -> log4j(bytes, offset, limit, zone);
      case Epoch() -> epoch(bytes, offset, limit);
      case Auto(TimeSight sight) -> sight.nanos(bytes, offset, limit, nowNanos);
      case Custom custom ->
          custom.offset < 0
              ? find(custom, bytes, offset, limit, nowNanos)
              : parse(custom, bytes, offset + custom.offset, limit, nowNanos);
    };
  }

  private static long rfc3339(byte[] bytes, int offset, int limit) {
    int start = offset < limit && bytes[offset] == '[' ? offset + 1 : offset;
    int end = start;
    int spaces = start + 11; // a space may stand between date and time
    while (end < limit && end - start < 48 && (bytes[end] != ' ' || end < spaces)) {
      if (bytes[end] == ']' || bytes[end] == ',') {
        break;
      }
      end++;
    }
    return Times.rfc3339(bytes, start, end);
  }

  private static long clf(byte[] bytes, int offset, int limit) {
    for (int at = offset; at < limit; at++) {
      if (bytes[at] == '[') {
        return Times.clf(bytes, at + 1, limit);
      }
    }
    return Times.NONE;
  }

  private static long log4j(byte[] bytes, int offset, int limit, ZoneId zone) {
    int start = offset < limit && bytes[offset] == '[' ? offset + 1 : offset;
    int point = start + 19 < limit && bytes[start + 19] == '.' ? '.' : ',';
    long local = Times.dateTime(bytes, start, limit, point);
    return local == Times.NONE ? local : ofLocal(local, zone);
  }

  private static long epoch(byte[] bytes, int offset, int limit) {
    return Times.loneEpoch(bytes, offset, limit);
  }

  /// Converts a local time of `zone`, given as if it were UTC, to nanoseconds since the Unix epoch.
  static long ofLocal(long localNanos, ZoneId zone) {
    if (zone.normalized().equals(ZoneOffset.UTC)) {
      return localNanos;
    }
    long seconds = Math.floorDiv(localNanos, Times.NANOS_PER_SECOND);
    LocalDateTime local = LocalDateTime.ofEpochSecond(seconds, 0, ZoneOffset.UTC);
    long offset = zone.getRules().getOffset(local).getTotalSeconds();
    return localNanos - offset * Times.NANOS_PER_SECOND;
  }

  private static long epochNanos(TemporalAccessor parsed, Custom custom, long nowNanos) {
    if (parsed.isSupported(ChronoField.INSTANT_SECONDS)) {
      Instant instant = Instant.from(parsed);
      return Times.ofUnit(instant.getEpochSecond(), Times.NANOS_PER_SECOND) + instant.getNano();
    }
    LocalDate date = parsed.query(TemporalQueries.localDate());
    LocalTime time = parsed.query(TemporalQueries.localTime());
    if (date == null) {
      return time == null || parsed.isSupported(ChronoField.YEAR)
          ? Times.NONE
          : yearless(parsed, time, custom.local, nowNanos);
    }
    LocalDateTime local = date.atTime(time == null ? LocalTime.MIDNIGHT : time);
    Instant instant = local.atZone(custom.zone).toInstant();
    return Times.ofUnit(instant.getEpochSecond(), Times.NANOS_PER_SECOND) + instant.getNano();
  }

  private static long yearless(
      TemporalAccessor parsed, LocalTime time, LocalTimes local, long nowNanos) {
    if (!parsed.isSupported(ChronoField.MONTH_OF_YEAR)
        || !parsed.isSupported(ChronoField.DAY_OF_MONTH)) {
      return Times.NONE;
    }
    int month = parsed.get(ChronoField.MONTH_OF_YEAR);
    int day = parsed.get(ChronoField.DAY_OF_MONTH);
    long nanos = local.nearest(month, day, time.toSecondOfDay(), nowNanos);
    return nanos == Times.NONE ? nanos : nanos + time.toNanoOfDay() % Times.NANOS_PER_SECOND;
  }

  /// Parses at the first word of the line where the pattern matches.
  private static long find(Custom custom, byte[] bytes, int offset, int limit, long nowNanos) {
    int end = Math.min(limit, offset + TimeSight.SIGHT_BYTES);
    int length = Math.min(limit, end + Custom.PATTERN_CHARS) - offset;
    String text = new String(bytes, offset, length, StandardCharsets.ISO_8859_1);
    int words = 0;
    for (int i = 0; i < end - offset && words < Custom.WORDS_MAX; i++) {
      if (i == 0 || (beginsWord(text.charAt(i - 1)) && !Character.isWhitespace(text.charAt(i)))) {
        words++;
        long nanos = parse(custom, text, i, nowNanos);
        if (nanos != Times.NONE) {
          return nanos;
        }
      }
    }
    return Times.NONE;
  }

  private static boolean beginsWord(char before) {
    return " \t[](){}<>\"'|,;=".indexOf(before) >= 0;
  }

  private static long parse(Custom custom, byte[] bytes, int start, int limit, long nowNanos) {
    int length = Math.min(Custom.PATTERN_CHARS, limit - start);
    if (length <= 0) {
      return Times.NONE;
    }
    String text = new String(bytes, start, length, StandardCharsets.ISO_8859_1);
    return parse(custom, text, 0, nowNanos);
  }

  private static long parse(Custom custom, String text, int at, long nowNanos) {
    try {
      ParsePosition position = new ParsePosition(at);
      if (custom.formatter.parseUnresolved(text, position) == null) { // throws nothing: it is cheap
        return Times.NONE;
      }
      position.setIndex(at);
      return epochNanos(custom.formatter.parse(text, position), custom, nowNanos);
    } catch (DateTimeException noTime) {
      return Times.NONE;
    }
  }
}
