package io.widerow.query.fields;

import io.widerow.event.AttributeName;
import io.widerow.event.LevelAttribute;
import io.widerow.event.TimeUuid;
import io.widerow.query.NameText;
import io.widerow.query.QueryException;
import io.widerow.query.QueryMemory;
import io.widerow.query.RangeQuery;
import io.widerow.query.TimeText;
import io.widerow.query.filter.FilterParser;
import io.widerow.query.result.RequestParameters;
import io.widerow.query.survey.Survey;
import io.widerow.query.survey.SurveyParameters;
import io.widerow.storage.Filter;
import io.widerow.storage.StoreView;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// The parameters of a survey of fields: `type`, `shard`, `from`, `to`, `since` and `where` as in a
/// query; `top`; `pick`, `pickfrom` and `pickto` for the events that are compared with the rest;
/// `damage`; `budget`.
///
/// @param query the events
/// @param field the only requested field, as results show it; null for all
/// @param top at most so many values of a field
/// @param pick which of the events are compared with the rest; null for none
/// @param skipsDamage whether it skips parts that cannot be read
/// @param budgetNanos how long it may read
public record FieldsRequest(
    RangeQuery query,
    @Nullable String field,
    int top,
    @Nullable Pick pick,
    boolean skipsDamage,
    long budgetNanos)
    implements CountingRequest {
  private static final List<String> NAMES =
      SurveyParameters.names("top", "pick", "pickfrom", "pickto");
  private static final int TOP_OF_ALL = 8;
  private static final int TOP_OF_ONE = 100;
  private static final int TOP_MAX = 10_000;

  /// Some of the events.
  ///
  /// @param fromNanos start (inclusive), nanoseconds since the Unix epoch
  /// @param untilNanos end (exclusive), nanoseconds since the Unix epoch
  public record Pick(Filter filter, long fromNanos, long untilNanos) {
    /// The fields that its filter names, as answers show them.
    Set<String> names() {
      Set<String> names = new HashSet<>();
      addNames(filter, names);
      return names;
    }

    /// A filter for the events that are not picked.
    Filter others() {
      return new Filter.Not(
          new Filter.And(
              List.of(
                  new Filter.OfTime(Filter.Comparison.GREATER_OR_EQUAL, fromNanos),
                  new Filter.OfTime(Filter.Comparison.LESS, untilNanos),
                  filter)));
    }

    private static void addNames(Filter filter, Set<String> to) {
      switch (filter) {
        case Filter.Everything _, Filter.OfTime _, Filter.OfId _, Filter.ArrivedBefore _ -> {}
        case Filter.And(var parts) -> parts.forEach(part -> addNames(part, to));
        case Filter.Or(var parts) -> parts.forEach(part -> addNames(part, to));
        case Filter.Not(Filter inner) -> addNames(inner, to);
        case Filter.OfType _ -> to.add("type");
        case Filter.OfLevel _, Filter.HasLevel _ ->
            LevelAttribute.all().stream()
                .filter(attribute -> attribute.scale() != LevelAttribute.Scale.STATUS)
                .forEach(attribute -> add(attribute.name(), to));
        case Filter.Exists(var name) -> add(name, to);
        case Filter.Compare(var name, var _, var _) -> add(name, to);
        case Filter.Contains(var name, var _) -> add(name, to);
        case Filter.ContainsFolded(var name, var _) -> add(name, to);
        case Filter.Has(var name, var _) -> add(name, to);
        case Filter.Matches(var name, var _) -> add(name, to);
      }
    }

    private static void add(AttributeName name, Set<String> to) {
      to.add(NameText.shown(name.toString()));
    }
  }

  /// @param field the only field wanted; null for all
  /// @param nowNanos current time for relative times, in nanoseconds since the Unix epoch
  /// @throws QueryException.Refused when a parameter makes no sense; the message holds it
  public static FieldsRequest parse(
      Map<String, List<String>> given, @Nullable String field, long nowNanos) {
    RequestParameters.requireKnown(given, NAMES);
    RangeQuery query = SurveyParameters.query(given, nowNanos);
    Pick pick = pick(given, nowNanos);
    if (field != null) {
      query = query.withFields(column(field));
    }
    return new FieldsRequest(
        query,
        field,
        RequestParameters.whole(given, "top", 1, TOP_MAX, field == null ? TOP_OF_ALL : TOP_OF_ONE),
        pick,
        RequestParameters.skipsDamage(given),
        SurveyParameters.budgetNanos(given));
  }

  /// Returns the attribute to read for one field.
  private static List<AttributeName> column(String field) {
    if (NameText.isOwn(field) && !field.equals("type")) {
      throw new QueryException.Refused(field, "each event has its own; ask /v1/query");
    }
    return List.of(NameText.stored(NameText.parse("field", field)));
  }

  private static @Nullable Pick pick(Map<String, List<String>> given, long nowNanos) {
    String filter = RequestParameters.single(given, "pick");
    String from = RequestParameters.single(given, "pickfrom");
    String to = RequestParameters.single(given, "pickto");
    if (filter == null && from == null && to == null) {
      return null;
    }
    Pick pick =
        new Pick(
            filter == null ? new Filter.Everything() : FilterParser.parse(filter, nowNanos),
            from == null ? TimeUuid.NANOS_MIN : TimeText.parse("pickfrom", from, nowNanos),
            to == null ? TimeUuid.NANOS_LIMIT : TimeText.parse("pickto", to, nowNanos));
    if (pick.fromNanos >= pick.untilNanos) {
      throw new QueryException.Refused(
          "pickfrom", "the range is empty: its start is not before its end");
    }
    return pick;
  }

  @Override
  public Survey open(StoreView view, QueryMemory memory, KnownFields known) {
    return new FieldsScan(
        view,
        known,
        parts(),
        field,
        budgetNanos,
        skipsDamage,
        memory,
        (counted, out) -> FieldsResult.write(this, counted, out));
  }

  /// Returns the parts to read: the picked events, if there is a pick, and the rest.
  private List<FieldsScan.Part> parts() {
    Pick some = pick;
    return some == null
        ? List.of(new FieldsScan.Part(query, ValueCounts.REST))
        : List.of(
            new FieldsScan.Part(picked(some), ValueCounts.PICKED),
            new FieldsScan.Part(query.withFurther(some.others()), ValueCounts.REST));
  }

  private RangeQuery picked(Pick part) {
    long from = Math.max(query.fromNanos(), part.fromNanos);
    long until = Math.max(from, Math.min(query.untilNanos(), part.untilNanos));
    return query.withRange(from, until).withFurther(part.filter);
  }
}
