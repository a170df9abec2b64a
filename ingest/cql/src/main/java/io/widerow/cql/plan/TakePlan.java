package io.widerow.cql.plan;

import io.widerow.cql.CqlException;
import io.widerow.cql.change.CellChange;
import io.widerow.cql.change.RowChange;
import io.widerow.cql.parse.Change;
import io.widerow.cql.parse.Statement;
import io.widerow.cql.schema.Column;
import io.widerow.cql.schema.Row;
import io.widerow.cql.schema.RowCondition;
import io.widerow.cql.schema.RowSource;
import io.widerow.cql.schema.RowTaker;
import io.widerow.cql.schema.Table;
import io.widerow.cql.schema.ValueRow;
import io.widerow.cql.type.CqlType;
import io.widerow.cql.type.Empty;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// INSERT into a table that takes whole rows, or a batch of them.
///
/// @param bundles each with variables of its own
record TakePlan(Table table, RowTaker taker, List<Bundle> bundles) implements Prepared {
  TakePlan {
    bundles = List.copyOf(bundles);
  }

  /// Rows that were prepared together.
  record Bundle(List<RowChangePlan> rows, List<Variable> variables) {
    Bundle {
      rows = List.copyOf(rows);
      variables = List.copyOf(variables);
    }
  }

  /// @throws CqlException when one of the statements is no INSERT of a whole row
  static TakePlan of(List<Change> changes, RowSource source) {
    Table table = source.table();
    List<Variable> variables = new ArrayList<>();
    List<RowChangePlan> rows = new ArrayList<>();
    for (Change change : changes) {
      rows.add(new ChangeCompiler(table, variables).compileRow(required(change, table)));
    }
    RowTaker taker = Objects.requireNonNull(source.taker());
    return new TakePlan(table, taker, List.of(new Bundle(rows, variables)));
  }

  private static Change.Insert required(Change change, Table table) {
    if (!(change instanceof Change.Insert insert)) {
      throw CqlException.invalid(
          ("%s takes only INSERT: single events are not changed or deleted, and retention"
                  + " decides how long they are kept")
              .formatted(table.qualified()));
    }
    if (!insert.condition().isAlways()) {
      throw CqlException.invalid(
          "IF is not for %s: an event with the type and the id of another one replaces it"
              .formatted(table.qualified()));
    }
    if (insert.using().ttl() != null) {
      throw CqlException.invalid(
          "USING TTL is not for %s: retention decides how long events are kept"
              .formatted(table.qualified()));
    }
    if (insert.using().timestamp() != null) {
      throw CqlException.invalid(
          "USING TIMESTAMP is not for %s: the time of an event is that of its id"
              .formatted(table.qualified()));
    }
    return insert;
  }

  /// @param taken for each change whether it is of a table that takes rows
  static void requireBatch(Statement.Batch.Kind kind, List<Boolean> taken) {
    if (taken.contains(false)) {
      throw CqlException.invalid("Events and rows of tables cannot be in one batch");
    }
    if (kind != Statement.Batch.Kind.UNLOGGED && taken.size() > 1) {
      throw CqlException.invalid(
          "A batch of events must be UNLOGGED: each of them is stored on its own");
    }
  }

  /// A batch of statements that were prepared one by one.
  static TakePlan of(Statement.Batch.Kind kind, List<TakePlan> parts) {
    requireBatch(kind, parts.stream().map(_ -> true).toList());
    TakePlan first = parts.getFirst();
    return new TakePlan(
        first.table, first.taker, parts.stream().flatMap(part -> part.bundles.stream()).toList());
  }

  @Override
  public Need need() {
    return Need.WRITE;
  }

  @Override
  public List<Integer> partitionKey() {
    boolean one = bundles.size() == 1 && bundles.getFirst().rows.size() == 1;
    return one ? bundles.getFirst().rows.getFirst().partitionKey() : List.of();
  }

  @Override
  public List<Variable> variables() {
    return bundles.stream().flatMap(bundle -> bundle.variables.stream()).toList();
  }

  @Override
  public QueryRows execute(StatementExecution execution) {
    execution.requireNoKey(
        "it is for tables; an event that is inserted again with its type and id takes its own"
            + " place");
    List<Row> rows = new ArrayList<>();
    int next = 0;
    Bound.Elements elements = new Bound.Elements();
    for (Bundle bundle : bundles) {
      Bound bound =
          Bound.part(bundle.variables, execution.values(), next, bundles.size() == 1, elements);
      next += bundle.variables.size();
      bundle.rows.forEach(row -> rows.add(row(row.bind(bound, null))));
    }
    taker.take(rows, execution.asker());
    return new QueryRows.Done();
  }

  private Row row(RowChange change) {
    List<CqlType> types = table.columns().stream().map(Column::type).toList();
    @Nullable Object[] values = new Object[types.size()];
    for (RowCondition condition : change.conditions()) {
      values[condition.index()] = condition.value();
    }
    for (CellChange cell : change.cells()) {
      if (cell instanceof CellChange.Put(Column column, Object value)) {
        values[table.find(column.name())] = value == Empty.VALUE ? null : value;
      }
    }
    return new ValueRow(types, values);
  }
}
