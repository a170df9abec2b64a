package io.widerow.cql.plan;

import io.widerow.cql.CqlException;
import io.widerow.cql.parse.Expression;
import io.widerow.cql.parse.Relation;
import io.widerow.cql.parse.Relation.Operator;
import io.widerow.cql.schema.Column;
import io.widerow.cql.schema.Row;
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
record ColumnTest(int index, Value subject, Operator operator, List<Value> values, boolean marked) {
  ColumnTest {
    values = List.copyOf(values);
  }

  static ColumnTest of(Relation relation, Scope scope) {
    int index = scope.require(relation.column());
    Column column = scope.table().columns().get(index);
    if (column.isKey()) {
      throw CqlException.invalid(
          "PRIMARY KEY column '%s' cannot have IF conditions".formatted(column.name()));
    }
    Expression subject = new Expression.Name(column.name());
    if (relation.key() != null) {
      subject = new Expression.Element(subject, relation.key());
    } else if (relation.field() != null) {
      subject = new Expression.Field(subject, relation.field());
    }
    switch (relation.operator()) {
      case LIKE, CONTAINS, CONTAINS_KEY, IS_NOT ->
          throw CqlException.invalid("Unsupported condition: %s".formatted(relation));
      case EQ, NEQ, LT, LTE, GT, GTE, IN -> {}
    }
    Value left = new Compiler(scope, true).compile(subject, null, column.name());
    if (relation.operator().isSlice() && left.type().contains(NativeType.DURATION)) {
      throw CqlException.invalid(
          "Slice conditions ( %s ) are not supported on durations"
              .formatted(relation.operator().sign));
    }
    Compiler compiler = new Compiler(scope, false);
    List<Value> values = new ArrayList<>();
    boolean in = relation.operator() == Operator.IN;
    boolean marked = in && !(relation.value() instanceof Expression.ListOf);
    if (marked) {
      CqlType list = new CqlType.ListOf(left.type(), false);
      values.add(compiler.compile(relation.value(), list, "in(" + column.name() + ")"));
    } else if (in && relation.value() instanceof Expression.ListOf(List<Expression> all)) {
      all.forEach(each -> values.add(compiler.compile(each, left.type(), column.name())));
    } else {
      values.add(compiler.compile(relation.value(), left.type(), column.name()));
    }
    return new ColumnTest(index, left, relation.operator(), values, marked);
  }

  /// Whether a row meets it.
  ///
  /// @param row null when there is none: all its columns are null
  boolean test(@Nullable Row row, Bound bound) {
    Object found = row == null ? null : subject.of(row, bound);
    List<@Nullable Object> wanted = new ArrayList<>();
    for (Value value : values) {
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
      default -> isInOrder(found, wanted.getFirst());
    };
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

  private boolean isInOrder(@Nullable Object found, @Nullable Object wanted) {
    if (wanted == null) {
      throw CqlException.invalid(
          "Invalid comparison with null for operator \"%s\"".formatted(operator.sign));
    }
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
