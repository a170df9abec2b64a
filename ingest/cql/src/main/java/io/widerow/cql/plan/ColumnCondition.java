package io.widerow.cql.plan;

import io.widerow.cql.CqlException;
import io.widerow.cql.function.Elements;
import io.widerow.cql.parse.Expression;
import io.widerow.cql.parse.Relation;
import io.widerow.cql.parse.Relation.Operator;
import io.widerow.cql.schema.Column;
import io.widerow.cql.schema.Row;
import io.widerow.cql.schema.RowCondition;
import io.widerow.cql.type.CqlType;
import io.widerow.cql.type.NativeType;
import io.widerow.cql.type.ValueOrder;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// One condition of IF. Here null is a value: it equals itself, and has no order.
///
/// @param index of the column
/// @param subject the column, or a part of it
/// @param values one, or those of IN
/// @param marked whether IN has one marker for all its values
record ColumnCondition(
    int index, Value subject, Operator operator, List<Value> values, boolean marked) {
  ColumnCondition {
    values = List.copyOf(values);
  }

  static ColumnCondition of(Relation relation, Scope scope) {
    int index = scope.require(relation.column());
    Column column = scope.table().columns().get(index);
    requireTyped(relation, column);
    if (column.isKey()) {
      throw CqlException.invalid(
          "PRIMARY KEY column '%s' cannot have IF conditions".formatted(column.name()));
    }
    Value left = subject(relation, column, scope);
    if (relation.operator().isSlice() && left.type().contains(NativeType.DURATION)) {
      throw CqlException.invalid(
          "Slice conditions ( %s ) are not supported on durations"
              .formatted(relation.operator().sign));
    }
    Compiler compiler = new Compiler(scope, false);
    CqlType compared = RowCondition.compared(relation.operator(), left.type());
    List<Value> values = new ArrayList<>();
    boolean in = relation.operator() == Operator.IN;
    boolean marked = in && !(relation.value() instanceof Expression.ListOf);
    if (marked) {
      CqlType list = new CqlType.ListOf(compared, false);
      values.add(compiler.compile(relation.value(), list, "in(" + column.name() + ")"));
    } else if (in && relation.value() instanceof Expression.ListOf(List<Expression> all)) {
      all.forEach(each -> values.add(compiler.compile(each, compared, column.name())));
    } else {
      values.add(compiler.compile(relation.value(), compared, column.name()));
    }
    return new ColumnCondition(index, left, relation.operator(), values, marked);
  }

  /// The refusal of a condition that no row can be tested for.
  private static void requireTyped(Relation relation, Column column) {
    CqlType type = column.type();
    Operator operator = relation.operator();
    require(
        operator != Operator.CONTAINS || type.isCollection(),
        "Cannot use CONTAINS on non-collection column %s",
        column.name());
    require(
        operator != Operator.CONTAINS_KEY || type instanceof CqlType.MapOf,
        "Cannot use CONTAINS KEY on non-map column %s",
        column.name());
    if (relation.key() != null) {
      require(
          type.isCollection(),
          "Invalid element access syntax for non-collection column %s",
          column.name());
      require(
          !(type instanceof CqlType.SetOf),
          "Invalid element access syntax for set column %s",
          column.name());
    }
  }

  private static void require(boolean met, String otherwise, Object of) {
    if (!met) {
      throw CqlException.invalid(otherwise.formatted(of));
    }
  }

  private static Value subject(Relation relation, Column column, Scope scope) {
    Compiler rows = new Compiler(scope, true);
    Expression name = new Expression.Name(column.name());
    Expression key = relation.key();
    if (key != null && column.type() instanceof CqlType.ListOf(CqlType element, _)) {
      Value list = rows.compile(name, null, column.name());
      Value index =
          new Compiler(scope, false).compile(key, NativeType.INT, "idx(" + column.name() + ")");
      return new Value.OfFunction(
          element, List.of(list, index), (values, _) -> at((List<?>) values[0], values[1]));
    }
    String field = relation.field();
    if (field != null && column.type() instanceof CqlType.UserType user && user.find(field) < 0) {
      throw CqlException.invalid("Unknown field %s for column %s".formatted(field, column.name()));
    }
    Expression subject =
        key != null
            ? new Expression.Element(name, key)
            : relation.field() != null ? new Expression.Field(name, relation.field()) : name;
    return rows.compile(subject, null, column.name());
  }

  /// An element of a list; null past the end of it.
  private static @Nullable Object at(@Nullable List<?> list, @Nullable Object index) {
    if (!(index instanceof Integer place)) {
      throw CqlException.invalid("Invalid null value for list element access");
    }
    if (place < 0) {
      throw CqlException.invalid("Invalid negative list index " + place);
    }
    return list == null || place >= list.size() ? null : list.get(place);
  }

  /// Whether a row meets it.
  ///
  /// @param row null when there is none: all its columns are null
  boolean test(@Nullable Row row, Bound bound) {
    Object found = row == null ? null : subject.of(row, bound);
    List<@Nullable Object> wanted = new ArrayList<>();
    for (Value value : values) {
      boolean in = operator == Operator.IN && !marked; // where one that is unset is left out
      if (in && value instanceof Value.OfVariable(_, int index) && bound.isUnset(index)) {
        continue;
      }
      Object each = value.of(null, bound);
      if (marked && each instanceof List<?> all) {
        wanted.addAll(all);
      } else {
        wanted.add(each);
      }
    }
    return switch (operator) {
      case EQ, IN -> wanted.stream().anyMatch(each -> isEqual(found, each));
      case NEQ -> !isEqual(found, wanted.getFirst());
      case CONTAINS, CONTAINS_KEY -> contains(found, wanted.getFirst());
      default -> isInOrder(found, wanted.getFirst());
    };
  }

  private boolean contains(@Nullable Object found, @Nullable Object asked) {
    Object wanted = requireValue(asked);
    if (found == null) {
      return false;
    }
    boolean values = operator == Operator.CONTAINS;
    CqlType type = RowCondition.compared(operator, subject.type());
    Collection<?> all =
        values && found instanceof Map<?, ?> map ? map.values() : Elements.keys(found);
    return all.stream().anyMatch(each -> ValueOrder.compare(type, each, wanted) == 0);
  }

  private Object requireValue(@Nullable Object wanted) {
    if (wanted == null) {
      throw CqlException.invalid(
          "Invalid comparison with null for operator \"%s\"".formatted(operator.sign));
    }
    return wanted;
  }

  private boolean isEqual(@Nullable Object found, @Nullable Object wanted) {
    if (found == null || wanted == null) {
      return isNothing(found) && isNothing(wanted);
    }
    return ValueOrder.compare(subject.type(), found, wanted) == 0;
  }

  /// An empty collection with a cell for each element is the same as none.
  private boolean isNothing(@Nullable Object value) {
    if (value == null || !subject.type().isMultiCell()) {
      return value == null;
    }
    return switch (value) {
      case Collection<?> all -> all.isEmpty();
      case Map<?, ?> map -> map.isEmpty();
      default -> false;
    };
  }

  private static String kind(CqlType type) {
    return switch (type) {
      case CqlType.ListOf _ -> "list";
      case CqlType.SetOf _ -> "set";
      case CqlType.MapOf _ -> "map";
      default -> type.cql();
    };
  }

  private boolean isInOrder(@Nullable Object found, @Nullable Object asked) {
    Object wanted = requireValue(asked);
    if (isNothing(wanted)) {
      throw CqlException.invalid(
          "Invalid comparison with an empty %s for operator \"%s\""
              .formatted(kind(subject.type()), operator.sign));
    }
    if (found == null) {
      return false;
    }
    int order = ValueOrder.compare(subject.type(), found, wanted);
    return switch (operator) {
      case LT -> order < 0;
      case LTE -> order <= 0;
      case GT -> order > 0;
      case GTE -> order >= 0;
      default -> throw new IllegalStateException("no order: " + operator);
    };
  }
}
