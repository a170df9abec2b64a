package io.widerow.cql.schema;

import java.util.List;

/// Takes whole rows into a table whose rows statements do not change afterwards.
///
/// - Threads: any; the caller waits.
public interface RowTaker {
  /// Takes rows, and returns when they are stored.
  ///
  /// @param rows whose keys may have columns without a value
  /// @throws io.widerow.cql.CqlException when one of them cannot be taken
  void take(List<Row> rows, RequestPrincipal asker);
}
