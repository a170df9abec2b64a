package io.widerow.cql.plan;

import io.widerow.cql.CqlException;
import io.widerow.cql.function.Argument;
import io.widerow.cql.function.TypeCompatibility;
import io.widerow.cql.parse.Expression;
import io.widerow.cql.type.CqlType;
import io.widerow.cql.type.NativeType;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// An argument of a call while its function is chosen. In a selection a list, a set or a tuple that
/// is written out tells its type, elsewhere a set or a map does, as in Cassandra. A call or a sum
/// inside of a call that is in no selection takes the type that is wanted of it.
///
/// @param value when the expression determines its type; else null
record ArgumentType(Compiler compiler, Expression expression, @Nullable Value value)
    implements Argument {
  static ArgumentType of(Compiler compiler, Expression expression) {
    boolean selection = compiler.isOfRows();
    boolean open =
        switch (expression) {
          case Expression.Constant _,
              Expression.Null _,
              Expression.Marker _,
              Expression.Hint _,
              Expression.ListOf _,
              Expression.SetOf _,
              Expression.MapOf _,
              Expression.TupleOf _ ->
              true;
          case Expression.Call call -> !selection && Functions.isScalar(compiler, call);
          case Expression.Arithmetic _, Expression.Negation _, Expression.Grouped _ -> !selection;
          default -> false;
        };
    String marker = selection ? "[selection]" : expression.toString();
    return new ArgumentType(
        compiler, expression, open ? null : compiler.compile(expression, null, marker));
  }

  @Override
  public TypeCompatibility fit(CqlType wanted) {
    return switch (expression) {
      case Expression.Constant constant ->
          TypeCompatibility.of(wanted, constant.kind(), constant.text());
      case Expression.Null _ ->
          wanted == NativeType.COUNTER ? TypeCompatibility.NONE : TypeCompatibility.WEAK;
      case Expression.Marker _ -> TypeCompatibility.WEAK;
      case Expression.Hint(CqlType hint, _) -> TypeCompatibility.of(wanted, hint.asFrozen());
      case Expression.ListOf(List<Expression> parts) ->
          switch (wanted) {
            case CqlType.ListOf list -> all(parts, list.element());
            case CqlType.VectorOf(CqlType element, int size) ->
                parts.size() == size ? all(parts, element) : TypeCompatibility.NONE;
            default -> TypeCompatibility.NONE;
          };
      case Expression.SetOf(List<Expression> parts) ->
          switch (wanted) {
            case CqlType.SetOf set -> all(parts, set.element());
            case CqlType.MapOf _, CqlType.UserType _ ->
                parts.isEmpty() ? TypeCompatibility.WEAK : TypeCompatibility.NONE;
            default -> TypeCompatibility.NONE;
          };
      case Expression.MapOf(List<Expression> keys, List<Expression> values) ->
          switch (wanted) {
            case CqlType.MapOf map -> all(keys, map.key()).and(all(values, map.value()));
            case CqlType.UserType _ -> TypeCompatibility.WEAK;
            default -> TypeCompatibility.NONE;
          };
      case Expression.TupleOf(List<Expression> parts) ->
          wanted instanceof CqlType.TupleOf tuple
              ? each(parts, tuple.elements())
              : TypeCompatibility.NONE;
      default -> {
        CqlType type = value == null ? compiler.attempt(expression, wanted) : value.type();
        CqlType own = value == null ? compiler.attempt(expression, null) : null;
        TypeCompatibility fit =
            type == null ? TypeCompatibility.NONE : TypeCompatibility.of(wanted, type);
        yield own == null || own.equals(wanted) ? fit : fit.and(TypeCompatibility.WEAK);
      }
    };
  }

  private TypeCompatibility all(List<Expression> parts, CqlType type) {
    TypeCompatibility fit = TypeCompatibility.EXACT;
    for (Expression part : parts) {
      fit = fit.and(of(compiler, part).fit(type));
    }
    return fit;
  }

  private TypeCompatibility each(List<Expression> parts, List<CqlType> types) {
    if (parts.size() > types.size()) {
      return TypeCompatibility.NONE;
    }
    TypeCompatibility fit = TypeCompatibility.EXACT;
    for (int i = 0; i < parts.size(); i++) {
      fit = fit.and(of(compiler, parts.get(i)).fit(types.get(i)));
    }
    return fit;
  }

  @Override
  public int size() {
    return expression instanceof Expression.ListOf(List<Expression> parts) ? parts.size() : 0;
  }

  @Override
  public boolean isMarker() {
    return expression instanceof Expression.Marker;
  }

  @Override
  public @Nullable CqlType type() {
    boolean selection = compiler.isOfRows();
    return switch (expression) {
      case Expression.Constant constant -> TypeCompatibility.best(constant.kind(), constant.text());
      case Expression.Null _, Expression.Marker _ -> null;
      case Expression.Hint(CqlType hint, _) -> hint.asFrozen();
      case Expression.ListOf(List<Expression> parts) -> {
        CqlType element = selection ? common(parts) : null;
        yield element == null ? null : new CqlType.ListOf(element, true);
      }
      case Expression.SetOf(List<Expression> parts) -> {
        CqlType element = common(parts);
        yield element == null ? null : new CqlType.SetOf(element, true);
      }
      case Expression.MapOf(List<Expression> keys, List<Expression> values) -> {
        CqlType key = selection ? null : common(keys);
        CqlType of = key == null ? null : common(values);
        yield key == null || of == null ? null : new CqlType.MapOf(key, of, true);
      }
      case Expression.TupleOf(List<Expression> parts) -> {
        List<@Nullable CqlType> types = types(parts);
        yield selection && types.stream().allMatch(Objects::nonNull)
            ? new CqlType.TupleOf(types.stream().map(Objects::requireNonNull).toList())
            : null;
      }
      default -> value == null ? compiler.attempt(expression, null) : value.type();
    };
  }

  /// The type of one of some expressions that takes all others; null without one.
  private @Nullable CqlType common(List<Expression> parts) {
    List<CqlType> types = types(parts).stream().filter(Objects::nonNull).toList();
    return types.stream()
        .filter(one ->
            types.stream()
                .allMatch(other -> TypeCompatibility.of(one, other) != TypeCompatibility.NONE))
        .findFirst()
        .orElse(null);
  }

  private List<@Nullable CqlType> types(List<Expression> parts) {
    return parts.stream().<@Nullable CqlType>map(part -> of(compiler, part).type()).toList();
  }

  /// The value of the argument as one of a type that it fits.
  ///
  /// @param name of it where it stands in no selection
  Value as(CqlType type, String name, Expression.Call call) {
    String marker = compiler.isOfRows() ? "[selection]" : name;
    CqlType wanted = expression instanceof Expression.Hint ? null : type;
    Value typed = value == null ? compiler.compile(expression, wanted, marker) : value;
    if (typed instanceof Value.OfVariable(_, int index)) {
      return new Value.OfFunction(
          type,
          List.of(),
          (_, bound) -> {
            if (bound.isUnset(index)) {
              throw CqlException.invalid(
                  "Invalid unset value for argument in call to function " + call.function());
            }
            return bound.value(index);
          });
    }
    return Functions.reread(typed, type);
  }

  /// As the statement has it, functions with their keyspace.
  @Override
  public String toString() {
    return CqlSelection.name(expression);
  }
}
