package io.widerow.query.result;

import io.widerow.event.AttributeName;
import io.widerow.event.EventLayout;
import io.widerow.event.TimeUuid;
import io.widerow.query.LateEvent;
import io.widerow.query.NameText;
import io.widerow.query.QueryException;
import io.widerow.query.QueryMemory;
import io.widerow.query.RangeQuery;
import io.widerow.query.ReadMode;
import io.widerow.query.TimeText;
import io.widerow.query.TypeGlobs;
import io.widerow.query.aggregation.StatsQuery;
import io.widerow.query.aggregation.StatsWriter;
import io.widerow.query.filter.FilterParser;
import io.widerow.query.output.CsvWriter;
import io.widerow.query.output.EventWriter;
import io.widerow.query.output.JsonLinesWriter;
import io.widerow.query.output.OutputFormat;
import io.widerow.rollup.RollupRequest;
import io.widerow.storage.Arrivals;
import io.widerow.storage.Filter;
import io.widerow.storage.Grouping;
import io.widerow.storage.ScanWatch;
import io.widerow.storage.StoreView;
import io.widerow.storage.TypeInfo;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// The parameters of a query by name, as HTTP and the command line take them: `type` (repeatable,
/// glob), `shard`, `from`, `to`, `since`, `order`, `limit`, `after`, `arrived`, `where`, `fields`,
/// `format`, `csv-safe`; `stats`, `by`, `every`, `bars`, `having`, `order-by`, `other`, `rollup`
/// for aggregates of the events instead of the events; then `limit` counts their rows, and `damage`
/// sets how damaged parts are handled. An unknown name or an invalid value throws
/// [QueryException.Refused] with the value in its message.
///
/// @param query which events
/// @param format format of the result
/// @param figures which aggregates of the events; null for the events themselves
/// @param rollup whether the aggregates may come from kept ones
/// @param skipsDamage whether the aggregates leave out damaged parts, with a warning; else damage
///   is an error
/// @param extras options of the response in addition to the events
public record QueryParameters(
    RangeQuery query,
    Format format,
    @Nullable StatsQuery figures,
    Rollup rollup,
    boolean skipsDamage,
    ResponseOptions extras) {
  private static final Set<String> NAMES =
      Set.of(
          "type",
          "shard",
          "from",
          "to",
          "since",
          "order",
          "limit",
          "after",
          "arrived",
          "where",
          "fields",
          "format",
          "csv-safe",
          "stats",
          "by",
          "every",
          "bars",
          "having",
          "order-by",
          "other",
          "rollup",
          "damage",
          "explain",
          "cold-budget",
          "level",
          "progress",
          "download");

  /// The formats of HTTP answers.
  public enum Format {
    JSON("application/x-ndjson"),
    CSV("text/csv; charset=utf-8"),
    /// With the formula guard of [CsvWriter].
    CSV_SAFE("text/csv; charset=utf-8");

    public final String contentType;

    Format(String contentType) {
      this.contentType = contentType;
    }
  }

  /// The names of all parameters.
  public static List<String> names() {
    return NAMES.stream().sorted().toList();
  }

  /// @param nowNanos current time for relative times, in nanoseconds since the Unix epoch
  public static QueryParameters parse(Map<String, List<String>> given, long nowNanos) {
    RequestParameters.requireKnown(given, names());
    RangeQuery query =
        RangeQuery.ALL
            .withTypes(types(given.getOrDefault("type", List.of())))
            .withShard(shard(given))
            .withRange(from(given, nowNanos), until(given, nowNanos))
            .withDescending(descending(RequestParameters.single(given, "order")));
    if (query.fromNanos() >= query.untilNanos()) {
      throw new QueryException.Refused(
          "from", "the range is empty: its start is not before its end");
    }
    String after = RequestParameters.single(given, "after");
    String where = RequestParameters.single(given, "where");
    query = after == null ? query : query.withAfter(Positions.parse(after));
    String arrived = RequestParameters.single(given, "arrived");
    query = arrived == null ? query : query.withSince(arrivals(arrived));
    if (where != null) {
      query = query.withCondition(FilterParser.parsePipeline(where, nowNanos)).narrowed();
    }
    StatsQuery figures = figures(given, query, nowNanos);
    String limit = RequestParameters.single(given, "limit");
    if (figures == null) {
      query = limit == null ? query : query.withLimit(limit(limit));
      query = query.withFields(fields(given.getOrDefault("fields", List.of())));
    } else {
      figures = limit == null ? figures : figures.withLimit(limit(limit));
      figures = isTrue(given, "other") ? figures.withOthers() : figures;
      query = query.withFields(figures.fields());
    }
    Format format =
        format(
            RequestParameters.single(given, "format"), RequestParameters.single(given, "csv-safe"));
    return new QueryParameters(
        query,
        format,
        figures,
        rollup(given),
        skipsDamage(given),
        ResponseOptions.parse(given, format));
  }

  /// The aggregates, without a limit; null for events.
  private static @Nullable StatsQuery figures(
      Map<String, List<String>> given, RangeQuery query, long nowNanos) {
    String every = BarSteps.every(given, query, nowNanos);
    StatsQuery figures =
        StatsQuery.parse(
            RequestParameters.single(given, "stats"),
            RequestParameters.single(given, "by"),
            every,
            nowNanos);
    String having = RequestParameters.single(given, "having");
    if (having != null && figures != null) {
      figures = figures.withHaving(having, nowNanos);
    }
    if (figures == null && (having != null || given.containsKey("other"))) {
      throw new QueryException.Refused(
          having == null ? "other" : "having", "is of the rows of stats; add --stats count");
    }
    String orderBy = RequestParameters.single(given, "order-by");
    if (figures == null) {
      if (orderBy != null) {
        throw new QueryException.Refused(
            "order-by", "orders the rows of stats; add --stats count; order is that of events");
      }
      return null;
    }
    if (given.containsKey("fields")) {
      throw new QueryException.Refused("fields", "not together with stats, which shows no events");
    }
    if (given.containsKey("order")) {
      throw new QueryException.Refused(
          "order", "not together with stats, which shows no events; order rows with order-by");
    }
    return orderBy == null ? figures : figures.withOrder(orderBy);
  }

  private static boolean isTrue(Map<String, List<String>> given, String name) {
    String value = RequestParameters.single(given, name);
    return switch (value) {
      case null -> false;
      case "false" -> false;
      case "true" -> true;
      default -> throw new QueryException.Refused(name, "must be true or false, got " + value);
    };
  }

  private static Rollup rollup(Map<String, List<String>> given) {
    String rollup = RequestParameters.single(given, "rollup");
    if (rollup != null && !given.containsKey("stats")) {
      throw new QueryException.Refused(
          "rollup", "is for the aggregates of stats; add --stats count");
    }
    return Rollup.parse(rollup);
  }

  private static boolean skipsDamage(Map<String, List<String>> given) {
    if (RequestParameters.single(given, "damage") != null && !given.containsKey("stats")) {
      throw new QueryException.Refused(
          "damage", "is for the aggregates of stats; add --stats count");
    }
    return RequestParameters.skipsDamage(given);
  }

  private static TypeGlobs types(List<String> values) {
    for (String glob : values) {
      if (glob.isEmpty()) {
        throw new QueryException.Refused("type", "is empty");
      }
    }
    return new TypeGlobs(values);
  }

  private static int shard(Map<String, List<String>> given) {
    return RequestParameters.whole(
        given, "shard", 0, EventLayout.SHARD_LIMIT - 1, RangeQuery.ALL_SHARDS);
  }

  private static long from(Map<String, List<String>> given, long nowNanos) {
    String from = RequestParameters.single(given, "from");
    String since = RequestParameters.single(given, "since");
    if (from != null && since != null) {
      throw new QueryException.Refused("since", "give either from or since, not both");
    }
    if (since != null) {
      return TimeText.parse("since", since, nowNanos);
    }
    return from == null ? TimeUuid.NANOS_MIN : TimeText.parse("from", from, nowNanos);
  }

  private static long until(Map<String, List<String>> given, long nowNanos) {
    String to = RequestParameters.single(given, "to");
    return to == null ? TimeUuid.NANOS_LIMIT : TimeText.parse("to", to, nowNanos);
  }

  private static boolean descending(@Nullable String order) {
    return switch (order) {
      case null -> false;
      case "asc" -> false;
      case "desc" -> true;
      default -> throw new QueryException.Refused("order", "must be asc or desc, got " + order);
    };
  }

  private static long limit(String text) {
    try {
      return Long.parseLong(text);
    } catch (NumberFormatException notWhole) {
      throw new QueryException.Refused("limit", "must be a whole number, got " + text);
    }
  }

  private static Arrivals arrivals(String text) {
    try {
      return Arrivals.parse(text);
    } catch (IllegalArgumentException bad) {
      throw new QueryException.Refused("arrived", String.valueOf(bad.getMessage()));
    }
  }

  private static Format format(@Nullable String text) {
    return switch (text) {
      case null -> Format.JSON;
      case "json" -> Format.JSON;
      case "csv" -> Format.CSV;
      default -> throw new QueryException.Refused("format", "must be json or csv, got " + text);
    };
  }

  private static Format format(@Nullable String text, @Nullable String safe) {
    Format format = format(text);
    return switch (safe) {
      case null -> format;
      case "false" -> format;
      case "true" -> {
        if (format != Format.CSV) {
          throw new QueryException.Refused("csv-safe", "needs format=csv");
        }
        yield Format.CSV_SAFE;
      }
      default -> throw new QueryException.Refused("csv-safe", "must be true or false, got " + safe);
    };
  }

  private static @Nullable List<AttributeName> fields(List<String> values) {
    if (values.isEmpty()) {
      return null;
    }
    List<AttributeName> names = new ArrayList<>();
    for (String value : values) {
      NameText.parseList("fields", value).forEach(name -> names.add(NameText.stored(name)));
    }
    return names;
  }

  /// True when the query is for aggregates instead of events.
  public boolean asksForFigures() {
    return figures != null;
  }

  /// The grouping by which a scan may count events; null when the aggregates need each event.
  public @Nullable Grouping fold() {
    Grouping fold = figures == null ? null : figures.fold(query);
    return fold == null || !takesRollups() ? fold : fold.withCells();
  }

  /// No rollup has fields that are made of others.
  private boolean takesRollups() {
    return rollup != Rollup.OFF && query.derived() == null;
  }

  /// True when counts and bytes by minute, which every type has, answer the query.
  public boolean asksForCells() {
    RollupRequest asked = figures == null || !takesRollups() ? null : figures.question();
    return asked != null && asked.isOfMinutes() && query.filter() instanceof Filter.Everything;
  }

  /// The requirements for a rollup; null when no rollup may be used, or the rollups of [#fold] are.
  public @Nullable RollupRequest question() {
    StatsQuery asked = figures;
    return asked == null || !takesRollups() || (asksForCells() && asked.isOfCounts())
        ? null
        : asked.question();
  }

  /// The mode in which the query is read: in order for events, else that of [#countMode].
  public ReadMode readMode() {
    return figures == null ? ReadMode.IN_ORDER : countMode();
  }

  /// The mode for a reader that counts events: in any order, from rollups where these may answer,
  /// and with aggregates that outlive their events.
  public ReadMode countMode() {
    RollupRequest kept = figures == null || !takesRollups() ? null : figures.question();
    return ReadMode.grouped(fold())
        .withRollup(question())
        .withKept(new ReadMode.Kept(kept))
        .withDamageSkipped(skipsDamage);
  }

  /// True when rollups answer the query or may answer it, see [RollupUse].
  public boolean mayUseRollups(StoreView view) {
    return asksForCells() ? view.hasCells() : question() != null && view.hasRollups();
  }

  /// Refuses what rollups do not answer for each type when only they are wanted.
  public void requireRollup(StoreView view) {
    if (rollup != Rollup.ONLY) {
      return;
    }
    if (!view.hasCells()) {
      throw new QueryException.Refused("rollup", "only: this store keeps no rollups");
    }
    if (asksForCells()) {
      return;
    }
    RollupRequest asked = question();
    List<String> without =
        view.types(query.types()).stream()
            .map(TypeInfo::type)
            .filter(type -> asked == null || !view.hasRollup(type, query.filter(), asked))
            .toList();
    if (!without.isEmpty() || asked == null || !view.hasRollups()) {
      throw new QueryException.Refused(
          "rollup",
          "only: no rollup has this%s; all types have count every so many minutes, without a filter"
              .formatted(without.isEmpty() ? "" : " of " + without.getFirst()));
    }
  }

  /// The writer of the result, with times in UTC and no limit on its memory.
  public EventWriter writer() {
    return writer(QueryMemory.unlimited());
  }

  /// The writer of a result without damage, with times in UTC.
  ///
  /// @param memory the budget that it shares with other queries
  public EventWriter writer(QueryMemory memory) {
    return writer(memory, List::of, null);
  }

  /// The writer of the result, with times in UTC.
  ///
  /// @param memory the budget that it shares with other queries
  /// @param unread the damaged parts that the aggregates lack, when all are computed
  /// @param check warns of fields that no event has; null for no warnings
  public EventWriter writer(
      QueryMemory memory, Supplier<List<ScanWatch.Unread>> unread, @Nullable FieldCheck check) {
    boolean json = format == Format.JSON;
    EventWriter events =
        json ? lines() : new CsvWriter(ZoneOffset.UTC, columns(), format == Format.CSV_SAFE);
    if (figures == null) {
      return check == null || !json ? events : new CheckedResult(events, check, true);
    }
    OutputFormat output = json ? OutputFormat.json : OutputFormat.csv;
    StatsWriter rows = new StatsWriter(output, format == Format.CSV_SAFE);
    return new StatsResult(figures, rows, ZoneOffset.UTC, events, memory, unread, json, check);
  }

  /// What warns of fields that no event of the range has; null for what goes on from a position,
  /// where one result of many says nothing about the range.
  ///
  /// @param view the one that is read
  public @Nullable FieldCheck check(StoreView view) {
    return query.after() != null || query.since() != null
        ? null
        : new FieldCheck(view, query, figures == null ? query.fields() : null);
  }

  private JsonLinesWriter lines() {
    return extras.level()
        ? JsonLinesWriter.withLevels(ZoneOffset.UTC)
        : new JsonLinesWriter(ZoneOffset.UTC, query.fields());
  }

  /// The fields of the query. Where late events may come, their flag is the last column.
  private @Nullable List<AttributeName> columns() {
    List<AttributeName> fields = query.fields();
    if (fields == null || query.since() == null || fields.contains(LateEvent.FLAG)) {
      return fields;
    }
    List<AttributeName> columns = new ArrayList<>(fields);
    columns.add(LateEvent.FLAG);
    return columns;
  }
}
