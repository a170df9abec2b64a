package io.widerow.cql.store;

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

  /// The partitions of a table that have the most rows.
  ///
  /// Table files know their own widest ones, so this reads few of their rows, or none when the
  /// table lies in one file. Where it lies in several, rows of the candidates are read until `read`
  /// is spent. The numbers of the others are the most that they can have; then a partition may be
  /// missing that is among the widest of no file.
  ///
  /// @param table the first 4 bytes of all its keys
  /// @param onlyLive counts only rows that are live themselves, and not those of which only cells
  ///   are
  /// @param most partitions
  /// @param read the most rows of files that are read to count them
  /// @param nowSeconds Unix time by which cells have expired
  Widest widest(byte[] table, boolean onlyLive, int most, long read, long nowSeconds);

  /// Bytes that the rows of a range of keys take in table files; of a block that has others too,
  /// their share.
  ///
  /// @param from the least key, inclusive
  /// @param until the key behind the greatest
  long fileBytes(byte[] from, byte[] until);

  /// What its cursors have read of table files so far.
  FileReads reads();

  @Override
  void close();
}
