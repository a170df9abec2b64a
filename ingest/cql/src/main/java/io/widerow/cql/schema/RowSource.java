package io.widerow.cql.schema;

import org.jspecify.annotations.Nullable;

/// Where the rows of one table come from.
///
/// - Threads: any.
public interface RowSource {
  Table table();

  /// True when one order goes over all partitions: conditions then need no partition key, and rows
  /// can be read in descending order without one.
  boolean isOrdered();

  /// True when it can read by [KeyLimits].
  default boolean takesLimits() {
    return false;
  }

  /// Opens a cursor over the rows that meet all conditions, which the caller closes.
  ///
  /// @param asker the connection and the execution that ask
  RowCursor open(RowScan scan, RequestPrincipal asker);

  /// Where INSERT brings its rows; null when no statement writes to it.
  default @Nullable RowTaker taker() {
    return null;
  }

  /// Opens a cursor over groups of those rows, when the source can count them itself.
  ///
  /// @return null when it cannot: the caller then reads all rows
  default @Nullable RowCursor openGroups(RowScan scan, GroupBySpec groups, RequestPrincipal asker) {
    return null;
  }
}
