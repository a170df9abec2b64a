package io.widerow.cql.type;

import io.widerow.cql.CqlException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Values of types out of JSON, see [Json]. A number and a boolean may be a string too.
public final class JsonValues {
  private JsonValues() {}

  /// @throws CqlException when it is no value of the type
  public static Object of(CqlType type, Object json) {
    return switch (type) {
      case NativeType simple -> of(simple, json);
      case CqlType.ListOf(CqlType element, _) -> elements(element, json, type);
      case CqlType.SetOf(CqlType element, _) -> Wire.sorted(element, elements(element, json, type));
      case CqlType.MapOf(CqlType key, CqlType value, _) -> map(key, value, json, type);
      case CqlType.TupleOf(List<CqlType> types) -> tuple(types, json, type);
      case CqlType.UserType user -> fields(user, json);
    };
  }

  private static CqlException wrong(CqlType type, Object json) {
    return CqlException.invalid(
        "Error decoding JSON value for type %s: %s".formatted(type.cql(), json));
  }

  private static Object of(NativeType type, Object json) {
    return switch (json) {
      case String text -> text(type, text);
      case Json.Numeral(String number) -> number(type, number);
      case Boolean truth -> {
        if (type != NativeType.BOOLEAN) {
          throw wrong(type, json);
        }
        yield truth;
      }
      default -> throw wrong(type, json);
    };
  }

  private static Object text(NativeType type, String text) {
    Literals.Kind kind =
        switch (type) {
          case BLOB -> Literals.Kind.HEX;
          case UUID, TIMEUUID -> Literals.Kind.UUID;
          default -> Literals.Kind.STRING;
        };
    if (type == NativeType.BLOB && !text.startsWith("0x")) {
      throw wrong(type, text);
    }
    return Literals.parse(kind, text, type);
  }

  private static Object number(NativeType type, String number) {
    boolean whole = number.chars().noneMatch(c -> c == '.' || c == 'e' || c == 'E');
    Literals.Kind kind = whole ? Literals.Kind.INTEGER : Literals.Kind.FLOAT;
    if (!Literals.suits(kind, type)) {
      throw wrong(type, number);
    }
    return Literals.parse(kind, number, type);
  }

  private static List<Object> elements(CqlType element, Object json, CqlType type) {
    if (!(json instanceof List<?> all)) {
      throw wrong(type, json);
    }
    List<Object> values = new ArrayList<>();
    for (Object each : all) {
      if (each == null) {
        throw CqlException.invalid("Invalid null element in %s".formatted(type.cql()));
      }
      values.add(of(element, each));
    }
    return values;
  }

  private static Object map(CqlType key, CqlType value, Object json, CqlType type) {
    if (!(json instanceof Map<?, ?> all)) {
      throw wrong(type, json);
    }
    List<Object> keys = new ArrayList<>();
    List<Object> values = new ArrayList<>();
    for (Map.Entry<?, ?> entry : all.entrySet()) {
      String name = (String) entry.getKey();
      Object of = entry.getValue();
      if (of == null) {
        throw CqlException.invalid("Invalid null value in %s".formatted(type.cql()));
      }
      boolean plain = key instanceof NativeType;
      Object given = plain ? name : Json.parse(name);
      keys.add(of(key, given == null ? name : given));
      values.add(of(value, of));
    }
    return Wire.sorted(key, keys, values);
  }

  private static Object tuple(List<CqlType> types, Object json, CqlType type) {
    if (!(json instanceof List<?> all) || all.size() > types.size()) {
      throw wrong(type, json);
    }
    @Nullable Object[] values = new Object[types.size()];
    for (int i = 0; i < all.size(); i++) {
      Object each = all.get(i);
      values[i] = each == null ? null : of(types.get(i), each);
    }
    return Arrays.asList(values);
  }

  private static Object fields(CqlType.UserType user, Object json) {
    if (!(json instanceof Map<?, ?> all)) {
      throw wrong(user, json);
    }
    @Nullable Object[] values = new Object[user.fields().size()];
    for (Map.Entry<?, ?> entry : all.entrySet()) {
      int field = user.find((String) entry.getKey());
      if (field < 0) {
        throw CqlException.invalid(
            "Unknown field '%s' in value of user defined type %s"
                .formatted(entry.getKey(), user.name()));
      }
      Object each = entry.getValue();
      values[field] = each == null ? null : of(user.fields().get(field).type(), each);
    }
    return Arrays.asList(values);
  }
}
