package io.widerow.cql.plan;

import io.widerow.cql.CqlException;
import io.widerow.cql.parse.Relation.Operator;
import io.widerow.cql.parse.Statement;
import io.widerow.cql.schema.Column;
import io.widerow.cql.schema.Column.Kind;
import io.widerow.cql.schema.Table;
import io.widerow.cql.type.CqlType;
import io.widerow.cql.type.NativeType;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Which conditions and orders a table answers: those that one read in order can give. ALLOW
/// FILTERING lets every other condition through, and each row is then tried.
///
/// @param keys conditions on several columns at once
/// @param ordered whether one order goes over all partitions
record WhereRules(
    Table table,
    List<Restriction> where,
    List<KeyRestriction> keys,
    boolean filtering,
    boolean ordered) {
  private static final String FILTERING =
      "Cannot execute this query as it might involve data filtering and thus may have unpredictable"
          + " performance. If you want to execute this query despite the performance"
          + " unpredictability, use ALLOW FILTERING";

  /// @throws CqlException when the conditions cannot be answered
  void requireConditions() {
    for (Column column : table.columns()) {
      requireOne(column);
    }
    if (filtering) {
      return;
    }
    for (Restriction restriction : where) {
      boolean key = restriction.column().isKey() && restriction.key() == null;
      boolean like = restriction.operator() == Operator.LIKE;
      boolean slicedType =
          restriction.column().kind() == Kind.PARTITION_KEY && restriction.operator().isSlice();
      if (!key || slicedType || (like && !isPartition(restriction))) {
        throw CqlException.invalid(FILTERING);
      }
    }
    if (!ordered && !(where.isEmpty() && keys.isEmpty())) {
      requirePartition();
      requireClustering();
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

  /// What no table answers about a column.
  private void requireOne(Column column) {
    List<Restriction> all =
        where.stream().filter(each -> each.column().equals(column) && each.key() == null).toList();
    if (!ordered && all.stream().anyMatch(each -> each.operator() == Operator.LIKE)) {
      throw CqlException.invalid(
          "LIKE restriction is only supported on properly indexed columns. %s is not valid."
              .formatted(all.getFirst().relation()));
    }
    requireSimple(column, all);
  }

  /// What no read answers, whatever it filters.
  private static void requireSimple(Column column, List<Restriction> all) {
    for (Restriction each : all) {
      Operator operator = each.operator();
      boolean compares = operator == Operator.EQ || operator == Operator.IN || operator.isSlice();
      boolean cells = compares && column.type().isMultiCell();
      if (cells && column.type() instanceof CqlType.UserType user) {
        throw CqlException.invalid(
            "Non-frozen UDT column '%s' (%s) cannot be restricted by any relation"
                .formatted(column.name(), user.name()));
      }
      if (cells) {
        throw CqlException.invalid(
            "Collection column '%s' (%s) cannot be restricted by a '%s' relation"
                .formatted(column.name(), column.type().cql(), operator));
      }
      if (operator.isSlice() && column.type().contains(NativeType.DURATION)) {
        throw CqlException.invalid("Slice restrictions are not supported on duration columns");
      }
    }
  }

  private void requirePartition() {
    boolean tokens = keys.stream().anyMatch(each -> each.relation().token());
    if (tokens && where.isEmpty() && keys.stream().allMatch(each -> each.relation().token())) {
      return; // a range of partitions
    }
    for (Column column : table.of(Kind.PARTITION_KEY)) {
      Restriction found = of(column);
      if (found == null || !found.isExact()) {
        throw CqlException.invalid(FILTERING);
      }
    }
  }

  private @Nullable KeyRestriction tuple(Column column) {
    for (KeyRestriction each : keys) {
      if (!each.relation().token() && each.columns().contains(column)) {
        return each;
      }
    }
    return null;
  }

  private void requireClustering() {
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
    boolean partitions =
        table.of(Kind.PARTITION_KEY).stream()
            .map(this::of)
            .allMatch(found -> found != null && found.isExact());
    if (!ordered && !partitions) {
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
    return found != null && found.operator() == Operator.EQ;
  }
}
