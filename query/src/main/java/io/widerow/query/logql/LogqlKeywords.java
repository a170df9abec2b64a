package io.widerow.query.logql;

import java.util.Locale;
import java.util.Set;

/// The names that LogQL gives a meaning. A name of a function is a keyword only before its
/// arguments; elsewhere it may name a label.
final class LogqlKeywords {
  private static final Set<String> ALWAYS =
      Set.of(
          "unwrap",
          "by",
          "without",
          "bool",
          "offset",
          "on",
          "ignoring",
          "group_left",
          "group_right",
          "or",
          "and",
          "unless",
          "json",
          "regexp",
          "logfmt",
          "unpack",
          "pattern",
          "label_format",
          "line_format",
          "decolorize",
          "drop",
          "keep");

  private LogqlKeywords() {}

  /// A name as errors show it: a keyword as it is, a function in Loki's capitals, or `IDENTIFIER`.
  ///
  /// @param next the character after the name and blanks; 0 at the end
  static String shown(String name, char next) {
    String lower = name.toLowerCase(Locale.ROOT);
    boolean isCalled = next == '(' || next == 'b' || next == 'w'; // by, without
    if (ALWAYS.contains(lower)) {
      return name;
    }
    if (!isCalled) {
      return "IDENTIFIER";
    }
    return switch (lower) {
      case "ip", "label_replace" -> name;
      case "vector" -> "VECTOR";
      case "bytes", "duration", "duration_seconds" -> lower.toUpperCase(Locale.ROOT) + "_CONV";
      default -> isFunction(lower) ? lower.toUpperCase(Locale.ROOT) : "IDENTIFIER";
    };
  }

  private static boolean isFunction(String lower) {
    return Metric.RangeFunction.of(lower) != null || Metric.SeriesFunction.of(lower) != null;
  }
}
