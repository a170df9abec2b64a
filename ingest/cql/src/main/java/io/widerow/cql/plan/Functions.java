package io.widerow.cql.plan;

import io.widerow.cql.CqlException;
import io.widerow.cql.CqlException.Code;
import io.widerow.cql.function.Casts;
import io.widerow.cql.function.NativeFunction;
import io.widerow.cql.function.NativeFunctions;
import io.widerow.cql.function.TypeCompatibility;
import io.widerow.cql.key.TableKeys;
import io.widerow.cql.parse.Expression;
import io.widerow.cql.plan.Value.OfTime.Kind;
import io.widerow.cql.schema.Column;
import io.widerow.cql.schema.GroupBySpec;
import io.widerow.cql.schema.Table;
import io.widerow.cql.type.CqlType;
import io.widerow.cql.type.Empty;
import io.widerow.cql.type.JsonValues;
import io.widerow.cql.type.NativeType;
import io.widerow.query.json.JsonNode;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// Compiles calls of functions, including functions that need the table.
final class Functions {
  private static final Map<String, GroupBySpec.Kind> AGGREGATES =
      Map.of(
          "count", GroupBySpec.Kind.COUNT,
          "min", GroupBySpec.Kind.MIN,
          "max", GroupBySpec.Kind.MAX,
          "sum", GroupBySpec.Kind.SUM,
          "avg", GroupBySpec.Kind.AVG);

  /// Functions that need the table or the wanted type.
  private static final Set<String> OF_TABLES =
      Set.of("fromjson", "from_json", "writetime", "maxwritetime", "ttl", "token");

  private Functions() {}

  static boolean isAggregate(Expression.Call call) {
    return AGGREGATES.containsKey(call.function());
  }

  /// True for a function of one row.
  ///
  /// @throws CqlException when it is an aggregate, or none
  static boolean isScalar(Compiler compiler, Expression.Call call) {
    if (isAggregate(call)) {
      throw compiler.noAggregates();
    }
    if (!NativeFunctions.isKnown(call.function()) && !OF_TABLES.contains(call.function())) {
      throw unknown(compiler, call);
    }
    return true;
  }

  static Value cast(Value of, CqlType type) {
    if (of.type().equals(type)) {
      return of;
    }
    if (of.type() instanceof NativeType from
        && type instanceof NativeType to
        && Casts.isPossible(from, to)) {
      return of(of, type, value -> Casts.convert(from, to, value));
    }
    throw CqlException.invalid("%s cannot be cast to %s".formatted(of.type().cql(), type.cql()));
  }

  /// @param wanted the required type; null when the function determines it
  /// @param name of the target of the value
  static Value call(
      Compiler compiler, Expression.Call call, @Nullable CqlType wanted, String name) {
    return switch (call.function()) {
      case "fromjson", "from_json" -> fromJson(compiler, call, wanted);
      case "writetime" -> written(compiler, call, Kind.WRITE_TIME);
      case "maxwritetime" -> written(compiler, call, Kind.LAST_WRITE_TIME);
      case "ttl" -> written(compiler, call, Kind.TTL);
      case "token" -> token(compiler, call);
      default -> nativeCall(compiler, call, wanted, name);
    };
  }

  private static Value nativeCall(
      Compiler compiler, Expression.Call call, @Nullable CqlType wanted, String name) {
    GroupBySpec.Kind aggregate = AGGREGATES.get(call.function());
    boolean ofAll = aggregate == GroupBySpec.Kind.COUNT && call.arguments().isEmpty();
    if (aggregate != null) {
      compiler.beginAggregate(ofAll);
      if (ofAll) {
        return compiler.aggregate(aggregate, NativeType.BIGINT, null);
      }
    }
    List<ArgumentType> given =
        call.arguments().stream().map(argument -> ArgumentType.of(compiler, argument)).toList();
    NativeFunction function = NativeFunctions.choose(call.function(), given, wanted);
    if (function == null) {
      throw unknown(compiler, call);
    }
    if (aggregate == GroupBySpec.Kind.COUNT && given.getFirst().value() != null) {
      return compiler.aggregate(aggregate, function.result(), given.getFirst().value());
    }
    List<Value> values = new ArrayList<>();
    for (int i = 0; i < given.size(); i++) {
      CqlType type = function.arguments().get(i);
      values.add(given.get(i).as(type, "arg%d(system.%s)".formatted(i, function.name()), call));
    }
    if (aggregate != null) {
      return compiler.aggregate(aggregate, function.result(), values.getFirst());
    }
    Value result =
        new Value.OfFunction(
            function.result(), values, (all, bound) -> function.apply(all, bound.now()));
    return wanted == null ? result : assigned(compiler, result, function, wanted, name);
  }

  private static CqlException unknown(Compiler compiler, Expression.Call call) {
    return CqlException.invalid(
        (compiler.isOfRows() ? "Unknown function '%s'" : "Unknown function %s called")
            .formatted(call.function()));
  }

  /// The result of a function where its bytes are a value of the type that is wanted.
  private static Value assigned(
      Compiler compiler, Value result, NativeFunction function, CqlType wanted, String name) {
    boolean frozen = !compiler.isOfRows() && wanted.isMultiCell() && !result.type().isMultiCell();
    if (frozen || TypeCompatibility.of(wanted, result.type()) == TypeCompatibility.NONE) {
      throw CqlException.invalid(
          "Type error: cannot assign result of function system.%s (type %s) to %s (type %s)"
              .formatted(function.name(), result.type().cql(), name, wanted.cql()));
    }
    return reread(result, wanted);
  }

  /// A value as one of a type that takes it, or its bytes.
  static Value reread(Value value, CqlType type) {
    CqlType from = value.type();
    return type.takes(from)
        ? value
        : new Value.OfFunction(
            type,
            List.of(value),
            (values, _) ->
                values[0] == null ? null : NativeFunctions.reread(from, type, values[0]));
  }

  private static Value written(Compiler compiler, Expression.Call call, Kind kind) {
    Table table = compiler.scope().table();
    if (table.stored() == null) {
      throw CqlException.invalid(
          ("%s: rows here have no time of writing and do not expire one by one; retention decides"
                  + " how long events are kept")
              .formatted(call));
    }
    int index = table.find(requireColumn(call));
    Value of = only(compiler, call, null);
    Column column = table.columns().get(index);
    if (column.isKey()) {
      throw CqlException.invalid(
          "Cannot use selection function %s on PRIMARY KEY part %s"
              .formatted(call.function(), column.name()));
    }
    compiler.scope().time(index);
    CqlType one = kind == Kind.TTL ? NativeType.INT : NativeType.BIGINT;
    boolean many = of.type().isMultiCell() && kind != Kind.LAST_WRITE_TIME;
    return new Value.OfTime(many ? new CqlType.ListOf(one, false) : one, of, kind);
  }

  /// The column that the argument is, or is a part of.
  private static String requireColumn(Expression.Call call) {
    requireArguments(call, 1);
    Expression of = call.arguments().getFirst();
    while (!(of instanceof Expression.Name)) {
      of =
          switch (of) {
            case Expression.Element element -> element.of();
            case Expression.Slice slice -> slice.of();
            case Expression.Field field -> field.of();
            default ->
                throw new CqlException(
                    Code.SYNTAX, "the argument of %s is a column".formatted(call.function()));
          };
    }
    return of.toString();
  }

  private static Value fromJson(Compiler compiler, Expression.Call call, @Nullable CqlType wanted) {
    if (wanted == null) {
      throw CqlException.invalid(
          "%s() cannot be used in the selection clause of a SELECT statement"
              .formatted(call.function()));
    }
    return of(
        only(compiler, call, NativeType.TEXT),
        wanted,
        text -> {
          try {
            JsonNode json = JsonValues.parse((String) text);
            return json.isNull() ? null : JsonValues.of(wanted, json);
          } catch (CqlException wrong) {
            throw CqlException.function(call.function(), List.of("text"), wrong.sentence());
          }
        });
  }

  /// The token of the partition key: of the row, or of values.
  private static Value token(Compiler compiler, Expression.Call call) {
    Table table = compiler.scope().table();
    List<Column> keys = table.of(Column.Kind.PARTITION_KEY);
    requireArguments(call, keys.size());
    if (table.stored() == null) {
      throw CqlException.invalid(
          "token() is for tables: the rows of %s are not spread by tokens"
              .formatted(table.qualified()));
    }
    TableKeys form = TableKeys.of(table);
    List<String> names = keys.stream().map(Column::name).toList();
    if (compiler.isOfRows()
        && names.equals(call.arguments().stream().map(Expression::toString).toList())) {
      List<Integer> indexes = keys.stream().map(key -> compiler.scope().shown(key.name())).toList();
      return new Value.OfToken(NativeType.BIGINT, form, indexes);
    }
    List<Value> values = new ArrayList<>();
    for (int i = 0; i < keys.size(); i++) {
      ArgumentType given = ArgumentType.of(compiler, call.arguments().get(i));
      CqlType type = keys.get(i).type();
      NativeFunctions.requireFit("token", i, given, type);
      values.add(given.as(type, "partition key token", call));
    }
    return new Value.OfFunction(
        NativeType.BIGINT,
        values,
        (given, _) ->
            compiler.isOfRows() && Arrays.asList(given).contains(null)
                ? null
                : form.token(Arrays.stream(given).map(Functions::requireKey).toList()));
  }

  private static Object requireKey(@Nullable Object value) {
    if (value == null) {
      throw CqlException.invalid("Invalid null value in token()");
    }
    return value;
  }

  private static Value only(Compiler compiler, Expression.Call call, @Nullable CqlType wanted) {
    requireArguments(call, 1);
    return compiler.compile(
        call.arguments().getFirst(), wanted, "arg0(system." + call.function() + ")");
  }

  private static void requireArguments(Expression.Call call, int count) {
    if (call.arguments().size() != count) {
      throw CqlException.invalid(
          "Invalid number of arguments in call to function system.%s: %d required but %d provided"
              .formatted(call.function(), count, call.arguments().size()));
    }
  }

  /// A function that makes nothing of null.
  private static Value of(
      Value argument, CqlType type, Function<Object, @Nullable Object> function) {
    return new Value.OfFunction(
        type,
        List.of(argument),
        (values, _) ->
            values[0] == null || values[0] == Empty.VALUE ? null : function.apply(values[0]));
  }
}
