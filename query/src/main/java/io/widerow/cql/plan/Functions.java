package io.widerow.cql.plan;

import io.widerow.cql.CqlException;
import io.widerow.cql.CqlException.Code;
import io.widerow.cql.function.Casts;
import io.widerow.cql.function.Floors;
import io.widerow.cql.key.TableKeys;
import io.widerow.cql.parse.Expression;
import io.widerow.cql.plan.Value.OfTime.Kind;
import io.widerow.cql.schema.Column;
import io.widerow.cql.schema.Table;
import io.widerow.cql.type.CqlDuration;
import io.widerow.cql.type.CqlType;
import io.widerow.cql.type.Empty;
import io.widerow.cql.type.Json;
import io.widerow.cql.type.JsonValues;
import io.widerow.cql.type.Literals;
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
import java.time.LocalDate;
import java.time.LocalTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
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

  /// Names that may be written without underscores, too.
  private static final Set<String> WITH_UNDERSCORES =
      Set.of(
          "current_timeuuid",
          "current_timestamp",
          "current_date",
          "current_time",
          "min_timeuuid",
          "max_timeuuid",
          "to_timestamp",
          "to_date",
          "to_unix_timestamp",
          "to_json",
          "from_json");

  private Functions() {}

  /// The name of a function without underscores, when it may have these.
  static String plain(String name) {
    boolean blob = name.endsWith("_as_blob") || name.startsWith("blob_as_");
    return blob || WITH_UNDERSCORES.contains(name) ? name.replace("_", "") : name;
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

  /// @param function its name in lower case without underscores
  /// @param wanted what type it must have; null when the function tells
  static Value call(
      Compiler compiler, String function, Expression.Call call, @Nullable CqlType wanted) {
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
      case "totimestamp" ->
          of(time(compiler, call, NativeType.TIMESTAMP), NativeType.TIMESTAMP, Casts::timestamp);
      case "todate" ->
          of(
              time(compiler, call, NativeType.DATE),
              NativeType.DATE,
              time -> Casts.date(Casts.timestamp(time)));
      case "tounixtimestamp" ->
          of(
              time(compiler, call, null),
              NativeType.BIGINT,
              time -> Casts.timestamp(time).toEpochMilli());
      case "tojson" -> json(only(compiler, call, null));
      case "fromjson" -> fromJson(compiler, call, wanted);
      case "floor" -> floor(compiler, call);
      case "abs" -> number(compiler, call, Functions::absolute);
      case "round" -> number(compiler, call, Functions::round);
      case "writetime" -> written(compiler, call, Kind.WRITE_TIME);
      case "maxwritetime" -> written(compiler, call, Kind.LAST_WRITE_TIME);
      case "ttl" -> written(compiler, call, Kind.TTL);
      case "token" -> token(compiler, call);
      default -> blob(compiler, function, call);
    };
  }

  private static Value written(Compiler compiler, Expression.Call call, Kind kind) {
    Table table = compiler.scope().table();
    if (table.stored() == null) {
      throw CqlException.invalid(
          ("%s: rows here have no time of writing and do not expire one by one; retention rules how"
                  + " long events are kept")
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

  private static Value floor(Compiler compiler, Expression.Call call) {
    List<Expression> arguments = call.arguments();
    if (arguments.isEmpty() || arguments.getFirst() instanceof Expression.Marker) {
      throw noSuchFloor(call);
    }
    boolean ambiguous =
        arguments.getFirst() instanceof Expression.Constant(Literals.Kind kind, _)
            && (kind == Literals.Kind.STRING || kind == Literals.Kind.INTEGER);
    Value given = compiler.compile(arguments.getFirst(), null, "arg0(system.floor)");
    if (ambiguous || (given.type() == NativeType.BIGINT && arguments.size() == 2)) {
      throw CqlException.invalid(
          "Ambiguous call to function system.floor: use type casts to disambiguate");
    }
    Value time = asTime(given);
    CqlType start =
        switch (time.type()) {
          case NativeType.TIMESTAMP, NativeType.TIMEUUID -> NativeType.TIMESTAMP;
          case NativeType.DATE -> NativeType.DATE;
          case NativeType.TIME -> null;
          default -> throw noSuchFloor(call);
        };
    int most = start == null ? 2 : 3;
    if (arguments.size() < 2 || arguments.size() > most) {
      throw noSuchFloor(call);
    }
    List<Value> values = new ArrayList<>(List.of(time));
    values.add(compiler.compile(arguments.get(1), NativeType.DURATION, "arg1(system.floor)"));
    if (arguments.size() == 3) {
      values.add(compiler.compile(arguments.get(2), start, "arg2(system.floor)"));
    }
    return new Value.OfFunction(
        start == null ? NativeType.TIME : start,
        values,
        (all, _) -> Arrays.stream(all).anyMatch(Functions::isNothing) ? null : floor(all));
  }

  /// @param given a time, a duration and perhaps a start
  private static Object floor(@Nullable Object[] given) {
    CqlDuration by = (CqlDuration) Objects.requireNonNull(given[1]);
    Object start = given.length == 3 ? Objects.requireNonNull(given[2]) : Instant.EPOCH;
    return switch (Objects.requireNonNull(given[0])) {
      case LocalTime time -> Floors.floor(time, by);
      case LocalDate date ->
          Floors.floor(date, by, start instanceof LocalDate from ? from : LocalDate.EPOCH);
      case Object time -> Floors.floor(Casts.timestamp(time), by, (Instant) start);
    };
  }

  private static CqlException noSuchFloor(Expression.Call call) {
    return CqlException.invalid(
        ("Invalid call to function %s: its arguments are a timestamp, a timeuuid, a date or a time,"
                + " a duration, and for all but a time a start: %s")
            .formatted(call.function(), call));
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
            Object json = Json.parse((String) text);
            return json == null ? null : JsonValues.of(wanted, json);
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
  private static Value of(
      Value argument, CqlType type, Function<Object, @Nullable Object> function) {
    return new Value.OfFunction(
        type,
        List.of(argument),
        (values, _) -> isNothing(values[0]) ? null : function.apply(values[0]));
  }

  private static boolean isNothing(@Nullable Object value) {
    return value == null || value == Empty.VALUE;
  }

  private static Value timestamp(Compiler compiler, Expression.Call call) {
    requireArguments(call, 1);
    Expression argument = call.arguments().getFirst();
    boolean telling =
        argument instanceof Expression.Constant || argument instanceof Expression.Marker;
    Value value = asTime(only(compiler, call, telling ? NativeType.TIMESTAMP : null));
    requireTime(call, value, null);
    return of(value, NativeType.TIMESTAMP, Casts::timestamp);
  }

  /// @param to what type the value becomes, which its own cannot be
  private static Value time(Compiler compiler, Expression.Call call, @Nullable NativeType to) {
    Value value = asTime(only(compiler, call, null));
    requireTime(call, value, to);
    return value;
  }

  /// An int as the date, and a bigint as the timestamp that has its bytes.
  private static Value asTime(Value value) {
    if (value.type() == NativeType.INT) {
      return of(value, NativeType.DATE, days -> Casts.date((Integer) days));
    }
    return value.type() == NativeType.BIGINT
        ? of(value, NativeType.TIMESTAMP, millis -> Instant.ofEpochMilli((Long) millis))
        : value;
  }

  private static void requireTime(Expression.Call call, Value value, @Nullable NativeType to) {
    if (!TIMES.contains(value.type()) || value.type() == to) {
      throw CqlException.invalid(
          "Invalid call to function %s: its argument has the type %s, and must be another time"
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
          Texts.json(argument.type(), values[0] == Empty.VALUE ? null : values[0], out);
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
        return new Value.OfFunction(
            NativeType.BLOB,
            List.of(only(compiler, call, from)),
            (values, _) -> values[0] == null ? null : Wire.encode(from, values[0]));
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
