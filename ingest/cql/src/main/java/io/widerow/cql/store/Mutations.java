package io.widerow.cql.store;

import org.jspecify.annotations.Nullable;

/// Collects the mutations of one group.
///
/// A row is begun, then its parts are added. Times are microseconds; of two writes to one cell the
/// rules of [TableStore] decide by them, and not the order in which they came.
///
/// - Threads: one.
public interface Mutations {
  /// Begins the fragment of a row, or of a partition's header.
  ///
  /// @param key byte string of at most [#MAX_KEY] bytes: those of the partition, then one byte, 0
  ///   for the header and another for a row, then what the row adds
  /// @param partition how many of its first bytes stand for the partition, with the table. The same
  ///   for every key that starts with them
  Mutations row(byte[] key, int partition);

  /// The row itself is live, with or without cells.
  ///
  /// @param ttl seconds; 0 for no expiry
  /// @param expiry Unix time in seconds; without meaning when the ttl is 0
  Mutations live(long timestamp, int ttl, long expiry);

  /// Deletes the row with everything not younger.
  Mutations deleteRow(long timestamp);

  /// Writes a cell.
  ///
  /// @param path the element of a collection; null for a column that has one value
  Mutations cell(
      int column, byte @Nullable [] path, byte[] value, long timestamp, int ttl, long expiry);

  /// Deletes one cell.
  Mutations deleteCell(int column, byte @Nullable [] path, long timestamp);

  /// Deletes every cell of a column that is a collection.
  Mutations deleteCells(int column, long timestamp);

  /// In a header: deletes the whole partition, its header's cells included.
  Mutations deletePartition(long timestamp);

  /// In a header: deletes the rows of a range of the partition.
  ///
  /// @param from the least key, inclusive
  /// @param until the key behind the greatest
  Mutations deleteRange(byte[] from, byte[] until, long timestamp);

  /// The most bytes of a key.
  int MAX_KEY = 65_535;
}
