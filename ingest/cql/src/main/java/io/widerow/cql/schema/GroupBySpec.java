package io.widerow.cql.schema;

import java.util.List;
import org.jspecify.annotations.Nullable;

/// The grouping of rows, and the aggregates of each group. The row of a group has the columns of
/// its first row, as far as they are grouped by, and after them one for each aggregate.
///
/// @param by indexes of columns
public record GroupBySpec(List<Integer> by, List<Aggregate> aggregates) {
  public GroupBySpec {
    by = List.copyOf(by);
    aggregates = List.copyOf(aggregates);
  }

  /// One aggregate.
  ///
  /// @param index of the column; negative for the count of rows
  /// @param key of the element of a map; null for the whole column
  public record Aggregate(Kind kind, int index, @Nullable Object key) {}

  /// The functions.
  public enum Kind {
    COUNT,
    SUM,
    AVG,
    MIN,
    MAX
  }
}
