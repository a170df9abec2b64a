package io.widerow.cql.type;

import io.widerow.cql.CqlException;
import io.widerow.query.json.JsonException;
import io.widerow.query.json.JsonNode;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Values of types out of JSON. A number and a boolean may be a string too.
public final class JsonValues {
  private static final int DEPTH_MAX = 99;
  private static final long BYTES_MAX = 64 << 20;
  private static final int SHOWN_CHARS = 100;

  private JsonValues() {}

  /// @throws CqlException when the text is no JSON
  public static JsonNode parse(String text) {
    try {
      long[] bytes = {0};
      return JsonNode.parse(
          text,
          DEPTH_MAX,
          more -> {
            bytes[0] += more;
            if (bytes[0] > BYTES_MAX) {
              throw CqlException.invalid(
                  "a JSON text of %d characters has too many values; send several statements"
                      .formatted(text.length()));
            }
          });
    } catch (JsonException wrong) {
      String shown = text.length() > SHOWN_CHARS ? text.substring(0, SHOWN_CHARS) + "..." : text;
      throw CqlException.invalid(
          "Could not decode JSON string at character %d, %s: %s"
              .formatted(wrong.position(), wrong.reason(), shown));
    }
  }

  /// The name of a column or a field that JSON has: in lower case, or as it is in quotes.
  public static String name(String name) {
    return name.length() > 1 && name.startsWith("\"") && name.endsWith("\"")
        ? name.substring(1, name.length() - 1)
        : name.toLowerCase(Locale.ROOT);
  }

  /// @throws CqlException when it is no value of the type
  public static Object of(CqlType type, JsonNode json) {
    return switch (type) {
      case NativeType simple -> of(simple, json);
      case CqlType.ListOf(CqlType element, _) -> elements(element, json, type);
      case CqlType.SetOf(CqlType element, _) ->
          WireCodec.sorted(element, elements(element, json, type));
      case CqlType.MapOf(CqlType key, CqlType value, _) -> map(key, value, json, type);
      case CqlType.VectorOf(CqlType element, int size) -> {
        List<Object> values = elements(element, json, type);
        if (values.size() != size) {
          throw CqlException.invalid(
              "List had incorrect size: expected %d but given %d; %s"
                  .formatted(size, values.size(), json));
        }
        yield values;
      }
      case CqlType.TupleOf(List<CqlType> types) -> tuple(types, json, type);
      case CqlType.UserType user -> fields(user, json);
    };
  }

  private static CqlException wrong(CqlType type, Object json) {
    return CqlException.invalid(
        "Error decoding JSON value for type %s: %s".formatted(type.cql(), json));
  }

  private static Object of(NativeType type, JsonNode json) {
    String text = json.toString();
    if (json.isBoolean() && type == NativeType.BOOLEAN) {
      return Boolean.valueOf(text);
    }
    return switch (json.kind()) {
      case VALUE_STRING -> text(type, text);
      case VALUE_NUMBER_INT, VALUE_NUMBER_FLOAT -> number(type, text);
      default -> throw wrong(type, text);
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

  private static List<Object> elements(CqlType element, JsonNode json, CqlType type) {
    List<JsonNode> all = json.items();
    if (all == null) {
      throw wrong(type, json);
    }
    List<Object> values = new ArrayList<>();
    for (JsonNode each : all) {
      if (each.isNull()) {
        throw CqlException.invalid("Invalid null element in %s".formatted(type.cql()));
      }
      values.add(of(element, each));
    }
    return values;
  }

  private static Object map(CqlType key, CqlType value, JsonNode json, CqlType type) {
    Map<String, JsonNode> all = json.members();
    if (all == null) {
      throw wrong(type, json);
    }
    List<Object> keys = new ArrayList<>();
    List<Object> values = new ArrayList<>();
    for (Map.Entry<String, JsonNode> entry : all.entrySet()) {
      String name = entry.getKey();
      JsonNode of = entry.getValue();
      if (of.isNull()) {
        throw CqlException.invalid("Invalid null value in %s".formatted(type.cql()));
      }
      JsonNode given = key instanceof NativeType ? JsonNode.text(name) : parse(name);
      keys.add(of(key, given.isNull() ? JsonNode.text(name) : given));
      values.add(of(value, of));
    }
    return WireCodec.sorted(key, keys, values);
  }

  private static Object tuple(List<CqlType> types, JsonNode json, CqlType type) {
    List<JsonNode> all = json.items();
    if (all == null || all.size() > types.size()) {
      throw wrong(type, json);
    }
    @Nullable Object[] values = new Object[types.size()];
    for (int i = 0; i < all.size(); i++) {
      JsonNode each = all.get(i);
      values[i] = each.isNull() ? null : of(types.get(i), each);
    }
    return Arrays.asList(values);
  }

  private static Object fields(CqlType.UserType user, JsonNode json) {
    Map<String, JsonNode> all = json.members();
    if (all == null) {
      throw wrong(user, json);
    }
    @Nullable Object[] values = new Object[user.fields().size()];
    for (Map.Entry<String, JsonNode> entry : all.entrySet()) {
      int field = user.find(name(entry.getKey()));
      if (field < 0) {
        throw CqlException.invalid(
            "Unknown field '%s' in value of user defined type %s"
                .formatted(name(entry.getKey()), user.name()));
      }
      JsonNode each = entry.getValue();
      values[field] = each.isNull() ? null : of(user.fields().get(field).type(), each);
    }
    return Arrays.asList(values);
  }
}
