package io.widerow.loadgen.verify;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/// What reading back found wrong: how often, and the first few of each kind.
final class Findings {
  private static final int EXAMPLES_MAX = 5;

  /// The ways in which a target can be wrong.
  enum Kind {
    /// Acknowledged, and not there.
    LOST,
    /// There more than once.
    REPEATED,
    /// Before an event that it should follow.
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
