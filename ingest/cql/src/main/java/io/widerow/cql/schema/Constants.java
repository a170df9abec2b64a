package io.widerow.cql.schema;

import io.widerow.cql.CqlException;
import io.widerow.cql.parse.Expression;
import io.widerow.cql.type.CqlType;
import io.widerow.cql.type.Literals;
import io.widerow.cql.type.NativeType;
import io.widerow.cql.type.WireCodec;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Values that are written into a statement.
public final class Constants {
  private Constants() {}

  /// The value of a constant of a native type.
  ///
  /// @param name what it is for
  /// @throws CqlException when it is no value of the type
  public static Object of(Expression.Constant constant, CqlType type, String name) {
    Literals.Kind kind = constant.kind();
    if (!(type instanceof NativeType simple) || !Literals.suits(kind, simple)) {
      throw CqlException.invalid(
          "Invalid %s constant (%s) for \"%s\" of type %s"
              .formatted(kind, constant.text(), name, type.cql()));
    }
    return Literals.parse(kind, constant.text(), simple);
  }

  /// The value of an expression without columns, variables and functions.
  ///
  /// @param name what it is for
  /// @throws CqlException when it is another one, or no value of the type
  public static Object value(Expression expression, CqlType type, String name) {
    return switch (expression) {
      case Expression.Constant constant -> of(constant, type, name);
      case Expression.Hint(CqlType of, Expression value) when type.takes(of) ->
          value(value, of, name);
      case Expression.ListOf(List<Expression> all) when type instanceof CqlType.ListOf list ->
          all(all, list.element(), name);
      case Expression.ListOf(List<Expression> all)
          when type instanceof CqlType.VectorOf vector && all.size() == vector.size() ->
          all(all, vector.element(), name);
      case Expression.SetOf(List<Expression> all) when type instanceof CqlType.SetOf set ->
          WireCodec.sorted(set.element(), all(all, set.element(), name));
      case Expression.SetOf(List<Expression> none)
          when type instanceof CqlType.MapOf map && none.isEmpty() ->
          WireCodec.sorted(map.key(), List.of(), List.of());
      case Expression.MapOf(List<Expression> keys, List<Expression> values)
          when type instanceof CqlType.MapOf map ->
          WireCodec.sorted(map.key(), all(keys, map.key(), name), all(values, map.value(), name));
      case Expression.MapOf(List<Expression> names, List<Expression> values)
          when type instanceof CqlType.UserType user ->
          fields(names, values, user, name);
      case Expression.TupleOf(List<Expression> all) when type instanceof CqlType.TupleOf tuple ->
          tuple(all, tuple.elements(), name);
      default ->
          throw CqlException.invalid(
              "%s is no constant for \"%s\" of type %s".formatted(expression, name, type.cql()));
    };
  }

  private static List<Object> all(List<Expression> all, CqlType type, String name) {
    return all.stream().map(each -> value(each, type, name)).toList();
  }

  private static @Nullable Object field(Expression expression, CqlType type, String name) {
    return expression instanceof Expression.Null ? null : value(expression, type, name);
  }

  private static Object tuple(List<Expression> all, List<CqlType> types, String name) {
    @Nullable Object[] values = new Object[types.size()];
    for (int i = 0; i < Math.min(all.size(), types.size()); i++) {
      values[i] = field(all.get(i), types.get(i), name);
    }
    return Arrays.asList(values);
  }

  private static Object fields(
      List<Expression> names, List<Expression> all, CqlType.UserType user, String name) {
    @Nullable Object[] values = new Object[user.fields().size()];
    for (int i = 0; i < names.size(); i++) {
      int place = user.find(names.get(i).toString());
      if (place >= 0) { // else refused before
        values[place] = field(all.get(i), user.types().get(place), name);
      }
    }
    return Arrays.asList(values);
  }
}
