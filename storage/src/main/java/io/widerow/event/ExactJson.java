package io.widerow.event;

/// How JSON holds the values that it has no kind for, in exports and in what the daemon takes with
/// `values=exact`: as an object with one member.
///
/// | value | written as |
/// |---|---|
/// | bytes | `{"$bytes":"<base64>"}` |
/// | NaN, the infinities | `{"$double":"NaN"}`, `"Infinity"`, `"-Infinity"` |
/// | a NaN with other bits, such as Prometheus' stale marker | `{"$double":"0x7ff0000000000002"}` |
///
/// Every other value is plain JSON: doubles have a point or an exponent, longs have neither.
public final class ExactJson {
  public static final String BYTES = "$bytes";
  public static final String DOUBLE = "$double";

  private static final String HEX = "0x";
  private static final int HEX_DIGITS = 16;
  private static final int HEX_BASE = 16;

  private ExactJson() {}

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
}
