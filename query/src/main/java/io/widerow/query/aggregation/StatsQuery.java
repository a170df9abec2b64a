package io.widerow.query.aggregation;

import io.widerow.event.AttributeName;
import io.widerow.event.Level;
import io.widerow.event.LevelAttribute;
import io.widerow.query.NameText;
import io.widerow.query.QueryException;
import io.widerow.query.RangeQuery;
import io.widerow.query.TimeText;
import io.widerow.rollup.RollupField;
import io.widerow.rollup.RollupFigure;
import io.widerow.rollup.RollupRequest;
import io.widerow.storage.Filters;
import io.widerow.storage.Grouping;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// The aggregates of a query and their grouping: `stats=count,p99(ms)`, `by=status,host`,
/// `every=5m`, `having=count > 10`, `order-by=count desc`, `limit=10`.
///
/// @param measures the aggregates that are computed, at least one
/// @param by names to group by: attributes as answers show them, and `type`
/// @param everyNanos width of a time step in nanoseconds; 0 for no grouping by time
/// @param rows the columns, order and number of the rows
public record StatsQuery(
    List<Aggregate> measures, List<AttributeName> by, long everyNanos, Rows rows) {
  public StatsQuery {
    measures = List.copyOf(measures);
    by = List.copyOf(by);
  }

  /// The rows that are made of the groups.
  ///
  /// @param columns numbers computed from the aggregates
  /// @param having keeps groups
  /// @param order columns to sort the rows by, the first one first; then by time and attributes
  /// @param limit at most so many rows, the first ones
  /// @param others whether the rest makes one more row; `limit` then is the number of groups of
  ///   each step of time, the same groups in all of them
  record Rows(
      List<StatsColumn> columns, Having having, List<RowOrder> order, long limit, boolean others) {
    Rows {
      columns = List.copyOf(columns);
      order = List.copyOf(order);
      if (limit < 1) {
        throw new QueryException.Refused("limit", "must be at least 1, got " + limit);
      }
    }

    /// All rows, a column for each aggregate.
    static Rows of(List<Aggregate> measures) {
      List<StatsColumn> columns = new ArrayList<>();
      for (Aggregate measure : measures) {
        columns.add(new StatsColumn(measure.toString(), new StatsExpression.Of(columns.size())));
      }
      return new Rows(columns, new Having.Everything(), List.of(), Long.MAX_VALUE, false);
    }
  }

  /// All rows, by time and attributes.
  public StatsQuery(List<Aggregate> measures, List<AttributeName> by, long everyNanos) {
    this(measures, by, everyNanos, Rows.of(measures));
  }

  /// The rows in an order, the first ones.
  StatsQuery(
      List<Aggregate> measures,
      List<AttributeName> by,
      long everyNanos,
      List<RowOrder> order,
      long limit) {
    this(
        measures,
        by,
        everyNanos,
        new Rows(Rows.of(measures).columns, new Having.Everything(), order, limit, false));
  }

  /// All rows, by time and attributes.
  ///
  /// @return null when no aggregates are asked for
  public static @Nullable StatsQuery parse(
      @Nullable String stats, @Nullable String by, @Nullable String every) {
    return parse(stats, by, every, 0);
  }

  /// The same, with conditions of aggregates that may name a time.
  ///
  /// @param nowNanos current time for relative times, in nanoseconds since the Unix epoch
  public static @Nullable StatsQuery parse(
      @Nullable String stats, @Nullable String by, @Nullable String every, long nowNanos) {
    if (stats == null) {
      if (by != null || every != null) {
        throw new QueryException.Refused("stats", "by and every need it; add --stats count");
      }
      return null;
    }
    List<Aggregate> measures = new ArrayList<>();
    List<StatsColumn> columns = new StatsParser("stats", stats, nowNanos, measures).columns();
    List<AttributeName> names = by == null ? List.of() : NameText.parseList("by", by);
    names.forEach(name -> Field.require("by", name));
    long step = every == null ? 0 : TimeText.positive("every", every);
    Rows rows = new Rows(columns, new Having.Everything(), List.of(), Long.MAX_VALUE, false);
    return new StatsQuery(measures, names, step, rows);
  }

  /// The same aggregates of groups that a condition keeps.
  ///
  /// @param nowNanos current time for relative times, in nanoseconds since the Unix epoch
  public StatsQuery withHaving(String text, long nowNanos) {
    List<Aggregate> all = new ArrayList<>(measures);
    Having having = new StatsParser("having", text, nowNanos, all).having();
    return new StatsQuery(
        all, by, everyNanos, new Rows(rows.columns, having, rows.order, rows.limit, rows.others));
  }

  /// The same aggregates, and one row of all groups beyond the limit.
  public StatsQuery withOthers() {
    if (rows.limit == Long.MAX_VALUE || by.isEmpty()) {
      throw new QueryException.Refused(
          "other", "is of the groups beyond a limit; add by and limit");
    }
    return with(new Rows(rows.columns, rows.having, rows.order, rows.limit, true));
  }

  /// The same columns of all events together.
  public StatsQuery ungrouped() {
    Rows all = new Rows(rows.columns, new Having.Everything(), List.of(), Long.MAX_VALUE, false);
    return new StatsQuery(measures, List.of(), 0, all);
  }

  private StatsQuery with(Rows newRows) {
    return new StatsQuery(measures, by, everyNanos, newRows);
  }

  /// Number of columns that are not of the group.
  public int columns() {
    return rows.columns.size();
  }

  /// The aggregate of each column; null for one that is computed from several.
  public List<@Nullable Aggregate> columnAggregates() {
    List<@Nullable Aggregate> aggregates = new ArrayList<>();
    for (StatsColumn column : rows.columns) {
      aggregates.add(
          column.value() instanceof StatsExpression.Of(int measure) ? measures.get(measure) : null);
    }
    return aggregates;
  }

  /// True when each column is an aggregate of all events, and all groups are rows.
  public boolean isPlain() {
    return rows.equals(Rows.of(measures)) && measures.stream().noneMatch(m -> m.where() != null);
  }

  /// The same aggregates with their rows in another order.
  ///
  /// @param columns names of columns, each with `asc` or `desc`, separated by commas
  public StatsQuery withOrder(String columns) {
    List<RowOrder> order = RowOrder.parse(columns, heads());
    return with(new Rows(rows.columns, rows.having, order, rows.limit, rows.others));
  }

  /// The same aggregates, the first rows only.
  public StatsQuery withLimit(long newLimit) {
    return with(new Rows(rows.columns, rows.having, rows.order, newLimit, rows.others));
  }

  /// The attributes that it reads (projection); null for all. Never empty, because an empty
  /// projection means all.
  public @Nullable List<AttributeName> fields() {
    if (asksForBytes()) {
      return null;
    }
    Set<AttributeName> fields = new LinkedHashSet<>();
    for (Field field : groups()) {
      if (field.kind() == Field.Kind.LEVEL) {
        fields.addAll(LevelAttribute.READ);
      } else {
        fields.add(field.name());
      }
    }
    for (Aggregate measure : measures) {
      AttributeName name = measure.name();
      if (name != null) {
        fields.add(NameText.stored(name));
      }
      if (measure.where() != null) {
        Filters.addColumns(measure.where().filter(), fields);
      }
    }
    if (fields.isEmpty()) {
      fields.add(Aggregation.TYPE);
    }
    return List.copyOf(fields);
  }

  /// The grouping for a scan that aggregates events of a group instead of returning each
  /// (aggregation pushdown); null when the query needs each event: for the bytes of events, for the
  /// type as a number, for groups by the level and by the attribute of its name.
  public @Nullable Grouping fold() {
    List<AttributeName> names = attributes();
    boolean level = groups().contains(Field.LEVEL);
    if (asksForBytes()
        || asksForNumbersOfType()
        || isConditional()
        || (level && names.contains(Level.FIELD))) {
      return null;
    }
    Grouping fold = new Grouping(names, everyNanos).withFields(aggregated());
    return level ? fold.withLevel() : fold;
  }

  /// The grouping for the scan of a query. If it makes fields of events, by the values of all
  /// fields that the aggregates read: each event of a group then has the same ones. Null when it
  /// needs each event: then for the bytes of events, and for conditions on more than attributes.
  public @Nullable Grouping fold(RangeQuery query) {
    if (query.derived() == null) {
      return fold();
    }
    List<AttributeName> names = fields();
    boolean isOfAttributes =
        measures.stream()
            .map(Aggregate::where)
            .allMatch(where -> where == null || Filters.isOfAttributes(where.filter()));
    return names == null || !isOfAttributes ? null : new Grouping(names, everyNanos);
  }

  /// True when the number of events of each group answers the query.
  public boolean isOfCounts() {
    return !asksForBytes() && !isConditional() && aggregated().isEmpty();
  }

  /// The aggregates of attributes that the groups do not tell. The type is none of them: a group
  /// has it.
  private List<RollupField> aggregated() {
    Map<AttributeName, Integer> needed = new TreeMap<>();
    for (Aggregate measure : measures) {
      AttributeName name = measure.name();
      RollupFigure figure = measure.figure();
      if (name != null
          && figure != null
          && !Field.of(name).isType()
          && !(measure.isCount() && isGroup(name))) {
        needed.merge(NameText.stored(name), figure.bit, (a, b) -> a | b);
      }
    }
    List<RollupField> fields = new ArrayList<>();
    needed.forEach((name, figures) -> fields.add(new RollupField(name, figures)));
    return fields;
  }

  /// The requirements for a rollup; its aggregates are merged bit for bit, so the result is the
  /// same. Null when no rollup can have it: a sum of the type's name, groups by the attribute that
  /// has the name of the level.
  public @Nullable RollupRequest question() {
    List<AttributeName> names = attributes();
    if (names.contains(Level.FIELD) || asksForNumbersOfType() || isConditional()) {
      return null;
    }
    List<AttributeName> grouped = new ArrayList<>(names);
    if (groups().contains(Field.LEVEL)) {
      grouped.add(Level.FIELD);
    }
    return new RollupRequest(grouped, aggregated(), everyNanos, asksForBytes());
  }

  private boolean asksForNumbersOfType() {
    return measures.stream()
        .anyMatch(measure -> {
          AttributeName name = measure.name();
          return name != null && Field.of(name).isType() && !measure.isCount();
        });
  }

  private boolean isConditional() {
    return measures.stream().anyMatch(measure -> measure.where() != null);
  }

  private boolean asksForBytes() {
    return measures.stream().anyMatch(Aggregate::isOfAll);
  }

  private List<Field> groups() {
    return by.stream().map(Field::group).toList();
  }

  /// True when events are grouped by the attribute of an aggregate.
  private boolean isGroup(AttributeName shown) {
    return groups().contains(Field.of(shown));
  }

  /// The attributes to group by.
  private List<AttributeName> attributes() {
    return groups().stream()
        .filter(field -> field.kind() == Field.Kind.ATTRIBUTE)
        .map(Field::name)
        .toList();
  }

  /// The column names: `ts` when grouped by time, then the attributes, then the aggregates.
  public List<String> heads() {
    List<String> heads = new ArrayList<>();
    if (everyNanos != 0) {
      heads.add("ts");
    }
    by.forEach(name -> heads.add(name.toString()));
    rows.columns.forEach(column -> heads.add(column.head()));
    return heads;
  }

  /// Number of leading columns that are not aggregates.
  public int groupColumns() {
    return by.size() + (everyNanos == 0 ? 0 : 1);
  }
}
