package io.widerow.loadgen.verify;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/// Errors found by reading back: a count of each kind and its first examples.
final class Findings {
  private static final int EXAMPLES_MAX = 5;

  /// The kinds of errors.
  enum Kind {
    /// Acknowledged, but absent.
    LOST,
    /// Present more than once.
    REPEATED,
    /// Ahead of an event that it should follow.
    DISORDER,
    /// Never sent.
    INVENTED,
    /// Sent, but with another time, type or text.
    CHANGED
  }

  private final Map<Kind, Long> counts = new EnumMap<>(Kind.class);
  private final List<String> examples = new ArrayList<>();

  void add(Kind kind, String what) {
    if (counts.merge(kind, 1L, Long::sum) <= EXAMPLES_MAX) {
      examples.add(kind + ": " + what);
    }
  }

  long count(Kind kind) {
    return counts.getOrDefault(kind, 0L);
  }

  boolean isEmpty() {
    return counts.isEmpty();
  }

  @Override
  public String toString() {
    return counts + "\n" + String.join("\n", examples);
  }
}
