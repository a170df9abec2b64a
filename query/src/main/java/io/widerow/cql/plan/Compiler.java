package io.widerow.cql.plan;

import io.widerow.cql.CqlException;
import io.widerow.cql.CqlException.Code;
import io.widerow.cql.parse.Expression;
import io.widerow.cql.schema.Groups;
import io.widerow.cql.type.CqlType;
import io.widerow.cql.type.Literals;
import io.widerow.cql.type.NativeType;
import io.widerow.cql.type.Wire;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/// Gives the expressions of one statement their types.
///
/// - Threads: one.
final class Compiler {
  private final Scope scope;
  private final boolean ofRows;
  private boolean inAggregate;

  /// @param ofRows whether columns and aggregates may stand in the expressions
  Compiler(Scope scope, boolean ofRows) {
    this.scope = scope;
    this.ofRows = ofRows;
  }

  /// @param wanted what type it must have; null when the expression tells
  /// @param name of a marker, and of what the value is for
  Value compile(Expression expression, @Nullable CqlType wanted, String name) {
    Value value = untested(expression, wanted, name);
    if (wanted != null && !wanted.takes(value.type())) {
      throw CqlException.invalid(
          "Type error: cannot assign %s (type %s) to \"%s\" (type %s)"
              .formatted(expression, value.type().cql(), name, wanted.cql()));
    }
    return value;
  }

  private Value untested(Expression expression, @Nullable CqlType wanted, String name) {
    return switch (expression) {
      case Expression.Constant constant -> constant(constant, wanted, name);
      case Expression.Null() -> new Value.Fixed(wanted == null ? NativeType.TEXT : wanted, null);
      case Expression.Marker(int index, String own) -> {
        if (wanted == null) {
          throw CqlException.invalid(
              "Cannot infer the type of %s: write (type) before it".formatted(name));
        }
        yield scope.variable(index, wanted, own == null ? name : own);
      }
      case Expression.Name(String column) -> {
        requireRows(column);
        yield scope.column(column, inAggregate);
      }
      case Expression.Call call -> call(call);
      case Expression.Cast(Expression of, CqlType type) ->
          Casts.cast(compile(of, null, "the argument of cast"), type);
      case Expression.Hint(CqlType type, Expression of) -> compile(of, type, name);
      case Expression.Element(Expression of, Expression key) -> element(of, key);
      case Expression.Field(Expression of, String field) -> field(of, field);
      case Expression.TupleOf(List<Expression> parts) -> Fields.tuple(this, parts, wanted, name);
      case Expression.Arithmetic sum -> Sums.compile(this, sum, wanted, name);
      case Expression.ListOf(List<Expression> parts) -> list(parts, wanted, name);
      case Expression.SetOf(List<Expression> parts) -> set(parts, wanted, name);
      case Expression.MapOf(List<Expression> keys, List<Expression> values) ->
          wanted instanceof CqlType.UserType user
              ? Fields.user(this, keys, values, user, name)
              : map(keys, values, wanted, name);
    };
  }

  private Value field(Expression of, String field) {
    Value value = compile(of, null, of.toString());
    if (!(value.type() instanceof CqlType.UserType user)) {
      throw CqlException.invalid(
          "Invalid field selection: %s of type %s is not a user type"
              .formatted(of, value.type().cql()));
    }
    int index = user.find(field);
    if (index < 0) {
      throw CqlException.invalid("%s of type %s has no field %s".formatted(of, user.cql(), field));
    }
    return new Value.OfField(user.fields().get(index).type(), value, index);
  }

  Scope scope() {
    return scope;
  }

  private void requireRows(String column) {
    if (!ofRows) {
      throw new CqlException(
          Code.SYNTAX, "a column cannot be compared with the column %s".formatted(column));
    }
  }

  private static Value constant(
      Expression.Constant constant, @Nullable CqlType wanted, String name) {
    Literals.Kind kind = constant.kind();
    CqlType type = wanted == null ? Literals.natural(kind, constant.text()) : wanted;
    if (!(type instanceof NativeType simple) || !Literals.suits(kind, simple)) {
      throw CqlException.invalid(
          "Invalid %s constant (%s) for \"%s\" of type %s"
              .formatted(kind, constant.text(), name, type.cql()));
    }
    return new Value.Fixed(type, Literals.parse(kind, constant.text(), simple));
  }

  private Value call(Expression.Call call) {
    String function = call.function().replace("_", "").toLowerCase(Locale.ROOT);
    return switch (function) {
      case "count" -> aggregate(Groups.Kind.COUNT, call);
      case "min" -> aggregate(Groups.Kind.MIN, call);
      case "max" -> aggregate(Groups.Kind.MAX, call);
      case "sum" -> aggregate(Groups.Kind.SUM, call);
      case "avg" -> aggregate(Groups.Kind.AVG, call);
      default -> Functions.call(this, function, call);
    };
  }

  private Value aggregate(Groups.Kind kind, Expression.Call call) {
    requireRows(call.function());
    if (inAggregate) {
      throw CqlException.invalid(
          "aggregate functions cannot be used as arguments of aggregate functions");
    }
    if (kind == Groups.Kind.COUNT && call.arguments().isEmpty()) {
      return scope.aggregate(new Scope.Aggregated(kind, NativeType.BIGINT, null));
    }
    if (call.arguments().size() != 1) {
      throw CqlException.invalid(
          "Invalid number of arguments in call to %s".formatted(call.function()));
    }
    inAggregate = true;
    Value argument = compile(call.arguments().getFirst(), null, "the argument of " + kind);
    inAggregate = false;
    boolean sums = kind == Groups.Kind.SUM || kind == Groups.Kind.AVG;
    if (sums && !(argument.type() instanceof NativeType simple && simple.isNumber())) {
      throw CqlException.invalid(
          "Invalid call to function %s: its argument has the type %s"
              .formatted(call.function(), argument.type().cql()));
    }
    CqlType type = kind == Groups.Kind.COUNT ? NativeType.BIGINT : argument.type();
    return scope.aggregate(new Scope.Aggregated(kind, type, argument));
  }

  private Value element(Expression of, Expression key) {
    Value map = compile(of, null, of.toString());
    if (map.type() instanceof CqlType.SetOf(CqlType element, _)) {
      Value member = compile(key, element, "value(" + of + ")");
      return new Value.OfFunction(
          element,
          List.of(map, member),
          (values, _) ->
              values[0] instanceof Collection<?> all && all.contains(values[1]) ? values[1] : null);
    }
    if (!(map.type() instanceof CqlType.MapOf(CqlType keys, CqlType values, _))) {
      throw CqlException.invalid(
          "%s is of type %s, and only maps have elements here".formatted(of, map.type().cql()));
    }
    Value wanted = compile(key, keys, "key(" + of + ")");
    return map instanceof Value.OfColumn(_, int index)
        ? new Value.OfElement(values, index, wanted)
        : new Value.OfMap(values, map, wanted);
  }

  private Value list(List<Expression> parts, @Nullable CqlType wanted, String name) {
    CqlType element =
        wanted instanceof CqlType.ListOf(CqlType of, _) ? of : common(parts, wanted, name);
    return new Value.OfFunction(
        new CqlType.ListOf(element, false),
        all(parts, element, name),
        (values, _) -> requireAll(values));
  }

  private Value set(List<Expression> parts, @Nullable CqlType wanted, String name) {
    if (wanted instanceof CqlType.MapOf && parts.isEmpty()) {
      return map(parts, parts, wanted, name);
    }
    if (wanted instanceof CqlType.UserType user && parts.isEmpty()) {
      return Fields.user(this, parts, parts, user, name);
    }
    CqlType element =
        wanted instanceof CqlType.SetOf(CqlType of, _) ? of : common(parts, wanted, name);
    return new Value.OfFunction(
        new CqlType.SetOf(element, false),
        all(parts, element, name),
        (values, _) -> Wire.sorted(element, requireAll(values)));
  }

  private Value map(
      List<Expression> keys, List<Expression> values, @Nullable CqlType wanted, String name) {
    CqlType.MapOf known = wanted instanceof CqlType.MapOf map ? map : null;
    CqlType key = known == null ? common(keys, wanted, name) : known.key();
    CqlType of = known == null ? common(values, wanted, name) : known.value();
    List<Value> parts = new ArrayList<>(all(keys, key, name));
    parts.addAll(all(values, of, name));
    return new Value.OfFunction(
        new CqlType.MapOf(key, of, false),
        parts,
        (given, _) -> {
          List<Object> both = requireAll(given);
          int half = both.size() / 2;
          return Wire.sorted(key, both.subList(0, half), both.subList(half, both.size()));
        });
  }

  /// The type of the first part, where nothing says which one is wanted.
  private CqlType common(List<Expression> parts, @Nullable CqlType wanted, String name) {
    if (wanted != null || parts.isEmpty()) {
      throw CqlException.invalid(
          "Invalid collection literal for \"%s\" of type %s"
              .formatted(name, wanted == null ? "unknown" : wanted.cql()));
    }
    return compile(parts.getFirst(), null, name).type();
  }

  private List<Value> all(List<Expression> parts, CqlType type, String name) {
    return parts.stream().map(part -> compile(part, type, "value(" + name + ")")).toList();
  }

  private static List<Object> requireAll(@Nullable Object[] values) {
    List<Object> all = new ArrayList<>(values.length);
    for (Object value : Arrays.asList(values)) {
      if (value == null) {
        throw CqlException.invalid("null is not supported inside collections");
      }
      all.add(value);
    }
    return all;
  }
}
