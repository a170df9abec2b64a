package io.widerow.cql.parse;

import io.widerow.cql.parse.Relation.Operator;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Parses the conditions of WHERE and IF.
///
/// - Threads: one.
final class WhereParser {
  private static final List<Operator> SIGNS =
      List.of(Operator.EQ, Operator.NEQ, Operator.LTE, Operator.LT, Operator.GTE, Operator.GT);

  private final Words words;
  private final ExpressionParser expressions;

  WhereParser(Words words, ExpressionParser expressions) {
    this.words = words;
    this.expressions = expressions;
  }

  /// All conditions, joined by AND.
  List<Where> where() {
    List<Where> all = new ArrayList<>();
    do {
      if (words.peek().isSign("(")) {
        all.add(tuple());
      } else if (words.peek().isWord("token")) {
        all.add(token());
      } else {
        all.add(relation(false));
      }
    } while (words.skipWord("and"));
    return all;
  }

  private List<String> columns() {
    List<String> columns = new ArrayList<>();
    words.requireSign("(");
    do {
      columns.add(words.name("a column"));
    } while (words.skipSign(","));
    words.requireSign(")");
    return columns;
  }

  private KeyRelation token() {
    words.requireWord("token");
    List<String> columns = columns();
    Operator operator = requireSign();
    return new KeyRelation(columns, true, operator, List.of(expressions.sum()), false);
  }

  private KeyRelation tuple() {
    List<String> columns = columns();
    if (words.skipWord("in")) {
      boolean marked = !words.peek().isSign("(");
      List<Expression> values = new ArrayList<>();
      if (marked) {
        values.add(expressions.marker());
      } else {
        values.addAll(parenthesised());
      }
      return new KeyRelation(columns, false, Operator.IN, values, marked);
    }
    Operator operator = requireSign();
    Expression values = expressions.sum();
    Expression tuple = // of one value that is computed
        values instanceof Expression.Grouped(Expression of)
            ? new Expression.TupleOf(List.of(of))
            : values;
    return new KeyRelation(columns, false, operator, List.of(tuple), false);
  }

  private Operator requireSign() {
    Operator operator = sign();
    if (operator == null) {
      throw words.expected("a comparison");
    }
    return operator;
  }

  private @Nullable Operator sign() {
    for (Operator operator : SIGNS) {
      if (words.skipSign(operator.sign)) {
        return operator;
      }
    }
    return null;
  }

  /// A condition of IF, which may be about an element of a list or a field, too.
  Relation condition() {
    return relation(true);
  }

  private Relation relation(boolean ofIf) {
    String column = words.name("a column");
    Expression key = null;
    String field = null;
    if (words.skipSign("[")) {
      key = expressions.sum();
      words.requireSign("]");
    } else if (ofIf && words.skipSign(".")) {
      field = words.name("a field");
    }
    Operator sign = sign();
    if (sign != null) {
      return new Relation(column, key, field, sign, expressions.sum());
    }
    if (words.skipWord("in")) {
      return new Relation(column, key, field, Operator.IN, inValues());
    }
    if (ofIf && (key != null || field != null)) {
      throw words.expected("a comparison");
    }
    if (!ofIf && words.skipWord("like")) {
      return new Relation(column, key, field, Operator.LIKE, expressions.sum());
    }
    if (words.skipWord("contains")) {
      Operator operator = words.skipWord("key") ? Operator.CONTAINS_KEY : Operator.CONTAINS;
      return new Relation(column, key, field, operator, expressions.sum());
    }
    if (!ofIf && words.skipWord("is")) {
      words.requireWord("not");
      words.requireWord("null");
      return new Relation(column, key, field, Operator.IS_NOT, new Expression.Null());
    }
    throw words.expected("a comparison");
  }

  private Expression inValues() {
    return words.peek().isSign("(") ? new Expression.ListOf(parenthesised()) : expressions.marker();
  }

  private List<Expression> parenthesised() {
    words.requireSign("(");
    List<Expression> values = new ArrayList<>();
    if (words.skipSign(")")) {
      return values;
    }
    do {
      values.add(expressions.sum());
    } while (words.skipSign(","));
    words.requireSign(")");
    return values;
  }
}
