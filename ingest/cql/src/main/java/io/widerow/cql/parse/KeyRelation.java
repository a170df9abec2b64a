package io.widerow.cql.parse;

import io.widerow.cql.parse.Relation.Operator;
import io.widerow.cql.type.Identifiers;
import java.util.List;
import java.util.function.UnaryOperator;

/// One condition of WHERE on several columns of a key at once: `(c1, c2) > (1, 'x')`, or on the
/// token of the partition key: `token(k) > 5`.
///
/// @param columns in the order in which they are written
/// @param token whether the token of the columns is compared
/// @param values one; of IN all. A marker of IN stands for all of them, in `isMarked`
/// @param isMarked whether IN has one marker for all its values
public record KeyRelation(
    List<String> columns,
    boolean token,
    Operator operator,
    List<Expression> values,
    boolean isMarked)
    implements Where {
  public KeyRelation {
    columns = List.copyOf(columns);
    values = List.copyOf(values);
  }

  @Override
  public KeyRelation renamed(UnaryOperator<String> names) {
    return new KeyRelation(columns.stream().map(names).toList(), token, operator, values, isMarked);
  }

  @Override
  public KeyRelation quoted() {
    return new KeyRelation(
        columns.stream().map(Identifiers::quoted).toList(),
        token,
        operator,
        Expression.quoted(values),
        isMarked);
  }

  @Override
  public String toString() {
    String of = String.join(", ", columns);
    String shown = String.join(", ", values.stream().map(Object::toString).toList());
    return "%s(%s) %s %s"
        .formatted(
            token ? "token" : "",
            of,
            operator.sign,
            operator == Operator.IN && !isMarked ? "(" + shown + ")" : shown);
  }
}
