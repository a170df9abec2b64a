package io.widerow.query.series;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/// The parts of the JSON text that the lists of a histogram are stored as: `[1,3,30]`,
/// `{"0.5":1.2,"0.99":"NaN"}`.
final class NumberList {
  private NumberList() {}

  /// The numbers of a list; none when it is none.
  static double[] of(byte[] json) {
    List<String> parts = parts(json);
    double[] numbers = new double[parts.size()];
    for (int i = 0; i < numbers.length; i++) {
      numbers[i] = number(parts.get(i));
    }
    return numbers;
  }

  /// The names of an object with numbers.
  static List<String> names(byte[] json) {
    return parts(json).stream().map(part -> bare(part.substring(0, colon(part)))).toList();
  }

  /// The numbers of an object.
  static double[] values(byte[] json) {
    return parts(json).stream()
        .mapToDouble(part -> number(part.substring(Math.min(part.length(), colon(part) + 1))))
        .toArray();
  }

  private static int colon(String part) {
    int colon = part.indexOf(':');
    return colon < 0 ? part.length() : colon;
  }

  private static List<String> parts(byte[] json) {
    List<String> parts = new ArrayList<>();
    if (json.length > 2) {
      String inner = new String(json, 1, json.length - 2, StandardCharsets.UTF_8);
      for (String part : inner.split(",", -1)) {
        parts.add(part.strip());
      }
    }
    return parts;
  }

  private static String bare(String text) {
    boolean quoted = text.length() >= 2 && text.startsWith("\"") && text.endsWith("\"");
    return quoted ? text.substring(1, text.length() - 1) : text;
  }

  private static double number(String text) {
    String bare = bare(text);
    return switch (bare) {
      case "+Inf", "Infinity", "+Infinity" -> Double.POSITIVE_INFINITY;
      case "-Inf", "-Infinity" -> Double.NEGATIVE_INFINITY;
      default -> {
        try {
          yield Double.parseDouble(bare);
        } catch (NumberFormatException none) {
          yield Double.NaN;
        }
      }
    };
  }
}
