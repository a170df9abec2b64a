package io.widerow.cql.function;

import static io.widerow.cql.type.NativeType.ASCII;
import static io.widerow.cql.type.NativeType.BIGINT;
import static io.widerow.cql.type.NativeType.COUNTER;
import static io.widerow.cql.type.NativeType.DATE;
import static io.widerow.cql.type.NativeType.DECIMAL;
import static io.widerow.cql.type.NativeType.DOUBLE;
import static io.widerow.cql.type.NativeType.DURATION;
import static io.widerow.cql.type.NativeType.FLOAT;
import static io.widerow.cql.type.NativeType.INT;
import static io.widerow.cql.type.NativeType.SMALLINT;
import static io.widerow.cql.type.NativeType.TEXT;
import static io.widerow.cql.type.NativeType.TIMESTAMP;
import static io.widerow.cql.type.NativeType.TINYINT;
import static io.widerow.cql.type.NativeType.VARINT;

import io.widerow.cql.CqlException;
import io.widerow.cql.type.CqlDuration;
import io.widerow.cql.type.CqlType;
import io.widerow.cql.type.NativeType;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.BinaryOperator;
import org.jspecify.annotations.Nullable;

/// The functions behind the signs of arithmetic: numbers of any two types, times and durations,
/// texts, and the negation of a number. Whole numbers are divided as such, and wrap around.
public final class Operations {
  /// The function of a negation.
  public static final String NEGATION = "_negate";

  private static final Map<String, String> FUNCTIONS =
      Map.of(
          "+", "_add",
          "-", "_substract", // so is its name in Cassandra
          "*", "_multiply",
          "/", "_divide",
          "%", "_modulo");

  private static final List<NativeType> NUMBERS =
      List.of(TINYINT, SMALLINT, INT, BIGINT, FLOAT, DOUBLE, DECIMAL, VARINT, COUNTER);

  private static final int QUOTIENT_DIGITS = 32; // of a decimal: the least, also after its point
  private static final int QUOTIENT_SCALE_MAX = 1_000;
  private static final int TEXT_CHARS_MAX = 16 << 20;
  private static final long DAY_MILLIS = 86_400_000;
  private static final long MILLI_NANOS = 1_000_000;
  private static final long DATE_DAYS_MAX = 1L << 31; // before and after 1970

  private Operations() {}

  /// The name of the function of a sign.
  public static String function(String sign) {
    return Objects.requireNonNull(FUNCTIONS.get(sign), sign);
  }

  /// The sign of a function; null when it has none.
  static @Nullable String sign(String function) {
    return FUNCTIONS.entrySet().stream()
        .filter(each -> each.getValue().equals(function))
        .map(Map.Entry::getKey)
        .findFirst()
        .orElse(null);
  }

  static List<NativeFunction> all() {
    List<NativeFunction> all = new ArrayList<>();
    for (NativeType left : NUMBERS) {
      for (NativeType right : NUMBERS) {
        NativeType result = result(left, right);
        for (String sign : FUNCTIONS.keySet()) {
          all.add(of(sign, left, right, result, (one, other) -> numbers(sign, result, one, other)));
        }
      }
      all.add(NativeFunction.of(NEGATION, left, left, value -> negated(left, (Number) value)));
    }
    for (String sign : List.of("+", "-")) {
      boolean adds = sign.equals("+");
      all.add(
          of(
              sign,
              TIMESTAMP,
              DURATION,
              TIMESTAMP,
              (t, by) -> timestamp(t, (CqlDuration) by, adds)));
      all.add(of(sign, DATE, DURATION, DATE, (date, by) -> date(date, (CqlDuration) by, adds)));
    }
    for (NativeType left : List.of(TEXT, ASCII)) {
      for (NativeType right : List.of(TEXT, ASCII)) {
        NativeType result = left == ASCII ? right : TEXT;
        all.add(of("+", left, right, result, Operations::joined));
      }
    }
    return all;
  }

  private static NativeFunction of(
      String sign,
      NativeType left,
      NativeType right,
      NativeType result,
      BinaryOperator<Object> body) {
    List<CqlType> types = List.of(left, right);
    String name = function(sign);
    return new NativeFunction(
        name,
        types,
        result,
        false,
        (values, _) -> {
          try {
            return body.apply(Objects.requireNonNull(values[0]), Objects.requireNonNull(values[1]));
          } catch (ArithmeticException | DateTimeException impossible) {
            throw CqlException.operation(
                name,
                sign,
                List.of(left.cql(), right.cql()),
                String.valueOf(impossible.getMessage()));
          }
        });
  }

  /// The wider type of two; a fraction is one of as many bytes.
  private static NativeType result(NativeType left, NativeType right) {
    int bytes = Math.max(bytes(left), bytes(right));
    if (left.isWhole() && right.isWhole()) {
      return switch (bytes) {
        case 1 -> TINYINT;
        case 2 -> SMALLINT;
        case 4 -> INT;
        case 8 -> BIGINT;
        default -> VARINT;
      };
    }
    return switch (bytes) {
      case 4 -> FLOAT;
      case 8 -> DOUBLE;
      default -> DECIMAL;
    };
  }

  private static int bytes(NativeType number) {
    return switch (number) {
      case TINYINT -> Byte.BYTES;
      case SMALLINT -> Short.BYTES;
      case INT, FLOAT -> Integer.BYTES;
      case BIGINT, DOUBLE, COUNTER -> Long.BYTES;
      default -> Integer.MAX_VALUE;
    };
  }

  private static Object numbers(String sign, NativeType type, Object left, Object right) {
    Number one = (Number) left;
    Number other = (Number) right;
    return switch (type) {
      case FLOAT -> (float) floating(sign, one.floatValue(), other.floatValue());
      case DOUBLE -> floating(sign, one.doubleValue(), other.doubleValue());
      case DECIMAL -> decimal(sign, finite(one), finite(other));
      case VARINT -> whole(sign, Casts.decimal(one), Casts.decimal(other));
      default -> Casts.number(type, integer(sign, one.longValue(), other.longValue()));
    };
  }

  private static double floating(String sign, double one, double other) {
    return switch (sign) {
      case "+" -> one + other;
      case "-" -> one - other;
      case "*" -> one * other;
      case "/" -> one / other;
      default -> one % other;
    };
  }

  private static long integer(String sign, long one, long other) {
    return switch (sign) {
      case "+" -> one + other;
      case "-" -> one - other;
      case "*" -> one * other;
      case "/" -> one / other;
      default -> one % other;
    };
  }

  private static BigInteger whole(String sign, BigDecimal left, BigDecimal right) {
    if (sign.equals("*")) {
      Casts.requireProduct(left, right);
    }
    BigInteger one = Casts.writable(left).toBigInteger();
    BigInteger other = Casts.writable(right).toBigInteger();
    return switch (sign) {
      case "+" -> one.add(other);
      case "-" -> one.subtract(other);
      case "*" -> one.multiply(other);
      case "/" -> one.divide(other);
      default -> one.remainder(other);
    };
  }

  private static BigDecimal decimal(String sign, BigDecimal one, BigDecimal other) {
    switch (sign) {
      case "*" -> Casts.requireProduct(one, other);
      case "/" -> {} // its digits are limited
      default -> Casts.requireSum(one, other);
    }
    return switch (sign) {
      case "+" -> one.add(other);
      case "-" -> one.subtract(other);
      case "*" -> one.multiply(other);
      case "/" -> quotient(one, other);
      default -> one.remainder(other);
    };
  }

  /// Of 32 digits at least, and with as many after its point.
  private static BigDecimal quotient(BigDecimal one, BigDecimal other) {
    long first =
        ((long) one.precision() - one.scale()) - ((long) other.precision() - other.scale());
    long scale = Math.max(QUOTIENT_DIGITS - first, QUOTIENT_DIGITS);
    scale = Math.max(scale, Math.max(one.scale(), other.scale()));
    int limited = (int) Math.min(scale, QUOTIENT_SCALE_MAX);
    Casts.requireQuotient(one, other, limited);
    return one.divide(other, limited, RoundingMode.HALF_UP).stripTrailingZeros();
  }

  private static BigDecimal finite(Number number) {
    double value = number instanceof Double || number instanceof Float ? number.doubleValue() : 0;
    if (Double.isNaN(value)) {
      throw new ArithmeticException("A NaN cannot be converted into a decimal");
    }
    if (Double.isInfinite(value)) {
      throw new ArithmeticException("An infinite number cannot be converted into a decimal");
    }
    return Casts.decimal(number);
  }

  private static Number negated(NativeType type, Number number) {
    return switch (type) {
      case FLOAT -> -number.floatValue();
      case DOUBLE -> -number.doubleValue();
      case DECIMAL -> ((BigDecimal) number).negate();
      case VARINT -> ((BigInteger) number).negate();
      default -> Casts.number(type, -number.longValue());
    };
  }

  private static Object timestamp(Object time, CqlDuration by, boolean adds) {
    if (by.nanos() % MILLI_NANOS != 0) {
      throw new ArithmeticException(
          "The duration must have a millisecond precision. Was: %s".formatted(by));
    }
    int sign = adds ? 1 : -1;
    long millis = ((Instant) time).toEpochMilli();
    if (by.months() != 0) {
      OffsetDateTime utc = Instant.ofEpochMilli(millis).atOffset(ZoneOffset.UTC);
      millis = utc.plusMonths(sign * (long) by.months()).toInstant().toEpochMilli();
    }
    millis = Math.addExact(millis, sign * (by.days() * DAY_MILLIS + by.nanos() / MILLI_NANOS));
    return Instant.ofEpochMilli(millis);
  }

  private static Object date(Object date, CqlDuration by, boolean adds) {
    if (by.nanos() != 0) {
      throw new ArithmeticException(
          "The duration must have a day precision. Was: %s".formatted(by));
    }
    int sign = adds ? 1 : -1;
    LocalDate shifted =
        ((LocalDate) date).plusMonths(sign * (long) by.months()).plusDays(sign * (long) by.days());
    if (shifted.toEpochDay() < -DATE_DAYS_MAX || shifted.toEpochDay() >= DATE_DAYS_MAX) {
      throw new ArithmeticException(
          "a date has at most 2^31 days before or after 1970-01-01, got %s".formatted(shifted));
    }
    return shifted;
  }

  private static Object joined(Object one, Object other) {
    String left = (String) one;
    String right = (String) other;
    long length = (long) left.length() + right.length();
    if (length > TEXT_CHARS_MAX) {
      throw new ArithmeticException(
          "a text that is computed has at most %d characters, got %d"
              .formatted(TEXT_CHARS_MAX, length));
    }
    return left.concat(right);
  }
}
