package io.widerow.cql.parse;

import io.widerow.cql.CqlException;
import io.widerow.cql.CqlException.Code;
import io.widerow.cql.parse.Change.How;
import io.widerow.cql.parse.Change.If;
import io.widerow.cql.parse.Change.Part;
import io.widerow.cql.parse.Change.Using;
import io.widerow.cql.parse.Statement.TableName;
import io.widerow.cql.type.Literals;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/// Parses INSERT, UPDATE, DELETE and batches of them.
///
/// - Threads: one.
final class ChangeParser {
  private final Words words;
  private final ExpressionParser expressions;
  private final WhereParser conditions;

  ChangeParser(Words words, ExpressionParser expressions, WhereParser conditions) {
    this.words = words;
    this.expressions = expressions;
    this.conditions = conditions;
  }

  /// One change.
  Change change() {
    if (words.skipWord("insert")) {
      return insert();
    }
    return words.skipWord("update") ? update() : delete();
  }

  private Change insert() {
    words.requireWord("into");
    TableName table = words.tableName();
    List<String> columns = new ArrayList<>();
    List<Expression> values = new ArrayList<>();
    Expression json = null;
    boolean unset = false;
    if (words.skipWord("json")) {
      json = expressions.term();
      if (words.skipWord("default")) {
        unset = words.skipWord("unset");
        if (!unset) {
          words.requireWord("null");
        }
      }
    } else {
      words.requireSign("(");
      do {
        columns.add(words.name("a column"));
      } while (words.skipSign(","));
      words.requireSign(")");
      words.requireWord("values");
      words.requireSign("(");
      do {
        values.add(expressions.sum());
      } while (words.skipSign(","));
      words.requireSign(")");
    }
    If condition = If.ALWAYS;
    if (words.skipWord("if")) {
      words.requireWord("not");
      words.requireWord("exists");
      condition = new If(false, true, List.of());
    }
    return new Change.Insert(table, columns, values, json, unset, condition, using());
  }

  private Using using() {
    if (!words.skipWord("using")) {
      return Using.NOTHING;
    }
    Expression timestamp = null;
    Expression ttl = null;
    do {
      if (words.skipWord("timestamp")) {
        timestamp = number();
      } else {
        words.requireWord("ttl");
        ttl = number();
      }
    } while (words.skipWord("and"));
    return new Using(timestamp, ttl);
  }

  /// A number as it is written, or a marker.
  private Expression number() {
    Expression number = expressions.term();
    boolean isNumber =
        number instanceof Expression.Marker
            || (number instanceof Expression.Constant(Literals.Kind kind, String _)
                && kind == Literals.Kind.INTEGER);
    if (!isNumber) {
      throw new CqlException(
          Code.SYNTAX, "USING takes a number or a marker, got %s".formatted(number));
    }
    return number;
  }

  private Change update() {
    TableName table = words.tableName();
    Using using = using();
    words.requireWord("set");
    List<Change.Assignment> assignments = new ArrayList<>();
    do {
      assignments.add(assignment());
    } while (words.skipSign(","));
    requireCompatible(assignments);
    words.requireWord("where");
    return new Change.Update(table, using, assignments, conditions.where(), condition());
  }

  /// Parts of a column may be set together, but a whole column or a field only once.
  private static void requireCompatible(List<Change.Assignment> assignments) {
    Set<String> whole = new HashSet<>();
    Set<String> parts = new HashSet<>();
    Set<Part> fields = new HashSet<>();
    for (Change.Assignment assignment : assignments) {
      Part to = assignment.to();
      boolean isWhole = assignment.how() == How.SET && to.key() == null && to.field() == null;
      boolean isNew = (isWhole ? whole : parts).add(to.column());
      boolean again = to.field() == null ? isWhole && !isNew : !fields.add(to);
      if (again || (whole.contains(to.column()) && parts.contains(to.column()))) {
        throw new CqlException(
            Code.SYNTAX, "Multiple incompatible setting of column %s".formatted(to.column()));
      }
    }
  }

  private Change.Assignment assignment() {
    Part to = part();
    if (words.skipSign("+=")) {
      return new Change.Assignment(to, How.ADD, expressions.sum());
    }
    if (words.skipSign("-=")) {
      return new Change.Assignment(to, How.SUBTRACT, expressions.sum());
    }
    words.requireSign("=");
    Lexeme sign = words.peekSecond();
    boolean isColumn = words.isName() && !words.isTruth();
    if (isColumn && (sign.isSign("+") || sign.isSign("-"))) {
      requireColumn(isColumn(new Expression.Name(words.name("a column")), to));
      How how = words.take().isSign("+") ? How.ADD : How.SUBTRACT;
      return new Change.Assignment(to, how, expressions.sum());
    }
    Expression value = expressions.sum();
    if (value instanceof Expression.Arithmetic(String operator, Expression left, Expression right)
        && right instanceof Expression.Name) {
      requireColumn(operator.equals("+") && isColumn(right, to));
      return new Change.Assignment(to, How.PREPEND, left);
    }
    return new Change.Assignment(to, How.SET, value);
  }

  private static void requireColumn(boolean isColumn) {
    if (!isColumn) {
      throw new CqlException(
          Code.SYNTAX, "Only expressions of the form X = X +<value> are supported.");
    }
  }

  private static boolean isColumn(Expression expression, Part part) {
    return part.key() == null
        && part.field() == null
        && expression instanceof Expression.Name(String name)
        && name.equals(part.column());
  }

  private Part part() {
    String column = words.name("a column");
    if (words.skipSign("[")) {
      Expression key = expressions.sum();
      words.requireSign("]");
      return new Part(column, key, null);
    }
    return new Part(column, null, words.skipSign(".") ? words.name("a field") : null);
  }

  private If condition() {
    if (!words.skipWord("if")) {
      return If.ALWAYS;
    }
    if (words.skipWord("exists")) {
      return new If(true, false, List.of());
    }
    List<Relation> all = new ArrayList<>();
    do {
      all.add(conditions.condition());
    } while (words.skipWord("and"));
    return new If(false, false, all);
  }

  private Change delete() {
    words.requireWord("delete");
    List<Part> columns = new ArrayList<>();
    if (!words.peek().isWord("from")) {
      do {
        columns.add(part());
      } while (words.skipSign(","));
    }
    words.requireWord("from");
    TableName table = words.tableName();
    Using using = using();
    if (using.ttl() != null) {
      throw words.expected("WHERE");
    }
    words.requireWord("where");
    return new Change.Delete(table, columns, using, conditions.where(), condition());
  }

  /// BEGIN ... APPLY BATCH.
  Statement.Batch batch() {
    words.requireWord("begin");
    Statement.Batch.Kind kind = Statement.Batch.Kind.LOGGED;
    if (words.skipWord("unlogged")) {
      kind = Statement.Batch.Kind.UNLOGGED;
    } else if (words.skipWord("counter")) {
      kind = Statement.Batch.Kind.COUNTER;
    }
    words.requireWord("batch");
    Using using = using();
    List<Change> changes = new ArrayList<>();
    while (!words.skipWord("apply")) {
      if (!isChange()) {
        throw words.expected("INSERT, UPDATE, DELETE or APPLY");
      }
      changes.add(change());
      boolean _ = words.skipSign(";");
    }
    words.requireWord("batch");
    return new Statement.Batch(kind, using, changes);
  }

  private boolean isChange() {
    Lexeme next = words.peek();
    return next.isWord("insert") || next.isWord("update") || next.isWord("delete");
  }

  /// The text of a constant, for options.
  static String constant(Expression expression, Words words) {
    if (expression instanceof Expression.Constant(Literals.Kind _, String text)) {
      return text;
    }
    throw words.expected("a constant");
  }
}
