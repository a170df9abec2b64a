package io.widerow.cql.schema;

import io.widerow.cql.type.CellBuffer;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// One row of a table as a reader sees it. A cursor moves the view; it shows the current row until
/// the cursor moves on.
///
/// - Threads: one.
public interface Row {
  /// The value of a column.
  ///
  /// @param column its index in [Table#columns]
  @Nullable Object value(int column);

  /// An element of a column that is a map; null when the map has no such key.
  @Nullable Object element(int column, Object key);

  /// Puts the cell of a column, without an object for it where the table can.
  void put(int column, CellBuffer out);

  /// When the value of a column was written: one time; of a column with a cell for each element one
  /// for each of them, in their order, and of fields null for one that has none. Empty when there
  /// is no value.
  default List<@Nullable Written> written(int column) {
    return List.of();
  }
}
