package io.widerow.cql.type;

import io.widerow.query.output.OutputBuffer;
import java.math.BigDecimal;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.time.LocalTime;
import java.time.format.DateTimeFormatter;
import java.util.Collection;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Values as text and as JSON.
public final class Texts {
  private static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("HH:mm:ss.SSSSSSSSS", Locale.ROOT);

  private static final int PLAIN_DIGITS_MAX = 100_000;

  private Texts() {}

  /// The result of `CAST(value AS text)`.
  public static String of(NativeType type, Object value) {
    if (value == Empty.VALUE) {
      return "";
    }
    return switch (type) {
      case TIMESTAMP -> CqlTimes.iso((Instant) value);
      case INET -> ((InetAddress) value).getHostAddress();
      case BLOB -> "0x" + HexFormat.of().formatHex(WireCodec.bytes((ByteBuffer) value));
      case TIME -> TIME.format((LocalTime) value);
      case DECIMAL -> plain((BigDecimal) value);
      default -> value.toString();
    };
  }

  /// Without an exponent, unless that would take thousands of digits.
  private static String plain(BigDecimal number) {
    boolean isLong = Math.abs((long) number.scale()) > PLAIN_DIGITS_MAX;
    return isLong ? number.toString() : number.toPlainString();
  }

  /// A value of any type: what has parts as JSON.
  public static String ofAny(CqlType type, Object value) {
    return type instanceof NativeType simple ? of(simple, value) : json(type, value);
  }

  /// A value as JSON.
  public static String json(CqlType type, @Nullable Object value) {
    OutputBuffer json = new OutputBuffer(64);
    json(type, value, json);
    return json.toString();
  }

  /// Writes a value as JSON.
  public static void json(CqlType type, @Nullable Object value, OutputBuffer out) {
    if (value == null) {
      out.put("null");
      return;
    }
    if (value == Empty.VALUE) {
      string("", out);
      return;
    }
    switch (type) {
      case NativeType simple -> json(simple, value, out);
      case CqlType.ListOf(CqlType element, _) -> elements(element, (Collection<?>) value, out);
      case CqlType.SetOf(CqlType element, _) -> elements(element, (Collection<?>) value, out);
      case CqlType.MapOf(CqlType key, CqlType of, _) -> entries(key, of, (Map<?, ?>) value, out);
      case CqlType.VectorOf(CqlType element, _) -> elements(element, (Collection<?>) value, out);
      case CqlType.TupleOf(List<CqlType> types) -> tuple(types, (List<?>) value, out);
      case CqlType.UserType user -> fields(user, (List<?>) value, out);
    }
  }

  private static void elements(CqlType element, Collection<?> values, OutputBuffer out) {
    String before = "[";
    for (Object value : values) {
      out.put(before);
      json(element, value, out);
      before = ", ";
    }
    out.put(values.isEmpty() ? "[]" : "]");
  }

  private static void tuple(List<CqlType> types, List<?> values, OutputBuffer out) {
    String before = "[";
    for (int i = 0; i < types.size(); i++) {
      out.put(before);
      json(types.get(i), values.get(i), out);
      before = ", ";
    }
    out.put("]");
  }

  private static void fields(CqlType.UserType user, List<?> values, OutputBuffer out) {
    String before = "{";
    for (int i = 0; i < values.size(); i++) {
      out.put(before);
      string(jsonName(user.fields().get(i).name()), out);
      out.put(": ");
      json(user.fields().get(i).type(), values.get(i), out);
      before = ", ";
    }
    out.put("}");
  }

  /// The name of a column or a field in JSON: one that is not in lower case has quotes of its own.
  public static String jsonName(String name) {
    return name.chars().anyMatch(c -> c >= 'A' && c <= 'Z') ? "\"" + name + "\"" : name;
  }

  private static void entries(CqlType key, CqlType of, Map<?, ?> map, OutputBuffer out) {
    String before = "{";
    for (Map.Entry<?, ?> entry : map.entrySet()) {
      out.put(before);
      OutputBuffer name = new OutputBuffer(32);
      json(key, entry.getKey(), name);
      String text = name.toString();
      if (text.startsWith("\"")) {
        out.put(text);
      } else {
        string(text, out);
      }
      out.put(": ");
      json(of, entry.getValue(), out);
      before = ", ";
    }
    out.put(map.isEmpty() ? "{}" : "}");
  }

  private static void json(NativeType type, Object value, OutputBuffer out) {
    switch (type) {
      case BIGINT, COUNTER, INT, SMALLINT, TINYINT, VARINT, BOOLEAN -> out.put(value.toString());
      case DECIMAL -> out.put(of(type, value));
      case DOUBLE -> number((Double) value, value, out);
      case FLOAT -> number((Float) value, value, out);
      case TIMESTAMP -> string(CqlTimes.json((Instant) value), out);
      case ASCII, TEXT, BLOB, UUID, TIMEUUID, INET, DATE, TIME, DURATION ->
          string(of(type, value), out);
    }
  }

  private static void number(double number, Object value, OutputBuffer out) {
    out.put(Double.isFinite(number) ? value.toString() : "null");
  }

  /// Writes a string of JSON.
  public static void string(String text, OutputBuffer out) {
    out.put('"');
    out.putJson(text);
    out.put('"');
  }
}
