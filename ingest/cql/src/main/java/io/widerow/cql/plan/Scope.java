package io.widerow.cql.plan;

import io.widerow.cql.CqlException;
import io.widerow.cql.schema.Column;
import io.widerow.cql.schema.GroupBySpec;
import io.widerow.cql.schema.Table;
import io.widerow.cql.type.CqlType;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/// Resolves the names in the expressions of one statement, and collects the variables, columns and
/// aggregates that they use.
///
/// - Threads: one.
final class Scope {
  private final Table table;
  private final List<Variable> variables; // of the statement, which may have several tables
  private final List<Aggregated> aggregates = new ArrayList<>();
  private final TreeSet<Integer> shown = new TreeSet<>();
  private final TreeSet<Integer> timed = new TreeSet<>(); // whose times are shown
  private final TreeSet<Integer> used = new TreeSet<>(); // shown, or aggregated

  /// An aggregate of the selection.
  ///
  /// @param argument the aggregated value; null for the count of rows
  record Aggregated(GroupBySpec.Kind kind, CqlType type, @Nullable Value argument) {}

  Scope(Table table) {
    this(table, new ArrayList<>());
  }

  /// @param variables so far; receives the variables of this table too
  Scope(Table table, List<Variable> variables) {
    this.table = table;
    this.variables = variables;
  }

  Table table() {
    return table;
  }

  /// Notes a marker, which come in the order of their indexes.
  Value variable(int index, CqlType type, String name) {
    while (variables.size() <= index) {
      variables.add(new Variable(table.keyspace(), table.name(), name, type));
    }
    variables.set(index, new Variable(table.keyspace(), table.name(), name, type));
    return new Value.OfVariable(type, index);
  }

  /// The index of a column.
  int require(String name) {
    int index = table.find(name);
    if (index < 0) {
      throw CqlException.invalid(
          "Undefined column name %s in table %s".formatted(name, table.qualified()));
    }
    return index;
  }

  /// A column of the row.
  ///
  /// @param aggregated whether it is the argument of an aggregate, and not shown itself
  Value column(String name, boolean aggregated) {
    int index = require(name);
    used.add(index);
    if (!aggregated) {
      shown.add(index);
    }
    return new Value.OfColumn(table.columns().get(index).type(), index);
  }

  /// The index of a column that is read, but not shown as it is.
  int shown(String name) {
    int index = require(name);
    used.add(index);
    shown.add(index);
    return index;
  }

  /// Notes a column whose times of writing or expiry are read.
  void time(int index) {
    timed.add(index);
  }

  /// An aggregate: in the row of a group it follows the columns.
  Value aggregate(Aggregated aggregate) {
    aggregates.add(aggregate);
    return new Value.OfColumn(aggregate.type(), table.columns().size() + aggregates.size() - 1);
  }

  List<Variable> variables() {
    return List.copyOf(variables);
  }

  List<Aggregated> aggregates() {
    return List.copyOf(aggregates);
  }

  /// Indexes of the columns whose times are read.
  List<Integer> timed() {
    return List.copyOf(timed);
  }

  /// True when static columns are asked for, and of others only those of the partition key.
  boolean isOfStatics() {
    List<Column.Kind> kinds =
        used.stream().map(index -> table.columns().get(index).kind()).toList();
    return kinds.contains(Column.Kind.STATIC)
        && kinds.stream()
            .allMatch(kind -> kind == Column.Kind.STATIC || kind == Column.Kind.PARTITION_KEY);
  }

  /// Indexes of the columns that are shown or aggregated.
  List<Integer> used() {
    return List.copyOf(used);
  }

  /// Indexes of the columns that are shown, and not only aggregated.
  List<Integer> shown() {
    return List.copyOf(shown);
  }
}
