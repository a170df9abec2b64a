package io.widerow.cql.parse;

import io.widerow.cql.type.CqlType;
import io.widerow.cql.type.Identifiers;
import io.widerow.cql.type.Literals;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// An expression of a statement, without its type. A closed set.
public sealed interface Expression {
  /// A column.
  record Name(String name) implements Expression {
    @Override
    public String toString() {
      return name;
    }
  }

  /// A constant as it is written.
  record Constant(Literals.Kind kind, String text) implements Expression {
    @Override
    public String toString() {
      return kind == Literals.Kind.STRING ? Identifiers.constant(text) : text;
    }
  }

  /// The word null.
  record Null() implements Expression {
    @Override
    public String toString() {
      return "null";
    }
  }

  /// A value that comes with the execution.
  ///
  /// @param index of all markers of the statement, from 0
  /// @param name that it is given; null for `?`
  record Marker(int index, @Nullable String name) implements Expression {
    @Override
    public String toString() {
      return name == null ? "?" : ":" + name;
    }
  }

  /// A call of a function.
  ///
  /// @param function its name in lower case; `count` with no arguments is `count(*)`
  record Call(String function, List<Expression> arguments) implements Expression {
    public Call {
      arguments = List.copyOf(arguments);
    }

    @Override
    public String toString() {
      return function + shown("(", arguments, ")");
    }
  }

  /// `CAST(of AS type)`.
  record Cast(Expression of, CqlType type) implements Expression {
    @Override
    public String toString() {
      return "cast(" + of + " as " + type.cql() + ")";
    }
  }

  /// `(type) of`: what type is meant.
  record Hint(CqlType type, Expression of) implements Expression {
    @Override
    public String toString() {
      return "(" + type.cql() + ")" + of;
    }
  }

  /// `of[key]`: an element of a map or a set.
  record Element(Expression of, Expression key) implements Expression {
    @Override
    public String toString() {
      return of + "[" + key + "]";
    }
  }

  /// `of[from..to]`: the elements of a map or a set from one to another, both inclusive.
  ///
  /// @param from null for all that are less
  /// @param to null for all that are greater
  record Slice(Expression of, @Nullable Expression from, @Nullable Expression to)
      implements Expression {
    @Override
    public String toString() {
      return "%s[%s..%s]".formatted(of, from == null ? "" : from, to == null ? "" : to);
    }
  }

  /// `of.name`: a field of a type of users.
  record Field(Expression of, String name) implements Expression {
    @Override
    public String toString() {
      return of + "." + name;
    }
  }

  /// `left + right` and its like.
  ///
  /// @param operator one of `+`, `-`, `*`, `/`, `%`
  record Arithmetic(String operator, Expression left, Expression right) implements Expression {
    @Override
    public String toString() {
      return "%s %s %s".formatted(left, operator, right);
    }
  }

  /// `-of`, of what is no number as it is written.
  record Negation(Expression of) implements Expression {
    @Override
    public String toString() {
      return "-" + of;
    }
  }

  /// `(of)` as an operand of arithmetic, or around it.
  record Grouped(Expression of) implements Expression {
    @Override
    public String toString() {
      return "(" + of + ")";
    }
  }

  /// `(a, b)`.
  record TupleOf(List<Expression> elements) implements Expression {
    public TupleOf {
      elements = List.copyOf(elements);
    }

    @Override
    public String toString() {
      return shown("(", elements, ")");
    }
  }

  /// `[a, b]`.
  record ListOf(List<Expression> elements) implements Expression {
    public ListOf {
      elements = List.copyOf(elements);
    }

    @Override
    public String toString() {
      return shown("[", elements, "]");
    }
  }

  /// `{a, b}`.
  record SetOf(List<Expression> elements) implements Expression {
    public SetOf {
      elements = List.copyOf(elements);
    }

    @Override
    public String toString() {
      return shown("{", elements, "}");
    }
  }

  /// `{a: b, c: d}`: a map, or with names before the colons the fields of a type of users.
  record MapOf(List<Expression> keys, List<Expression> values) implements Expression {
    public MapOf {
      keys = List.copyOf(keys);
      values = List.copyOf(values);
    }

    @Override
    public String toString() {
      List<String> pairs = new ArrayList<>();
      for (int i = 0; i < keys.size(); i++) {
        pairs.add(keys.get(i) + ": " + values.get(i));
      }
      return "{" + String.join(", ", pairs) + "}";
    }
  }

  /// The same with all names in quotes that need them: its text is CQL.
  default Expression quoted() {
    return switch (this) {
      case Constant _, Null _ -> this;
      case Marker(int index, String name) ->
          new Marker(index, name == null ? null : Identifiers.quoted(name));
      case Name(String name) -> new Name(Identifiers.quoted(name));
      case Call(String function, List<Expression> arguments) ->
          new Call(Identifiers.quoted(function), quoted(arguments));
      case Cast(Expression of, CqlType type) -> new Cast(of.quoted(), type);
      case Hint(CqlType type, Expression of) -> new Hint(type, of.quoted());
      case Element(Expression of, Expression key) -> new Element(of.quoted(), key.quoted());
      case Slice(Expression of, Expression from, Expression to) ->
          new Slice(
              of.quoted(), from == null ? null : from.quoted(), to == null ? null : to.quoted());
      case Field(Expression of, String name) -> new Field(of.quoted(), Identifiers.quoted(name));
      case Arithmetic(String operator, Expression left, Expression right) ->
          new Arithmetic(operator, left.quoted(), right.quoted());
      case Negation(Expression of) -> new Negation(of.quoted());
      case Grouped(Expression of) -> new Grouped(of.quoted());
      case TupleOf(List<Expression> elements) -> new TupleOf(quoted(elements));
      case ListOf(List<Expression> elements) -> new ListOf(quoted(elements));
      case SetOf(List<Expression> elements) -> new SetOf(quoted(elements));
      case MapOf(List<Expression> keys, List<Expression> values) ->
          new MapOf(quoted(keys), quoted(values));
    };
  }

  /// Several in their order.
  static List<Expression> quoted(List<Expression> expressions) {
    return expressions.stream().map(Expression::quoted).toList();
  }

  private static String shown(String before, List<Expression> parts, String after) {
    return before + String.join(", ", parts.stream().map(Object::toString).toList()) + after;
  }
}
