package io.widerow.cql.plan;

import io.widerow.cql.CqlException;
import io.widerow.cql.CqlException.Code;
import io.widerow.cql.function.Elements;
import io.widerow.cql.function.Operations;
import io.widerow.cql.function.TypeCompatibility;
import io.widerow.cql.parse.Expression;
import io.widerow.cql.schema.Constants;
import io.widerow.cql.schema.GroupBySpec;
import io.widerow.cql.type.CqlType;
import io.widerow.cql.type.Literals;
import io.widerow.cql.type.NativeType;
import io.widerow.cql.type.WireCodec;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// Gives the expressions of one statement their types.
///
/// - Threads: one.
final class Compiler {
  private final Scope scope;
  private final boolean ofRows;
  private boolean inAggregate;

  /// The types of calls and sums, by wanted type. Without this cache each nested call would be
  /// tried with all types again.
  private final IdentityHashMap<Expression, Map<Optional<CqlType>, Optional<CqlType>>> attempts =
      new IdentityHashMap<>();

  /// @param ofRows whether columns and aggregates may stand in the expressions
  Compiler(Scope scope, boolean ofRows) {
    this.scope = scope;
    this.ofRows = ofRows;
  }

  /// @param wanted the required type; null when the expression determines it
  /// @param name of a marker, and of the target of the value
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
      case Expression.Call call -> Functions.call(this, call, wanted, name);
      case Expression.Cast(Expression of, CqlType type) ->
          Functions.cast(compile(of, null, "the argument of cast"), type);
      case Expression.Hint(CqlType type, Expression of) -> compile(of, type, name);
      case Expression.Element(Expression of, Expression key) -> element(of, key);
      case Expression.Slice slice -> slice(slice);
      case Expression.Field(Expression of, String field) -> field(of, field);
      case Expression.TupleOf(List<Expression> parts) -> tuple(parts, wanted, name);
      case Expression.Arithmetic(String sign, Expression left, Expression right) ->
          operation(Operations.function(sign), List.of(left, right), wanted, name);
      case Expression.Negation(Expression of) ->
          operation(Operations.NEGATION, List.of(of), wanted, name);
      case Expression.Grouped(Expression of) -> compile(of, wanted, name);
      case Expression.ListOf(List<Expression> parts) -> list(parts, wanted, name);
      case Expression.SetOf(List<Expression> parts) -> set(parts, wanted, name);
      case Expression.MapOf(List<Expression> keys, List<Expression> values) ->
          wanted instanceof CqlType.UserType user
              ? user(keys, values, user, name)
              : map(keys, values, wanted, name);
    };
  }

  private Value operation(
      String function, List<Expression> of, @Nullable CqlType wanted, String name) {
    return Functions.call(this, new Expression.Call(function, of), wanted, name);
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

  /// Whether columns may stand in the expressions.
  boolean isOfRows() {
    return ofRows;
  }

  Scope scope() {
    return scope;
  }

  /// A function by which rows are grouped: what it reads is not shown.
  Value grouped(Expression.Call call) {
    inAggregate = true;
    return Functions.call(this, call, null, call.function());
  }

  private void requireRows(String column) {
    if (!ofRows) {
      throw new CqlException(
          Code.SYNTAX, "a column cannot be compared with the column %s".formatted(column));
    }
  }

  private static Value constant(
      Expression.Constant constant, @Nullable CqlType wanted, String name) {
    CqlType type = wanted == null ? Literals.natural(constant.kind(), constant.text()) : wanted;
    return new Value.Fixed(type, Constants.of(constant, type, name));
  }

  /// Notes that an argument of an aggregate follows, unless it is of all rows.
  void beginAggregate(boolean ofAll) {
    if (!ofRows) {
      throw noAggregates();
    }
    if (inAggregate) {
      throw CqlException.invalid(
          "aggregate functions cannot be used as arguments of aggregate functions");
    }
    inAggregate = !ofAll;
  }

  CqlException noAggregates() {
    return CqlException.invalid("Aggregation function are not supported in the where clause");
  }

  /// @param argument null for the count of all rows
  Value aggregate(GroupBySpec.Kind kind, CqlType type, @Nullable Value argument) {
    inAggregate = false;
    return scope.aggregate(new Scope.Aggregated(kind, type, argument));
  }

  /// The type that an expression has where one is wanted; null when it cannot be one.
  @Nullable CqlType attempt(Expression expression, @Nullable CqlType wanted) {
    return attempts
        .computeIfAbsent(expression, _ -> new HashMap<>())
        .computeIfAbsent(
            Optional.ofNullable(wanted),
            _ -> {
              try {
                return Optional.of(compile(expression, wanted, expression.toString()).type());
              } catch (CqlException refused) {
                return Optional.empty();
              }
            })
        .orElse(null);
  }

  private Value element(Expression of, Expression key) {
    Value all = compile(of, null, of.toString());
    CqlType keys = requireKeys("element", of, all.type());
    Value wanted = key(key, of, all.type(), keys);
    if (!(wanted instanceof Value.Fixed(_, Object known) && known != null)) {
      wanted = required(wanted, "Invalid null value for element selection on " + of);
    }
    if (!(all.type() instanceof CqlType.MapOf map)) {
      return new Value.OfPart(keys, all, keys, wanted);
    }
    return all instanceof Value.OfColumn(_, int index)
        ? new Value.OfElement(map, index, wanted)
        : new Value.OfPart(map.value(), all, keys, wanted);
  }

  private static Value required(Value value, String otherwise) {
    return new Value.OfFunction(
        value.type(),
        List.of(value),
        (values, _) -> {
          if (values[0] == null) {
            throw CqlException.invalid(otherwise);
          }
          return values[0];
        });
  }

  private Value slice(Expression.Slice slice) {
    Expression of = slice.of();
    Value all = compile(of, null, of.toString());
    CqlType keys = requireKeys("slice", of, all.type());
    Expression from = slice.from();
    Expression to = slice.to();
    return new Value.OfSlice(
        all,
        keys,
        from == null ? null : key(from, of, all.type(), keys),
        to == null ? null : key(to, of, all.type(), keys),
        of.toString());
  }

  /// A key of a map, or an element of a set; it is no column.
  private Value key(Expression key, Expression of, CqlType type, CqlType keys) {
    String name = type instanceof CqlType.MapOf ? "key(%s)" : "value(%s)";
    return new Compiler(scope, false).compile(key, keys, name.formatted(of));
  }

  /// The type by which parts of a map or a set are named: that of its keys or elements.
  private static CqlType requireKeys(String part, Expression of, CqlType type) {
    CqlType keys = Elements.keyType(type);
    if (type instanceof CqlType.ListOf) {
      throw CqlException.invalid(
          "%s selection is only allowed on sets and maps, but %s is a list"
              .formatted(part.equals("slice") ? "Slice" : "Element", of));
    }
    if (keys == null) {
      throw CqlException.invalid(
          "Invalid %s selection: %s %sof type %s is not a collection"
              .formatted(part, of, part.equals("slice") ? "" : "is ", type.cql()));
    }
    return keys;
  }

  private Value list(List<Expression> parts, @Nullable CqlType wanted, String name) {
    if (wanted instanceof CqlType.VectorOf(CqlType of, int size)) {
      return vector(parts, of, size, name);
    }
    CqlType element =
        wanted instanceof CqlType.ListOf(CqlType of, _)
            ? required("list", "value", parts, of, name)
            : common("list", parts, wanted, name);
    return new Value.OfFunction(
        new CqlType.ListOf(element, false),
        all(parts, element, name),
        (values, _) -> requireAll(values));
  }

  private Value vector(List<Expression> parts, CqlType of, int size, String name) {
    CqlType.VectorOf type = new CqlType.VectorOf(of, size);
    if (parts.size() != size) {
      throw CqlException.invalid(
          "Invalid vector literal for %s of type %s; expected %d elements, but given %d"
              .formatted(name, type.cql(), size, parts.size()));
    }
    List<Value> values = all(parts, required("vector", "value", parts, of, name), name);
    return new Value.OfFunction(
        type,
        values,
        (given, _) -> {
          if (Arrays.asList(given).contains(null)) {
            throw CqlException.invalid("null is not supported inside vectors");
          }
          return List.of(Arrays.stream(given).map(Objects::requireNonNull).toArray());
        });
  }

  private Value set(List<Expression> parts, @Nullable CqlType wanted, String name) {
    if (wanted instanceof CqlType.MapOf && parts.isEmpty()) {
      return map(parts, parts, wanted, name);
    }
    if (wanted instanceof CqlType.UserType user && parts.isEmpty()) {
      return user(parts, parts, user, name);
    }
    CqlType element =
        wanted instanceof CqlType.SetOf(CqlType of, _)
            ? required("set", "value", parts, of, name)
            : common("set", parts, wanted, name);
    return new Value.OfFunction(
        new CqlType.SetOf(element, false),
        all(parts, element, name),
        (values, _) -> WireCodec.sorted(element, requireAll(values)));
  }

  private Value tuple(List<Expression> parts, @Nullable CqlType wanted, String name) {
    List<CqlType> types = new ArrayList<>();
    List<Value> values = new ArrayList<>();
    if (wanted != null && !(wanted instanceof CqlType.TupleOf)) {
      throw CqlException.invalid(
          "Invalid tuple type literal for %s of type %s".formatted(name, wanted.cql()));
    }
    if (wanted instanceof CqlType.TupleOf tuple && parts.size() > tuple.elements().size()) {
      throw CqlException.invalid(
          "Invalid tuple literal for %s: too many elements. Type %s expects %d but got %d"
              .formatted(name, tuple.cql(), tuple.elements().size(), parts.size()));
    }
    for (int i = 0; i < parts.size(); i++) {
      CqlType type = wanted instanceof CqlType.TupleOf tuple ? tuple.elements().get(i) : null;
      requireFit(parts.get(i), type, "Invalid tuple literal for %s: component %d", name, i);
      Value value = compile(parts.get(i), type, name + "[" + i + "]");
      values.add(value);
      types.add(type == null ? value.type() : type);
    }
    CqlType whole = wanted == null ? new CqlType.TupleOf(types) : wanted;
    int size = ((CqlType.TupleOf) whole).elements().size();
    return new Value.OfFunction(
        whole, values, (given, _) -> Arrays.asList(Arrays.copyOf(given, size)));
  }

  /// A value of a type of users.
  private Value user(
      List<Expression> names, List<Expression> parts, CqlType.UserType user, String name) {
    List<Value> values = new ArrayList<>();
    List<Integer> places = new ArrayList<>();
    for (int i = 0; i < names.size(); i++) {
      String field = names.get(i).toString();
      int place = names.get(i) instanceof Expression.Name ? user.find(field) : -1;
      if (place < 0) {
        throw CqlException.invalid(
            "Unknown field '%s' in value of user defined type %s".formatted(field, user.name()));
      }
      places.add(place);
      CqlType type = user.fields().get(place).type();
      requireFit(parts.get(i), type, "Invalid user type literal for %s: field %s", name, field);
      values.add(compile(parts.get(i), type, name + "." + field));
    }
    return new Value.OfFunction(
        user,
        values,
        (given, _) -> {
          @Nullable Object[] all = new Object[user.fields().size()];
          for (int i = 0; i < given.length; i++) {
            all[places.get(i)] = given[i];
          }
          return Arrays.asList(all);
        });
  }

  private Value map(
      List<Expression> keys, List<Expression> values, @Nullable CqlType wanted, String name) {
    CqlType.MapOf known = wanted instanceof CqlType.MapOf map ? map : null;
    CqlType key =
        known == null
            ? common("map", keys, wanted, name)
            : required("map", "key", keys, known.key(), name);
    CqlType of =
        known == null
            ? common("map", values, wanted, name)
            : required("map", "value", values, known.value(), name);
    List<Value> parts = new ArrayList<>(all(keys, key, name));
    parts.addAll(all(values, of, name));
    return new Value.OfFunction(
        new CqlType.MapOf(key, of, false),
        parts,
        (given, _) -> {
          List<Object> both = requireAll(given);
          int half = both.size() / 2;
          return WireCodec.sorted(key, both.subList(0, half), both.subList(half, both.size()));
        });
  }

  /// The type of the first part, where no type is required.
  private CqlType common(
      String kind, List<Expression> parts, @Nullable CqlType wanted, String name) {
    if (wanted != null && kind.equals("list")) {
      throw CqlException.invalid(
          "Unexpected receiver type '%s'; only list and vector are expected"
              .formatted(wanted.cql()));
    }
    if (wanted != null || parts.isEmpty()) {
      throw CqlException.invalid(
          "Invalid %s literal for %s of type %s"
              .formatted(kind, name, wanted == null ? "unknown" : wanted.cql()));
    }
    return compile(parts.getFirst(), null, name).type();
  }

  /// The type of the parts of a literal, when each of them can have it.
  ///
  /// @param part what it is, for the message
  private CqlType required(
      String kind, String part, List<Expression> parts, CqlType type, String name) {
    for (Expression each : parts) {
      requireFit(each, type, "Invalid %s literal for %s: %s %s", kind, name, part, each);
    }
    return type;
  }

  /// @param type null for any
  /// @param refusal the begin of a sentence, with places for its values
  @SuppressWarnings("AnnotateFormatMethod") // all calls are in this class
  private void requireFit(
      Expression part, @Nullable CqlType type, String refusal, Object... values) {
    if (type != null
        && !ofRows
        && isLiteral(part)
        && ArgumentType.of(this, part).fit(type) == TypeCompatibility.NONE) {
      throw CqlException.invalid(
          refusal.formatted(values) + " is not of type %s".formatted(type.cql()));
    }
  }

  /// True for what is written out, and no call.
  private static boolean isLiteral(Expression expression) {
    return switch (expression) {
      case Expression.Constant _,
          Expression.ListOf _,
          Expression.SetOf _,
          Expression.MapOf _,
          Expression.TupleOf _,
          Expression.Hint _ ->
          true;
      default -> false;
    };
  }

  private List<Value> all(List<Expression> parts, CqlType type, String name) {
    String each = ofRows ? name : "value(" + name + ")";
    return parts.stream().map(part -> compile(part, type, each)).toList();
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
