package io.widerow.cql.plan;

import io.widerow.cql.CqlException;
import io.widerow.cql.parse.Relation.Operator;
import io.widerow.cql.parse.Statement;
import io.widerow.cql.schema.Column;
import io.widerow.cql.schema.Column.Kind;
import io.widerow.cql.schema.Table;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Checks the conditions and orders of a query: a table supports the ones that one read in order
/// can serve. ALLOW FILTERING permits all other conditions, and each row is then tried.
///
/// @param keys conditions on several columns at once
/// @param ordered whether one order goes over all partitions
record WhereValidator(
    Table table,
    List<Restriction> where,
    List<KeyRestriction> keys,
    boolean filtering,
    boolean ordered) {
  static final String LIKE =
      "LIKE restriction is only supported on properly indexed columns. %s is not valid.";

  static final String SLICE = "Multi-column slice restrictions cannot be used for filtering.";
  private static final String FILTERING =
      "Cannot execute this query as it might involve data filtering and thus may have unpredictable"
          + " performance. If you want to execute this query despite the performance"
          + " unpredictability, use ALLOW FILTERING";

  /// @throws CqlException when the conditions are not supported
  void requireConditions() {
    if (!ordered) {
      for (Restriction each : where) {
        if (each.operator() == Operator.LIKE) {
          throw CqlException.invalid(LIKE.formatted(each.relation()));
        }
      }
    }
    IndexRules indexes = new IndexRules(table, where, keys);
    if (indexes.hasIndex()) {
      indexes.requireOneKey(areRanges());
      if (!filtering && indexes.needsFiltering(areRanges())) {
        throw CqlException.invalid(FILTERING);
      }
      return;
    }
    if (filtering) {
      return;
    }
    boolean some = where.stream().anyMatch(WhereValidator::isPartition);
    boolean named = ordered || namesPartitions();
    if (!named && some) {
      throw CqlException.invalid(FILTERING);
    }
    if (!ordered) {
      requireClustering();
    }
    for (Restriction restriction : where) {
      boolean key = restriction.column().isKey() && restriction.key() == null;
      boolean like = restriction.operator() == Operator.LIKE;
      boolean slicedType = isPartition(restriction) && restriction.operator().isSlice();
      boolean served = ordered && isServedByStore(restriction);
      if ((!key || slicedType || (like && !isPartition(restriction))) && !served) {
        throw CqlException.invalid(FILTERING);
      }
    }
    if (!named && areOfRows()) {
      throw CqlException.invalid(FILTERING);
    }
  }

  /// Attributes of events that are equal to a value, or are there, are found by the dictionaries
  /// and filters of the store.
  private static boolean isServedByStore(Restriction restriction) {
    return (restriction.key() != null
            && (restriction.operator() == Operator.EQ || restriction.operator() == Operator.IN))
        || restriction.operator() == Operator.CONTAINS_KEY;
  }

  /// The same for a change, which is of the rows that its conditions name: all of them must.
  ///
  /// @param statement `INSERT`, `UPDATE` or `DELETE`
  void requireNamedRows(String statement) {
    if (keys.stream().anyMatch(each -> each.relation().token())) {
      throw CqlException.invalid(
          "The token function cannot be used in WHERE clauses for %s statements"
              .formatted(statement));
    }
    List<String> missing = missing(Kind.PARTITION_KEY);
    if (!missing.isEmpty()) {
      throw CqlException.invalid(
          "Some partition key parts are missing: %s".formatted(String.join(", ", missing)));
    }
    if (!namesPartitions()) {
      throw CqlException.invalid(
          ("Only EQ and IN relation are supported on the partition key (unless you use the token()"
                  + " function) for %s statements")
              .formatted(statement));
    }
  }

  /// @throws CqlException when one column of another kind has a condition
  void requireOnlyKeys() {
    for (Restriction each : where) {
      if (!each.column().isKey()) {
        throw CqlException.invalid(
            "Non PRIMARY KEY columns found in where clause: %s".formatted(each.column().name()));
      }
    }
  }

  /// The columns of a kind that have no condition.
  List<String> missing(Kind kind) {
    List<String> missing = new ArrayList<>();
    for (Column column : table.of(kind)) {
      if (of(column) == null && tuple(column) == null) {
        missing.add(column.name());
      }
    }
    return missing;
  }

  /// True when a condition is a range of clustering columns.
  boolean isSliced() {
    return where.stream()
            .anyMatch(each -> each.operator().isSlice() && each.column().kind() == Kind.CLUSTERING)
        || keys.stream().anyMatch(KeyRestriction::isSlice);
  }

  /// A range over several columns determines the rows to read; it is not tried on rows.
  ///
  /// @throws CqlException when there is one that cannot
  void requireReadRanges() {
    new IndexRules(table, where, keys).requireReadRanges(areRanges());
    boolean chosen = true;
    KeyRestriction before = null;
    for (Column column : table.of(Kind.CLUSTERING)) {
      KeyRestriction several = tuple(column);
      if (several != null
          && before != null
          && several.columns().getFirst().equals(before.columns().getFirst())) {
        continue; // the same range, or its other bound
      }
      if (several != null && several.isSlice() && !chosen) {
        throw CqlException.invalid(SLICE);
      }
      Restriction found = of(column);
      chosen &= several == null ? found != null && found.isExact() : !several.isSlice();
      before = several;
    }
  }

  /// True when a condition is about a clustering column.
  boolean areOfRows() {
    return where.stream().anyMatch(each -> each.column().kind() == Kind.CLUSTERING)
        || keys.stream().anyMatch(each -> !each.relation().token());
  }

  private static boolean isPartition(Restriction restriction) {
    return restriction.column().kind() == Kind.PARTITION_KEY;
  }

  private @Nullable KeyRestriction tuple(Column column) {
    for (KeyRestriction each : keys) {
      if (!each.relation().token() && each.columns().contains(column)) {
        return each;
      }
    }
    return null;
  }

  /// @throws CqlException unless the conditions on clustering columns are ranges of rows
  void requireClustering() {
    Column open = null; // the first one without a condition, and
    Column sliced = null; // the first one with a range
    for (Column column : table.of(Kind.CLUSTERING)) {
      Restriction found = of(column);
      KeyRestriction several = tuple(column);
      if (found == null && several == null) {
        open = open == null ? column : open;
        continue;
      }
      if (several != null && sliced != null && several.columns().contains(sliced)) {
        continue; // the same range
      }
      if (sliced != null) {
        throw CqlException.invalid(
            ("Clustering column \"%s\" cannot be restricted (preceding column \"%s\" is restricted"
                    + " by a non-EQ relation)")
                .formatted(column.name(), sliced.name()));
      }
      if (found != null && found.isOfElements()) {
        throw CqlException.invalid(
            "Clustering columns can only be restricted with CONTAINS with a secondary index or"
                + " filtering");
      }
      if (open != null) {
        throw CqlException.invalid(
            ("PRIMARY KEY column \"%s\" cannot be restricted as preceding column \"%s\" is not"
                    + " restricted")
                .formatted(column.name(), open.name()));
      }
      boolean slice =
          found == null ? several != null && several.isSlice() : found.operator().isSlice();
      sliced = slice ? column : null;
    }
  }

  /// True when the conditions on clustering columns are ranges of rows.
  private boolean areRanges() {
    boolean open = false;
    for (Column column : table.of(Kind.CLUSTERING)) {
      Restriction found = of(column);
      KeyRestriction several = tuple(column);
      if (found == null && several == null) {
        open = true;
        continue;
      }
      boolean part =
          found != null
              && (found.operator() == Operator.CONTAINS
                  || found.operator() == Operator.CONTAINS_KEY);
      if (open || part) {
        return false;
      }
      open = found != null && found.operator().isSlice();
    }
    return true;
  }

  private @Nullable Restriction of(Column column) {
    for (Restriction restriction : where) {
      if (restriction.column().equals(column)) {
        return restriction;
      }
    }
    return null;
  }

  /// Whether rows are read against the order of the clustering columns.
  ///
  /// @throws CqlException when the order is another one
  boolean isReversed(List<Statement.Ordering> orders) {
    if (orders.isEmpty()) {
      return false;
    }
    if (!ordered && new IndexRules(table, where, keys).usesIndex(areRanges())) {
      throw CqlException.invalid(
          "ORDER BY with 2ndary indexes is not supported, except for ANN queries.");
    }
    if (!ordered && !namesPartitions()) {
      throw CqlException.invalid(
          "ORDER BY is only supported when the partition key is restricted by an EQ or an IN.");
    }
    List<Column> clustering = table.of(Kind.CLUSTERING);
    int next = 0;
    Boolean reversed = null;
    for (Statement.Ordering order : orders) {
      Column column = ordering(order);
      while (next < clustering.size()
          && !clustering.get(next).equals(column)
          && isFixed(clustering.get(next))) {
        next++;
      }
      if (next == clustering.size() || !clustering.get(next).equals(column)) {
        throw CqlException.invalid(
            "Order by currently only supports the ordering of columns following their declared"
                + " order in the PRIMARY KEY");
      }
      next++;
      boolean turned = order.descending() != column.descending();
      if (reversed != null && reversed != turned) {
        throw CqlException.invalid("Unsupported order by relation");
      }
      reversed = turned;
    }
    return Boolean.TRUE.equals(reversed);
  }

  /// True when each column of the partition key has its values.
  boolean namesPartitions() {
    return table.of(Kind.PARTITION_KEY).stream()
        .map(this::of)
        .allMatch(found -> found != null && found.isExact());
  }

  private Column ordering(Statement.Ordering order) {
    int index = table.find(order.column());
    if (index < 0) {
      throw CqlException.invalid(
          "Undefined column name %s in table %s".formatted(order.column(), table.qualified()));
    }
    Column column = table.columns().get(index);
    if (column.kind() != Kind.CLUSTERING) {
      throw CqlException.invalid(
          ("Order by is currently only supported on the clustered columns of the PRIMARY KEY, got"
                  + " %s")
              .formatted(column.name()));
    }
    return column;
  }

  private boolean isFixed(Column column) {
    Restriction found = of(column);
    KeyRestriction several = tuple(column);
    return (found != null && found.isOneValue()) || (several != null && several.isOneValue());
  }
}
