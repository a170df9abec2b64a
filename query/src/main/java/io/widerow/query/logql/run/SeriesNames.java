package io.widerow.query.logql.run;

import io.widerow.query.logql.Metric;
import io.widerow.query.logql.line.LabelMapping;
import io.widerow.query.logql.line.Line;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/// The labels of lines that make a series. Without a grouping these are the labels of the stream
/// and the labels that stages have made, and the metadata of pushed streams, as in Loki. Other
/// attributes of events are taken when a query names them: else each value of each attribute would
/// be a series of its own.
///
/// @param exact whether only these are taken
/// @param names taken, whatever they are
/// @param without never taken
record SeriesNames(boolean exact, Set<String> names, Set<String> without) {
  SeriesNames {
    names = Set.copyOf(names);
    without = Set.copyOf(without);
  }

  static SeriesNames all() {
    return new SeriesNames(false, Set.of(), Set.of());
  }

  static SeriesNames only(List<String> names) {
    return new SeriesNames(true, Set.copyOf(names), Set.of());
  }

  /// The same, these names included.
  SeriesNames and(List<String> more) {
    Set<String> both = new LinkedHashSet<>(names);
    both.addAll(more);
    return new SeriesNames(exact, both, without);
  }

  /// Those of a grouping of samples.
  SeriesNames grouped(Metric.Labels grouping) {
    return grouping.without()
        ? new SeriesNames(false, names, Set.copyOf(grouping.names()))
        : only(grouping.names());
  }

  /// The names that have to be known of each line.
  Set<String> needed(LabelMapping labels) {
    if (exact) {
      return names;
    }
    Set<String> needed = new LinkedHashSet<>(labels.labels());
    needed.addAll(names);
    return needed;
  }

  /// The labels of a line's series.
  ///
  /// @param unwrapped the label that is the sample
  SortedMap<String, String> key(Line line, String unwrapped) {
    SortedMap<String, String> key = new TreeMap<>();
    if (!exact) {
      for (Map.Entry<String, String> label : line.seriesLabels().entrySet()) {
        if (!without.contains(label.getKey()) && !label.getKey().equals(unwrapped)) {
          key.put(label.getKey(), label.getValue());
        }
      }
    }
    for (String name : names) {
      String value = line.get(name);
      boolean isPart = line.isPresent(name) || (value != null && !value.isEmpty()); // or an error
      boolean isSample = !exact && name.equals(unwrapped);
      if (value != null && isPart && !isSample && !without.contains(name)) {
        key.put(name, value);
      }
    }
    return key;
  }
}
