package io.widerow.ingest.serve.loki;

import com.linecorp.armeria.common.QueryParams;
import com.linecorp.armeria.common.QueryParamsBuilder;
import io.widerow.query.QueryException;
import io.widerow.query.TimeText;
import io.widerow.query.Token;
import io.widerow.query.logql.GoDuration;
import io.widerow.query.logql.GoQuotes;
import io.widerow.query.logql.Units;
import io.widerow.query.logql.run.LogRun;
import io.widerow.query.logql.run.Steps;
import java.math.BigDecimal;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// The parameters of Loki's API. Numbers and durations are read as Go and Prometheus read them, and
/// refused in their words. Parameters it does not know are left out, as Loki does.
///
/// @param given as they came, of the URL and of a form
/// @param nowNanos the time now, nanoseconds since the Unix epoch
record LokiParameters(QueryParams given, long nowNanos) {
  private static final long SECOND_NANOS = 1_000_000_000L;
  private static final long NANOS_MIN = -(1L << 60); // a century may be taken off
  private static final long NANOS_MAX = 1L << 62; // the year 2116
  private static final long HOUR_NANOS = 3_600 * SECOND_NANOS;
  private static final long LIMIT_DEFAULT = 100;
  static final long LIMIT_MAX = 1_000_000;
  private static final long UINT_MAX = (1L << Integer.SIZE) - 1;
  private static final int STEPS_DEFAULT = 250;
  private static final int SHOWN_CHARS = 200;
  private static final String UNREADABLE = "could not parse '%s' parameter: ";
  private static final Pattern WHOLE = Pattern.compile("[-+]?\\d+");
  private static final Pattern DECIMAL =
      Pattern.compile("[-+]?(\\d{1,19}(\\.\\d{0,18})?|\\.\\d{1,18})([eE][-+]?\\d{1,3})?");
  private static final Pattern SHORT = Pattern.compile("[-+]?\\d{1,9}|\\d{10}");

  /// A half-open range, in nanoseconds since the Unix epoch.
  record Range(long fromNanos, long untilNanos) {}

  @Nullable String text(String name) {
    String value = given.get(name);
    return value == null || value.isEmpty() ? null : value;
  }

  String query() {
    String query = text("query");
    if (query == null) {
      throw refused("parse error : syntax error: unexpected $end");
    }
    return query;
  }

  List<String> all(String name) {
    return given.getAll(name);
  }

  private static QueryException.Refused refused(String why) {
    return new QueryException.Refused("query", why);
  }

  private static String quoted(String text) {
    return GoQuotes.quoted(text.substring(0, Math.min(text.length(), SHOWN_CHARS)));
  }

  /// `start` and `end`, or `since` before the end; the last hour when there is neither.
  Range range() {
    Range range = bounds();
    if (range.fromNanos > range.untilNanos) {
      throw refused(
          "end timestamp must not be before or equal to start time, got end %d and start %d"
              .formatted(range.untilNanos, range.fromNanos));
    }
    return range;
  }

  /// The same, where the start may be after the end.
  Range bounds() {
    String since = text("since");
    long before = since == null ? HOUR_NANOS : since(since);
    long end = time("end", nowNanos);
    return new Range(time("start", Math.min(end, nowNanos) - Math.min(before, NANOS_MAX)), end);
  }

  /// The instant of a query.
  long time() {
    return time("time", nowNanos);
  }

  private long time(String name, long absent) {
    String text = text(name);
    String about = name.equals("time") ? "" : UNREADABLE.formatted(name);
    long nanos = text == null ? absent : time(about, text, nowNanos);
    return Math.clamp(nanos, NANOS_MIN, NANOS_MAX);
  }

  /// Nanoseconds, seconds with decimals, RFC 3339, or a time of [TimeText].
  ///
  /// @param about begins the message when it is none
  static long time(String about, String text, long nowNanos) {
    boolean isWhole = WHOLE.matcher(text).matches();
    try {
      if (isWhole && !SHORT.matcher(text).matches()) {
        return Long.parseLong(text);
      }
      BigDecimal seconds = seconds(text);
      if (seconds != null) {
        return seconds.multiply(BigDecimal.valueOf(SECOND_NANOS)).toBigInteger().longValueExact();
      }
    } catch (ArithmeticException | NumberFormatException _) {
      // out of range: refused below
    }
    String why = isWhole ? "value out of range" : "invalid syntax";
    String read = about + "strconv.ParseInt: parsing %s: %s".formatted(quoted(text), why);
    if (isWhole) {
      throw refused(read);
    }
    return TimeText.parse(read, text, nowNanos);
  }

  /// A number of seconds; in another form than a decimal one only with a point, as in Loki.
  private static @Nullable BigDecimal seconds(String text) {
    if (DECIMAL.matcher(text).matches()) {
      return new BigDecimal(text);
    }
    Double value = text.indexOf('.') < 0 ? null : Units.number(text);
    return value == null ? null : BigDecimal.valueOf(value);
  }

  private static long since(String text) {
    Long nanos = Units.nanos(text);
    if (nanos == null && DECIMAL.matcher(text).matches()) {
      BigDecimal exact = new BigDecimal(text).multiply(BigDecimal.valueOf(SECOND_NANOS));
      boolean fits = exact.abs().compareTo(BigDecimal.valueOf(Long.MAX_VALUE)) < 0;
      nanos = fits ? exact.longValue() : null;
    }
    if (nanos == null || nanos < 0) {
      throw refused(UNREADABLE.formatted("since") + GoDuration.error(text));
    }
    return nanos;
  }

  /// Seconds, or a duration. What is no number, and what the nanoseconds of Go cannot hold, is
  /// negative, as on the processors on which Loki runs.
  private static long secondsOrDuration(String text) {
    Double seconds = Units.number(text);
    if (seconds != null) {
      double nanos = seconds * SECOND_NANOS;
      if (Math.abs(nanos) > 0x1p63) {
        throw refused(
            "cannot parse %s to a valid duration. It overflows int64".formatted(quoted(text)));
      }
      return Double.isNaN(nanos) || nanos == 0x1p63 ? Long.MIN_VALUE : (long) nanos;
    }
    Long nanos = text.startsWith("-") ? null : Units.nanos(text);
    if (nanos == null) {
      throw refused("cannot parse %s to a valid duration such as 5m".formatted(quoted(text)));
    }
    return nanos;
  }

  /// The lines of a response: those after a token when the client pages by them.
  LogRun.Page page() {
    String after = given.get("after");
    Token token = after == null || after.isEmpty() ? null : Token.parse(after);
    long interval = intervalNanos();
    if (after != null && interval > 0) {
      throw new QueryException.Refused("after", "not together with interval");
    }
    return new LogRun.Page(isBackward(), lines(), interval, after != null, token);
  }

  /// The least time between one line and the next one; 0 for all lines.
  private long intervalNanos() {
    String text = text("interval");
    long nanos = text == null ? 0 : secondsOrDuration(text);
    if (nanos < 0) {
      throw refused("interval must be >= 0, got " + text);
    }
    return nanos;
  }

  /// The instants of a range query, after all its parameters are checked in the order of Loki, also
  /// those that the query does not need.
  Steps rangeQuery() {
    Range _ = range();
    long _ = limit();
    boolean _ = isBackward();
    Steps steps = steps();
    long _ = intervalNanos();
    return steps;
  }

  /// The instant of a query, after the same.
  long instantQuery() {
    long _ = limit();
    long at = time();
    boolean _ = isBackward();
    return at;
  }

  /// The instants of a range.
  Steps steps() {
    Range range = range();
    String text = text("step");
    long nanos;
    if (text != null) {
      nanos = secondsOrDuration(text);
    } else {
      long seconds = (range.untilNanos() - range.fromNanos()) / STEPS_DEFAULT / SECOND_NANOS;
      nanos = Math.max(1, seconds) * SECOND_NANOS;
    }
    if (nanos <= 0) {
      throw refused(
          "zero or negative query resolution step widths are not accepted. Try a positive integer,"
              + " got step "
              + text);
    }
    return Steps.of(range.fromNanos(), range.untilNanos(), nanos);
  }

  long limit() {
    return limit("limit", LIMIT_DEFAULT);
  }

  /// A limit of 32 bits without a sign.
  private long limit(String name, long absent) {
    String text = text(name);
    if (text == null) {
      return absent;
    }
    long limit = whole(name, text);
    if (limit <= 0) {
      throw refused("limit must be a positive value, got " + text);
    }
    return requireUint(name.equals("line_limit") ? name : "limit", limit);
  }

  /// The most lines of a response.
  long lines() {
    return requireLines(limit());
  }

  private static long requireLines(long limit) {
    if (limit > LIMIT_MAX) {
      throw refused(
          "max entries limit per query exceeded, limit > max_entries_limit_per_query (%d > %d)"
              .formatted(limit, LIMIT_MAX));
    }
    return limit;
  }

  /// The most fields, or values of a field.
  long fieldLimit(long absent) {
    return limit(text("limit") == null ? "field_limit" : "limit", absent);
  }

  /// The most lines in which fields are looked for.
  long fieldLines(long absent) {
    return requireLines(limit("line_limit", absent));
  }

  /// The parameters of volumes, whose limit of 0 is the same as none.
  LokiParameters ofVolumes() {
    String text = text("limit");
    if (text == null || whole("limit", text) != 0) {
      return this;
    }
    QueryParamsBuilder others = given.toBuilder();
    boolean _ = others.remove("limit");
    return new LokiParameters(others.build(), nowNanos);
  }

  private static long requireUint(String name, long value) {
    if (value < 0 || value > UINT_MAX) {
      throw refused("%s value %d is out of range [0, %d]".formatted(name, value, UINT_MAX));
    }
    return value;
  }

  /// A whole number as `strconv.Atoi` of Go reads it.
  private static long whole(String name, String text) {
    boolean isWhole = WHOLE.matcher(text).matches();
    if (isWhole) {
      try {
        return Long.parseLong(text);
      } catch (NumberFormatException _) {
        // out of range: refused below
      }
    }
    String why = isWhole ? "value out of range" : "invalid syntax";
    throw refused("strconv.Atoi: parsing %s: %s, in %s".formatted(quoted(text), why, name));
  }

  /// How long a tail waits for late lines, in seconds.
  long delaySeconds(long most) {
    String text = text("delay_for");
    long seconds = text == null ? 0 : requireUint("delay_for", whole("delay_for", text));
    if (seconds > most) {
      throw refused("delay_for can't be greater than %d, got %d".formatted(most, seconds));
    }
    return seconds;
  }

  /// True for newest first.
  boolean isBackward() {
    String text = text("direction");
    if (text == null) {
      return true;
    }
    return switch (text.toUpperCase(Locale.ROOT)) {
      case "BACKWARD" -> true;
      case "FORWARD" -> false;
      default ->
          throw refused("invalid direction '%s', must be forward or backward".formatted(text));
    };
  }
}
