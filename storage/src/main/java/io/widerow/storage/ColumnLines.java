package io.widerow.storage;

/// Tells which lines of a block show a column of its templates.
@FunctionalInterface
interface ColumnLines {
  /// The lines that a column has texts of, in order; valid until the next call.
  ///
  /// @param column as it is numbered where it is written
  /// @param count of its texts
  int[] of(int column, int count);
}
