package io.widerow.cql.function;

import io.widerow.cql.CqlException;
import io.widerow.cql.type.CqlDuration;
import io.widerow.cql.type.CqlType;
import io.widerow.cql.type.NativeType;
import io.widerow.cql.type.TimeUuids;
import io.widerow.cql.type.WireCodec;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalTime;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/// Functions that hide a value, or a part of it.
final class Masks {
  private static final char PADDING = '*';
  private static final String TEXT = "****";
  private static final String ALGORITHM = "SHA-256";

  private Masks() {}

  static List<FunctionFactory> all() {
    return List.of(
        new FunctionFactory("mask_null", List.of(Parameter.ANY), Masks::ofNothing),
        new FunctionFactory("mask_default", List.of(Parameter.ANY), Masks::ofDefault),
        new FunctionFactory(
            "mask_replace",
            List.of(Parameter.ANY_OR_WANTED, Parameter.SAME_AS_FIRST),
            Masks::other),
        new FunctionFactory(
            "mask_hash", List.of(Parameter.ANY, Parameter.OPTIONAL_TEXT), Masks::hash),
        partial("mask_inner", true),
        partial("mask_outer", false));
  }

  private static NativeFunction ofNothing(List<CqlType> types) {
    return new NativeFunction("mask_null", types, types.getFirst(), true, (_, _) -> null);
  }

  private static NativeFunction ofDefault(List<CqlType> types) {
    CqlType type = types.getFirst();
    Object value = value(type);
    return new NativeFunction("mask_default", types, type, true, (_, _) -> value);
  }

  private static NativeFunction other(List<CqlType> types) {
    return new NativeFunction(
        "mask_replace", types, types.getFirst(), true, (values, _) -> values[1]);
  }

  /// The replacement for every value of a type.
  private static Object value(CqlType type) {
    return switch (type) {
      case NativeType simple -> value(simple);
      case CqlType.ListOf _ -> List.of();
      case CqlType.SetOf _ -> Set.of();
      case CqlType.VectorOf(CqlType element, int size) -> Collections.nCopies(size, value(element));
      case CqlType.MapOf _ -> Map.of();
      case CqlType.TupleOf tuple -> tuple.elements().stream().map(Masks::value).toList();
      case CqlType.UserType user -> user.types().stream().map(Masks::value).toList();
    };
  }

  private static Object value(NativeType type) {
    return switch (type) {
      case TEXT, ASCII -> TEXT;
      case BLOB -> ByteBuffer.allocate(0);
      case BOOLEAN -> false;
      case DECIMAL -> BigDecimal.ZERO;
      case VARINT -> BigInteger.ZERO;
      case TINYINT, SMALLINT, INT, BIGINT, COUNTER, FLOAT, DOUBLE -> Casts.number(type, 0);
      case TIMESTAMP -> Instant.EPOCH;
      case DATE -> LocalDate.EPOCH;
      case TIME -> LocalTime.MIDNIGHT;
      case DURATION -> new CqlDuration(0, 0, 0);
      case UUID -> new UUID(0, 0);
      case TIMEUUID -> TimeUuids.least(Instant.EPOCH);
      case INET -> InetAddress.ofLiteral("0.0.0.0");
    };
  }

  private static NativeFunction hash(List<CqlType> types) {
    CqlType type = types.getFirst();
    List<CqlType> arguments = types.size() == 1 ? types : List.of(type, NativeType.TEXT);
    return new NativeFunction(
        "mask_hash",
        arguments,
        NativeType.BLOB,
        true,
        (values, _) -> {
          Object named = values.length == 1 ? null : values[1];
          MessageDigest digest = digest(named == null ? ALGORITHM : (String) named);
          return values[0] == null
              ? null
              : ByteBuffer.wrap(digest.digest(WireCodec.bytes(WireCodec.encode(type, values[0]))));
        });
  }

  private static MessageDigest digest(String algorithm) {
    try {
      return MessageDigest.getInstance(algorithm);
    } catch (NoSuchAlgorithmException unknown) {
      throw CqlException.invalid("Hash algorithm not found: " + algorithm);
    }
  }

  /// @param inner whether all but the ends is hidden; else only the ends are
  private static FunctionFactory partial(String name, boolean inner) {
    return new FunctionFactory(
        name,
        List.of(Parameter.STRING, Parameter.INT, Parameter.INT, Parameter.OPTIONAL_TEXT),
        types -> {
          List<CqlType> arguments =
              new ArrayList<>(List.of(types.getFirst(), NativeType.INT, NativeType.INT));
          if (types.size() > arguments.size()) {
            arguments.add(NativeType.TEXT);
          }
          return new NativeFunction(
              name,
              arguments,
              types.getFirst(),
              true,
              (values, _) -> {
                String masked = partial(name, inner, values);
                return masked == null || types.getFirst() == NativeType.TEXT
                    ? masked
                    : ascii(masked);
              });
        });
  }

  /// @param values a text, how much of its beginning and of its end is meant, perhaps a padding
  private static @Nullable String partial(String name, boolean inner, @Nullable Object[] values) {
    char padding = values.length == 3 || values[3] == null ? PADDING : padding(name, values[3]);
    if (!(values[0] instanceof String text)) {
      return null;
    }
    int begin = values[1] instanceof Integer first ? first : 0;
    int last = text.length() - 1 - (values[2] instanceof Integer end ? end : 0); // may wrap around
    StringBuilder masked = new StringBuilder(text.length());
    for (int i = 0; i < text.length(); i++) {
      boolean isInner = i >= begin && i <= last;
      masked.append(isInner == inner ? padding : text.charAt(i));
    }
    return masked.toString();
  }

  /// Another padding than an ASCII character is a question mark.
  private static String ascii(String text) {
    return new String(text.getBytes(StandardCharsets.US_ASCII), StandardCharsets.US_ASCII);
  }

  private static char padding(String name, Object given) {
    String padding = (String) given;
    if (padding.length() != 1) {
      throw CqlException.invalid(
          ("The padding argument for function system.%s should be single-character, but '%s' has %d"
                  + " characters.")
              .formatted(name, padding, padding.length()));
    }
    return padding.charAt(0);
  }
}
