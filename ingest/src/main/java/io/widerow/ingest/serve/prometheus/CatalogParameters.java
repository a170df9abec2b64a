package io.widerow.ingest.serve.prometheus;

import com.linecorp.armeria.common.QueryParams;
import io.widerow.event.AttributeName;
import io.widerow.query.QueryException;
import io.widerow.query.promql.PromqlExpr;
import io.widerow.query.promql.PromqlParser;
import io.widerow.query.series.SeriesScan.Range;
import io.widerow.query.series.SeriesSelector;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.DateTimeException;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

/// The parameters of queries for labels and series. Unknown parameters are ignored, as in
/// Prometheus.
///
/// @param given in the path and in a form
/// @param logLabels see [SeriesSelector]
record CatalogParameters(QueryParams given, Set<AttributeName> logLabels) {
  private static final int SELECTORS_MAX = 100;
  private static final Pattern SECONDS =
      Pattern.compile("-?\\d{1,19}(\\.\\d{0,18})?([eE][+]?\\d{1,2})?");
  private static final double DURATION_MAX = 1e15;

  /// `start` and `end`, both inside; everything without them.
  Range range() {
    Range range = new Range(millis("start", Long.MIN_VALUE), millis("end", Long.MAX_VALUE));
    if (range.lastMillis() < range.fromMillis()) {
      throw new QueryException.Refused(
          "end", "%s is before start, %s".formatted(given.get("end"), given.get("start")));
    }
    return range;
  }

  /// A time in milliseconds: seconds since the Unix epoch, or RFC 3339.
  long millis(String name, long absent) {
    String text = given.get(name, "").strip();
    if (text.isEmpty()) {
      return absent;
    }
    if (SECONDS.matcher(text).matches()) {
      BigDecimal millis = new BigDecimal(text).movePointRight(3).setScale(0, RoundingMode.FLOOR);
      BigDecimal least = millis.max(BigDecimal.valueOf(Long.MIN_VALUE));
      return least.min(BigDecimal.valueOf(Long.MAX_VALUE)).longValueExact();
    }
    try {
      return OffsetDateTime.parse(text).toInstant().toEpochMilli();
    } catch (DateTimeException | ArithmeticException none) {
      throw new QueryException.Refused(name, "must be seconds or RFC 3339, got " + text);
    }
  }

  /// The most things to answer with; all when it is 0 or absent.
  long limit() {
    String text = given.get("limit", "");
    try {
      long limit = text.isEmpty() ? 0 : Long.parseLong(text);
      if (limit >= 0) {
        return limit == 0 ? Long.MAX_VALUE : limit;
      }
    } catch (NumberFormatException notWhole) { // said below
    }
    throw new QueryException.Refused("limit", "must be a whole number from 0, got " + text);
  }

  /// A length of time in milliseconds: seconds, or a duration such as `5m`.
  long duration(String name, long absent) {
    String text = given.get(name, "").strip();
    if (text.isEmpty()) {
      return absent;
    }
    if (PromqlParser.parse(name, text)
            instanceof PromqlExpr.NumberLiteral(double seconds, var _, var _)
        && seconds < DURATION_MAX) {
      return Math.round(seconds * 1e3);
    }
    throw new QueryException.Refused(name, "must be seconds or a duration, got " + text);
  }

  /// A text; empty when it is missing.
  String text(String name) {
    return given.get(name, "");
  }

  /// A text.
  ///
  /// @throws QueryException.Refused when it is missing
  String required(String name) {
    String text = given.get(name, "");
    if (text.isEmpty()) {
      throw new QueryException.Refused(name, "is missing");
    }
    return text;
  }

  /// Every `match[]`; one that keeps all series when there is none.
  List<SeriesSelector> selectors() {
    List<String> texts = given.getAll("match[]");
    if (texts.size() > SELECTORS_MAX) {
      throw new QueryException.Refused(
          "match[]", "at most %d, got %d".formatted(SELECTORS_MAX, texts.size()));
    }
    return texts.isEmpty()
        ? List.of(new SeriesSelector(List.of(), logLabels))
        : texts.stream().map(this::selector).toList();
  }

  boolean hasSelectors() {
    return !given.getAll("match[]").isEmpty();
  }

  /// A selector of PromQL, such as `up` or `up{job="x"}`.
  private SeriesSelector selector(String text) {
    return new SeriesSelector(PromqlParser.matchers("match[]", text), logLabels);
  }
}
