package io.widerow.cql.plan;

import io.widerow.cql.CqlException;
import io.widerow.cql.parse.Expression;
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
      case "writetime", "maxwritetime", "ttl" ->
          throw CqlException.invalid(
              ("%s: rows here have no time of writing and do not expire one by one; retention rules"
                      + " how long events are kept")
                  .formatted(call));
      default -> blob(compiler, function, call);
    };
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
