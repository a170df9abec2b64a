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

/// The position and the format of the time in a line of text.
///
/// - Threads: one.
public sealed interface TimePattern {
  /// The line has no time: the time of its arrival counts.
  record Arrival() implements TimePattern {}

  /// RFC 3339 at the start of the line, optionally after a `[`.
  record Rfc3339(TimestampDetector sight) implements TimePattern {}

  /// `[17/May/2015:10:05:03 +0000]` at the first bracket of the line: the common log format.
  record Clf(TimestampDetector sight) implements TimePattern {}

  /// `[2016-12-19 16:31:47,999]` at the start of the line, with or without brackets, with a comma
  /// or a point.
  record Log4j(TimestampDetector sight) implements TimePattern {}

  /// A number that stands alone at the start of the line, see [EpochText]. It is a time in 2001 to
  /// 2100.
  record Epoch() implements TimePattern {}

  /// Whatever time the line has. A line without one has that of the line before it.
  record Auto(TimestampDetector sight) implements TimePattern {}

  /// A pattern of [DateTimeFormatter], at a byte offset in the line, or where a word begins.
  ///
  /// @param offset negative for the first word that matches
  record Custom(DateTimeFormatter formatter, int offset, SenderLocalTimes local, ZoneId zone)
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
      case "", "auto" -> new Auto(new TimestampDetector(zone));
      case "arrival" -> new Arrival();
      case "rfc3339" -> new Rfc3339(new TimestampDetector(zone));
      case "clf" -> new Clf(new TimestampDetector(zone));
      case "log4j" -> new Log4j(new TimestampDetector(zone));
      case "epoch" -> new Epoch();
      default -> new Custom(formatter(name), offset, new SenderLocalTimes(zone), zone);
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

  /// The time of the line in `[offset, limit)`; [TimeParser#NONE] when it has none of this format.
  ///
  /// @param nowNanos completes times without a year
  default long nanos(byte[] bytes, int offset, int limit, long nowNanos) {
    return nanos(bytes, offset, limit, nowNanos, new TimeSpan());
  }

  /// As [#nanos]; also returns the position of the time.
  ///
  /// @param span receives the range of the time; for a line without a time, the range that stands
  ///   for it
  default long nanos(byte[] bytes, int offset, int limit, long nowNanos, TimeSpan span) {
    span.clear();
    return switch (this) {
      case Arrival() -> TimeParser.NONE;
      case Rfc3339(TimestampDetector sight) -> rfc3339(sight, bytes, offset, limit, nowNanos, span);
      case Clf(TimestampDetector sight) -> clf(sight, bytes, offset, limit, nowNanos, span);
      case Log4j(TimestampDetector sight) -> log4j(sight, bytes, offset, limit, nowNanos, span);
      case Epoch() -> epoch(bytes, offset, limit, span);
      case Auto(TimestampDetector sight) -> {
        long nanos = sight.nanos(bytes, offset, limit, nowNanos);
        spanOf(sight, nanos, span);
        yield nanos;
      }
      case Custom custom ->
          custom.offset < 0
              ? find(custom, bytes, offset, limit, nowNanos, span)
              : parse(custom, bytes, offset + custom.offset, limit, nowNanos, span);
    };
  }

  private static void spanOf(TimestampDetector sight, long nanos, TimeSpan span) {
    span.set(nanos != TimeParser.NONE ? sight.time() : sight.unread());
  }

  private static int afterBracket(byte[] bytes, int offset, int limit) {
    return offset < limit && bytes[offset] == '[' ? offset + 1 : offset;
  }

  private static long rfc3339(
      TimestampDetector sight, byte[] bytes, int offset, int limit, long nowNanos, TimeSpan span) {
    int start = afterBracket(bytes, offset, limit);
    int end = start;
    int spaces = start + 11; // a space may stand between date and time
    while (end < limit && end - start < 48 && (bytes[end] != ' ' || end < spaces)) {
      if (bytes[end] == ']' || bytes[end] == ',') {
        break;
      }
      end++;
    }
    span.set(start, end);
    long nanos = TimeParser.rfc3339(bytes, start, end);
    return nanos != TimeParser.NONE
        ? nanos
        : zoned(sight, bytes, start, limit, nowNanos, span, isIso(bytes, start, limit));
  }

  private static boolean isIso(byte[] bytes, int start, int limit) {
    return limit - start > 10 && bytes[start + 4] == '-' && bytes[start + 7] == '-';
  }

  /// The time at `start`, which must have a zone.
  ///
  /// @param form whether it has the form that is wanted
  private static long zoned(
      TimestampDetector sight,
      byte[] bytes,
      int start,
      int limit,
      long nowNanos,
      TimeSpan span,
      boolean form) {
    span.clear();
    long nanos = form ? sight.first(bytes, start, limit, nowNanos) : TimeParser.NONE;
    if (form) {
      spanOf(sight, nanos, span);
    }
    return nanos != TimeParser.NONE && sight.isZoned() ? nanos : TimeParser.NONE;
  }

  private static long clf(
      TimestampDetector sight, byte[] bytes, int offset, int limit, long nowNanos, TimeSpan span) {
    int at = offset;
    while (at < limit && bytes[at] != '[') {
      at++;
    }
    int start = at + 1;
    int end = start + 26;
    boolean ends = end <= limit && (end == limit || bytes[end] == ']' || bytes[end] == ' ');
    long nanos = ends ? TimeParser.clf(bytes, start, limit) : TimeParser.NONE;
    if (nanos != TimeParser.NONE) {
      span.set(start, end);
      return nanos;
    }
    boolean form = limit - start > 12 && bytes[start + 2] == '/' && bytes[start + 6] == '/';
    return zoned(sight, bytes, start, limit, nowNanos, span, form);
  }

  private static long log4j(
      TimestampDetector sight, byte[] bytes, int offset, int limit, long nowNanos, TimeSpan span) {
    int start = afterBracket(bytes, offset, limit);
    if (!isIso(bytes, start, limit)) {
      return TimeParser.NONE;
    }
    long nanos = sight.first(bytes, start, limit, nowNanos);
    spanOf(sight, nanos, span);
    return nanos;
  }

  /// Digits, perhaps with a fraction and an exponent.
  private static long epoch(byte[] bytes, int offset, int limit, TimeSpan span) {
    int end = offset;
    while (end < limit && bytes[end] > ' ' && ",;|]\"".indexOf(bytes[end]) < 0) {
      end++;
    }
    long nanos = EpochText.nanos(bytes, offset, end, EpochText.AUTO);
    if (nanos != TimeParser.NONE) {
      span.set(offset, end);
      return JsonTimes.isPlausible(nanos) ? nanos : TimeParser.NONE;
    }
    nanos = TimeParser.loneEpoch(bytes, offset, limit);
    if (nanos != TimeParser.NONE) {
      int whole = TimeParser.fractionLimit(bytes, offset, limit);
      boolean point = whole + 1 < limit && bytes[whole] == '.';
      span.set(offset, point ? TimeParser.fractionLimit(bytes, whole + 1, limit) : whole);
    }
    return nanos;
  }

  /// Converts a local time of `zone`, given as if it were UTC, to nanoseconds since the Unix epoch.
  static long ofLocal(long localNanos, ZoneId zone) {
    if (zone.normalized().equals(ZoneOffset.UTC)) {
      return localNanos;
    }
    long seconds = Math.floorDiv(localNanos, TimeParser.NANOS_PER_SECOND);
    LocalDateTime local = LocalDateTime.ofEpochSecond(seconds, 0, ZoneOffset.UTC);
    long offset = zone.getRules().getOffset(local).getTotalSeconds();
    return localNanos - offset * TimeParser.NANOS_PER_SECOND;
  }

  private static long epochNanos(TemporalAccessor parsed, Custom custom, long nowNanos) {
    if (parsed.isSupported(ChronoField.INSTANT_SECONDS)) {
      Instant instant = Instant.from(parsed);
      return TimeParser.ofUnit(instant.getEpochSecond(), TimeParser.NANOS_PER_SECOND)
          + instant.getNano();
    }
    LocalDate date = parsed.query(TemporalQueries.localDate());
    LocalTime time = parsed.query(TemporalQueries.localTime());
    if (date == null) {
      return time == null || parsed.isSupported(ChronoField.YEAR)
          ? TimeParser.NONE
          : yearless(parsed, time, custom.local, nowNanos);
    }
    LocalDateTime local = date.atTime(time == null ? LocalTime.MIDNIGHT : time);
    Instant instant = local.atZone(custom.zone).toInstant();
    return TimeParser.ofUnit(instant.getEpochSecond(), TimeParser.NANOS_PER_SECOND)
        + instant.getNano();
  }

  private static long yearless(
      TemporalAccessor parsed, LocalTime time, SenderLocalTimes local, long nowNanos) {
    if (!parsed.isSupported(ChronoField.MONTH_OF_YEAR)
        || !parsed.isSupported(ChronoField.DAY_OF_MONTH)) {
      return TimeParser.NONE;
    }
    int month = parsed.get(ChronoField.MONTH_OF_YEAR);
    int day = parsed.get(ChronoField.DAY_OF_MONTH);
    long nanos = local.nearest(month, day, time.toSecondOfDay(), nowNanos);
    return nanos == TimeParser.NONE
        ? nanos
        : nanos + time.toNanoOfDay() % TimeParser.NANOS_PER_SECOND;
  }

  /// Parses at the first word of the line where the pattern matches.
  private static long find(
      Custom custom, byte[] bytes, int offset, int limit, long nowNanos, TimeSpan span) {
    int end = Math.min(limit, offset + TimestampDetector.SIGHT_BYTES);
    int length = Math.min(limit, end + Custom.PATTERN_CHARS) - offset;
    String text = new String(bytes, offset, length, StandardCharsets.ISO_8859_1);
    int words = 0;
    for (int i = 0; i < end - offset && words < Custom.WORDS_MAX; i++) {
      if (i == 0 || (beginsWord(text.charAt(i - 1)) && !Character.isWhitespace(text.charAt(i)))) {
        words++;
        long nanos = parse(custom, text, i, offset, nowNanos, span);
        if (nanos != TimeParser.NONE) {
          return nanos;
        }
      }
    }
    return TimeParser.NONE;
  }

  private static boolean beginsWord(char before) {
    return " \t[](){}<>\"'|,;=".indexOf(before) >= 0;
  }

  private static long parse(
      Custom custom, byte[] bytes, int start, int limit, long nowNanos, TimeSpan span) {
    int length = Math.min(Custom.PATTERN_CHARS, limit - start);
    if (length <= 0) {
      return TimeParser.NONE;
    }
    String text = new String(bytes, start, length, StandardCharsets.ISO_8859_1);
    return parse(custom, text, 0, start, nowNanos, span);
  }

  /// @param offset of the text in the bytes of the line
  private static long parse(
      Custom custom, String text, int at, int offset, long nowNanos, TimeSpan span) {
    try {
      ParsePosition position = new ParsePosition(at);
      if (custom.formatter.parseUnresolved(text, position) == null) { // throws nothing: it is cheap
        return TimeParser.NONE;
      }
      position.setIndex(at);
      long nanos = epochNanos(custom.formatter.parse(text, position), custom, nowNanos);
      span.set(offset + at, offset + position.getIndex());
      return nanos;
    } catch (DateTimeException noTime) {
      return TimeParser.NONE;
    }
  }
}
