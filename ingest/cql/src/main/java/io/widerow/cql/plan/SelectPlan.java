package io.widerow.cql.plan;

import io.widerow.cql.CqlException;
import io.widerow.cql.parse.Expression;
import io.widerow.cql.parse.Relation.Operator;
import io.widerow.cql.parse.Statement;
import io.widerow.cql.schema.Column;
import io.widerow.cql.schema.GroupPosition;
import io.widerow.cql.schema.KeyLimits;
import io.widerow.cql.schema.Row;
import io.widerow.cql.schema.RowCondition;
import io.widerow.cql.schema.RowCursor;
import io.widerow.cql.schema.RowScan;
import io.widerow.cql.schema.RowSource;
import io.widerow.cql.schema.Table;
import io.widerow.cql.schema.Use;
import io.widerow.cql.type.NativeType;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// A SELECT over one table.
record SelectPlan(
    RowSource source,
    CqlSelection selection,
    List<Restriction> where,
    List<KeyRestriction> keys,
    Order order,
    @Nullable CqlGrouping grouping,
    @Nullable Value limit,
    @Nullable Value rowsOfPartition,
    List<Variable> variables)
    implements Prepared {
  SelectPlan {
    where = List.copyOf(where);
    keys = List.copyOf(keys);
    variables = List.copyOf(variables);
  }

  /// In which order rows are read.
  ///
  /// @param reversed against the clustering order
  /// @param merged whether ORDER BY rules over several partitions
  /// @param firstOnly whether one row of each partition is read
  record Order(boolean reversed, boolean merged, boolean firstOnly) {}

  static SelectPlan of(Statement.Select select, RowSource source) {
    Table table = source.table();
    Scope scope = new Scope(table);
    CqlSelection selection = CqlSelection.of(select, scope);
    List<Restriction> where = new ArrayList<>();
    List<KeyRestriction> keys = KeyRestriction.all(select.where(), scope, where);
    WhereValidator rules =
        new WhereValidator(table, where, keys, select.allowFiltering(), source.isOrdered());
    rules.requireConditions();
    rules.requireReadRanges();
    if (scope.isOfStatics() && rules.areOfRows()) {
      throw CqlException.invalid(
          "Cannot restrict clustering columns when selecting only static columns");
    }
    boolean reversed = rules.isReversed(select.orderBy());
    Value rowsOfPartition = rows(select.perPartitionLimit(), scope, "[per_partition_limit]");
    boolean merged = !select.orderBy().isEmpty();
    if (rowsOfPartition != null) {
      requirePartitionLimit(source, select);
    }
    boolean firstOnly = select.distinct() && source.takesLimits();
    if (select.distinct()) {
      selection.requireDistinct(scope, rules.namesPartitions());
      if (table.stored() != null) {
        requireDistinct(select, where, keys);
      }
      if (!firstOnly && !scope.aggregates().isEmpty()) {
        throw CqlException.invalid(
            "SELECT DISTINCT with aggregates is supported for tables, not for %s; use GROUP BY"
                .formatted(table.qualified()));
      }
    }
    CqlGrouping grouping = CqlGrouping.of(select, scope, where, source.isOrdered(), firstOnly);
    if (rowsOfPartition != null && grouping != null && grouping.by().isEmpty()) {
      throw CqlException.invalid("PER PARTITION LIMIT is not allowed with aggregate queries.");
    }
    return new SelectPlan(
        source,
        selection,
        where,
        keys,
        new Order(reversed, merged, firstOnly),
        grouping,
        rows(select.limit(), scope, "[limit]"),
        rowsOfPartition,
        scope.variables());
  }

  @Override
  public List<String> warnings() {
    boolean aggregates = grouping != null && source.table().stored() != null;
    if (!aggregates) {
      return List.of();
    }
    List<Restriction> partitions =
        where.stream().filter(each -> each.column().kind() == Column.Kind.PARTITION_KEY).toList();
    boolean token = keys.stream().anyMatch(each -> each.relation().token());
    if (partitions.isEmpty() && !token) {
      return List.of("Aggregation query used without partition key");
    }
    return partitions.stream().allMatch(Restriction::isOneValue)
        ? List.of()
        : List.of("Aggregation query used on multiple partition keys (IN restriction)");
  }

  private static void requirePartitionLimit(RowSource source, Statement.Select select) {
    if (!source.takesLimits()) {
      throw CqlException.invalid(
          "PER PARTITION LIMIT is not supported for %s; use LIMIT"
              .formatted(source.table().qualified()));
    }
    if (select.distinct()) {
      throw CqlException.invalid("PER PARTITION LIMIT is not allowed with SELECT DISTINCT queries");
    }
  }

  private static @Nullable Value rows(@Nullable Expression limit, Scope scope, String name) {
    return limit == null ? null : new Compiler(scope, false).compile(limit, NativeType.INT, name);
  }

  /// One row of each partition is asked for, so only partitions can be chosen.
  private static void requireDistinct(
      Statement.Select select, List<Restriction> where, List<KeyRestriction> keys) {
    if (!select.orderBy().isEmpty() && where.stream().anyMatch(SelectPlan::isOfPartitions)) {
      throw CqlException.invalid(
          ("SELECT DISTINCT queries must only request partition key columns and/or static columns"
                  + " (not %s)")
              .formatted(select.orderBy().getFirst().column()));
    }
    boolean rows =
        !keys.stream().allMatch(each -> each.relation().token())
            || where.stream()
                .map(each -> each.column().kind())
                .anyMatch(kind -> kind != Column.Kind.PARTITION_KEY && kind != Column.Kind.STATIC);
    if (rows) {
      throw CqlException.invalid(
          "SELECT DISTINCT with WHERE clause only supports restriction by partition key and/or"
              + " static columns.");
    }
  }

  private static boolean isOfPartitions(Restriction restriction) {
    return restriction.column().kind() == Column.Kind.PARTITION_KEY
        && restriction.operator() == Operator.IN;
  }

  @Override
  public List<Variable> columns() {
    return selection.columns();
  }

  /// The queries by which drivers read the properties of a server.
  @Override
  public Need need() {
    String keyspace = source.table().keyspace();
    if (keyspace.equals("system_auth")) {
      return Need.SCHEMA; // the names of tokens
    }
    boolean isShown = keyspace.startsWith("system") && !keyspace.equals("system_traces");
    return isShown ? Need.NOTHING : Need.READ; // traces have the statements of all clients
  }

  @Override
  public List<Integer> partitionKey() {
    List<Integer> indexes = new ArrayList<>();
    for (Column column : source.table().of(Column.Kind.PARTITION_KEY)) {
      for (Restriction restriction : where) {
        if (restriction.column().equals(column)
            && restriction.operator() == Operator.EQ
            && restriction.values().getFirst() instanceof Value.OfVariable(_, int index)) {
          indexes.add(index);
        }
      }
    }
    return indexes.size() == source.table().of(Column.Kind.PARTITION_KEY).size()
        ? indexes
        : List.of();
  }

  @Override
  public QueryRows execute(StatementExecution execution) {
    Bound bound = new Bound(variables, execution.values());
    List<RowCondition> conditions =
        where.stream().map(restriction -> restriction.bind(bound)).toList();
    Page page = new Page(execution, limit(limit, bound));
    CqlGrouping groups = grouping;
    ByteBuffer position =
        groups == null
            ? rows(conditions, page, bound, execution)
            : groups(groups, conditions, page, bound, execution);
    return new QueryRows.Rows(selection.columns(), page.count(), page.cells(), position);
  }

  private RowScan scan(List<RowCondition> conditions, Bound bound, @Nullable ByteBuffer after) {
    return new RowScan(conditions, limits(bound), uses(bound), order.reversed(), after);
  }

  private List<Use> uses(Bound bound) {
    List<Use> uses = new ArrayList<>();
    selection.values().forEach(value -> value.addUses(bound, uses));
    if (grouping != null) {
      grouping.addUses(bound, uses);
    }
    return uses;
  }

  private KeyLimits limits(Bound bound) {
    List<KeyLimits.TupleCondition> tuples = new ArrayList<>();
    List<KeyLimits.TokenCondition> tokens = new ArrayList<>();
    for (KeyRestriction each : keys) {
      if (each.relation().token()) {
        tokens.add(each.token(bound));
      } else {
        tuples.add(each.tuple(bound));
      }
    }
    boolean ofRows = grouping == null; // else of groups, which are counted when they are made
    long rows = order.firstOnly() ? 1 : ofRows ? limit(rowsOfPartition, bound) : Long.MAX_VALUE;
    boolean merged = order.merged() && (grouping == null || !grouping.isOfAll());
    return new KeyLimits(tuples, tokens, rows == Long.MAX_VALUE ? 0 : (int) rows, merged);
  }

  private static long limit(@Nullable Value value, Bound bound) {
    if (value == null
        || (value instanceof Value.OfVariable(_, int index) && bound.isUnset(index))) {
      return Long.MAX_VALUE;
    }
    if (!(value.of(null, bound) instanceof Integer rows)) {
      throw CqlException.invalid("Invalid null value of limit");
    }
    if (rows <= 0) {
      throw CqlException.invalid("LIMIT must be strictly positive");
    }
    return rows;
  }

  /// Writes the rows of a page.
  ///
  /// @return where the next page begins; null when there is none
  private @Nullable ByteBuffer rows(
      List<RowCondition> conditions, Page page, Bound bound, StatementExecution execution) {
    RowScan scan = scan(conditions, bound, page.after());
    try (RowCursor cursor = source.open(scan, execution.asker())) {
      while (page.hasRoom() && cursor.next()) {
        selection.put(cursor.row(), bound, page.cells());
        page.added();
        if (!page.hasRoom() && page.goesOn()) {
          ByteBuffer position = page.position(cursor.position());
          return cursor.next() ? position : null;
        }
      }
    }
    return null;
  }

  /// The same for groups.
  private @Nullable ByteBuffer groups(
      CqlGrouping groups,
      List<RowCondition> conditions,
      Page page,
      Bound bound,
      StatementExecution execution) {
    ByteBuffer given = page.after();
    @Nullable GroupPosition after = given == null ? null : GroupPosition.read(given);
    long most = limit(rowsOfPartition, bound);
    boolean mixed = order.merged() && where.stream().anyMatch(SelectPlan::isOfPartitions);
    if (groups.isOfAll() || mixed || source.isOrdered()) {
      Map<List<Object>, Row> all =
          groups.rows(source, scan(conditions, bound, null), bound, execution.asker(), most);
      return source.isOrdered()
          ? ordered(groups, all, after, page, bound)
          : whole(all.values(), page, bound);
    }
    RowScan scan = scan(conditions, bound, after == null ? null : after.row());
    try (RowCursor rows = source.open(scan, execution.asker())) {
      GroupCursor cursor = new GroupCursor(groups, rows, bound, after, most);
      while (page.hasRoom() && cursor.next()) {
        selection.put(cursor.row(), bound, page.cells());
        page.added();
        if (!page.hasRoom() && page.goesOn()) {
          ByteBuffer position = page.position(cursor.position());
          return cursor.hasMore() ? position : null;
        }
      }
    }
    return null;
  }

  /// Writes groups whose order is that of their keys.
  private @Nullable ByteBuffer ordered(
      CqlGrouping groups,
      Map<List<Object>, Row> all,
      @Nullable GroupPosition after,
      Page page,
      Bound bound) {
    if (after != null) {
      groups.removeUntil(after, all);
    }
    int left = all.size();
    for (Map.Entry<List<Object>, Row> group : all.entrySet()) {
      selection.put(group.getValue(), bound, page.cells());
      page.added();
      left--;
      if (!page.hasRoom()) {
        ByteBuffer key = groups.bytes(group.getKey());
        return left > 0 && page.goesOn()
            ? page.position(new GroupPosition(0, key, ByteBuffer.allocate(0)).write())
            : null;
      }
    }
    return null;
  }

  /// Writes all groups as one page: rows of several partitions in one order do not lie group by
  /// group, and the place of a group is that of its first row, which may be gone on the next page.
  private @Nullable ByteBuffer whole(Iterable<Row> all, Page page, Bound bound) {
    for (Row group : all) {
      if (page.goesOn()) {
        selection.put(group, bound, page.cells());
        page.added();
      }
    }
    return null;
  }
}
