package io.widerow.query.output;

import io.widerow.event.AttributeKind;
import io.widerow.event.AttributeValue;
import java.util.Base64;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The values that JSON cannot tell from others, as an export writes them: objects with one member.
///
/// | value | written as |
/// |---|---|
/// | bytes | `{"$bytes":"<base64>"}` |
/// | NaN, the infinities | `{"$double":"NaN"}`, `"Infinity"`, `"-Infinity"` |
/// | a NaN with other bits, such as Prometheus' stale marker | `{"$double":"0x7ff0000000000002"}` |
///
/// Every other value is plain JSON: doubles have a point or an exponent, longs have neither.
public final class ExactValue {
  public static final String BYTES = "$bytes";
  public static final String DOUBLE = "$double";

  private static final String HEX = "0x";
  private static final int HEX_DIGITS = 16;
  private static final int HEX_BASE = 16;

  private ExactValue() {}

  /// True for the values that need such an object.
  static boolean needsObject(AttributeValue value) {
    return value.kind() == AttributeKind.BYTES
        || (value.kind() == AttributeKind.DOUBLE && !Double.isFinite(value.asDouble()));
  }

  /// Writes a value for which [#needsObject] is true.
  static void put(AttributeValue value, OutputBuffer out) {
    if (value.kind() == AttributeKind.BYTES) {
      out.put("{\"" + BYTES + "\":\"");
      out.put(Base64.getEncoder().encode(value.toBytes()));
    } else {
      out.put("{\"" + DOUBLE + "\":\"" + text(value.bits()));
    }
    out.put("\"}");
  }

  /// The text of a double from which [#parseDouble] makes the same bits.
  public static String text(long bits) {
    double number = Double.longBitsToDouble(bits);
    boolean plain = !Double.isNaN(number) || Double.doubleToLongBits(number) == bits;
    return plain ? Double.toString(number) : HEX + "%016x".formatted(bits);
  }

  /// @throws IllegalArgumentException when the text is not one of [#text]
  public static double parseDouble(String text) {
    if (!text.startsWith(HEX)) {
      return Double.parseDouble(text);
    }
    if (text.length() != HEX.length() + HEX_DIGITS) {
      throw new IllegalArgumentException("not the bits of a double: " + text);
    }
    return Double.longBitsToDouble(Long.parseUnsignedLong(text.substring(HEX.length()), HEX_BASE));
  }

  /// The value that an object stands for: an array of bytes or a Double; null when the object is
  /// none of these.
  public static @Nullable Object parse(Map<?, ?> object) {
    if (object.size() != 1) {
      return null;
    }
    try {
      if (object.get(BYTES) instanceof String base64) {
        return Base64.getDecoder().decode(base64);
      }
      return object.get(DOUBLE) instanceof String number ? parseDouble(number) : null;
    } catch (IllegalArgumentException neither) {
      return null;
    }
  }
}
