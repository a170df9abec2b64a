package io.widerow.ingest.serve.loki;

import com.linecorp.armeria.common.QueryParams;
import io.widerow.query.QueryException;
import io.widerow.query.TimeText;
import io.widerow.query.Token;
import io.widerow.query.logql.Units;
import io.widerow.query.logql.run.LogRun;
import io.widerow.query.logql.run.Steps;
import java.math.BigDecimal;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// The parameters of Loki's API. Those it does not know are left out, as Loki does.
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
  private static final int STEPS_DEFAULT = 250;
  private static final String UNREADABLE = "could not parse '%s' parameter";
  private static final Pattern WHOLE = Pattern.compile("[-+]?\\d{1,19}");
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
      throw new QueryException.Refused("query", "parse error : syntax error: unexpected $end");
    }
    return query;
  }

  List<String> all(String name) {
    return given.getAll(name);
  }

  /// `start` and `end`, or `since` before the end; the last hour when there is neither.
  Range range() {
    long end = time("end", nowNanos);
    String since = text("since");
    long before = since == null ? HOUR_NANOS : duration("since", since);
    long start = time("start", Math.min(end, nowNanos) - Math.min(before, NANOS_MAX));
    if (start > end) {
      throw new QueryException.Refused(
          "query",
          "end timestamp must not be before or equal to start time, got end %d and start %d"
              .formatted(end, start));
    }
    return new Range(start, end);
  }

  /// The instant of a query.
  long time() {
    return time("time", nowNanos);
  }

  private long time(String name, long absent) {
    String text = text(name);
    String about = name.equals("time") ? name : UNREADABLE.formatted(name);
    long nanos = text == null ? absent : time(about, text, nowNanos);
    return Math.clamp(nanos, NANOS_MIN, NANOS_MAX);
  }

  /// Nanoseconds, seconds with decimals, or RFC 3339.
  static long time(String name, String text, long nowNanos) {
    try {
      if (WHOLE.matcher(text).matches() && !SHORT.matcher(text).matches()) {
        return Long.parseLong(text);
      }
      if (DECIMAL.matcher(text).matches()) {
        return new BigDecimal(text)
            .multiply(BigDecimal.valueOf(SECOND_NANOS))
            .toBigInteger()
            .longValueExact();
      }
    } catch (ArithmeticException | NumberFormatException _) {
      throw new QueryException.Refused(name, "not a time: " + text);
    }
    return TimeText.parse(name, text, nowNanos);
  }

  private static long duration(String name, String text) {
    Long nanos = Units.nanos(text);
    if (nanos == null && DECIMAL.matcher(text).matches()) {
      BigDecimal exact = new BigDecimal(text).multiply(BigDecimal.valueOf(SECOND_NANOS));
      boolean fits = exact.abs().compareTo(BigDecimal.valueOf(Long.MAX_VALUE)) < 0;
      nanos = fits ? exact.longValue() : null;
    }
    if (nanos != null && nanos <= 0 && name.equals("step")) {
      throw new QueryException.Refused(
          "query",
          "zero or negative query resolution step widths are not accepted. Try a positive integer,"
              + " got step "
              + text);
    }
    boolean isSince = name.equals("since");
    if (nanos == null || nanos < (isSince ? 0 : 1)) {
      throw new QueryException.Refused(
          isSince ? UNREADABLE.formatted(name) : "query",
          "cannot parse \"%s\" to a valid duration such as 5m".formatted(text));
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
    return new LogRun.Page(isBackward(), limit(), interval, after != null, token);
  }

  /// The least time between one line and the next one; 0 for all lines.
  private long intervalNanos() {
    String interval = text("interval");
    if (interval == null) {
      return 0;
    }
    if (interval.startsWith("-")) {
      throw new QueryException.Refused("query", "interval must be >= 0, got " + interval);
    }
    return interval.matches("[0.]+[a-z]*") ? 0 : duration("interval", interval);
  }

  /// The instants of a range query of numbers.
  Steps steps() {
    Range range = range();
    String step = text("step");
    long nanos;
    if (step != null) {
      nanos = duration("step", step);
    } else {
      long seconds = (range.untilNanos() - range.fromNanos()) / STEPS_DEFAULT / SECOND_NANOS;
      nanos = Math.max(1, seconds) * SECOND_NANOS;
    }
    return Steps.of(range.fromNanos(), range.untilNanos(), nanos);
  }

  long limit() {
    return limit("limit", LIMIT_DEFAULT);
  }

  long limit(String name, long absent) {
    String text = text(name);
    if (text == null) {
      return absent;
    }
    if (!WHOLE.matcher(text).matches()) {
      throw new QueryException.Refused(name, "must be 1 to %d, got %s".formatted(LIMIT_MAX, text));
    }
    boolean isNegative = text.startsWith("-");
    long limit = isNegative ? 0 : text.length() > 9 ? Long.MAX_VALUE : Long.parseLong(text);
    if (limit < 1) {
      throw new QueryException.Refused("query", "limit must be a positive value, got " + text);
    }
    if (limit > LIMIT_MAX) {
      throw new QueryException.Refused(
          "query",
          "max entries limit per query exceeded, limit > max_entries_limit_per_query (%s > %d)"
              .formatted(text, LIMIT_MAX));
    }
    return limit;
  }

  /// A number of up to nine digits.
  static long whole(String name, String text) {
    if (text.startsWith("-") || text.length() > 9 || !SHORT.matcher(text).matches()) {
      throw new QueryException.Refused(name, "must be a whole number, got " + text);
    }
    return Long.parseLong(text);
  }

  /// True for newest first.
  boolean isBackward() {
    String text = text("direction");
    if (text == null) {
      return true;
    }
    return switch (text.toLowerCase(Locale.ROOT)) {
      case "backward" -> true;
      case "forward" -> false;
      default ->
          throw new QueryException.Refused(
              "query", "invalid direction '%s', must be forward or backward".formatted(text));
    };
  }
}
