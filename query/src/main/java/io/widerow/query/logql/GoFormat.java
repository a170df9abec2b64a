package io.widerow.query.logql;

import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.LongConsumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// Values as Go prints them, and its `printf`.
final class GoFormat {
  private static final Pattern VERB =
      Pattern.compile("%([-+# 0]*)(\\d{0,9})(?:\\.(\\d{0,9}))?(.)?", Pattern.DOTALL);
  private static final double EXPONENT_FROM = 1e21;
  private static final double EXPONENT_BELOW = 1e-4;

  private GoFormat() {}

  /// A value as `%v` shows it.
  static String shown(@Nullable Object value) {
    return switch (value) {
      case null -> "<no value>";
      case Double number -> number(number);
      case Instant time -> GoLayout.format("2006-01-02 15:04:05.999999999 -0700", time) + " UTC";
      case List<?> list -> {
        StringBuilder text = new StringBuilder("[");
        list.forEach(each -> text.append(text.length() > 1 ? " " : "").append(inner(each)));
        yield text.append(']').toString();
      }
      case Map<?, ?> map -> {
        StringBuilder text = new StringBuilder("map[");
        new TreeMap<>(map)
            .forEach((key, each) ->
                text.append(text.length() > 4 ? " " : "")
                    .append(key)
                    .append(':')
                    .append(inner(each)));
        yield text.append(']').toString();
      }
      default -> value.toString();
    };
  }

  private static String inner(@Nullable Object value) {
    return value == null ? "<nil>" : shown(value);
  }

  private static String number(double value) {
    if (Double.isNaN(value)) {
      return "NaN";
    }
    if (Double.isInfinite(value)) {
      return value > 0 ? "+Inf" : "-Inf";
    }
    double size = Math.abs(value);
    BigDecimal exact = new BigDecimal(Double.toString(value)).stripTrailingZeros();
    if (size == 0 || (size >= EXPONENT_BELOW && size < EXPONENT_FROM)) {
      return size == 0 ? "0" : exact.toPlainString();
    }
    String digits = exact.unscaledValue().abs().toString();
    int exponent = digits.length() - 1 - exact.scale();
    String fraction = digits.length() > 1 ? "." + digits.substring(1) : "";
    return (value < 0 ? "-" : "") + digits.charAt(0) + fraction + exponent(exponent);
  }

  private static String exponent(int exponent) {
    return "e%s%02d".formatted(exponent < 0 ? "-" : "+", Math.abs(exponent));
  }

  /// Go's `print`: a blank between two values that are no texts.
  ///
  /// @param made counts the text before it is made
  static String print(List<@Nullable Object> values, boolean lines, LongConsumer made) {
    CountedText text = new CountedText(made);
    for (int i = 0; i < values.size(); i++) {
      boolean plain =
          i > 0 && !(values.get(i) instanceof String) && !(values.get(i - 1) instanceof String);
      text.append(i > 0 && (lines || plain) ? " " : "").append(shown(values.get(i)));
    }
    return text.append(lines ? "\n" : "").toString();
  }

  /// @param made counts a text before it is made
  static String printf(String format, List<@Nullable Object> values, LongConsumer made) {
    CountedText text = new CountedText(made);
    Matcher verb = VERB.matcher(format);
    int at = 0;
    int next = 0;
    while (verb.find(at)) {
      text.append(format, at, verb.start());
      at = verb.end();
      String letter = verb.group(4);
      if (letter == null) {
        text.append("%!(NOVERB)");
      } else if (letter.equals("%")) {
        text.append('%');
      } else if (next >= values.size()) {
        text.append("%!").append(letter).append("(MISSING)");
      } else {
        append(verb, letter.charAt(0), values.get(next++), text);
      }
    }
    text.append(format, at, format.length());
    if (next < values.size()) {
      String comma = "%!(EXTRA ";
      for (Object extra : values.subList(next, values.size())) {
        text.append(comma).append(typed(extra)).append('=').append(shown(extra));
        comma = ", ";
      }
      text.append(')');
    }
    return text.toString();
  }

  private static void append(Matcher verb, char letter, @Nullable Object value, CountedText text) {
    String flags = verb.group(1);
    int width = verb.group(2).isEmpty() ? 0 : Integer.parseInt(verb.group(2));
    String digits = verb.group(3);
    int precision = digits == null ? -1 : digits.isEmpty() ? 0 : Integer.parseInt(digits);
    text.count((long) width + Math.max(0, precision));
    String formatted = formatted(letter, flags, precision, value);
    boolean isNumber = value instanceof Long || value instanceof Double;
    if (isNumber
        && flags.contains("+")
        && !formatted.startsWith("-")
        && "dfeg".indexOf(letter) >= 0) {
      formatted = "+" + formatted;
    }
    int missing = width - formatted.codePointCount(0, formatted.length());
    if (missing <= 0) {
      text.append(formatted);
    } else if (flags.contains("-")) {
      text.append(formatted).repeat(' ', missing);
    } else if (flags.contains("0") && isNumber) {
      boolean signed = formatted.startsWith("-") || formatted.startsWith("+");
      text.append(signed ? formatted.substring(0, 1) : "").repeat('0', missing);
      text.append(signed ? formatted.substring(1) : formatted);
    } else {
      text.repeat(' ', missing).append(formatted);
    }
  }

  private static String formatted(
      char letter, String flags, int precision, @Nullable Object value) {
    if (letter == 'v') {
      return shown(value);
    }
    if (letter == 'T') {
      return typed(value);
    }
    String fitting = fitting(letter, flags, precision, value);
    return fitting == null
        ? "%!" + letter + "(" + typed(value) + "=" + shown(value) + ")"
        : fitting;
  }

  /// The value as a verb shows it; null when the verb does not fit the value.
  private static @Nullable String fitting(
      char letter, String flags, int precision, @Nullable Object value) {
    return switch (value) {
      case String text ->
          switch (letter) {
            case 's' -> precision < 0 ? text : cut(text, precision);
            case 'q' -> GoQuotes.quoted(precision < 0 ? text : cut(text, precision));
            case 'x' -> HexFormat.of().formatHex(text.getBytes(StandardCharsets.UTF_8));
            case 'X' ->
                HexFormat.of().withUpperCase().formatHex(text.getBytes(StandardCharsets.UTF_8));
            default -> null;
          };
      case Long number ->
          switch (letter) {
            case 'd' -> number.toString();
            case 'b' -> Long.toString(number, 2);
            case 'o' -> Long.toString(number, 8);
            case 'x' -> (flags.contains("#") ? "0x" : "") + Long.toString(number, 16);
            case 'X' ->
                (flags.contains("#") ? "0X" : "")
                    + Long.toString(number, 16).toUpperCase(Locale.ROOT);
            case 'c' ->
                Character.isValidCodePoint(Math.clamp(number, 0, 0x10ffff))
                    ? Character.toString(Math.clamp(number, 0, 0x10ffff))
                    : null;
            default -> null;
          };
      case Double number ->
          switch (letter) {
            case 'f', 'F' -> fixed(number, precision < 0 ? 6 : precision);
            case 'e', 'E' -> ("%." + (precision < 0 ? 6 : precision) + letter).formatted(number);
            case 'g', 'G' ->
                precision < 0
                    ? number(number)
                    : number(
                        new BigDecimal(number)
                            .round(new java.math.MathContext(Math.max(1, precision)))
                            .doubleValue());
            default -> null;
          };
      case Boolean truth -> letter == 't' ? truth.toString() : null;
      case null -> "%!" + letter + "(<nil>)";
      default -> letter == 's' ? shown(value) : null;
    };
  }

  static String fixed(double number, int precision) {
    return Double.isFinite(number)
        ? new BigDecimal(number)
            .setScale(precision, java.math.RoundingMode.HALF_EVEN)
            .toPlainString()
        : number(number);
  }

  private static String cut(String text, int chars) {
    return text.codePointCount(0, text.length()) <= chars
        ? text
        : text.substring(0, text.offsetByCodePoints(0, chars));
  }

  /// The name of a value's type.
  static String typed(@Nullable Object value) {
    return switch (value) {
      case null -> "<nil>";
      case String _ -> "string";
      case Long _ -> "int";
      case Double _ -> "float64";
      case Boolean _ -> "bool";
      case Instant _ -> "time.Time";
      case List<?> _ -> "[]interface {}";
      default -> "map[string]interface {}";
    };
  }
}
