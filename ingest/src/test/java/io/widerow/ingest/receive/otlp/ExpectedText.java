package io.widerow.ingest.receive.otlp;

import com.google.protobuf.ByteString;
import io.opentelemetry.proto.common.v1.AnyValue;
import io.opentelemetry.proto.common.v1.KeyValue;
import io.opentelemetry.proto.metrics.v1.Exemplar;
import io.opentelemetry.proto.trace.v1.Span;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Collectors;

/// The JSON text that nested messages become, computed from the generated classes.
final class ExpectedText {
  private ExpectedText() {}

  static String any(AnyValue value) {
    return switch (value.getValueCase()) {
      case STRING_VALUE -> quoted(value.getStringValue());
      case BOOL_VALUE -> Boolean.toString(value.getBoolValue());
      case INT_VALUE -> Long.toString(value.getIntValue());
      case DOUBLE_VALUE -> fraction(value.getDoubleValue());
      case BYTES_VALUE ->
          quoted(Base64.getEncoder().encodeToString(value.getBytesValue().toByteArray()));
      case ARRAY_VALUE ->
          value.getArrayValue().getValuesList().stream()
              .map(ExpectedText::any)
              .collect(Collectors.joining(",", "[", "]"));
      case KVLIST_VALUE -> object(value.getKvlistValue().getValuesList());
      case STRING_VALUE_STRINDEX, VALUE_NOT_SET -> "null";
    };
  }

  static String object(List<KeyValue> members) {
    return members.stream()
        .map(member -> quoted(member.getKey()) + ":" + any(member.getValue()))
        .collect(Collectors.joining(",", "{", "}"));
  }

  static String quoted(String text) {
    StringBuilder out = new StringBuilder("\"");
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      switch (c) {
        case '"', '\\' -> out.append('\\').append(c);
        case '\n' -> out.append("\\n");
        case '\r' -> out.append("\\r");
        case '\t' -> out.append("\\t");
        default -> out.append(c < ' ' ? "\\u%04x".formatted((int) c) : String.valueOf(c));
      }
    }
    return out.append('"').toString();
  }

  static String fraction(double value) {
    if (Double.isNaN(value)) {
      return "\"NaN\"";
    }
    if (Double.isInfinite(value)) {
      return value > 0 ? "\"+Inf\"" : "\"-Inf\"";
    }
    if (value == Math.rint(value) && Math.abs(value) < 1L << 53) {
      return (1 / value == Double.NEGATIVE_INFINITY ? "-" : "") + (long) value;
    }
    return Double.toString(value);
  }

  static String hex(ByteString id) {
    return HexFormat.of().formatHex(id.toByteArray());
  }

  static String exemplar(Exemplar exemplar) {
    List<String> members = new ArrayList<>();
    number(members, "time_unix_nano", exemplar.getTimeUnixNano());
    if (exemplar.hasAsDouble()) {
      members.add("\"value\":" + fraction(exemplar.getAsDouble()));
    }
    text(members, "span_id", hex(exemplar.getSpanId()));
    text(members, "trace_id", hex(exemplar.getTraceId()));
    if (exemplar.hasAsInt()) {
      members.add("\"value\":" + exemplar.getAsInt());
    }
    members.add("\"attributes\":" + object(exemplar.getFilteredAttributesList()));
    return "{" + String.join(",", members) + "}";
  }

  static String event(Span.Event event) {
    List<String> members = new ArrayList<>();
    number(members, "time_unix_nano", event.getTimeUnixNano());
    text(members, "name", event.getName());
    number(members, "dropped_attributes_count", event.getDroppedAttributesCount());
    members.add("\"attributes\":" + object(event.getAttributesList()));
    return "{" + String.join(",", members) + "}";
  }

  static String link(Span.Link link) {
    List<String> members = new ArrayList<>();
    text(members, "trace_id", hex(link.getTraceId()));
    text(members, "span_id", hex(link.getSpanId()));
    text(members, "trace_state", link.getTraceState());
    number(members, "dropped_attributes_count", link.getDroppedAttributesCount());
    number(members, "flags", Integer.toUnsignedLong(link.getFlags()));
    members.add("\"attributes\":" + object(link.getAttributesList()));
    return "{" + String.join(",", members) + "}";
  }

  private static void number(List<String> members, String name, long value) {
    if (value != 0) {
      members.add("\"%s\":%d".formatted(name, value));
    }
  }

  private static void text(List<String> members, String name, String value) {
    if (!value.isEmpty()) {
      members.add(quoted(name) + ":" + quoted(value));
    }
  }
}
