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
/// - Threads: any.
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

  /// Epoch digits at the start of the line. Their magnitude tells the unit.
  record Epoch() implements TimePattern {}

  /// A pattern of [DateTimeFormatter], at a byte offset in the line.
  record Custom(DateTimeFormatter formatter, int offset, ZoneId zone) implements TimePattern {}

  /// @param name `rfc3339`, `clf`, `log4j`, `epoch`, a pattern of [DateTimeFormatter], or empty
  /// @param offset in bytes in the line, for a pattern of [DateTimeFormatter] only
  /// @param zone of times without one
  /// @throws IllegalArgumentException when the name is none of these
  static TimePattern of(String name, int offset, ZoneId zone) {
    return switch (name) {
      case "" -> new Arrival();
      case "rfc3339" -> new Rfc3339();
      case "clf" -> new Clf();
      case "log4j" -> new Log4j(zone);
      case "epoch" -> new Epoch();
      default -> new Custom(formatter(name), offset, zone);
    };
  }

  private static DateTimeFormatter formatter(String pattern) {
    try {
      return DateTimeFormatter.ofPattern(pattern, Locale.ROOT);
    } catch (ClassCastException unforeseen) { // the JDK throws this for padding before some letters
      throw new IllegalArgumentException("not a time pattern: " + pattern, unforeseen);
    }
  }

  /// The time of the line in `[offset, limit)`; [Times#NONE] when it has none of this format.
  default long nanos(byte[] bytes, int offset, int limit) {
    return switch (this) {
      case Arrival() -> Times.NONE;
      case Rfc3339() -> rfc3339(bytes, offset, limit);
      case Clf() -> clf(bytes, offset, limit);
      case Log4j(ZoneId zone) -> log4j(bytes, offset, limit, zone);
      case Epoch() -> epoch(bytes, offset, limit);
      case Custom custom -> parse(custom, bytes, offset, limit);
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
    int end = offset;
    while (end < limit && (Times.isDigit(bytes[end]) || bytes[end] == '.')) {
      end++;
    }
    return Times.epoch(bytes, offset, end);
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

  private static long epochNanos(TemporalAccessor parsed, ZoneId zone) {
    if (parsed.isSupported(ChronoField.INSTANT_SECONDS)) {
      Instant instant = Instant.from(parsed);
      return Times.ofUnit(instant.getEpochSecond(), Times.NANOS_PER_SECOND) + instant.getNano();
    }
    LocalDate date = parsed.query(TemporalQueries.localDate());
    LocalTime time = parsed.query(TemporalQueries.localTime());
    if (date == null) {
      return Times.NONE;
    }
    LocalDateTime local = date.atTime(time == null ? LocalTime.MIDNIGHT : time);
    Instant instant = local.atZone(zone).toInstant();
    return Times.ofUnit(instant.getEpochSecond(), Times.NANOS_PER_SECOND) + instant.getNano();
  }

  private static long parse(Custom custom, byte[] bytes, int offset, int limit) {
    int start = offset + custom.offset;
    int length = Math.min(64, limit - start);
    if (length <= 0) {
      return Times.NONE;
    }
    String text = new String(bytes, start, length, StandardCharsets.ISO_8859_1);
    try {
      return epochNanos(custom.formatter.parse(text, new ParsePosition(0)), custom.zone);
    } catch (DateTimeException noTime) {
      return Times.NONE;
    }
  }
}
