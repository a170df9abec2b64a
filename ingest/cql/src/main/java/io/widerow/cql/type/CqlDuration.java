package io.widerow.cql.type;

import io.widerow.cql.CqlException;
import java.nio.ByteBuffer;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// A value of `duration`: months, days and nanoseconds, all of one sign.
public record CqlDuration(int months, int days, long nanos) {
  private static final Pattern UNITS =
      Pattern.compile(
          "-?(?:(\\d+)y)?(?:(\\d+)mo)?(?:(\\d+)w)?(?:(\\d+)d)?(?:(\\d+)h)?(?:(\\d+)m)?"
              + "(?:(\\d+)s)?(?:(\\d+)ms)?(?:(\\d+)(?:us|\u00b5s))?(?:(\\d+)ns)?");
  private static final Pattern ISO =
      Pattern.compile(
          "-?P(?:(\\d+)Y)?(?:(\\d+)M)?(?:(\\d+)D)?(?:T(?:(\\d+)H)?(?:(\\d+)M)?(?:(\\d+)S)?)?");
  private static final Pattern DATE_TIME =
      Pattern.compile("-?P(\\d{4})-(\\d\\d)-(\\d\\d)T(\\d\\d):(\\d\\d):(\\d\\d)");
  private static final Pattern WEEKS = Pattern.compile("-?P(\\d+)W");
  private static final long[] NANOS = {
    3_600_000_000_000L, 60_000_000_000L, 1_000_000_000L, 1_000_000L, 1_000L, 1L
  };

  /// Of months and days: more are refused, and can be added without an overflow.
  private static final long COUNT_MAX = 1L << 40;

  private static final String[] NAMES = {"h", "m", "s", "ms", "us", "ns"};

  /// @throws IllegalArgumentException when the text is none
  static CqlDuration parse(String text) {
    int sign = text.startsWith("-") ? -1 : 1;
    try {
      Matcher weeks = WEEKS.matcher(text);
      if (weeks.matches()) {
        return of(sign, 0, 7 * part(weeks, 1), 0);
      }
      Matcher iso = ISO.matcher(text);
      if (iso.matches() && !text.endsWith("P") && !text.endsWith("T")) {
        long months = 12 * part(iso, 1) + part(iso, 2);
        return of(sign, months, part(iso, 3), nanos(iso, 4, 3));
      }
      Matcher dateTime = DATE_TIME.matcher(text);
      if (dateTime.matches()) {
        long months = 12 * part(dateTime, 1) + part(dateTime, 2);
        return of(sign, months, part(dateTime, 3), nanos(dateTime, 4, 3));
      }
      Matcher units = UNITS.matcher(text.toLowerCase(Locale.ROOT));
      if (units.matches() && text.length() > (sign < 0 ? 1 : 0)) {
        long months = 12 * part(units, 1) + part(units, 2);
        long days = 7 * part(units, 3) + part(units, 4);
        return of(sign, months, days, nanos(units, 5, NANOS.length));
      }
    } catch (ArithmeticException tooLong) {
      throw new IllegalArgumentException(text, tooLong);
    }
    throw new IllegalArgumentException(text);
  }

  private static CqlDuration of(int sign, long months, long days, long nanos) {
    return new CqlDuration(
        sign * total("months", months), sign * total("days", days), sign * nanos);
  }

  private static int total(String unit, long count) {
    if (count > Integer.MAX_VALUE) {
      throw CqlException.invalid(
          "Invalid duration. The total number of %s must be less or equal to %d"
              .formatted(unit, Integer.MAX_VALUE));
    }
    return (int) count;
  }

  private static long part(Matcher parts, int group) {
    return Math.min(number(parts, group), COUNT_MAX);
  }

  private static long number(Matcher parts, int group) {
    String text = parts.group(group);
    return text == null ? 0 : Long.parseLong(text);
  }

  private static long nanos(Matcher parts, int group, int count) {
    long nanos = 0;
    for (int i = 0; i < count; i++) {
      nanos = Math.addExact(nanos, Math.multiplyExact(NANOS[i], number(parts, group + i)));
    }
    return nanos;
  }

  void put(CellBuffer out) {
    Vints.put(zigzag(months), out);
    Vints.put(zigzag(days), out);
    Vints.put(zigzag(nanos), out);
  }

  private static long zigzag(long value) {
    return (value << 1) ^ (value >> 63);
  }

  /// @throws CqlException when the bytes are none
  static CqlDuration read(ByteBuffer bytes) {
    long months = vint(bytes);
    long days = vint(bytes);
    long nanos = vint(bytes);
    boolean negative = months < 0 || days < 0 || nanos < 0;
    boolean positive = months > 0 || days > 0 || nanos > 0;
    if (bytes.hasRemaining()) {
      throw CqlException.invalid("the bytes are no duration");
    }
    requireInteger("months", months);
    requireInteger("days", days);
    if (negative && positive) {
      throw CqlException.invalid(
          "The duration months, days and nanoseconds must be all of the same sign (%d, %d, %d)"
              .formatted(months, days, nanos));
    }
    return new CqlDuration((int) months, (int) days, nanos);
  }

  private static void requireInteger(String unit, long count) {
    if ((int) count != count) {
      throw CqlException.invalid(
          "The duration %s must be a 32 bits integer but was: %d".formatted(unit, count));
    }
  }

  private static long vint(ByteBuffer bytes) {
    if (!bytes.hasRemaining()) {
      throw CqlException.invalid("Expected at least 3 bytes for a duration (0)");
    }
    long bits = Vints.read(bytes, "duration");
    return (bits >>> 1) ^ -(bits & 1);
  }

  /// Such as `1y2mo3d4h`.
  @Override
  public String toString() {
    StringBuilder text = new StringBuilder(months < 0 || days < 0 || nanos < 0 ? "-" : "");
    long allMonths = Math.abs((long) months);
    append(text, allMonths / 12, "y");
    append(text, allMonths % 12, "mo");
    append(text, Math.abs((long) days), "d");
    long left = Math.abs(nanos);
    for (int i = 0; i < NANOS.length; i++) {
      append(text, left / NANOS[i], NAMES[i]);
      left %= NANOS[i];
    }
    return text.toString();
  }

  private static void append(StringBuilder text, long count, String unit) {
    if (count > 0) {
      text.append(count).append(unit);
    }
  }
}
