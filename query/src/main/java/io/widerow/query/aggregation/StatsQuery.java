package io.widerow.query.aggregation;

import io.widerow.event.AttributeName;
import io.widerow.event.Level;
import io.widerow.event.LevelAttribute;
import io.widerow.query.NameText;
import io.widerow.query.QueryException;
import io.widerow.query.TimeText;
import io.widerow.rollup.RollupField;
import io.widerow.rollup.RollupFigure;
import io.widerow.rollup.RollupRequest;
import io.widerow.storage.Grouping;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// The aggregates of a query and their grouping: `stats=count,p99(ms)`, `by=status,host`,
/// `every=5m`, `order-by=count desc`, `limit=10`.
///
/// @param measures the aggregates, at least one
/// @param by names to group by: attributes as answers show them, and `type`
/// @param everyNanos width of a time step in nanoseconds; 0 for no grouping by time
/// @param order columns to sort the rows by, the first one first; then by time and attributes
/// @param limit at most so many rows, the first ones
public record StatsQuery(
    List<Aggregate> measures,
    List<AttributeName> by,
    long everyNanos,
    List<RowOrder> order,
    long limit) {
  public StatsQuery {
    measures = List.copyOf(measures);
    by = List.copyOf(by);
    order = List.copyOf(order);
    if (limit < 1) {
      throw new QueryException.Refused("limit", "must be at least 1, got " + limit);
    }
  }

  /// All rows, by time and attributes.
  public StatsQuery(List<Aggregate> measures, List<AttributeName> by, long everyNanos) {
    this(measures, by, everyNanos, List.of(), Long.MAX_VALUE);
  }

  /// All rows, by time and attributes.
  ///
  /// @return null when no aggregates are asked for
  public static @Nullable StatsQuery parse(
      @Nullable String stats, @Nullable String by, @Nullable String every) {
    if (stats == null) {
      if (by != null || every != null) {
        throw new QueryException.Refused("stats", "by and every need it; add --stats count");
      }
      return null;
    }
    List<Aggregate> measures = Aggregate.parse(stats);
    List<AttributeName> names = by == null ? List.of() : NameText.parseList("by", by);
    names.forEach(name -> Field.require("by", name));
    return new StatsQuery(measures, names, every == null ? 0 : TimeText.positive("every", every));
  }

  /// The same aggregates with their rows in another order.
  ///
  /// @param columns names of columns, each with `asc` or `desc`, separated by commas
  public StatsQuery withOrder(String columns) {
    return new StatsQuery(measures, by, everyNanos, RowOrder.parse(columns, heads()), limit);
  }

  /// The same aggregates, the first rows only.
  public StatsQuery withLimit(long newLimit) {
    return new StatsQuery(measures, by, everyNanos, order, newLimit);
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
    if (asksForBytes() || asksForNumbersOfType() || (level && names.contains(Level.FIELD))) {
      return null;
    }
    Grouping fold = new Grouping(names, everyNanos).withFields(aggregated());
    return level ? fold.withLevel() : fold;
  }

  /// True when the number of events of each group answers the query.
  public boolean isOfCounts() {
    return !asksForBytes() && aggregated().isEmpty();
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
    if (names.contains(Level.FIELD) || asksForNumbersOfType()) {
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
    measures.forEach(measure -> heads.add(measure.toString()));
    return heads;
  }

  /// Number of leading columns that are not aggregates.
  public int groupColumns() {
    return by.size() + (everyNanos == 0 ? 0 : 1);
  }
}
