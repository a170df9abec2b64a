package io.widerow.query.logql;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Durations as Go and Prometheus write them.
public final class GoDuration {
  private static final Pattern PART = Pattern.compile("([0-9]+)([^0-9]+)");

  /// Of Prometheus, from the longest to the shortest, which is the order in which they may stand.
  private static final List<String> UNITS = List.of("y", "w", "d", "h", "m", "s", "ms");

  private static final long MILLI_NANOS = 1_000_000;
  private static final long[] UNIT_MILLIS = {
    365 * 86_400_000L, 7 * 86_400_000L, 86_400_000L, 3_600_000L, 60_000L, 1_000L, 1L
  };
  private static final int WEEKS = 1; // index of the unit

  private GoDuration() {}

  /// As Go writes it: `1h1m1.5s`, `10m0s`, `250ms`.
  ///
  /// @param nanos in nanoseconds
  static String shown(long nanos) {
    String sign = nanos < 0 ? "-" : "";
    BigDecimal size = BigDecimal.valueOf(nanos).abs();
    long whole = size.longValue();
    if (whole < 1_000_000_000) {
      int digits = whole < 1_000 ? 0 : whole < 1_000_000 ? 3 : 6;
      String unit = whole == 0 ? "s" : digits == 0 ? "ns" : digits == 3 ? "µs" : "ms";
      return sign + plain(size.movePointLeft(digits)) + unit;
    }
    BigDecimal[] minutes = size.movePointLeft(9).divideAndRemainder(BigDecimal.valueOf(60));
    long all = minutes[0].longValue();
    String before = all >= 60 ? "%dh%dm".formatted(all / 60, all % 60) : all > 0 ? all + "m" : "";
    return sign + before + plain(minutes[1]) + "s";
  }

  private static String plain(BigDecimal number) {
    return number.signum() == 0 ? "0" : number.stripTrailingZeros().toPlainString();
  }

  /// As Prometheus writes it: `1h30m`, `1d`; as Go does when it is no whole number of milliseconds.
  ///
  /// @param nanos in nanoseconds, at least 0
  static String ofPrometheus(long nanos) {
    if (nanos % MILLI_NANOS != 0) {
      return shown(nanos);
    }
    return ofMillis(nanos / MILLI_NANOS);
  }

  /// As Prometheus writes it: `1h30m`, `1d`, `0s`. Years and weeks stand only when nothing else is
  /// left, as in `90d`: they have no exact parts.
  ///
  /// @param millis in milliseconds, at least 0
  public static String ofMillis(long millis) {
    long left = millis;
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < UNIT_MILLIS.length; i++) {
      boolean isWhole = i > WEEKS || left % UNIT_MILLIS[i] == 0;
      if (isWhole && left >= UNIT_MILLIS[i]) {
        text.append(left / UNIT_MILLIS[i]).append(UNITS.get(i));
        left %= UNIT_MILLIS[i];
      }
    }
    return text.isEmpty() ? "0s" : text.toString();
  }

  /// The reason why a text is no duration, in the words of Prometheus.
  public static String error(String text) {
    if (text.isEmpty()) {
      return "empty duration string";
    }
    String quoted = GoQuotes.quoted(text);
    Matcher part = PART.matcher(text);
    int last = -1;
    for (int at = 0; at < text.length(); at = part.end()) {
      part.region(at, text.length());
      if (!part.lookingAt() || new BigInteger(part.group(1)).bitLength() > Long.SIZE) {
        return "not a valid duration string: " + quoted;
      }
      int unit = UNITS.indexOf(part.group(2));
      if (unit < 0) {
        return "unknown unit %s in duration %s".formatted(GoQuotes.quoted(part.group(2)), quoted);
      }
      if (unit <= last) {
        return "not a valid duration string: " + quoted;
      }
      last = unit;
    }
    return "duration out of range";
  }
}
