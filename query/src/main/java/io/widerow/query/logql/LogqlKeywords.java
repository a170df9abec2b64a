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

  /// @param next the character after the name and blanks; 0 at the end
  static boolean isKeyword(String name, char next) {
    String lower = name.toLowerCase(Locale.ROOT);
    if (ALWAYS.contains(lower)) {
      return true;
    }
    boolean isCalled = next == '(' || next == 'b' || next == 'w'; // by, without
    return isCalled && isFunction(lower);
  }

  private static boolean isFunction(String lower) {
    return switch (lower) {
      case "ip", "vector", "label_replace", "bytes", "duration", "duration_seconds" -> true;
      default -> Metric.RangeFunction.of(lower) != null || Metric.SeriesFunction.of(lower) != null;
    };
  }
}
