package io.widerow.query.logql;

import io.widerow.query.TimeText;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// Durations and numbers of bytes as LogQL and log lines write them: `1h30m`, `5.2ms`, `20KB`,
/// `1.5MiB`.
public final class Units {
  private static final int CHARS_MAX = 100;
  private static final Pattern GO_DURATION =
      Pattern.compile("[-+]?(?:(?:\\d+(?:\\.\\d*)?|\\.\\d+)(?:ns|us|µs|μs|ms|s|m|h))++");
  private static final Pattern GO_UNIT = Pattern.compile("[0-9.]+([^0-9.]*)");
  private static final Pattern SIZE = Pattern.compile("[0-9.]+[BikKMGTP]+");
  private static final Pattern DURATION =
      Pattern.compile("-?(?:\\d+(?:\\.\\d*)?(?:ns|us|µs|μs|ms|s|m|h|d|w|y))++");
  private static final Pattern BYTES = Pattern.compile("([0-9.,]+)\\s*(.*?)\\s*");
  private static final Pattern HEX_START = Pattern.compile("[-+]?0[xX].*", Pattern.DOTALL);
  private static final Pattern LONE_LINES = // a `_` that does not stand between digits
      Pattern.compile("(?<![0-9])_|_(?![0-9])");
  private static final Pattern LONE_LINES_OF_HEX =
      Pattern.compile("(?<![0-9a-fA-FxX])_|_(?![0-9a-fA-F])");
  private static final String TOO_LARGE = "value out of range";
  private static final double BYTES_LIMIT = 0x1p64;
  private static final long SECOND_NANOS = 1_000_000_000L;

  private Units() {}

  /// Nanoseconds; null when the text is no duration or longer than 292 years.
  public static @Nullable Long nanos(String text) {
    if (text.length() > CHARS_MAX || !DURATION.matcher(text).matches()) {
      return null;
    }
    boolean below = text.startsWith("-");
    String micro = text.substring(below ? 1 : 0).replace('µ', 'u').replace('μ', 'u');
    try {
      long nanos = TimeText.duration(micro.replaceAll("\\.(?!\\d)", "")); // `5.s` is 5 s
      return below ? -nanos : nanos;
    } catch (ArithmeticException _) {
      return null;
    }
  }

  /// Seconds of a duration as Go writes it, in a label; null when the text is none. Days, weeks and
  /// years are units of queries only.
  public static @Nullable Double seconds(String text) {
    if (text.equals("0") || text.equals("+0") || text.equals("-0")) {
      return 0.0;
    }
    if (text.length() > CHARS_MAX || !GO_DURATION.matcher(text).matches()) {
      return null;
    }
    Long nanos = nanos(text.replaceFirst("^\\+", "").replaceAll("(?<![0-9])\\.(?=\\d)", "0."));
    return nanos == null ? null : (Double) (nanos / (double) SECOND_NANOS);
  }

  /// The reason why a text is no number of its kind, in the words of Go.
  public static String error(Stage.Conversion conversion, String text) {
    return switch (conversion) {
      case NUMBER ->
          "strconv.ParseFloat: parsing %s: %s"
              .formatted(GoQuotes.quoted(text), isTooLarge(text) ? TOO_LARGE : "invalid syntax");
      case DURATION -> "time: " + durationError(text);
      case BYTES -> bytesError(text);
    };
  }

  /// As Go's durations quote a text: byte by byte.
  private static String quoted(String text) {
    StringBuilder quoted = new StringBuilder("\"");
    for (byte each : text.getBytes(StandardCharsets.UTF_8)) {
      boolean isPlain = each >= ' ';
      quoted.append(each == '"' || each == '\\' ? "\\" : "");
      quoted.append(isPlain ? Character.toString(each) : "\\x%02x".formatted(each & 0xff));
    }
    return quoted.append('"').toString();
  }

  private static String durationError(String text) {
    String digits = text.replaceFirst("^[-+]", "");
    Matcher unit = GO_UNIT.matcher(digits);
    for (int at = 0; unit.lookingAt() && digits.substring(at).matches(".*[0-9].*"); ) {
      String found = unit.group(1);
      if (found.isEmpty()) {
        return "missing unit in duration " + quoted(text);
      }
      if (!found.matches("ns|us|µs|μs|ms|s|m|h")) {
        return "unknown unit %s in duration %s".formatted(quoted(found), quoted(text));
      }
      at = unit.end();
      if (at == digits.length()) {
        break;
      }
      unit.region(at, digits.length());
    }
    return "invalid duration " + quoted(text);
  }

  private static String bytesError(String text) {
    int end = 0;
    while (end < text.length() && "0123456789.,".indexOf(text.charAt(end)) >= 0) {
      end++;
    }
    String number = text.substring(0, end).replace(",", "");
    return parsed(number) == null
        ? error(Stage.Conversion.NUMBER, number)
        : "unhandled size name: " + text.substring(end).strip().toLowerCase(Locale.ROOT);
  }

  /// True for a number of bytes as queries write it: `20KB`, `1.5MiB`. Labels may have any case.
  static boolean isSize(String word) {
    return SIZE.matcher(word).matches() && bytes(word) != null;
  }

  /// A number of bytes, without its fraction; null when the text is none. Units are of 1000, or of
  /// 1024 with an `i`.
  public static @Nullable Double bytes(String text) {
    Matcher parts = BYTES.matcher(text);
    if (text.length() > CHARS_MAX || !parts.matches()) {
      return null;
    }
    double unit =
        switch (parts.group(2).toLowerCase(Locale.ROOT)) {
          case "", "b" -> 1;
          case "k", "kb" -> 1e3;
          case "m", "mb" -> 1e6;
          case "g", "gb" -> 1e9;
          case "t", "tb" -> 1e12;
          case "p", "pb" -> 1e15;
          case "e", "eb" -> 1e18;
          case "ki", "kib" -> 0x1p10;
          case "mi", "mib" -> 0x1p20;
          case "gi", "gib" -> 0x1p30;
          case "ti", "tib" -> 0x1p40;
          case "pi", "pib" -> 0x1p50;
          case "ei", "eib" -> 0x1p60;
          default -> Double.NaN;
        };
    Double number = parsed(parts.group(1).replace(",", ""));
    double value = number == null ? Double.NaN : Math.floor(number * unit);
    return Double.isNaN(value) || value >= BYTES_LIMIT ? null : value;
  }

  /// A number as Go's `strconv.ParseFloat` reads it, in decimal or hexadecimal; null when the text
  /// is none or too large.
  public static @Nullable Double number(String text) {
    if (text.isEmpty() || text.length() > 4 * CHARS_MAX || isFlagged(text)) {
      return null;
    }
    return switch (text.toLowerCase(Locale.ROOT)) {
      case "nan" -> Double.NaN;
      case "inf", "+inf", "infinity", "+infinity" -> Double.POSITIVE_INFINITY;
      case "-inf", "-infinity" -> Double.NEGATIVE_INFINITY;
      default -> {
        Double value = parsed(withoutLines(text));
        yield value == null || !Double.isFinite(value) ? null : value;
      }
    };
  }

  /// The text without the `_` between its digits; as it is when one stands elsewhere.
  private static String withoutLines(String text) {
    if (text.indexOf('_') < 0) {
      return text;
    }
    Pattern lone = HEX_START.matcher(text).matches() ? LONE_LINES_OF_HEX : LONE_LINES;
    return lone.matcher(text).find() ? text : text.replace("_", "");
  }

  private static boolean isTooLarge(String text) {
    Double value = text.isEmpty() || isFlagged(text) ? null : parsed(withoutLines(text));
    return value != null && value.isInfinite();
  }

  private static @Nullable Double parsed(String text) {
    try {
      return Double.parseDouble(text);
    } catch (NumberFormatException _) {
      return null;
    }
  }

  /// Java also reads `1f`, ` 1 ` and `NaN` as numbers.
  private static boolean isFlagged(String text) {
    char last = text.charAt(text.length() - 1);
    boolean letter = last == 'f' || last == 'F' || last == 'd' || last == 'D';
    boolean isInf = text.toLowerCase(Locale.ROOT).endsWith("inf");
    return (letter && !isInf) || last <= ' ' || text.charAt(0) <= ' ';
  }
}
