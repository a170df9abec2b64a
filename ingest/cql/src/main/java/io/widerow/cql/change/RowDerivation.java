package io.widerow.cql.change;

import io.widerow.cql.store.Mutations;
import org.jspecify.annotations.Nullable;

/// Rows that follow from the rows of a table: of a materialized view, or of an index.
///
/// - Threads: that of the writes.
public interface RowDerivation {
  /// Whether it follows from headers of partitions, too, which have the static columns.
  boolean takesHeaders();

  /// Writes what the change of a row means.
  ///
  /// @param before the row before the change; null for none
  /// @param after the row after it; null for none
  /// @param time of the write; a moment before it is the write's too
  void write(@Nullable StoredRow before, @Nullable StoredRow after, Mutations out, long time);
}
