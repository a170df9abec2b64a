package io.widerow.query.series;

import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/// The labels of a series, `__name__` among them, in the order of their names.
///
/// - Threads: any; immutable.
///
/// @param all names and values; no value is empty
public record Labels(List<Label> all) implements Comparable<Labels> {
  /// The label that is the name of the metric.
  public static final String NAME = "__name__";

  private static final int LABEL_BYTES = 150; // of its objects

  /// A name and its value.
  public record Label(String name, String value) {}

  public Labels {
    all = List.copyOf(all);
  }

  /// The texts by name: a new map.
  public SortedMap<String, String> map() {
    SortedMap<String, String> map = new TreeMap<>();
    all.forEach(each -> map.put(each.name, each.value));
    return map;
  }

  public static Labels of(SortedMap<String, String> labels) {
    return new Labels(
        labels.entrySet().stream()
            .map(label -> new Label(label.getKey(), label.getValue()))
            .toList());
  }

  /// The value of a label; empty without it.
  public String get(String name) {
    for (Label label : all) {
      if (label.name.equals(name)) {
        return label.value;
      }
    }
    return "";
  }

  /// These labels with another name of the metric.
  Labels named(String name) {
    if (get(NAME).equals(name)) {
      return this;
    }
    return new Labels(
        all.stream().map(each -> each.name.equals(NAME) ? new Label(NAME, name) : each).toList());
  }

  /// Heap memory in bytes, roughly.
  long heapBytes() {
    long bytes = LABEL_BYTES;
    for (Label label : all) {
      bytes += LABEL_BYTES + label.name.length() + 2L * label.value.length();
    }
    return bytes;
  }

  /// As Prometheus sorts series: by the first label that differs, its name before its value.
  @Override
  public int compareTo(Labels other) {
    int both = Math.min(all.size(), other.all.size());
    for (int i = 0; i < both; i++) {
      Label mine = all.get(i);
      Label their = other.all.get(i);
      int order = compare(mine.name, their.name);
      order = order == 0 ? compare(mine.value, their.value) : order;
      if (order != 0) {
        return order;
      }
    }
    return Integer.compare(all.size(), other.all.size());
  }

  /// In the order of their bytes: characters beyond 2^16 come last, though not as Java has them.
  private static int compare(String one, String other) {
    int both = Math.min(one.length(), other.length());
    for (int i = 0; i < both; i++) {
      char mine = one.charAt(i);
      char their = other.charAt(i);
      if (mine != their) {
        int order = Boolean.compare(Character.isSurrogate(mine), Character.isSurrogate(their));
        return order == 0 ? Character.compare(mine, their) : order;
      }
    }
    return Integer.compare(one.length(), other.length());
  }
}
