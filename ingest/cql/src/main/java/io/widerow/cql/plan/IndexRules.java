package io.widerow.cql.plan;

import io.widerow.cql.CqlException;
import io.widerow.cql.parse.Expression;
import io.widerow.cql.parse.Relation.Operator;
import io.widerow.cql.schema.Column.Kind;
import io.widerow.cql.schema.SecondaryIndex;
import io.widerow.cql.schema.Table;
import java.util.ArrayList;
import java.util.List;

/// Determines whether the conditions of a query are served by indexes, as Cassandra does: a local
/// index serves one condition, and all storage-attached ones of a table together as many as they
/// have columns. All other conditions are tried on each row, which needs ALLOW FILTERING.
///
/// @param keys conditions on several columns at once
record IndexRules(Table table, List<Restriction> where, List<KeyRestriction> keys) {
  private static final String IN_KEY =
      "Select on indexed columns and with IN clause for the PRIMARY KEY are not supported";

  /// True when an index serves one of the conditions.
  boolean hasIndex() {
    return where.stream().anyMatch(this::isServed) || keys.stream().anyMatch(this::isServed);
  }

  /// A range of several columns is served, for the rules, by an index of one of them.
  private boolean isServed(KeyRestriction several) {
    return !several.relation().token()
        && several.isSlice()
        && table.indexes().stream()
            .anyMatch(index ->
                several.columns().stream()
                    .anyMatch(of -> index.supports(of, several.relation().operator(), false)));
  }

  private boolean isServed(Restriction restriction) {
    return table.indexes().stream().anyMatch(index -> serves(index, restriction));
  }

  private static boolean serves(SecondaryIndex index, Restriction restriction) {
    boolean ofEntry = restriction.key() != null;
    return index.supports(restriction.column(), operator(restriction), ofEntry);
  }

  /// IN with one value is the same as `=`.
  private static Operator operator(Restriction restriction) {
    boolean one =
        restriction.operator() == Operator.IN
            && restriction.relation().value() instanceof Expression.ListOf(List<Expression> all)
            && all.size() == 1;
    return one ? Operator.EQ : restriction.operator();
  }

  private boolean isOf(Restriction restriction, Kind kind) {
    return restriction.column().kind() == kind;
  }

  private List<Restriction> of(Kind kind) {
    return where.stream().filter(each -> isOf(each, kind)).toList();
  }

  /// True when an index is read, and not only the named partitions.
  ///
  /// @param ofRows whether the conditions on clustering columns are ranges of rows
  boolean usesIndex(boolean ofRows) {
    if (!hasIndex()) {
      return false;
    }
    boolean clusteringServed =
        of(Kind.CLUSTERING).stream().anyMatch(this::isServed)
            || keys.stream().anyMatch(this::isServed);
    boolean others =
        where.stream().anyMatch(each -> isOf(each, Kind.STATIC) || isOf(each, Kind.REGULAR));
    return others
        || !ofRows
        || isPartOfKey()
        || (isKeyRange() && (clusteringServed || !hasTokens()));
  }

  private boolean hasTokens() {
    return keys.stream().anyMatch(each -> each.relation().token());
  }

  /// True when the conditions name only a part of the partition key, or a range of it.
  private boolean isPartOfKey() {
    return !of(Kind.PARTITION_KEY).isEmpty() && isKeyRange();
  }

  /// True when the conditions do not name partitions.
  private boolean isKeyRange() {
    return table.of(Kind.PARTITION_KEY).stream()
        .anyMatch(column ->
            where.stream().noneMatch(each -> each.column().equals(column) && each.isExact()));
  }

  /// @param ofRows whether the conditions on clustering columns are ranges of rows
  /// @throws CqlException when partitions are named by IN, and an index is read
  void requireOneKey(boolean ofRows) {
    boolean several =
        of(Kind.PARTITION_KEY).stream().anyMatch(each -> operator(each) == Operator.IN);
    if (several && usesIndex(ofRows)) {
      throw CqlException.invalid(IN_KEY);
    }
  }

  /// True when rows that an index finds are tried on further conditions.
  ///
  /// @param ofRows whether the conditions on clustering columns are ranges of rows
  boolean needsFiltering(boolean ofRows) {
    boolean uses = usesIndex(ofRows);
    if (!uses && !isKeyRange()) {
      return false;
    }
    List<Restriction> tried = new ArrayList<>();
    if (isPartOfKey()) {
      tried.addAll(of(Kind.PARTITION_KEY));
    }
    boolean several = false;
    if (triesRows(ofRows)) {
      tried.addAll(of(Kind.CLUSTERING));
      several = keys.stream().anyMatch(each -> !each.relation().token() && !isServed(each));
    }
    tried.addAll(of(Kind.STATIC));
    tried.addAll(of(Kind.REGULAR));
    return several || !isServedTogether(tried);
  }

  /// True when conditions on clustering columns are tried on rows that an index finds.
  private boolean triesRows(boolean ofRows) {
    return usesIndex(ofRows) && (isKeyRange() || !ofRows);
  }

  /// @param ofRows whether the conditions on clustering columns are ranges of rows
  /// @throws CqlException when a range over several columns is tried on rows
  void requireReadRanges(boolean ofRows) {
    if (triesRows(ofRows) && keys.stream().anyMatch(this::isServed)) {
      throw CqlException.invalid(WhereValidator.SLICE);
    }
  }

  private boolean isServedTogether(List<Restriction> tried) {
    List<SecondaryIndex> attached =
        table.indexes().stream().filter(SecondaryIndex::isCustom).toList();
    return tried.stream().allMatch(each -> isServed(each, tried, attached))
        || table.indexes().stream()
            .anyMatch(
                index -> isOnePart(tried) && tried.stream().allMatch(each -> serves(index, each)));
  }

  /// Conditions on parts of one collection are one condition for storage-attached indexes.
  private static boolean isServed(
      Restriction restriction, List<Restriction> tried, List<SecondaryIndex> indexes) {
    List<Restriction> same =
        restriction.column().type().isMultiCell()
            ? tried.stream().filter(each -> each.column().equals(restriction.column())).toList()
            : List.of(restriction);
    return indexes.stream().anyMatch(index -> same.stream().anyMatch(each -> serves(index, each)));
  }

  /// A local index finds rows by one part of a collection.
  private static boolean isOnePart(List<Restriction> tried) {
    return tried.size() == 1
        || tried.stream().allMatch(each -> !each.column().type().isMultiCell());
  }
}
