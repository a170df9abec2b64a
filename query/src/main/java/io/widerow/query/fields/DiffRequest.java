package io.widerow.query.fields;

import io.widerow.event.TimeUuid;
import io.widerow.query.QueryException;
import io.widerow.query.QueryMemory;
import io.widerow.query.RangeQuery;
import io.widerow.query.TimeText;
import io.widerow.query.result.RequestParameters;
import io.widerow.query.survey.Survey;
import io.widerow.query.survey.SurveyParameters;
import io.widerow.storage.StoreView;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The parameters of a comparison of two time ranges: `type`, `from`, `to`, `since` and `where` as
/// in a query for the later range; `beforefrom` and `beforeto` for the earlier range; `limit`;
/// `damage`; `budget`.
///
/// Without `to` the later range ends now. Without `beforefrom` and `beforeto` the earlier one is as
/// long and ends where the later one begins.
///
/// @param after the events of the later range
/// @param before partitions of the earlier range
/// @param limit at most so many differences
/// @param skipsDamage whether it skips parts that cannot be read
/// @param budgetNanos how long it may read
public record DiffRequest(
    RangeQuery after, RangeQuery before, int limit, boolean skipsDamage, long budgetNanos)
    implements CountingRequest {
  private static final List<String> NAMES =
      SurveyParameters.names("beforefrom", "beforeto", "limit");
  private static final int LIMIT_DEFAULT = 50;
  private static final int LIMIT_MAX = 10_000;

  /// @param nowNanos current time for relative times, in nanoseconds since the Unix epoch
  /// @throws QueryException.Refused when a parameter makes no sense; the message holds it
  public static DiffRequest parse(Map<String, List<String>> given, long nowNanos) {
    RequestParameters.requireKnown(given, NAMES);
    RangeQuery after = SurveyParameters.query(given, nowNanos);
    if (after.fromNanos() == TimeUuid.NANOS_MIN) {
      throw new QueryException.Refused("from", "is missing; give the start of the later range");
    }
    if (after.untilNanos() == TimeUuid.NANOS_LIMIT) {
      after = after.withRange(after.fromNanos(), nowNanos);
    }
    if (after.fromNanos() >= after.untilNanos()) {
      throw new QueryException.Refused("from", "lies after now; give --to too");
    }
    return new DiffRequest(
        after,
        after.withRange(beforeFrom(given, after, nowNanos), beforeTo(given, after, nowNanos)),
        RequestParameters.whole(given, "limit", 1, LIMIT_MAX, LIMIT_DEFAULT),
        RequestParameters.skipsDamage(given),
        SurveyParameters.budgetNanos(given));
  }

  private static long beforeFrom(Map<String, List<String>> given, RangeQuery after, long nowNanos) {
    String from = RequestParameters.single(given, "beforefrom");
    long start =
        from == null
            ? Math.max(
                TimeUuid.NANOS_MIN,
                beforeTo(given, after, nowNanos) - (after.untilNanos() - after.fromNanos()))
            : TimeText.parse("beforefrom", from, nowNanos);
    if (start >= beforeTo(given, after, nowNanos)) {
      throw new QueryException.Refused(
          "beforefrom", "the earlier range is empty: its start is not before its end");
    }
    return start;
  }

  private static long beforeTo(Map<String, List<String>> given, RangeQuery after, long nowNanos) {
    @Nullable String to = RequestParameters.single(given, "beforeto");
    return to == null ? after.fromNanos() : TimeText.parse("beforeto", to, nowNanos);
  }

  /// Opens a survey in which the later range is the pick and the earlier one is the rest.
  @Override
  public Survey open(StoreView view, QueryMemory memory, KnownFields known) {
    return new FieldsScan(
        view,
        known,
        List.of(
            new FieldsScan.Part(after, ValueCounts.PICKED),
            new FieldsScan.Part(before, ValueCounts.REST)),
        null,
        budgetNanos,
        skipsDamage,
        memory,
        (counted, out) -> DiffResult.write(this, counted, out));
  }
}
