package io.widerow.query.logql.line;

import io.widerow.event.StreamLabels;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// The names of stream labels by the value of [StreamLabels#FIELD]. Most events have that of the
/// event before.
///
/// - Threads: one.
/// - Memory: at most a thousand lists.
final class StreamNames {
  private static final int KEPT_MAX = 1_000;

  private final Map<String, Set<String>> known = new HashMap<>();
  private String last = "";
  private Set<String> names = Set.of();

  /// The names; null when the event is of no pushed stream.
  @Nullable Set<String> of(String value) {
    if (!StreamLabels.isList(value)) {
      return null;
    }
    if (!value.equals(last)) {
      if (known.size() == KEPT_MAX) {
        known.clear();
      }
      names = known.computeIfAbsent(value, StreamLabels::names);
      last = value;
    }
    return names;
  }
}
