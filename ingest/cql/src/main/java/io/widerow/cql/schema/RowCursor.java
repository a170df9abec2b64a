package io.widerow.cql.schema;

import java.nio.ByteBuffer;

/// The rows of a scan, in order.
///
/// - Threads: one.
public interface RowCursor extends AutoCloseable {
  /// Moves to the next row. False at the end.
  boolean next();

  /// The current row, until the next call of [#next].
  Row row();

  /// The position of the current row, from which a later scan continues.
  ByteBuffer position();

  @Override
  void close();
}
