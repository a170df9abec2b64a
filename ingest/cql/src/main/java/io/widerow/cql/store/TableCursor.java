package io.widerow.cql.store;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/// Rows of a scan, and in each its cells by column and path.
///
/// Buffers that it returns are valid until it moves or is closed, and their position may be
/// changed.
///
/// - Threads: one.
public interface TableCursor extends AutoCloseable {
  /// Moves to the next row of which anything is live.
  boolean next();

  /// The key of the row.
  ByteBuffer key();

  /// True when the row itself is live, and not only cells of it: it was inserted.
  boolean isLive();

  /// Unix time in seconds from which the row itself is gone, and only its cells may be left;
  /// [Long#MAX_VALUE] for one that stays. Without meaning for a row that is not live itself.
  long liveExpiry();

  /// Moves to the next live cell of the row: by column, then by path.
  boolean nextCell();

  int column();

  /// The element of a collection; null for a column that has one value.
  @Nullable ByteBuffer path();

  ByteBuffer value();

  /// Microseconds, as it was written.
  long timestamp();

  /// Seconds, as it was written; 0 for a cell that does not expire.
  int ttl();

  /// Unix time in seconds from which the cell is gone; [Long#MAX_VALUE] for one that stays.
  long expiry();

  @Override
  void close();
}
