package io.widerow.cql.plan;

import io.widerow.cql.CqlException;
import io.widerow.cql.CqlException.Code;
import io.widerow.cql.parse.Expression;
import io.widerow.cql.parse.KeyRelation;
import io.widerow.cql.parse.Relation;
import io.widerow.cql.parse.Relation.Operator;
import io.widerow.cql.parse.Where;
import io.widerow.cql.schema.Column;
import io.widerow.cql.schema.Column.Kind;
import io.widerow.cql.schema.KeyLimits.TokenCondition;
import io.widerow.cql.schema.KeyLimits.TupleCondition;
import io.widerow.cql.schema.Table;
import io.widerow.cql.type.CqlType;
import io.widerow.cql.type.NativeType;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// A condition on several columns of the key, or on the token, with its types.
///
/// @param indexes of the columns
/// @param values one, or those of IN: tuples, a list of tuples, or a token
record KeyRestriction(
    KeyRelation relation, List<Column> columns, List<Integer> indexes, List<Value> values) {
  KeyRestriction {
    columns = List.copyOf(columns);
    indexes = List.copyOf(indexes);
    values = List.copyOf(values);
  }

  /// Gives all conditions of WHERE their types, in their order. `(a, b) = (1, 2)` is split into
  /// conditions on single columns.
  ///
  /// @param singles gets the conditions on single columns
  /// @return the others
  static List<KeyRestriction> all(List<Where> where, Scope scope, List<Restriction> singles) {
    return all(where, scope, singles, null);
  }

  /// The same for a statement that changes rows.
  ///
  /// @param change `UPDATE` or `DELETE`; null for a query
  static List<KeyRestriction> all(
      List<Where> where, Scope scope, List<Restriction> singles, @Nullable String change) {
    List<KeyRestriction> kept = new ArrayList<>();
    ColumnRelations together = new ColumnRelations();
    for (Where each : where) {
      if (each instanceof Relation single) {
        requireNoParts(single, change);
        Restriction restriction = Restriction.of(single, scope);
        if (single.operator() == Operator.LIKE && scope.table().stored() != null) {
          throw CqlException.invalid(WhereValidator.LIKE.formatted(single));
        }
        singles.add(restriction);
        together.add(restriction);
        continue;
      }
      KeyRelation relation = (KeyRelation) each;
      List<Column> columns = columns(relation, scope);
      boolean equal = relation.operator() == Operator.EQ && !relation.token();
      if (equal && relation.values().getFirst() instanceof Expression.TupleOf(var parts)) {
        for (int i = 0; i < parts.size(); i++) {
          String name = columns.get(i).name();
          singles.add(
              Restriction.of(new Relation(name, null, null, Operator.EQ, parts.get(i)), scope));
        }
      } else {
        kept.add(of(relation, columns, scope));
      }
      together.add(relation, columns);
    }
    return kept;
  }

  /// The conditions of a change name its rows: a change reads no row to test the elements of a
  /// collection.
  private static void requireNoParts(Relation relation, @Nullable String change) {
    Operator operator = relation.operator();
    if (change != null && (operator == Operator.CONTAINS || operator == Operator.CONTAINS_KEY)) {
      throw CqlException.invalid("Cannot use %s with %s".formatted(change, operator.sign));
    }
  }

  private static List<Column> columns(KeyRelation relation, Scope scope) {
    Table table = scope.table();
    List<Column> columns =
        relation.columns().stream().map(name -> table.columns().get(scope.require(name))).toList();
    if (table.stored() == null) {
      throw CqlException.invalid(
          "conditions on several columns and tokens are for tables, not for %s: %s"
              .formatted(table.qualified(), relation));
    }
    if (relation.token()) {
      requirePartitionKey(table, columns);
      return columns;
    }
    if (relation.operator() == Operator.NEQ) {
      throw CqlException.invalid("Unsupported \"!=\" relation: %s".formatted(relation));
    }
    int before = -1;
    for (Column column : columns) {
      if (column.kind() != Kind.CLUSTERING) {
        throw CqlException.invalid(
            ("Multi-column relations can only be applied to clustering columns but was applied to:"
                    + " %s")
                .formatted(column.name()));
      }
      if (before >= 0 && column.position() != before + 1) {
        throw CqlException.invalid(
            "Clustering columns must appear in the PRIMARY KEY order in multi-column relations: %s"
                .formatted(relation));
      }
      before = column.position();
    }
    relation.values().forEach(value -> requireSize(columns, value));
    return columns;
  }

  private static void requireSize(List<Column> columns, Expression value) {
    if (value instanceof Expression.TupleOf(List<Expression> parts)
        && parts.size() != columns.size()) {
      throw CqlException.invalid(
          "Expected %d elements in value tuple, but got %d: %s"
              .formatted(columns.size(), parts.size(), value));
    }
  }

  private static void requirePartitionKey(Table table, List<Column> columns) {
    List<Column> key = table.of(Kind.PARTITION_KEY);
    if (columns.size() != key.size() || !columns.containsAll(key)) {
      throw CqlException.invalid(
          "The token() function must be applied to all partition key components or none of them");
    }
    if (!columns.equals(key)) {
      throw CqlException.invalid(
          "The token function arguments must be in the partition key order: "
              + String.join(", ", key.stream().map(Column::name).toList()));
    }
  }

  private static KeyRestriction of(KeyRelation relation, List<Column> columns, Scope scope) {
    Compiler compiler = new Compiler(scope, false);
    List<Integer> indexes =
        columns.stream().map(column -> scope.table().find(column.name())).toList();
    CqlType type = new CqlType.TupleOf(columns.stream().map(Column::type).toList());
    String name = "(" + String.join(",", relation.columns()) + ")";
    if (relation.token()) {
      if (relation.operator() == Operator.NEQ) {
        throw CqlException.invalid("Unsupported \"!=\" relation: %s".formatted(relation));
      }
      type = NativeType.BIGINT;
      name = "partition key token";
    } else if (relation.isMarked()) {
      type = new CqlType.ListOf(type, false);
      name = "in" + name;
    }
    List<Value> values = new ArrayList<>();
    for (Expression each : relation.values()) {
      boolean tuple = each instanceof Expression.TupleOf || each instanceof Expression.Marker;
      if (!relation.token() && !tuple) {
        throw new CqlException(
            Code.SYNTAX, "a tuple of values is expected, and not %s".formatted(each));
      }
      values.add(compiler.compile(each, type, name));
    }
    return new KeyRestriction(relation, columns, indexes, values);
  }

  /// True for `=`, and for `IN` with one value.
  boolean isOneValue() {
    boolean one = values.size() == 1 && !relation.isMarked();
    return relation.operator() == Operator.EQ || (relation.operator() == Operator.IN && one);
  }

  boolean isSlice() {
    return relation.operator().isSlice();
  }

  TokenCondition token(Bound bound) {
    if (!(values.getFirst().of(null, bound) instanceof Long token)) {
      throw CqlException.invalid("Invalid null token value");
    }
    return new TokenCondition(relation.operator(), token);
  }

  TupleCondition tuple(Bound bound) {
    List<List<Object>> tuples = new ArrayList<>();
    for (Value value : values) {
      Object found = value.of(null, bound);
      if (relation.isMarked()) {
        for (Object each : (List<?>) Objects.requireNonNullElse(found, List.of())) {
          tuples.add(tuple((List<?>) each));
        }
      } else {
        tuples.add(tuple((List<?>) found));
      }
    }
    return new TupleCondition(
        indexes, columns.stream().map(Column::type).toList(), relation.operator(), tuples);
  }

  private List<Object> tuple(@Nullable List<?> values) {
    List<Object> all = new ArrayList<>();
    for (int i = 0; i < columns.size(); i++) {
      Object value = values == null || i >= values.size() ? null : values.get(i);
      if (value == null) {
        throw CqlException.invalid(
            "Invalid null value in condition for column %s".formatted(columns.get(i).name()));
      }
      all.add(value);
    }
    return all;
  }
}
