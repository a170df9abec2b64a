package io.widerow.query.fields;

import io.widerow.query.output.OutputBuffer;

/// Values as JSON shows them in events.
final class Json {
  private static final double WHOLE_MAX = 0x1p53;

  private Json() {}

  static String string(String text) {
    OutputBuffer out = new OutputBuffer(text.length() + 16);
    out.put('"');
    out.putJson(text);
    out.put('"');
    return out.toString();
  }

  /// A number: whole ones without a point; infinities and NaN, which JSON lacks, as strings.
  static String number(double number) {
    if (Double.isNaN(number) || Double.isInfinite(number)) {
      return '"' + Double.toString(number) + '"';
    }
    return number == Math.rint(number) && Math.abs(number) <= WHOLE_MAX
        ? Long.toString((long) number)
        : Double.toString(number);
  }
}
