package io.widerow.cql.parse;

import io.widerow.cql.type.Identifiers;
import java.util.List;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/// One condition of WHERE.
///
/// @param column the column that it is about
/// @param key of the element of a map that it is about; null for the whole column
/// @param field of a type of users that it is about; null for the whole column
/// @param value the operand; of IN with a list: the [Expression.ListOf] of its values
public record Relation(
    String column,
    @Nullable Expression key,
    @Nullable String field,
    Operator operator,
    Expression value)
    implements Where {
  /// The comparison of a column.
  public enum Operator {
    EQ("="),
    NEQ("!="),
    LT("<"),
    LTE("<="),
    GT(">"),
    GTE(">="),
    IN("IN"),
    LIKE("LIKE"),
    CONTAINS("CONTAINS"),
    CONTAINS_KEY("CONTAINS KEY"),
    IS_NOT("IS NOT");

    public final String sign;

    Operator(String sign) {
      this.sign = sign;
    }

    /// True for `<`, `<=`, `>` and `>=`.
    public boolean isSlice() {
      return this == LT || this == LTE || this == GT || this == GTE;
    }

    /// True for the lower bound of a range.
    public boolean isStart() {
      return this == GT || this == GTE;
    }
  }

  @Override
  public List<String> columns() {
    return List.of(column);
  }

  @Override
  public Relation renamed(UnaryOperator<String> names) {
    return new Relation(names.apply(column), key, field, operator, value);
  }

  @Override
  public Relation quoted() {
    return new Relation(
        Identifiers.quoted(column),
        key == null ? null : key.quoted(),
        field == null ? null : Identifiers.quoted(field),
        operator,
        value.quoted());
  }

  @Override
  public String toString() {
    String part = key == null ? "" : "[" + key + "]";
    String subject = column + (field == null ? part : "." + field);
    String shown =
        operator == Operator.IN && value instanceof Expression.ListOf(List<Expression> elements)
            ? "(" + String.join(", ", elements.stream().map(Object::toString).toList()) + ")"
            : value.toString();
    return "%s %s %s".formatted(subject, operator.sign, shown);
  }
}
