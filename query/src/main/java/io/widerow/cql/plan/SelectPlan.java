package io.widerow.cql.plan;

import io.widerow.cql.CqlException;
import io.widerow.cql.parse.Expression;
import io.widerow.cql.parse.Relation.Operator;
import io.widerow.cql.parse.Statement;
import io.widerow.cql.schema.Column;
import io.widerow.cql.schema.Condition;
import io.widerow.cql.schema.Row;
import io.widerow.cql.schema.RowCursor;
import io.widerow.cql.schema.RowScan;
import io.widerow.cql.schema.RowSource;
import io.widerow.cql.schema.Table;
import io.widerow.cql.schema.Use;
import io.widerow.cql.type.NativeType;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// A SELECT over one table.
record SelectPlan(
    RowSource source,
    Selection selection,
    List<Restriction> where,
    boolean reversed,
    @Nullable Grouping grouping,
    @Nullable Value limit,
    List<Variable> variables)
    implements Prepared {
  SelectPlan {
    where = List.copyOf(where);
    variables = List.copyOf(variables);
  }

  static SelectPlan of(Statement.Select select, RowSource source) {
    Table table = source.table();
    if (select.perPartitionLimit() != null) {
      throw CqlException.invalid("PER PARTITION LIMIT is not answered yet; use LIMIT");
    }
    Scope scope = new Scope(table);
    Selection selection = Selection.of(select, scope);
    List<Restriction> where =
        select.where().stream().map(relation -> Restriction.of(relation, scope)).toList();
    WhereRules rules = new WhereRules(table, where, select.allowFiltering(), source.isOrdered());
    rules.requireConditions();
    boolean reversed = rules.isReversed(select.orderBy());
    Expression limit = select.limit();
    Value limitValue =
        limit == null ? null : new Compiler(scope, false).compile(limit, NativeType.INT, "[limit]");
    return new SelectPlan(
        source,
        selection,
        where,
        reversed,
        grouping(select, scope, selection),
        limitValue,
        scope.variables());
  }

  /// How rows are grouped; null when each is shown.
  private static @Nullable Grouping grouping(
      Statement.Select select, Scope scope, Selection selection) {
    Table table = scope.table();
    List<Integer> by = new ArrayList<>();
    if (select.distinct()) {
      selection.requireDistinct(scope);
      table.of(Column.Kind.PARTITION_KEY).forEach(column -> by.add(table.find(column.name())));
    }
    int next = 0;
    for (String name : select.groupBy()) {
      int index = scope.require(name);
      if (index != next || !table.columns().get(index).isKey()) {
        throw CqlException.invalid(
            "Group by currently only support groups of columns following their declared order in"
                + " the PRIMARY KEY");
      }
      by.add(index);
      next++;
    }
    return by.isEmpty() && scope.aggregates().isEmpty()
        ? null
        : new Grouping(table, by, scope.shown(), scope.aggregates());
  }

  @Override
  public List<Variable> columns() {
    return selection.columns();
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
  public Answer execute(Execution execution) {
    Bound bound = new Bound(variables, execution.values());
    List<Condition> conditions =
        where.stream().map(restriction -> restriction.bind(bound)).toList();
    Page page = new Page(execution, limit(bound));
    Grouping groups = grouping;
    ByteBuffer position =
        groups == null
            ? rows(conditions, page, bound, execution)
            : groups(groups, conditions, page, bound, execution);
    return new Answer.Rows(selection.columns(), page.count(), page.cells(), position);
  }

  private List<Use> uses(Bound bound) {
    List<Use> uses = new ArrayList<>();
    selection.values().forEach(value -> value.addUses(bound, uses));
    if (grouping != null) {
      grouping.addUses(bound, uses);
    }
    return uses;
  }

  private long limit(Bound bound) {
    Value value = limit;
    if (value == null
        || (value instanceof Value.OfVariable(_, int index) && bound.isUnset(index))) {
      return Long.MAX_VALUE;
    }
    Object rows = value.of(null, bound);
    if (rows == null) {
      throw CqlException.invalid("Invalid null value of limit");
    }
    if ((Integer) rows <= 0) {
      throw CqlException.invalid("LIMIT must be strictly positive");
    }
    return (Integer) rows;
  }

  /// Writes the rows of a page.
  ///
  /// @return where the next page begins; null when there is none
  private @Nullable ByteBuffer rows(
      List<Condition> conditions, Page page, Bound bound, Execution execution) {
    RowScan scan = new RowScan(conditions, uses(bound), reversed, page.after());
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

  /// The same for groups, whose position is their number.
  private @Nullable ByteBuffer groups(
      Grouping groups, List<Condition> conditions, Page page, Bound bound, Execution execution) {
    RowScan scan = new RowScan(conditions, uses(bound), reversed, null);
    List<Row> all = groups.rows(source, scan, bound, execution.asker());
    int next = page.afterNumber();
    while (page.hasRoom() && next < all.size()) {
      selection.put(all.get(next), bound, page.cells());
      page.added();
      next++;
    }
    return page.position(next, all.size());
  }
}
