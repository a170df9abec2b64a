package io.widerow.query.logql.run;

import java.util.Collection;
import java.util.Collections;
import java.util.Iterator;
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
  private final int hash;

  /// @param labels not changed any more
  LabelSet(SortedMap<String, String> labels) {
    this.labels = Collections.unmodifiableSortedMap(labels);
    this.hash = labels.hashCode();
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
      bytes += 96 + 2L * (label.getKey().length() + label.getValue().length());
    }
    return bytes;
  }

  @Override
  public int compareTo(LabelSet other) {
    Iterator<Map.Entry<String, String>> theirs = other.labels.entrySet().iterator();
    for (Map.Entry<String, String> label : labels.entrySet()) {
      if (!theirs.hasNext()) {
        return 1;
      }
      Map.Entry<String, String> their = theirs.next();
      int order = label.getKey().compareTo(their.getKey());
      order = order == 0 ? label.getValue().compareTo(their.getValue()) : order;
      if (order != 0) {
        return order;
      }
    }
    return theirs.hasNext() ? -1 : 0;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof LabelSet set && hash == set.hash && labels.equals(set.labels);
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
