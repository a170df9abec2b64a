package io.widerow.cql.plan;

import io.widerow.cql.CqlException;
import io.widerow.cql.parse.Expression;
import io.widerow.cql.parse.Relation;
import io.widerow.cql.parse.Relation.Operator;
import io.widerow.cql.schema.Column;
import io.widerow.cql.schema.Condition;
import io.widerow.cql.type.CqlType;
import io.widerow.cql.type.Empty;
import io.widerow.cql.type.NativeType;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// A condition of WHERE with its types; [Condition] is the same with its values.
///
/// @param index of the column
/// @param type of what is compared
/// @param key of the element of a map; null for the whole column
/// @param values one; of IN all, or the one that is the list
/// @param perhapsEmpty whether there are values of no bytes; else they are the same as null
record Restriction(
    Relation relation,
    Column column,
    int index,
    CqlType type,
    @Nullable Value key,
    List<Value> values,
    boolean perhapsEmpty) {
  Restriction {
    values = List.copyOf(values);
  }

  static Restriction of(Relation relation, Scope scope) {
    Compiler compiler = new Compiler(scope, false);
    int index = scope.require(relation.column());
    Column column = scope.table().columns().get(index);
    Expression keyGiven = relation.key();
    Value key = null;
    CqlType type = column.type();
    String name = column.name();
    if (relation.field() != null) {
      throw CqlException.invalid("fields in WHERE are not supported: %s".formatted(relation));
    }
    if (keyGiven != null) {
      if (!(type instanceof CqlType.MapOf(CqlType keys, CqlType of, _))) {
        throw CqlException.invalid("Column %s cannot be used as a map".formatted(name));
      }
      if (!type.isMultiCell()) {
        throw CqlException.invalid(
            "Map-entry equality predicates on frozen map column %s are not supported"
                .formatted(name));
      }
      key = compiler.compile(keyGiven, keys, "key(" + name + ")");
      type = of;
      name = "value(" + name + ")";
    }
    requireTyped(relation, column, type);
    CqlType compared = Condition.compared(relation.operator(), type);
    List<Value> values = new ArrayList<>();
    if (relation.operator() == Operator.IN
        && relation.value() instanceof Expression.ListOf(List<Expression> all)) {
      for (Expression each : all) {
        values.add(compiler.compile(each, compared, name));
      }
    } else if (relation.operator() == Operator.IN) {
      values.add(
          compiler.compile(
              relation.value(), new CqlType.ListOf(compared, false), "in(" + name + ")"));
    } else {
      values.add(compiler.compile(relation.value(), compared, name));
    }
    boolean stored = scope.table().stored() != null;
    return new Restriction(relation, column, index, compared, key, values, stored);
  }

  private static void requireTyped(Relation relation, Column column, CqlType type) {
    switch (relation.operator()) {
      case NEQ -> throw CqlException.invalid("Unsupported \"!=\" relation: %s".formatted(relation));
      case IS_NOT ->
          throw CqlException.invalid(
              "Unsupported restriction: %s IS NOT NULL".formatted(column.name()));
      case CONTAINS -> {
        if (!type.isCollection()) {
          throw CqlException.invalid(
              "Cannot use CONTAINS on non-collection column %s".formatted(column.name()));
        }
      }
      case CONTAINS_KEY -> {
        if (!(type instanceof CqlType.MapOf)) {
          throw CqlException.invalid(
              "Cannot use CONTAINS KEY on non-map column %s".formatted(column.name()));
        }
      }
      case LIKE -> {
        if (!(type instanceof NativeType simple && simple.isText())) {
          throw CqlException.invalid(
              "LIKE restriction is only supported on text. %s is not valid.".formatted(relation));
        }
      }
      case EQ, LT, LTE, GT, GTE, IN -> {}
    }
  }

  Operator operator() {
    return relation.operator();
  }

  /// True when it names whole values of the column: `=` and `IN`.
  boolean isExact() {
    return key == null && (operator() == Operator.EQ || operator() == Operator.IN);
  }

  Condition bind(Bound bound) {
    List<Object> found = new ArrayList<>();
    for (Value value : values) {
      Object object = require(value.of(null, bound));
      if (operator() == Operator.IN && value.type() instanceof CqlType.ListOf && isMarker()) {
        found.addAll((List<?>) object);
      } else {
        found.add(object);
      }
    }
    Value keyOf = key;
    return new Condition(
        index, type, keyOf == null ? null : require(keyOf.of(null, bound)), operator(), found);
  }

  private boolean isMarker() {
    return relation.value() instanceof Expression.Marker;
  }

  private Object require(@Nullable Object value) {
    if (value == null || (value == Empty.VALUE && !perhapsEmpty)) {
      throw CqlException.invalid(
          "Invalid null value in condition for column %s".formatted(column.name()));
    }
    return value;
  }
}
