package io.widerow.query.survey;

import io.widerow.query.output.OutputBuffer;
import io.widerow.query.output.Rfc3339;
import java.time.ZoneOffset;
import java.util.Locale;

/// Values as JSON shows them in events, and the common members of surveys.
public final class Json {
  private static final double WHOLE_MAX = 0x1p53;

  private Json() {}

  public static String string(String text) {
    OutputBuffer out = new OutputBuffer(text.length() + 16);
    out.put('"');
    out.putJson(text);
    out.put('"');
    return out.toString();
  }

  /// A time as RFC 3339 in UTC, with nine digits of the second.
  public static String time(long nanos) {
    OutputBuffer out = new OutputBuffer(64);
    new Rfc3339(ZoneOffset.UTC).put(nanos, out);
    return out.toString();
  }

  /// Members that report whether all was read, and if not, how much; and whether parts were passed
  /// over that cannot be read.
  ///
  /// @param read 0 to 1, which is all that can be read
  public static String exact(double read, SkippedDamage damage) {
    String exact =
        read >= 1
            ? ",\"exact\":true"
            : String.format(Locale.ROOT, ",\"exact\":false,\"read\":%.4f", read);
    return damage.parts().isEmpty() ? exact : exact + ",\"widerow.incomplete\":true";
  }

  /// A number: whole ones without a point; infinities and NaN, which JSON lacks, as strings.
  public static String number(double number) {
    if (Double.isNaN(number) || Double.isInfinite(number)) {
      return '"' + Double.toString(number) + '"';
    }
    return number == Math.rint(number) && Math.abs(number) <= WHOLE_MAX
        ? Long.toString((long) number)
        : Double.toString(number);
  }
}
