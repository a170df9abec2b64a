package io.widerow.storage.text;

/// Finds the lines of a block that have a column of its templates.
@FunctionalInterface
interface ColumnLines {
  /// The lines that have a value of the column, in order; valid until the next call.
  ///
  /// @param column its number as written
  /// @param count of its values
  int[] of(int column, int count);
}
