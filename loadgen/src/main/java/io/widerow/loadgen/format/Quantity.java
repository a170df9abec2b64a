package io.widerow.loadgen.format;

import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Times and counts with units: `50ms`, `2us`, `10s`; `100k`, `1.5M`.
public final class Quantity {
  public static final long MICRO = 1_000;
  public static final long MILLI = 1_000_000;
  public static final long SECOND = 1_000_000_000;

  private static final Pattern TIME = Pattern.compile("([0-9]+(?:\\.[0-9]+)?)(ns|us|ms|s|m|h)");
  private static final Pattern COUNT = Pattern.compile("([0-9]+(?:\\.[0-9]+)?)([kMG]?)");

  private Quantity() {}

  /// @throws IllegalArgumentException when it is not a number with a unit
  public static long nanos(String text) {
    Matcher matcher = TIME.matcher(text);
    if (!matcher.matches()) {
      throw new IllegalArgumentException("not a time such as 50ms, 10s or 5m: '" + text + "'");
    }
    long unit =
        switch (matcher.group(2)) {
          case "ns" -> 1;
          case "us" -> MICRO;
          case "ms" -> MILLI;
          case "s" -> SECOND;
          case "m" -> 60 * SECOND;
          default -> 3_600 * SECOND;
        };
    return Math.round(Double.parseDouble(matcher.group(1)) * unit);
  }

  /// @throws IllegalArgumentException when it is not a number, perhaps with k, M or G
  public static long count(String text) {
    Matcher matcher = COUNT.matcher(text);
    if (!matcher.matches()) {
      throw new IllegalArgumentException("not a count such as 5000, 100k or 1.5M: '" + text + "'");
    }
    long unit =
        switch (matcher.group(2)) {
          case "k" -> 1_000;
          case "M" -> 1_000_000;
          case "G" -> 1_000_000_000;
          default -> 1;
        };
    return Math.round(Double.parseDouble(matcher.group(1)) * unit);
  }

  /// The same for an option's value; what it says names the option.
  public static long nanos(String option, String text) {
    try {
      return nanos(text);
    } catch (IllegalArgumentException impossible) {
      throw new IllegalArgumentException(option + ": " + impossible.getMessage(), impossible);
    }
  }

  /// The same for an option's value; what it says names the option.
  public static long count(String option, String text) {
    try {
      return count(text);
    } catch (IllegalArgumentException impossible) {
      throw new IllegalArgumentException(option + ": " + impossible.getMessage(), impossible);
    }
  }

  public static String time(long nanos) {
    if (nanos < 10 * MICRO) {
      return nanos + " ns";
    }
    if (nanos < 10 * MILLI) {
      return String.format(Locale.ROOT, "%.1f us", nanos / (double) MICRO);
    }
    if (nanos < 10 * SECOND) {
      return String.format(Locale.ROOT, "%.1f ms", nanos / (double) MILLI);
    }
    return String.format(Locale.ROOT, "%.1f s", nanos / (double) SECOND);
  }

  public static String count(double count) {
    return String.format(Locale.ROOT, "%,.0f", count);
  }
}
