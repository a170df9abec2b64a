package io.widerow.cql.type;

import io.widerow.cql.CqlException;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalTime;
import java.util.HexFormat;
import java.util.Locale;
import java.util.Map;
import java.util.UUID;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// Constants of statements as values of a type.
public final class Literals {
  private static final int NUMBER_CHARS_MAX = 1_000;
  private static final int EXPONENT_MAX = 10_000;
  private static final Pattern ADDRESS =
      Pattern.compile("\\d{1,3}(\\.\\d{1,3}){3}|[0-9a-fA-F:]*:[0-9a-fA-F:.]*");

  private Literals() {}

  /// The syntax of a constant.
  public enum Kind {
    STRING,
    INTEGER,
    FLOAT,
    BOOLEAN,
    UUID,
    HEX,
    DURATION
  }

  /// True when a constant that is written so can be a value of the type.
  public static boolean suits(Kind kind, NativeType type) {
    return switch (type) {
      case ASCII, TEXT, INET -> kind == Kind.STRING;
      case BIGINT, INT, SMALLINT, TINYINT, VARINT, COUNTER -> kind == Kind.INTEGER;
      case DECIMAL, DOUBLE, FLOAT -> kind == Kind.INTEGER || kind == Kind.FLOAT;
      case TIMESTAMP, DATE, TIME -> kind == Kind.STRING || kind == Kind.INTEGER;
      case UUID, TIMEUUID -> kind == Kind.UUID;
      case BOOLEAN -> kind == Kind.BOOLEAN;
      case BLOB -> kind == Kind.HEX;
      case DURATION -> kind == Kind.DURATION;
    };
  }

  /// The type of a constant where no type is required.
  public static NativeType natural(Kind kind, String text) {
    return switch (kind) {
      case STRING -> NativeType.TEXT;
      case INTEGER -> fits(text) ? NativeType.INT : NativeType.BIGINT;
      case FLOAT -> NativeType.DOUBLE;
      case BOOLEAN -> NativeType.BOOLEAN;
      case UUID -> UUID.fromString(text).version() == 1 ? NativeType.TIMEUUID : NativeType.UUID;
      case HEX -> NativeType.BLOB;
      case DURATION -> NativeType.DURATION;
    };
  }

  private static boolean fits(String text) {
    try {
      return Integer.toString(Integer.parseInt(text)).length() <= text.length();
    } catch (NumberFormatException larger) {
      return false;
    }
  }

  /// The value of a constant that [#suits] the type.
  ///
  /// @throws CqlException when it is none
  public static Object parse(Kind kind, String text, NativeType type) {
    if (type.isNumber() && text.length() > NUMBER_CHARS_MAX) {
      throw CqlException.invalid("a number has at most %d characters".formatted(NUMBER_CHARS_MAX));
    }
    try {
      return switch (type) {
        case ASCII, TEXT -> text(text, type);
        case BIGINT, COUNTER -> Long.valueOf(text);
        case BLOB -> ByteBuffer.wrap(HexFormat.of().parseHex(text.substring(2)));
        case BOOLEAN -> Boolean.valueOf(text);
        case DECIMAL -> decimal(text);
        case DOUBLE -> Double.valueOf(number(text));
        case FLOAT -> Float.valueOf(number(text));
        case INT -> Integer.valueOf(text);
        case TIMESTAMP ->
            kind == Kind.INTEGER
                ? Instant.ofEpochMilli(Long.parseLong(text))
                : CqlTimes.instant(text);
        case UUID -> UUID.fromString(text);
        case TIMEUUID -> timeUuid(UUID.fromString(text));
        case VARINT -> new BigInteger(text);
        case INET -> address(text);
        case DATE ->
            kind == Kind.INTEGER
                ? LocalDate.ofEpochDay(
                    Integer.toUnsignedLong(Integer.parseUnsignedInt(text)) - (1L << 31))
                : LocalDate.parse(text);
        case TIME ->
            kind == Kind.INTEGER
                ? LocalTime.ofNanoOfDay(Long.parseLong(text))
                : LocalTime.parse(text);
        case SMALLINT -> Short.valueOf(text);
        case TINYINT -> Byte.valueOf(text);
        case DURATION -> CqlDuration.parse(text);
      };
    } catch (DateTimeException | IllegalArgumentException | UnknownHostException noSuchValue) {
      throw CqlException.invalid("Unable to make %s from '%s'".formatted(type.cql(), text));
    }
  }

  private static String text(String text, NativeType type) {
    if (type == NativeType.ASCII && text.chars().anyMatch(c -> c > 0x7f)) {
      throw new IllegalArgumentException(text);
    }
    return text;
  }

  /// As Java writes it: a statement may write `NaN` and `Infinity` in any case.
  private static String number(String text) {
    return switch (text.toLowerCase(Locale.ROOT)) {
      case "nan", "-nan" -> "NaN";
      case "infinity" -> "Infinity";
      case "-infinity" -> "-Infinity";
      default -> text;
    };
  }

  /// An exponent of any size would make a text of any length.
  private static BigDecimal decimal(String text) {
    BigDecimal decimal = new BigDecimal(text);
    if (!isModest(decimal)) {
      throw new IllegalArgumentException(text);
    }
    return decimal;
  }

  private static boolean isModest(BigDecimal decimal) {
    return Math.abs((long) decimal.scale()) <= EXPONENT_MAX;
  }

  /// Refuses a value of a client, or of a blob, that has a decimal of such an exponent in it.
  ///
  /// @throws CqlException when it has
  public static @Nullable Object requireModest(@Nullable Object value) {
    switch (value) {
      case BigDecimal decimal when !isModest(decimal) ->
          throw CqlException.invalid(
              "a decimal has an exponent of at most %d, got %s".formatted(EXPONENT_MAX, decimal));
      case Map<?, ?> map -> {
        map.keySet().forEach(Literals::requireModest);
        map.values().forEach(Literals::requireModest);
      }
      case Iterable<?> parts -> parts.forEach(Literals::requireModest);
      case null, default -> {}
    }
    return value;
  }

  private static UUID timeUuid(UUID id) {
    if (!TimeUuids.isVersionOne(id)) {
      throw CqlException.invalid("TimeUUID supports only version 1 UUIDs");
    }
    return id;
  }

  private static InetAddress address(String text) throws UnknownHostException {
    if (!ADDRESS.matcher(text).matches()) { // else a name would be looked up
      throw new UnknownHostException(text);
    }
    return InetAddress.getByName(text);
  }
}
