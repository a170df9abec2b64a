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
  /// Most digits of a number that is computed or written out, before and after its point. An
  /// exponent of a few characters would make a number of gigabytes.
  private static final int DIGITS_MAX = 100_000;

  private Casts() {}

  /// A decimal whose digits can be written out.
  public static BigDecimal writable(BigDecimal number) {
    requireDigits(
        Math.max(0, (long) number.precision() - number.scale()) + Math.max(0, number.scale()));
    return number;
  }

  /// @throws CqlException when the sum, the difference or the remainder of two decimals has too
  ///   many digits
  public static void requireSum(BigDecimal one, BigDecimal other) {
    long front =
        Math.max((long) one.precision() - one.scale(), (long) other.precision() - other.scale());
    requireDigits(front + Math.max(one.scale(), other.scale()));
  }

  /// @throws CqlException when the product of two decimals has too many digits
  public static void requireProduct(BigDecimal one, BigDecimal other) {
    requireDigits((long) one.precision() + other.precision());
  }

  /// @throws CqlException when the quotient of two decimals has too many digits
  public static void requireQuotient(BigDecimal one, BigDecimal other, int scale) {
    long front =
        ((long) one.precision() - one.scale()) - ((long) other.precision() - other.scale());
    requireDigits(Math.max(0, front) + scale);
  }

  private static void requireDigits(long digits) {
    if (digits > DIGITS_MAX) {
      throw CqlException.invalid(
          "a number of %d digits; at most %d are computed".formatted(digits, DIGITS_MAX));
    }
  }

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
      case VARINT -> whole(value);
      case DECIMAL -> decimal(value);
      default -> throw new IllegalStateException("no number: " + to);
    };
  }

  private static BigInteger whole(Number value) {
    return value instanceof BigInteger same ? same : writable(decimal(value)).toBigInteger();
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
