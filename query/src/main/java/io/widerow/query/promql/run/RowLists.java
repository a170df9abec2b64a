package io.widerow.query.promql.run;

import io.widerow.query.promql.run.PromqlValue.Rows;
import io.widerow.query.series.Labels;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// What all operations do with lists of rows.
///
/// - Threads: any.
final class RowLists {
  private RowLists() {}

  /// Rows that became one series.
  static Rows merged(List<Row> rows) {
    Map<Labels, Row> result = new LinkedHashMap<>();
    for (Row row : rows) {
      Row before = result.putIfAbsent(row.labels(), row);
      if (before != null) {
        result.put(row.labels(), before.joined(row));
      }
    }
    return new Rows(List.copyOf(result.values()));
  }

  static List<Row> withValues(List<Row> rows) {
    return rows.stream().filter(Row::hasAny).toList();
  }

  /// The number of the only series with one at a step; NaN for none or several.
  ///
  /// @param result filled with NaN
  static double[] onlyValues(List<Row> rows, double[] result) {
    for (int i = 0; i < result.length; i++) {
      int step = i;
      List<Row> present = rows.stream().filter(row -> row.hasNumber(step)).limit(2).toList();
      result[i] = present.size() == 1 ? present.getFirst().value(step) : Double.NaN;
    }
    return result;
  }
}
