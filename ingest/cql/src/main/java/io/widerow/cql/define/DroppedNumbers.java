package io.widerow.cql.define;

import io.widerow.cql.key.TableKeys;
import io.widerow.cql.store.KeySpan;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/// Numbers that no table has any more, since it was dropped or truncated; no table gets them again.
/// Their rows are needless. They are kept by name, and not as all numbers that the schema lacks: a
/// schema that lost something must not cost rows.
///
/// - Threads: any; immutable.
final class DroppedNumbers {
  static final DroppedNumbers NONE = new DroppedNumbers(Map.of());

  private final TreeMap<Integer, Integer> runs = new TreeMap<>(); // first and last of each run

  /// @param runs first and last numbers
  private DroppedNumbers(Map<Integer, Integer> runs) {
    this.runs.putAll(runs);
  }

  /// As they are stored: first numbers as text, and last ones.
  static DroppedNumbers of(Map<?, ?> stored) {
    TreeMap<Integer, Integer> runs = new TreeMap<>();
    stored.forEach((first, last) -> runs.put(Integer.valueOf((String) first), (Integer) last));
    return new DroppedNumbers(runs);
  }

  Map<Integer, Integer> runs() {
    return runs;
  }

  /// These and others.
  DroppedNumbers with(Collection<Integer> numbers) {
    if (numbers.isEmpty()) {
      return this;
    }
    DroppedNumbers all = new DroppedNumbers(runs);
    numbers.forEach(all::add);
    return all;
  }

  private void add(int number) {
    Map.Entry<Integer, Integer> before = runs.floorEntry(number);
    if (before != null && before.getValue() >= number) {
      return;
    }
    int first = before != null && before.getValue() == number - 1 ? before.getKey() : number;
    Integer last = runs.remove(number + 1);
    runs.put(first, last == null ? number : last);
  }

  boolean isEmpty() {
    return runs.isEmpty();
  }

  /// The keys of their rows.
  List<KeySpan> spans() {
    return runs.entrySet().stream()
        .map(run -> TableKeys.all(run.getKey(), run.getValue()))
        .toList();
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof DroppedNumbers dropped && runs.equals(dropped.runs);
  }

  @Override
  public int hashCode() {
    return runs.hashCode();
  }
}
