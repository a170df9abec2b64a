package io.widerow.cql.table;

import io.widerow.cql.schema.Column;
import io.widerow.cql.schema.CqlKeyspace;
import io.widerow.cql.schema.RequestPrincipal;
import io.widerow.cql.schema.Row;
import io.widerow.cql.schema.RowCondition;
import io.widerow.cql.schema.RowCursor;
import io.widerow.cql.schema.RowList;
import io.widerow.cql.schema.RowScan;
import io.widerow.cql.schema.RowSource;
import io.widerow.cql.schema.Schema;
import io.widerow.cql.schema.Table;
import io.widerow.cql.schema.ValueRow;
import io.widerow.cql.store.TableStore;
import io.widerow.cql.store.TableView;
import io.widerow.cql.type.CqlType;
import io.widerow.cql.type.NativeType;
import io.widerow.cql.type.ValueOrder;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;

/// A table of the system with rows about each table and view of users. Its key begins with the name
/// of the keyspace and that of the table, and rows are made only for tables that the conditions
/// allow.
///
/// - Threads: any.
abstract class RowsOfTables implements RowSource {
  private static final int OF_TABLE = 2; // the first columns name one
  private static final long BYTES_OF_ROW = 512;

  private final Table own;
  private final Supplier<Schema> schema;
  private final TableStore store;
  private final InstantSource clock;
  private final List<CqlType> types;

  /// @param schema that users have now
  /// @param clock by which rows expire
  RowsOfTables(Table own, Supplier<Schema> schema, TableStore store, InstantSource clock) {
    this.own = own;
    this.schema = schema;
    this.store = store;
    this.clock = clock;
    this.types = own.columns().stream().map(Column::type).toList();
  }

  /// A builder with the two first columns.
  static Table.Builder named(String keyspace, String name) {
    return Table.named(keyspace, name)
        .partition("keyspace_name", NativeType.TEXT)
        .clustering("table_name", NativeType.TEXT);
  }

  /// Adds the rows about tables.
  abstract void add(List<Table> tables, Reading reading);

  /// One query: what it reads, and its rows.
  ///
  /// - Threads: one.
  final class Reading {
    private final TableView view;
    private final RowScan scan;
    private final RequestPrincipal asker;
    private final List<Row> rows = new ArrayList<>();

    private Reading(TableView view, RowScan scan, RequestPrincipal asker) {
      this.view = view;
      this.scan = scan;
      this.asker = asker;
    }

    TableView view() {
      return view;
    }

    long nowSeconds() {
      return clock.instant().getEpochSecond();
    }

    /// Adds a row, if it is wanted.
    void add(Object... values) {
      Row row = new ValueRow(types, values);
      if (scan.conditions().stream().allMatch(each -> each.test(row))) {
        asker.memory().accept(BYTES_OF_ROW);
        rows.add(row);
      }
    }
  }

  @Override
  public final Table table() {
    return own;
  }

  @Override
  public final boolean isOrdered() {
    return false;
  }

  @Override
  public final RowCursor open(RowScan scan, RequestPrincipal asker) {
    List<Table> asked = new ArrayList<>();
    for (CqlKeyspace keyspace : schema.get().keyspaces()) {
      keyspace.tables().stream()
          .filter(table -> isAsked(table, scan.conditions()))
          .forEach(asked::add);
    }
    List<Row> rows;
    try (TableView view = store.view()) {
      Reading reading = new Reading(view, scan, asker);
      add(asked, reading);
      rows = reading.rows;
    }
    rows.sort(order());
    if (scan.descending()) {
      Collections.reverse(rows);
    }
    return new RowList(rows, scan.after());
  }

  /// False when no row about a table meets the conditions.
  private boolean isAsked(Table table, List<RowCondition> conditions) {
    ValueRow names = new ValueRow(types.subList(0, OF_TABLE), table.keyspace(), table.name());
    return conditions.stream()
        .filter(each -> each.index() < OF_TABLE)
        .allMatch(each -> each.test(names));
  }

  /// The order of the key.
  private Comparator<Row> order() {
    Comparator<Row> order = (_, _) -> 0;
    for (int i = 0; i < types.size() && own.columns().get(i).isKey(); i++) {
      int column = i;
      Comparator<Row> by =
          (one, other) ->
              ValueOrder.compare(
                  types.get(column),
                  Objects.requireNonNull(one.value(column)),
                  Objects.requireNonNull(other.value(column)));
      order = order.thenComparing(own.columns().get(i).descending() ? by.reversed() : by);
    }
    return order;
  }
}
