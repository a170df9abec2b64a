package io.widerow.cql.parse;

import io.widerow.cql.CqlException;
import io.widerow.cql.parse.Expression.Constant;
import io.widerow.cql.parse.Lexeme.Kind;
import io.widerow.cql.type.CqlType;
import io.widerow.cql.type.Literals;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/// Parses expressions, and the names of types in them.
///
/// - Threads: one.
final class ExpressionParser {
  /// Expressions inside each other; more would overflow the stack.
  private static final int DEPTH_MAX = 100;

  private final Words words;
  private int markers;
  private int depth;

  ExpressionParser(Words words) {
    this.words = words;
  }

  /// Any expression, arithmetic too.
  Expression sum() {
    int outside = depth;
    Expression sum = product();
    while (words.peek().isSign("+") || words.peek().isSign("-")) {
      enter();
      String sign = words.take().text();
      sum = new Expression.Arithmetic(sign, operand(sum), operand(product()));
    }
    depth = outside;
    return sum;
  }

  private Expression product() {
    int outside = depth;
    Expression product = factor();
    while (words.peek().isSign("*") || words.peek().isSign("/") || words.peek().isSign("%")) {
      enter();
      String sign = words.take().text();
      product = new Expression.Arithmetic(sign, operand(product), operand(factor()));
    }
    depth = outside;
    return product;
  }

  /// A term, or the negation of one.
  private Expression factor() {
    if (!words.peek().isSign("-") || isNumber(words.peekSecond())) {
      return term();
    }
    int outside = depth;
    enter();
    words.requireSign("-");
    Expression negated = new Expression.Negation(operand(factor()));
    depth = outside;
    return negated;
  }

  private static boolean isNumber(Lexeme lexeme) {
    return switch (lexeme.kind()) {
      case INTEGER, FLOAT, DURATION -> true;
      default -> lexeme.isWord("nan") || lexeme.isWord("infinity");
    };
  }

  /// `(a)` is no tuple where a number is expected.
  private static Expression operand(Expression expression) {
    return expression instanceof Expression.TupleOf(List<Expression> parts) && parts.size() == 1
        ? new Expression.Grouped(parts.getFirst())
        : expression;
  }

  /// Any expression without arithmetic at its top.
  Expression term() {
    int outside = depth;
    enter();
    Expression term = primary();
    while (true) {
      if (words.skipSign("[")) {
        enter(); // a[b][c] is as deep as it is long
        term = part(term);
      } else if (words.skipSign(".")) {
        enter();
        term = new Expression.Field(term, words.name("a field"));
      } else {
        depth = outside;
        return term;
      }
    }
  }

  /// `key]`, `from..to]`, `from..]` or `..to]`.
  private Expression part(Expression of) {
    Expression from = words.peek().isSign("..") ? null : sum();
    if (from != null && words.skipSign("]")) {
      return new Expression.Element(of, from);
    }
    words.requireSign("..");
    Expression to = from != null && words.peek().isSign("]") ? null : sum();
    words.requireSign("]");
    return new Expression.Slice(of, from, to);
  }

  private void enter() {
    if (++depth > DEPTH_MAX) {
      throw CqlException.invalid("expressions are nested at most %d deep".formatted(DEPTH_MAX));
    }
  }

  private Expression primary() {
    Lexeme next = words.peek();
    return switch (next.kind()) {
      case STRING -> constant(Literals.Kind.STRING, words.take().text());
      case INTEGER -> constant(Literals.Kind.INTEGER, words.take().text());
      case FLOAT -> constant(Literals.Kind.FLOAT, words.take().text());
      case UUID -> constant(Literals.Kind.UUID, words.take().text());
      case HEX -> constant(Literals.Kind.HEX, words.take().text());
      case DURATION -> constant(Literals.Kind.DURATION, words.take().text());
      case SIGN -> sign();
      case WORD, QUOTED_NAME -> word(next);
      case END -> throw words.expected("an expression");
    };
  }

  private static Expression constant(Literals.Kind kind, String text) {
    return new Constant(kind, text);
  }

  private Expression sign() {
    if (words.skipSign("-")) {
      return negative();
    }
    if (words.skipSign("(")) {
      return parenthesis();
    }
    if (words.skipSign("[")) {
      return new Expression.ListOf(list("]"));
    }
    if (words.skipSign("{")) {
      return braces();
    }
    return marker();
  }

  /// `(type) value`, or the elements of a tuple.
  private Expression parenthesis() {
    Lexeme second = words.peekSecond();
    boolean truth = words.isTruth();
    boolean name = (words.isName() && !truth) || words.peek().isWord("set");
    if (name && (second.isSign(")") || second.isSign("<"))) {
      CqlType type = type().resolve();
      words.requireSign(")");
      return new Expression.Hint(type, term());
    }
    if (words.peek().isSign(")")) {
      throw words.expected("an expression");
    }
    List<Expression> elements = list(")");
    Expression tuple = new Expression.TupleOf(elements);
    boolean computed =
        elements.size() == 1
            && (elements.getFirst() instanceof Expression.Arithmetic
                || elements.getFirst() instanceof Expression.Negation
                || elements.getFirst() instanceof Expression.Grouped);
    return computed ? operand(tuple) : tuple;
  }

  private Expression negative() {
    if (!isNumber(words.peek())) {
      throw words.expected("a number");
    }
    Lexeme number = words.take();
    Literals.Kind kind =
        switch (number.kind()) {
          case INTEGER -> Literals.Kind.INTEGER;
          case DURATION -> Literals.Kind.DURATION;
          default -> Literals.Kind.FLOAT;
        };
    return constant(kind, "-" + number.text());
  }

  /// `?` or `:name`.
  Expression marker() {
    if (words.skipSign("?")) {
      return new Expression.Marker(markers++, null);
    }
    if (words.skipSign(":")) {
      return new Expression.Marker(markers++, words.name("the name of a value"));
    }
    throw words.expected("an expression");
  }

  private List<Expression> list(String end) {
    List<Expression> elements = new ArrayList<>();
    if (words.skipSign(end)) {
      return elements;
    }
    do {
      elements.add(sum());
    } while (words.skipSign(","));
    words.requireSign(end);
    return elements;
  }

  private Expression braces() {
    if (words.skipSign("}")) {
      return new Expression.SetOf(List.of());
    }
    Expression first = sum();
    if (!words.skipSign(":")) {
      List<Expression> elements = new ArrayList<>(List.of(first));
      while (words.skipSign(",")) {
        elements.add(sum());
      }
      words.requireSign("}");
      return new Expression.SetOf(elements);
    }
    List<Expression> keys = new ArrayList<>(List.of(first));
    List<Expression> values = new ArrayList<>(List.of(sum()));
    while (words.skipSign(",")) {
      keys.add(sum());
      words.requireSign(":");
      values.add(sum());
    }
    words.requireSign("}");
    return new Expression.MapOf(keys, values);
  }

  private Expression word(Lexeme next) {
    boolean plain = next.kind() == Kind.WORD;
    if (plain) {
      switch (next.lower()) {
        case "null" -> {
          words.take();
          return new Expression.Null();
        }
        case "true", "false" -> {
          if (!words.peekSecond().isSign("(")) {
            return constant(Literals.Kind.BOOLEAN, words.take().text().toLowerCase(Locale.ROOT));
          }
        }
        case "nan", "infinity" -> {
          return constant(Literals.Kind.FLOAT, words.take().text());
        }
        case "token" -> {
          words.take();
          words.requireSign("(");
          return new Expression.Call("token", list(")"));
        }
        case "cast" -> {
          if (words.peekSecond().isSign("(")) {
            return cast();
          }
        }
        default -> {} // a name
      }
    }
    String name = words.name("an expression");
    if (name.equals("system") && words.skipSign(".")) { // where the functions are
      name = words.name("a function");
    }
    if (words.skipSign("(")) {
      return call(plain ? name.toLowerCase(Locale.ROOT) : name);
    }
    return new Expression.Name(name);
  }

  private Expression call(String function) {
    if (!function.equals("count")) {
      return new Expression.Call(function, list(")"));
    }
    if (words.skipSign("*")) {
      words.requireSign(")");
      return new Expression.Call(function, List.of());
    }
    List<Expression> arguments = list(")");
    if (arguments.isEmpty()) {
      throw CqlException.invalid(
          "Invalid number of arguments in call to function system.count: 1 required but 0"
              + " provided");
    }
    boolean ofRows = arguments.size() == 1 && arguments.getFirst() instanceof Constant;
    return new Expression.Call(function, ofRows ? List.of() : arguments);
  }

  private Expression cast() {
    words.take();
    words.requireSign("(");
    Expression of = sum();
    words.requireWord("as");
    CqlType type = type().resolve();
    words.requireSign(")");
    return new Expression.Cast(of, type);
  }

  /// The name of a type.
  TypeName type() {
    return type(false);
  }

  /// @param inFrozen whether it stands in `frozen`, which counts only in another one: the text of a
  ///   type has one for each collection
  private TypeName type(boolean inFrozen) {
    boolean quoted = words.peek().kind() == Kind.QUOTED_NAME;
    String name = words.skipWord("set") ? "set" : words.name("a type"); // a reserved word
    String keyspace = null;
    if (words.skipSign(".")) {
      keyspace = name;
      name = words.name("a type");
    }
    boolean ofUser = quoted || keyspace != null;
    boolean frozen = !ofUser && name.equals("frozen");
    boolean counts = inFrozen || !frozen;
    if (counts) {
      enter();
    }
    List<TypeName> parameters = new ArrayList<>();
    Integer size = null;
    if (words.skipSign("<")) {
      do {
        parameters.add(type(frozen));
        if (!ofUser && name.equals("vector")) {
          words.requireSign(",");
          size = dimensions();
        }
      } while (words.skipSign(","));
      words.requireSign(">");
    }
    depth -= counts ? 1 : 0;
    return new TypeName(keyspace, name, ofUser, parameters, size);
  }

  private int dimensions() {
    String sign = words.skipSign("-") ? "-" : "";
    if (words.peek().kind() != Kind.INTEGER) {
      throw words.expected("the dimensions of a vector");
    }
    String number = sign + words.take().text();
    try {
      return Integer.parseInt(number);
    } catch (NumberFormatException tooLarge) {
      throw CqlException.invalid("%s is no number of dimensions".formatted(number));
    }
  }
}
