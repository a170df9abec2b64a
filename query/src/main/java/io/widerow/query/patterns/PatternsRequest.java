package io.widerow.query.patterns;

import io.widerow.event.AttributeName;
import io.widerow.query.NameText;
import io.widerow.query.QueryException;
import io.widerow.query.QueryMemory;
import io.widerow.query.RangeQuery;
import io.widerow.query.result.RequestParameters;
import io.widerow.query.survey.Survey;
import io.widerow.query.survey.SurveyParameters;
import io.widerow.query.survey.SurveyRequest;
import io.widerow.storage.StoreView;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The parameters of a survey of patterns: `type`, `from`, `to`, `since` and `where` as in a query;
/// `field`, whose texts are read; `limit`; `damage`; `budget`.
///
/// @param query the events
/// @param field the attribute with the texts
/// @param limit at most so many patterns
/// @param skipsDamage whether it skips parts that cannot be read
/// @param budgetNanos how long it may read
public record PatternsRequest(
    RangeQuery query, AttributeName field, int limit, boolean skipsDamage, long budgetNanos)
    implements SurveyRequest {
  private static final List<String> NAMES = SurveyParameters.names("field", "limit");
  private static final int LIMIT_DEFAULT = 100;
  private static final int LIMIT_MAX = 10_000;

  /// @param nowNanos current time for relative times, in nanoseconds since the Unix epoch
  /// @throws QueryException.Refused when a parameter makes no sense; the message holds it
  public static PatternsRequest parse(Map<String, List<String>> given, long nowNanos) {
    RequestParameters.requireKnown(given, NAMES);
    AttributeName field = field(RequestParameters.single(given, "field"));
    return new PatternsRequest(
        SurveyParameters.query(given, nowNanos).withFields(List.of(field)),
        field,
        RequestParameters.whole(given, "limit", 1, LIMIT_MAX, LIMIT_DEFAULT),
        RequestParameters.skipsDamage(given),
        SurveyParameters.budgetNanos(given));
  }

  @Override
  public Survey open(StoreView view, QueryMemory memory) {
    return new PatternsScan(view, this, memory);
  }

  private static AttributeName field(@Nullable String name) {
    if (name == null) {
      return AttributeName.BODY;
    }
    if (NameText.isOwn(name)) {
      throw new QueryException.Refused("field", "%s is no text of an event".formatted(name));
    }
    return NameText.stored(NameText.parse("field", name));
  }
}
