package io.widerow.query.logql.run;

import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/// The labels of a stream or a series, by name.
///
/// - Threads: any; immutable.
public final class LabelSet implements Comparable<LabelSet> {
  private static final int SHOWN_CHARS = 200;

  static final LabelSet EMPTY = new LabelSet(new TreeMap<>());

  private final SortedMap<String, String> labels;
  private final String[] texts; // names and values in turn
  private final int hash;

  /// @param labels not changed any more
  LabelSet(SortedMap<String, String> labels) {
    this.labels = Collections.unmodifiableSortedMap(labels);
    this.texts = new String[2 * labels.size()];
    int at = 0;
    for (Map.Entry<String, String> label : labels.entrySet()) {
      texts[at++] = label.getKey();
      texts[at++] = label.getValue();
    }
    this.hash = Arrays.hashCode(texts);
  }

  public Map<String, String> labels() {
    return labels;
  }

  /// Those of some names.
  LabelSet only(Collection<String> names) {
    TreeMap<String, String> left = new TreeMap<>();
    for (String name : names) {
      String value = labels.get(name);
      if (value != null) {
        left.put(name, value);
      }
    }
    return new LabelSet(left);
  }

  /// All but those of some names.
  LabelSet without(Collection<String> names) {
    TreeMap<String, String> left = new TreeMap<>(labels);
    left.keySet().removeAll(names);
    return new LabelSet(left);
  }

  /// All but those without a value.
  LabelSet withoutEmpty() {
    if (!labels.containsValue("")) {
      return this;
    }
    TreeMap<String, String> left = new TreeMap<>(labels);
    left.values().removeIf(String::isEmpty);
    return new LabelSet(left);
  }

  /// Heap memory of the texts, in bytes, roughly.
  long bytes() {
    long bytes = 128;
    for (Map.Entry<String, String> label : labels.entrySet()) {
      bytes += 112 + 2L * (label.getKey().length() + label.getValue().length());
    }
    return bytes;
  }

  @Override
  public int compareTo(LabelSet other) {
    return Arrays.compare(texts, other.texts);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof LabelSet set && hash == set.hash && Arrays.equals(texts, set.texts);
  }

  @Override
  public int hashCode() {
    return hash;
  }

  /// As LogQL writes a selector, for a message: long values are cut.
  @Override
  public String toString() {
    StringBuilder text = new StringBuilder("{");
    labels.forEach((name, value) ->
        text.append(text.length() == 1 ? "" : ", ")
            .append(name)
            .append("=\"")
            .append(value, 0, Math.min(value.length(), SHOWN_CHARS))
            .append(value.length() > SHOWN_CHARS ? "...\"" : "\""));
    return text.append('}').toString();
  }
}
