package io.widerow.cql.schema;

import io.widerow.cql.parse.Relation.Operator;
import io.widerow.cql.type.CqlType;
import io.widerow.cql.type.ValueOrder;
import java.util.List;

/// Conditions on keys that no single column has.
///
/// @param tuples on several clustering columns at once
/// @param tokens on the token of the partition key
/// @param rowsOfPartition the most rows of each partition; 0 for all
/// @param merged whether the rows of several partitions come in one clustering order
public record KeyLimits(
    List<TupleCondition> tuples, List<TokenCondition> tokens, int rowsOfPartition, boolean merged) {
  public static final KeyLimits NONE = new KeyLimits(List.of(), List.of(), 0, false);

  public KeyLimits {
    tuples = List.copyOf(tuples);
    tokens = List.copyOf(tokens);
  }

  /// A condition on several columns, compared one after the other.
  ///
  /// @param indexes of the columns in [Table#columns]
  /// @param types of the columns
  /// @param values one list of values, or those of IN
  public record TupleCondition(
      List<Integer> indexes, List<CqlType> types, Operator operator, List<List<Object>> values) {
    public TupleCondition {
      indexes = List.copyOf(indexes);
      types = List.copyOf(types);
      values = List.copyOf(values);
    }

    /// Whether a row meets it. No comparison with null is true.
    public boolean test(Row row) {
      for (List<Object> each : values) {
        Integer order = compare(row, each);
        if (order != null && isMet(order)) {
          return true;
        }
      }
      return false;
    }

    private boolean isMet(int order) {
      return switch (operator) {
        case EQ, IN -> order == 0;
        case LT -> order < 0;
        case LTE -> order <= 0;
        case GT -> order > 0;
        case GTE -> order >= 0;
        default -> throw new IllegalStateException("refused: " + this);
      };
    }

    private @org.jspecify.annotations.Nullable Integer compare(Row row, List<Object> others) {
      for (int i = 0; i < others.size(); i++) {
        Object found = row.value(indexes.get(i));
        if (found == null) {
          return null;
        }
        int order = ValueOrder.compare(types.get(i), found, others.get(i));
        if (order != 0) {
          return order;
        }
      }
      return 0;
    }
  }

  /// A bound of tokens.
  public record TokenCondition(Operator operator, long token) {
    public boolean test(long found) {
      return switch (operator) {
        case EQ -> found == token;
        case LT -> found < token;
        case LTE -> found <= token;
        case GT -> found > token;
        case GTE -> found >= token;
        default -> throw new IllegalStateException("refused: " + this);
      };
    }
  }
}
