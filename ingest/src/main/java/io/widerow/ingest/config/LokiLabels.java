package io.widerow.ingest.config;

import io.widerow.event.AttributeName;
import java.util.ArrayList;
import java.util.List;

/// The key `loki-labels`: names of attributes, separated by commas. `default` stands for the names
/// that are labels by default.
final class LokiLabels {
  static final String KEY = "loki-labels";
  static final String DEFAULT = "default";
  private static final int NAMES_MAX = 200;

  private LokiLabels() {}

  /// The names; `default` stands for itself.
  static List<String> parse(String text) {
    List<String> names = new ArrayList<>();
    for (String part : text.split(",", -1)) {
      String name = part.strip();
      if (name.isEmpty() || names.contains(name)) {
        continue;
      }
      try {
        names.add(AttributeName.of(name).toString());
      } catch (IllegalArgumentException bad) {
        throw new IllegalArgumentException(KEY + ": " + bad.getMessage(), bad);
      }
    }
    if (names.size() > NAMES_MAX) {
      throw new IllegalArgumentException(
          "%s: %d names, at most %d are allowed".formatted(KEY, names.size(), NAMES_MAX));
    }
    return names;
  }

  static String print(List<String> names) {
    return String.join(",", names);
  }
}
