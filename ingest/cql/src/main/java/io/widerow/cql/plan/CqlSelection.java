package io.widerow.cql.plan;

import io.widerow.cql.CqlException;
import io.widerow.cql.parse.Expression;
import io.widerow.cql.parse.Statement;
import io.widerow.cql.schema.Column;
import io.widerow.cql.schema.Column.Kind;
import io.widerow.cql.schema.Row;
import io.widerow.cql.schema.Table;
import io.widerow.cql.type.CellBuffer;
import io.widerow.cql.type.CqlType;
import io.widerow.cql.type.Literals;
import io.widerow.cql.type.NativeType;
import io.widerow.cql.type.Texts;
import io.widerow.cql.type.WireCodec;
import io.widerow.query.output.OutputBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/// The columns and values of a result row.
///
/// @param columns of the result
/// @param shown the columns before they are put into JSON; else the same as `columns`
/// @param values one for each that is shown
record CqlSelection(
    List<Variable> columns, List<Variable> shown, List<Value> values, boolean json) {
  private static final Set<String> TIMES = Set.of("writetime", "maxwritetime", "ttl");

  CqlSelection {
    columns = List.copyOf(columns);
    shown = List.copyOf(shown);
    values = List.copyOf(values);
  }

  static CqlSelection of(Statement.Select select, Scope scope) {
    Table table = scope.table();
    Compiler compiler = new Compiler(scope, true);
    List<Variable> shown = new ArrayList<>();
    List<Value> values = new ArrayList<>();
    for (Statement.Selector selector : selectors(select, table)) {
      Expression expression = selector.expression();
      Value value = compiler.compile(expression, null, "[selection]");
      String alias = selector.alias();
      values.add(value);
      shown.add(column(table, alias == null ? name(expression, table) : alias, value.type()));
    }
    return select.json()
        ? new CqlSelection(List.of(column(table, "[json]", NativeType.TEXT)), shown, values, true)
        : new CqlSelection(shown, shown, values, false);
  }

  private static List<Statement.Selector> selectors(Statement.Select select, Table table) {
    if (!select.selectors().isEmpty()) {
      return select.selectors();
    }
    return table.columns().stream()
        .map(Column::name)
        .map(name -> new Statement.Selector(new Expression.Name(name), null))
        .toList();
  }

  private static Variable column(Table table, String name, CqlType type) {
    return new Variable(table.keyspace(), table.name(), name, type);
  }

  /// The name of a column without an alias. A cast of a column to its own type is the column.
  private static String name(Expression expression, Table table) {
    if (expression instanceof Expression.Cast(Expression.Name(String name), CqlType type)
        && table.columns().get(table.find(name)).type().equals(type)) {
      return name;
    }
    return name(expression);
  }

  /// The name of a column without an alias.
  static String name(Expression expression) {
    return switch (expression) {
      case Expression.Call(String function, List<Expression> arguments) ->
          function.equals("count") && arguments.isEmpty()
              ? "count"
              : (TIMES.contains(function) ? "%s(%s)" : "system.%s(%s)")
                  .formatted(function, names(arguments));
      case Expression.Null() -> "NULL";
      case Expression.Constant(Literals.Kind kind, String text) when kind == Literals.Kind.STRING ->
          "'" + text + "'"; // a quote in it is not doubled
      case Expression.Element(Expression of, Expression key) ->
          "%s[%s]".formatted(name(of), key instanceof Expression.Call ? key : name(key));
      case Expression.Slice(Expression of, Expression from, Expression to) ->
          "%s[%s..%s]"
              .formatted(name(of), from == null ? "" : name(from), to == null ? "" : name(to));
      case Expression.Cast(Expression of, CqlType type) ->
          "cast(%s as %s)".formatted(name(of), type.cql());
      case Expression.Hint(CqlType type, Expression of) -> "(" + type.cql() + ")" + name(of);
      case Expression.Arithmetic(String operator, Expression left, Expression right) ->
          "%s %s %s".formatted(name(left), operator, name(right));
      case Expression.Negation(Expression of) -> "-" + name(of);
      case Expression.Grouped(Expression of) -> "(" + name(of) + ")";
      case Expression.ListOf(List<Expression> parts) -> "[" + names(parts) + "]";
      case Expression.SetOf(List<Expression> parts) -> "{" + names(parts) + "}";
      case Expression.TupleOf(List<Expression> parts) -> "(" + names(parts) + ")";
      case Expression.MapOf(List<Expression> keys, List<Expression> values) -> {
        List<String> pairs = new ArrayList<>();
        for (int i = 0; i < keys.size(); i++) {
          pairs.add(name(keys.get(i)) + ": " + name(values.get(i)));
        }
        yield "{" + String.join(", ", pairs) + "}";
      }
      default -> expression.toString();
    };
  }

  private static String names(List<Expression> parts) {
    return String.join(", ", parts.stream().map(CqlSelection::name).toList());
  }

  void put(Row row, Bound bound, CellBuffer out) {
    if (json) {
      putJson(row, bound, out);
      return;
    }
    for (Value value : values) {
      if (value instanceof Value.OfColumn(_, int index)) {
        row.put(index, out);
      } else {
        WireCodec.putCell(value.type(), value.of(row, bound), out);
      }
    }
  }

  private void putJson(Row row, Bound bound, CellBuffer out) {
    long[] held = {0}; // until the row is written
    OutputBuffer text =
        new OutputBuffer(
            256,
            more -> {
              held[0] += more;
              out.memory().accept(more);
            });
    String before = "{";
    for (int i = 0; i < values.size(); i++) {
      text.put(before);
      Texts.string(Texts.jsonName(shown.get(i).name()), text);
      text.put(": ");
      Texts.json(values.get(i).type(), values.get(i).of(row, bound), text);
      before = ", ";
    }
    text.put('}');
    out.memory().accept(2L * text.length());
    WireCodec.putCell(NativeType.TEXT, text.toString(), out);
    out.memory().accept(-held[0] - 2L * text.length());
  }

  /// @param ofSome whether conditions name the partitions
  /// @throws CqlException unless only columns of the partition key, all of them without such
  ///   conditions, and static ones are read
  void requireDistinct(Scope scope, boolean ofSome) {
    for (int index : scope.used()) {
      Column column = scope.table().columns().get(index);
      if (column.kind() != Kind.PARTITION_KEY && column.kind() != Kind.STATIC) {
        throw CqlException.invalid(
            ("SELECT DISTINCT queries must only request partition key columns and/or static columns"
                    + " (not %s)")
                .formatted(column.name()));
      }
    }
    for (Column column : ofSome ? List.<Column>of() : scope.table().of(Kind.PARTITION_KEY)) {
      if (!scope.used().contains(scope.table().find(column.name()))) {
        throw CqlException.invalid(
            "SELECT DISTINCT queries must request all the partition key columns (missing %s)"
                .formatted(column.name()));
      }
    }
  }
}
