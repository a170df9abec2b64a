package io.widerow.table;

/// The rows of all tables at one moment.
///
/// - Threads: any number of cursors on any threads; each cursor on one.
/// - Memory: holds what it shows until it is closed.
public interface TableView extends AutoCloseable {
  /// Opens a cursor over the rows whose keys lie in a range; the caller closes it.
  ///
  /// What a deletion hides, of the row, of a range or of the partition, and what has expired is not
  /// shown. The deletions of a partition lie in its header, whose key comes before those of its
  /// rows.
  ///
  /// @param from the least key, inclusive
  /// @param until the key behind the greatest
  /// @param descending the greatest key first
  /// @param nowSeconds Unix time by which cells have expired
  TableCursor scan(byte[] from, byte[] until, boolean descending, long nowSeconds);

  @Override
  void close();
}
