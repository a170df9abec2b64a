package io.widerow.cql.schema;

import io.widerow.cql.parse.Relation.Operator;
import io.widerow.cql.type.CqlType;
import io.widerow.cql.type.NativeType;
import io.widerow.cql.type.ValueOrder;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// A condition on a row with all its values known.
///
/// @param index of the column in [Table#columns]
/// @param type of the compared value: of the column, or of the elements of the map
/// @param key of the element of a map; null for the column itself
/// @param values one, or those of IN
public record RowCondition(
    int index, CqlType type, @Nullable Object key, Operator operator, List<Object> values) {
  public RowCondition {
    values = List.copyOf(values);
  }

  /// The type of the value that a column of a type is compared with.
  public static CqlType compared(Operator operator, CqlType type) {
    return switch (operator) {
      case CONTAINS ->
          switch (type) {
            case CqlType.MapOf map -> map.value();
            case CqlType.SetOf set -> set.element();
            case CqlType.ListOf list -> list.element();
            case NativeType _, CqlType.TupleOf _, CqlType.UserType _, CqlType.VectorOf _ -> type;
          };
      case CONTAINS_KEY -> type instanceof CqlType.MapOf map ? map.key() : type;
      default -> type;
    };
  }

  public Object value() {
    return values.getFirst();
  }

  /// Whether a row meets it. No comparison with null is true.
  public boolean test(Row row) {
    Object found = key == null ? row.value(index) : row.element(index, key);
    return found != null && test(found);
  }

  private boolean test(Object found) {
    return switch (operator) {
      case EQ -> order(found) == 0;
      case LT -> order(found) < 0;
      case LTE -> order(found) <= 0;
      case GT -> order(found) > 0;
      case GTE -> order(found) >= 0;
      case IN -> values.stream().anyMatch(value -> ValueOrder.compare(type, found, value) == 0);
      case LIKE -> LikePattern.of((String) value()).test((String) found);
      case CONTAINS -> contained(found);
      case CONTAINS_KEY -> ((Map<?, ?>) found).containsKey(value());
      case NEQ, IS_NOT -> throw new IllegalStateException("refused: " + this);
    };
  }

  private int order(Object found) {
    return ValueOrder.compare(type, found, value());
  }

  private boolean contained(Object found) {
    Collection<?> all = found instanceof Map<?, ?> map ? map.values() : (Collection<?>) found;
    return all.contains(value());
  }
}
