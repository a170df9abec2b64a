package io.widerow.cql.plan;

import io.widerow.cql.CqlException;
import io.widerow.cql.key.TableKeys;
import io.widerow.cql.parse.Expression;
import io.widerow.cql.schema.Column;
import io.widerow.cql.schema.Table;
import io.widerow.cql.type.CqlType;
import io.widerow.cql.type.NativeType;
import io.widerow.cql.type.Texts;
import io.widerow.cql.type.TimeUuids;
import io.widerow.cql.type.Wire;
import io.widerow.query.output.OutputBuffer;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.time.LocalTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// The functions of one row.
final class Functions {
  private static final Set<CqlType> TIMES =
      Set.of(NativeType.TIMEUUID, NativeType.TIMESTAMP, NativeType.DATE);
  private static final String AS_BLOB = "asblob";
  private static final String BLOB_AS = "blobas";

  private Functions() {}

  /// @param function its name in lower case without underscores
  static Value call(Compiler compiler, String function, Expression.Call call) {
    return switch (function) {
      case "now", "currenttimeuuid" ->
          constant(call, NativeType.TIMEUUID, bound -> TimeUuids.next(bound.now()));
      case "uuid" -> constant(call, NativeType.UUID, _ -> UUID.randomUUID());
      case "currenttimestamp" -> constant(call, NativeType.TIMESTAMP, bound -> millis(bound.now()));
      case "currentdate" -> constant(call, NativeType.DATE, bound -> Casts.date(bound.now()));
      case "currenttime" ->
          constant(
              call, NativeType.TIME, bound -> LocalTime.ofInstant(bound.now(), ZoneOffset.UTC));
      case "mintimeuuid" ->
          of(
              timestamp(compiler, call),
              NativeType.TIMEUUID,
              time -> TimeUuids.least((Instant) time));
      case "maxtimeuuid" ->
          of(
              timestamp(compiler, call),
              NativeType.TIMEUUID,
              time -> TimeUuids.greatest((Instant) time));
      case "totimestamp" -> of(time(compiler, call), NativeType.TIMESTAMP, Casts::timestamp);
      case "todate" ->
          of(time(compiler, call), NativeType.DATE, time -> Casts.date(Casts.timestamp(time)));
      case "tounixtimestamp" ->
          of(time(compiler, call), NativeType.BIGINT, time -> Casts.timestamp(time).toEpochMilli());
      case "tojson" -> json(only(compiler, call, null));
      case "abs" -> number(compiler, call, Functions::absolute);
      case "round" -> number(compiler, call, Functions::round);
      case "writetime", "maxwritetime" -> time(compiler, call, false);
      case "ttl" -> time(compiler, call, true);
      case "token" -> token(compiler, call);
      default -> blob(compiler, function, call);
    };
  }

  private static Value time(Compiler compiler, Expression.Call call, boolean ttl) {
    Table table = compiler.scope().table();
    if (table.stored() == null) {
      throw CqlException.invalid(
          ("%s: rows here have no time of writing and do not expire one by one; retention rules how"
                  + " long events are kept")
              .formatted(call));
    }
    requireArguments(call, 1);
    if (!(only(compiler, call, null) instanceof Value.OfColumn(_, int index))) {
      throw CqlException.invalid(
          "Invalid call of %s: its argument is a column".formatted(call.function()));
    }
    Column column = table.columns().get(index);
    if (column.isKey()) {
      throw CqlException.invalid(
          "Cannot use selection function %s on PRIMARY KEY part %s"
              .formatted(call.function(), column.name()));
    }
    if (column.type().isMultiCell()) {
      throw CqlException.invalid(
          "Cannot use selection function %s on non-frozen %s"
              .formatted(call.function(), column.name()));
    }
    return new Value.OfTime(ttl ? NativeType.INT : NativeType.BIGINT, index, ttl);
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
    if (names.equals(call.arguments().stream().map(Expression::toString).toList())) {
      List<Integer> indexes = keys.stream().map(key -> compiler.scope().shown(key.name())).toList();
      return new Value.OfToken(NativeType.BIGINT, form, indexes);
    }
    List<Value> values = new ArrayList<>();
    for (int i = 0; i < keys.size(); i++) {
      String name = "partition key token";
      values.add(compiler.compile(call.arguments().get(i), keys.get(i).type(), name));
    }
    return new Value.OfFunction(
        NativeType.BIGINT,
        values,
        (given, _) -> form.token(Arrays.stream(given).map(Functions::requireKey).toList()));
  }

  private static Object requireKey(@Nullable Object value) {
    if (value == null) {
      throw CqlException.invalid("Invalid null value in token()");
    }
    return value;
  }

  private static Value constant(
      Expression.Call call, NativeType type, Function<Bound, Object> function) {
    requireArguments(call, 0);
    return new Value.OfFunction(type, List.of(), (_, bound) -> function.apply(bound));
  }

  private static void requireArguments(Expression.Call call, int count) {
    if (call.arguments().size() != count) {
      throw CqlException.invalid(
          "Invalid number of arguments in call to function %s: %d required but %d provided"
              .formatted(call.function(), count, call.arguments().size()));
    }
  }

  private static Value only(Compiler compiler, Expression.Call call, @Nullable CqlType wanted) {
    requireArguments(call, 1);
    return compiler.compile(
        call.arguments().getFirst(), wanted, "arg0(system." + call.function() + ")");
  }

  /// A function that makes nothing of null.
  private static Value of(Value argument, CqlType type, Function<Object, Object> function) {
    return new Value.OfFunction(
        type,
        List.of(argument),
        (values, _) -> values[0] == null ? null : function.apply(values[0]));
  }

  private static Value timestamp(Compiler compiler, Expression.Call call) {
    requireArguments(call, 1);
    Expression argument = call.arguments().getFirst();
    boolean telling =
        argument instanceof Expression.Constant || argument instanceof Expression.Marker;
    Value value = only(compiler, call, telling ? NativeType.TIMESTAMP : null);
    requireTime(call, value);
    return of(value, NativeType.TIMESTAMP, Casts::timestamp);
  }

  private static Value time(Compiler compiler, Expression.Call call) {
    Value value = only(compiler, call, null);
    requireTime(call, value);
    return value;
  }

  private static void requireTime(Expression.Call call, Value value) {
    if (!TIMES.contains(value.type())) {
      throw CqlException.invalid(
          ("Invalid call to function %s: its argument has the type %s, and must be a timeuuid, a"
                  + " timestamp or a date")
              .formatted(call.function(), value.type().cql()));
    }
  }

  private static Instant millis(Instant time) {
    return Instant.ofEpochMilli(time.toEpochMilli());
  }

  private static Value json(Value argument) {
    return new Value.OfFunction(
        NativeType.TEXT,
        List.of(argument),
        (values, _) -> {
          OutputBuffer out = new OutputBuffer(64);
          Texts.json(argument.type(), values[0], out);
          return out.toString();
        });
  }

  private static Value number(
      Compiler compiler, Expression.Call call, Function<Number, Number> function) {
    Value argument = only(compiler, call, null);
    if (!(argument.type() instanceof NativeType simple && simple.isNumber())) {
      throw CqlException.invalid(
          "Invalid call to function %s: its argument has the type %s, and must be a number"
              .formatted(call.function(), argument.type().cql()));
    }
    return of(argument, simple, value -> Casts.number(simple, function.apply((Number) value)));
  }

  private static Number absolute(Number value) {
    return switch (value) {
      case Double fraction -> Math.abs(fraction);
      case Float fraction -> Math.abs(fraction);
      case BigInteger whole -> whole.abs();
      case BigDecimal decimal -> decimal.abs();
      default -> Math.abs(value.longValue());
    };
  }

  private static Number round(Number value) {
    return switch (value) {
      case Double fraction ->
          Double.isFinite(fraction)
              ? BigDecimal.valueOf(fraction).setScale(0, RoundingMode.HALF_UP).doubleValue()
              : fraction;
      case Float fraction -> Math.round(fraction);
      case BigDecimal decimal -> decimal.setScale(0, RoundingMode.HALF_UP);
      default -> value;
    };
  }

  /// `intAsBlob`, `blobAsInt` and their like.
  private static Value blob(Compiler compiler, String function, Expression.Call call) {
    if (function.endsWith(AS_BLOB)) {
      NativeType from = NativeType.of(function.substring(0, function.length() - AS_BLOB.length()));
      if (from != null) {
        return of(only(compiler, call, from), NativeType.BLOB, value -> Wire.encode(from, value));
      }
    }
    if (function.startsWith(BLOB_AS)) {
      NativeType to = NativeType.of(function.substring(BLOB_AS.length()));
      if (to != null) {
        return new Value.OfFunction(
            to,
            List.of(only(compiler, call, NativeType.BLOB)),
            (values, _) ->
                values[0] == null ? null : Wire.decode(to, ((ByteBuffer) values[0]).duplicate()));
      }
    }
    throw CqlException.invalid("Unknown function '%s'".formatted(call.function()));
  }
}
