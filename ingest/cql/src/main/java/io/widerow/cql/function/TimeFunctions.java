package io.widerow.cql.function;

import static io.widerow.cql.type.NativeType.BIGINT;
import static io.widerow.cql.type.NativeType.DATE;
import static io.widerow.cql.type.NativeType.DURATION;
import static io.widerow.cql.type.NativeType.TIME;
import static io.widerow.cql.type.NativeType.TIMESTAMP;
import static io.widerow.cql.type.NativeType.TIMEUUID;

import io.widerow.cql.type.CqlDuration;
import io.widerow.cql.type.CqlType;
import io.widerow.cql.type.NativeType;
import io.widerow.cql.type.TimeUuids;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// Functions of times, and of ids that have one.
final class TimeFunctions {
  private TimeFunctions() {}

  static List<NativeFunction> all() {
    List<NativeFunction> all = new ArrayList<>();
    all.add(constant("now", TIMEUUID, TimeUuids::next));
    all.add(constant("uuid", NativeType.UUID, _ -> UUID.randomUUID()));
    all.add(constant("current_timeuuid", TIMEUUID, TimeUuids::next));
    all.add(constant("current_timestamp", TIMESTAMP, TimeFunctions::millis));
    all.add(constant("current_date", DATE, Casts::date));
    all.add(constant("current_time", TIME, now -> LocalTime.ofInstant(now, ZoneOffset.UTC)));
    all.add(
        NativeFunction.of(
            "min_timeuuid", TIMESTAMP, TIMEUUID, time -> TimeUuids.least((Instant) time)));
    all.add(
        NativeFunction.of(
            "max_timeuuid", TIMESTAMP, TIMEUUID, time -> TimeUuids.greatest((Instant) time)));
    for (NativeType from : List.of(TIMEUUID, TIMESTAMP, DATE)) {
      if (from != DATE) {
        all.add(
            NativeFunction.of("to_date", from, DATE, time -> Casts.date(Casts.timestamp(time))));
      }
      if (from != TIMESTAMP) {
        all.add(NativeFunction.of("to_timestamp", from, TIMESTAMP, Casts::timestamp));
      }
      all.add(
          NativeFunction.of(
              "to_unix_timestamp", from, BIGINT, time -> Casts.timestamp(time).toEpochMilli()));
    }
    for (NativeType of : List.of(TIMESTAMP, TIMEUUID, DATE)) {
      CqlType result = of == DATE ? DATE : TIMESTAMP;
      all.add(floor(List.of(of, DURATION), result));
      all.add(floor(List.of(of, DURATION, result), result));
    }
    all.add(floor(List.of(TIME, DURATION), TIME));
    return all;
  }

  private static NativeFunction constant(
      String name, NativeType type, Function<Instant, Object> function) {
    return new NativeFunction(name, List.of(), type, false, (_, now) -> function.apply(now));
  }

  private static Instant millis(Instant time) {
    return Instant.ofEpochMilli(time.toEpochMilli());
  }

  private static NativeFunction floor(List<CqlType> arguments, CqlType result) {
    return new NativeFunction("floor", arguments, result, false, (values, _) -> floor(values));
  }

  /// @param given a time, a duration and perhaps a start; none of them null
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
}
