package io.widerow.query.result;

import io.widerow.event.AttributeName;
import io.widerow.query.QueryException;
import io.widerow.query.RangeQuery;
import io.widerow.query.TimeText;
import io.widerow.query.Token;
import io.widerow.query.aggregation.StatsQuery;
import io.widerow.storage.Arrivals;
import io.widerow.storage.Filters;
import io.widerow.storage.StoreView;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// The parameters of a continuous query, as HTTP and the command line take them: `type`, `where`,
/// `stats`, `by` and `every` as for a query; `lag` is the age at which a step has ended; `after`
/// and `arrived` are the position at the end of the previous response.
///
/// @param query which events, without a range of time
/// @param figures the aggregates, in steps
/// @param lagNanos the watermark is so long ago
/// @param after the end of the last step that was shown; null to begin with the next to pass
/// @param arrived the position in the order of arrival up to which steps before `after` are right
public record ContinuousQuery(
    RangeQuery query,
    StatsQuery figures,
    long lagNanos,
    @Nullable Token after,
    @Nullable Arrivals arrived) {
  public static final String LAG_DEFAULT = "2s";

  private static final List<String> NAMES =
      List.of("type", "where", "stats", "by", "every", "lag", "after", "arrived");
  private static final long MILLI_NANOS = 1_000_000;

  /// The warnings about fields that no event of the last day has.
  public List<String> warnings(StoreView view, long nowNanos) {
    Set<AttributeName> names = FieldCheck.named(figures);
    names.addAll(Filters.named(query.filter()));
    return FieldCheck.ofLastDay(view, query, names, nowNanos);
  }

  /// @throws QueryException.Refused when a name is unknown or a value makes no sense
  public static ContinuousQuery parse(Map<String, List<String>> given, long nowNanos) {
    RequestParameters.requireKnown(given, NAMES.stream().sorted().toList());
    String lag = RequestParameters.single(given, "lag");
    Map<String, List<String>> others = new HashMap<>(given);
    others.remove("lag");
    QueryParameters parsed = QueryParameters.parse(others, nowNanos);
    StatsQuery figures = parsed.figures();
    if (figures == null) {
      throw new QueryException.Refused("stats", "is missing, such as count");
    }
    if (figures.everyNanos() == 0 || figures.everyNanos() % MILLI_NANOS != 0) {
      throw new QueryException.Refused(
          "every",
          figures.everyNanos() == 0
              ? "is missing, such as 1m"
              : "must be whole milliseconds, got "
                  + given.getOrDefault("every", List.of("")).getFirst());
    }
    RangeQuery query = parsed.query();
    return new ContinuousQuery(
        query.withSince(null).withAfter(null),
        figures,
        TimeText.positive("lag", lag == null ? LAG_DEFAULT : lag),
        query.after(),
        query.since());
  }
}
