package io.widerow.cql.function;

import io.widerow.cql.CqlException;
import io.widerow.cql.type.NativeType;
import io.widerow.cql.type.Texts;
import io.widerow.cql.type.TimeUuids;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.UUID;

/// The conversions of `CAST`, and those between times that functions do.
public final class Casts {
  private Casts() {}

  /// True when values of a type can be made values of another one.
  public static boolean isPossible(NativeType from, NativeType to) {
    return switch (to) {
      case TEXT -> from != NativeType.BLOB && from != NativeType.DURATION;
      case ASCII -> from != NativeType.TEXT && isPossible(from, NativeType.TEXT);
      case TIMESTAMP -> from == NativeType.TIMEUUID || from == NativeType.DATE;
      case DATE -> from == NativeType.TIMEUUID || from == NativeType.TIMESTAMP;
      default -> to.isNumber() && from.isNumber();
    };
  }

  public static Object convert(NativeType from, NativeType to, Object value) {
    return switch (to) {
      case TEXT, ASCII -> Texts.of(from, value);
      case TIMESTAMP -> timestamp(value);
      case DATE -> date(timestamp(value));
      default -> number(to, (Number) value);
    };
  }

  /// The instant of a timeuuid, a date or a timestamp.
  public static Instant timestamp(Object value) {
    return switch (value) {
      case Instant same -> same;
      case UUID id -> TimeUuids.instant(id);
      case LocalDate date -> date.atStartOfDay().toInstant(ZoneOffset.UTC);
      default -> throw new IllegalStateException("no time: " + value.getClass());
    };
  }

  /// The date that has the bytes of a number.
  public static LocalDate date(int bytes) {
    return LocalDate.ofEpochDay(Integer.toUnsignedLong(bytes) - (1L << 31));
  }

  /// The date of an instant; of one before 1970 that which is nearer to it, as Cassandra has it.
  public static LocalDate date(Instant time) {
    return LocalDate.ofEpochDay(time.toEpochMilli() / 86_400_000L);
  }

  /// A number as one of another type.
  public static Number number(NativeType to, Number value) {
    return switch (to) {
      case TINYINT -> value.byteValue();
      case SMALLINT -> value.shortValue();
      case INT -> value.intValue();
      case BIGINT, COUNTER -> value.longValue();
      case FLOAT -> value.floatValue();
      case DOUBLE -> value.doubleValue();
      case VARINT -> decimal(value).toBigInteger();
      case DECIMAL -> decimal(value);
      default -> throw new IllegalStateException("no number: " + to);
    };
  }

  public static BigDecimal decimal(Number value) {
    return switch (value) {
      case BigDecimal same -> same;
      case BigInteger whole -> new BigDecimal(whole);
      case Double fraction -> finite(fraction);
      case Float fraction -> finite(fraction.doubleValue());
      default -> BigDecimal.valueOf(value.longValue());
    };
  }

  private static BigDecimal finite(double value) {
    if (!Double.isFinite(value)) {
      throw CqlException.invalid("%s cannot be cast to a decimal".formatted(value));
    }
    return BigDecimal.valueOf(value);
  }
}
