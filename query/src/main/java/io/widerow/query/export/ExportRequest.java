package io.widerow.query.export;

import io.widerow.query.QueryException;
import io.widerow.query.RangeQuery;
import io.widerow.query.TimeText;
import io.widerow.query.result.FieldCheck;
import io.widerow.query.result.QueryParameters;
import io.widerow.query.result.RequestParameters;
import io.widerow.storage.Filters;
import io.widerow.storage.StoreView;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The parameters of an export: events and format. The parameters are those of a query that say
/// which events: `type`, `from`, `to`, `since`, `after` and `where`; `format`; and `now`, the
/// instant from which relative times count, so that an export that continues later requests the
/// same events.
///
/// @param query oldest first, whole events, without a limit
public record ExportRequest(RangeQuery query, ExportFormat format) {
  private static final List<String> KNOWN =
      List.of("after", "format", "from", "now", "since", "to", "type", "where");

  /// @param nowNanos current time for relative times, in nanoseconds since the Unix epoch
  /// @throws QueryException.Refused when a parameter is unknown or makes no sense
  public static ExportRequest parse(Map<String, List<String>> given, long nowNanos) {
    RequestParameters.requireKnown(given, KNOWN);
    Map<String, List<String>> range = new LinkedHashMap<>(given);
    range.remove("format");
    range.remove("now");
    String now = RequestParameters.single(given, "now");
    long counted = now == null ? nowNanos : TimeText.parse("now", now, nowNanos);
    RangeQuery query = QueryParameters.parse(range, counted).query();
    return new ExportRequest(query, format(RequestParameters.single(given, "format")));
  }

  /// The warnings about fields of the filter that no event of the range has; none for an export
  /// that continues from a position.
  public List<String> warnings(StoreView view) {
    return query.after() == null
        ? FieldCheck.of(view, query, Filters.named(query.filter()))
        : List.of();
  }

  private static ExportFormat format(@Nullable String name) {
    if (name == null) {
      return ExportFormat.ndjson;
    }
    for (ExportFormat format : ExportFormat.values()) {
      if (format.name().equals(name)) {
        return format;
      }
    }
    throw new QueryException.Refused("format", "must be parquet, csv or ndjson, got " + name);
  }
}
