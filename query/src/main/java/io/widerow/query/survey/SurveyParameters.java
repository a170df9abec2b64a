package io.widerow.query.survey;

import io.widerow.event.AttributeName;
import io.widerow.query.NameText;
import io.widerow.query.QueryException;
import io.widerow.query.RangeQuery;
import io.widerow.query.TimeText;
import io.widerow.query.filter.FilterParser;
import io.widerow.query.result.FieldCheck;
import io.widerow.query.result.QueryParameters;
import io.widerow.query.result.RequestParameters;
import io.widerow.storage.Filters;
import io.widerow.storage.StoreView;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/// The parameters that all surveys have: the selection of events, `damage` and `budget`.
public final class SurveyParameters {
  /// Of which events, as in a query.
  private static final List<String> OF_QUERY =
      List.of("type", "shard", "from", "to", "since", "where");

  private static final long BUDGET_DEFAULT_NANOS = 500_000_000L;
  private static final long BUDGET_MAX_NANOS = 3_600_000_000_000L;

  private SurveyParameters() {}

  /// The names of all parameters of a survey.
  ///
  /// @param own the parameters that only this survey has
  public static List<String> names(String... own) {
    List<String> names = new ArrayList<>(OF_QUERY);
    names.addAll(List.of(own));
    names.add("damage");
    names.add("budget");
    return List.copyOf(names);
  }

  /// The events.
  ///
  /// @param nowNanos current time for relative times, in nanoseconds since the Unix epoch
  /// @throws QueryException.Refused when a parameter makes no sense; the message holds it
  public static RangeQuery query(Map<String, List<String>> given, long nowNanos) {
    Map<String, List<String>> ofQuery = new HashMap<>(given);
    ofQuery.keySet().retainAll(OF_QUERY);
    return QueryParameters.parse(ofQuery, nowNanos).query();
  }

  /// The warnings about fields that `where`, `pick` and `field` name and no event of the range has.
  ///
  /// @param nowNanos current time for relative times, in nanoseconds since the Unix epoch
  public static List<String> warnings(
      StoreView view, Map<String, List<String>> given, long nowNanos) {
    RangeQuery query = query(given, nowNanos);
    Set<AttributeName> names = new HashSet<>(Filters.named(query.filter()));
    String pick = RequestParameters.single(given, "pick");
    if (pick != null) {
      names.addAll(Filters.named(FilterParser.parse(pick, nowNanos)));
    }
    String field = RequestParameters.single(given, "field");
    if (field != null) {
      names.add(NameText.stored(NameText.parse("field", field)));
    }
    return FieldCheck.of(view, query, names);
  }

  /// The time limit for reading, in nanoseconds: half a second by default, an hour at most.
  ///
  /// @throws QueryException.Refused when it is no duration
  public static long budgetNanos(Map<String, List<String>> given) {
    String budget = RequestParameters.single(given, "budget");
    return budget == null
        ? BUDGET_DEFAULT_NANOS
        : Math.min(BUDGET_MAX_NANOS, TimeText.positive("budget", budget));
  }
}
