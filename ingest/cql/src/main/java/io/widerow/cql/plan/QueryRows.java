package io.widerow.cql.plan;

import io.widerow.cql.define.SchemaChange;
import io.widerow.cql.type.CellBuffer;
import java.nio.ByteBuffer;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The answer to an execution. A closed set.
public sealed interface QueryRows {
  /// Rows, each with a cell for each column.
  ///
  /// @param position where the page has ended; null when there are no more rows
  record Rows(List<Variable> columns, int count, CellBuffer cells, @Nullable ByteBuffer position)
      implements QueryRows {}

  /// The keyspace of the connection has changed.
  record KeyspaceInUse(String keyspace) implements QueryRows {}

  /// It is done, and has no result.
  record Done() implements QueryRows {}

  /// The stored response to a request with a key.
  record Repeat(QueryRows first) implements QueryRows {}

  /// The schema has changed.
  record SchemaChanged(SchemaChange change) implements QueryRows {}
}
