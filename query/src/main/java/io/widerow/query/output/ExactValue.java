package io.widerow.query.output;

import io.widerow.event.AttributeKind;
import io.widerow.event.AttributeValue;
import io.widerow.event.AttributeValue.ExactJson;
import java.util.Base64;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Writes and reads the values that JSON cannot express, see [ExactJson].
public final class ExactValue {
  private ExactValue() {}

  /// True for the values that need such an object.
  static boolean needsObject(AttributeValue value) {
    return value.kind() == AttributeKind.BYTES
        || (value.kind() == AttributeKind.DOUBLE && !Double.isFinite(value.asDouble()));
  }

  /// Writes a value for which [#needsObject] is true.
  static void put(AttributeValue value, OutputBuffer out) {
    if (value.kind() == AttributeKind.BYTES) {
      out.put("{\"" + ExactJson.BYTES + "\":\"");
      out.put(Base64.getEncoder().encode(value.toBytes()));
    } else {
      out.put("{\"" + ExactJson.DOUBLE + "\":\"" + ExactJson.text(value.bits()));
    }
    out.put("\"}");
  }

  /// The value that an object stands for: an array of bytes or a Double; null when the object is
  /// none of these.
  public static @Nullable Object parse(Map<?, ?> object) {
    if (object.size() != 1) {
      return null;
    }
    try {
      if (object.get(ExactJson.BYTES) instanceof String base64) {
        return Base64.getDecoder().decode(base64);
      }
      return object.get(ExactJson.DOUBLE) instanceof String number
          ? ExactJson.parseDouble(number)
          : null;
    } catch (IllegalArgumentException neither) {
      return null;
    }
  }
}
