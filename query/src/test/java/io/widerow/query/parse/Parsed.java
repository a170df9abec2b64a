package io.widerow.query.parse;

import io.widerow.event.AttributeKind;
import io.widerow.event.AttributeValue;
import io.widerow.query.Condition;
import io.widerow.query.filter.FilterParser;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// The fields that a format finds in a text, for tests.
final class Parsed {
  private Parsed() {}

  /// The format of this name.
  static TextFormat format(String format) {
    Condition condition =
        FilterParser.parsePipeline(
            format.equals("sight") ? "| parse by sight" : "| parse as " + format, 0);
    ParseSteps steps = (ParseSteps) Objects.requireNonNull(condition.derived());
    return ((ParseStep.Parse) steps.steps().getFirst()).format();
  }

  /// Names and values in the order in which they are found: strings, longs, doubles and booleans.
  /// Null when the text is not of the format.
  static @Nullable Map<String, Object> fields(TextFormat format, String text) {
    return fields(format, text.getBytes(StandardCharsets.UTF_8), AttributeKind.STRING);
  }

  static @Nullable Map<String, Object> fields(TextFormat format, byte[] utf8, AttributeKind kind) {
    AttributeValue value = new AttributeValue();
    value.setText(kind, MemorySegment.ofArray(utf8), 0, utf8.length);
    ParsedText parsed = new ParsedText();
    parsed.begin(value);
    return format.parse(parsed) ? fields(parsed) : null;
  }

  static Map<String, Object> fields(ParsedText parsed) {
    Map<String, Object> fields = new LinkedHashMap<>();
    AttributeValue value = new AttributeValue();
    for (int i = 0; i < parsed.count(); i++) {
      parsed.value(i, value);
      Object before = fields.put(parsed.name(i).toString(), object(value));
      if (before != null) {
        throw new AssertionError("two fields " + parsed.name(i));
      }
    }
    return fields;
  }

  static Object object(AttributeValue value) {
    return switch (value.kind()) {
      case STRING, BYTES -> value.toString();
      case LONG -> value.bits();
      case DOUBLE -> value.asDouble();
      case BOOLEAN -> value.bits() != 0;
    };
  }
}
