package io.widerow.cql.plan;

import io.widerow.cql.CqlException;
import io.widerow.cql.parse.Expression;
import io.widerow.cql.parse.Relation;
import io.widerow.cql.parse.Relation.Operator;
import io.widerow.cql.schema.Column;
import io.widerow.cql.schema.RowCondition;
import io.widerow.cql.type.CqlType;
import io.widerow.cql.type.Empty;
import io.widerow.cql.type.NativeType;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// A condition of WHERE with its types; [RowCondition] is the same with its values.
///
/// @param index of the column
/// @param type of the compared value
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
    boolean stored = scope.table().stored() != null;
    requireTyped(relation, column, stored);
    Expression keyGiven = relation.key();
    Value key = null;
    CqlType type = column.type();
    String name = column.name();
    if (keyGiven != null && type instanceof CqlType.MapOf(CqlType keys, CqlType of, _)) {
      key = compiler.compile(keyGiven, keys, "key(" + name + ")");
      type = of;
      name = "value(" + name + ")";
    }
    CqlType compared = RowCondition.compared(relation.operator(), type);
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
    requireText(relation, type);
    return new Restriction(relation, column, index, compared, key, values, stored);
  }

  /// Refuses a condition that no statement supports on a column of its type.
  ///
  /// @param stored whether it is of a table of users
  private static void requireTyped(Relation relation, Column column, boolean stored) {
    String name = column.name();
    CqlType type = column.type();
    Operator operator = relation.operator();
    boolean contains = operator == Operator.CONTAINS;
    boolean containsKey = operator == Operator.CONTAINS_KEY;
    require(operator != Operator.NEQ, "Unsupported \"!=\" relation: %s", relation);
    require(operator != Operator.IS_NOT, "Unsupported restriction: %s IS NOT NULL", name);
    require(relation.field() == null, "fields in WHERE are not supported: %s", relation);
    require(
        !containsKey || type instanceof CqlType.MapOf,
        "Cannot use CONTAINS KEY on non-map column %s",
        name);
    require(
        !contains || type.isCollection(), "Cannot use CONTAINS on non-collection column %s", name);
    if (relation.key() != null) {
      requireEntry(relation, column, stored);
      return;
    }
    require(
        !operator.isSlice() || !type.contains(NativeType.DURATION),
        "Slice restrictions are not supported on %s",
        withDurations(type));
    if (type.isMultiCell()) {
      require(
          type.isCollection(),
          "Non-frozen UDT column '%s' (%s) cannot be restricted by any relation",
          name,
          type.cql());
      require(
          contains || containsKey,
          "Collection column '%s' (%s) cannot be restricted by a '%s' relation",
          name,
          type.cql(),
          operator.sign);
    }
  }

  private static String withDurations(CqlType type) {
    return switch (type) {
      case NativeType _ -> "duration columns";
      case CqlType.TupleOf _ -> "tuples containing durations";
      case CqlType.UserType _ -> "UDTs containing durations";
      default -> "collections containing durations";
    };
  }

  /// Refuses a condition that no statement supports on an entry of a map.
  private static void requireEntry(Relation relation, Column column, boolean stored) {
    String name = column.name();
    require(
        !(column.type() instanceof CqlType.ListOf),
        "Indexes on list entries (%s[index] = value) are not currently supported.",
        name);
    require(column.type() instanceof CqlType.MapOf, "Column %s cannot be used as a map", name);
    require(
        column.type().isMultiCell(),
        "Map-entry equality predicates on frozen map column %s are not supported",
        name);
    Operator operator = relation.operator();
    boolean parts = operator == Operator.CONTAINS || operator == Operator.CONTAINS_KEY;
    require(
        operator == Operator.EQ || (!stored && !parts),
        "Only EQ relations are supported on map entries");
  }

  private static void requireText(Relation relation, CqlType type) {
    require(
        relation.operator() != Operator.LIKE || (type instanceof NativeType of && of.isText()),
        "LIKE restriction is only supported on text. %s is not valid.",
        relation);
  }

  @SuppressWarnings("AnnotateFormatMethod") // all calls are in this class
  private static void require(boolean met, String otherwise, Object... of) {
    if (!met) {
      throw CqlException.invalid(otherwise.formatted(of));
    }
  }

  Operator operator() {
    return relation.operator();
  }

  /// True when it names whole values of the column: `=` and `IN`.
  boolean isExact() {
    return key == null && (operator() == Operator.EQ || operator() == Operator.IN);
  }

  /// True for `CONTAINS` and `CONTAINS KEY`.
  boolean isOfElements() {
    return operator() == Operator.CONTAINS || operator() == Operator.CONTAINS_KEY;
  }

  /// True for `=`, and for `IN` with one value.
  boolean isOneValue() {
    return key == null && (operator() == Operator.EQ || (operator() == Operator.IN && isList(1)));
  }

  private boolean isList(int size) {
    return relation.value() instanceof Expression.ListOf(List<Expression> all)
        && all.size() == size;
  }

  RowCondition bind(Bound bound) {
    List<Object> found = new ArrayList<>();
    for (Value value : values) {
      requireMapValue(value, bound);
      Object object = require(value.of(null, bound));
      if (operator() == Operator.IN && value.type() instanceof CqlType.ListOf && isMarker()) {
        found.addAll((List<?>) object);
      } else {
        found.add(object);
      }
    }
    return new RowCondition(index, type, element(bound), operator(), found);
  }

  private void requireMapValue(Value value, Bound bound) {
    if (key == null) {
      return;
    }
    boolean unset = value instanceof Value.OfVariable(_, int index) && bound.isUnset(index);
    if (unset || value.of(null, bound) == null) {
      throw CqlException.invalid(
          "Unsupported %s map value for column %s"
              .formatted(unset ? "unset" : "null", column.name()));
    }
  }

  /// The key of the entry that it is about; null for the whole column.
  private @Nullable Object element(Bound bound) {
    Value of = key;
    if (of == null) {
      return null;
    }
    boolean unset = of instanceof Value.OfVariable(_, int index) && bound.isUnset(index);
    Object found = unset ? null : of.of(null, bound);
    if (found == null) {
      throw CqlException.invalid(
          "Unsupported %s map key for column %s"
              .formatted(unset ? "unset" : "null", column.name()));
    }
    return found;
  }

  private boolean isMarker() {
    return relation.value() instanceof Expression.Marker;
  }

  private Object require(@Nullable Object value) {
    if (value == null && column.type() == NativeType.COUNTER) {
      throw CqlException.invalid("Invalid null value for counter increment/decrement");
    }
    if (value == null || (value == Empty.VALUE && !perhapsEmpty)) {
      throw CqlException.invalid(
          "Invalid null value in condition for column %s".formatted(column.name()));
    }
    return value;
  }
}
