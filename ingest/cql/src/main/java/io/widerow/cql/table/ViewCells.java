package io.widerow.cql.table;

import java.nio.ByteBuffer;

/// Values of the cells of materialized views. A cell of a view has the time of its write, so that
/// the last write always counts, whatever the times of the table's cells are. The time of the
/// table's cell stands in front of the value.
///
/// ```
///   0           8
///   +-----------+---- ~ ----+
///   | timestamp | value     |      the timestamp is that of the table's cell
///   +-----------+---- ~ ----+
/// ```
public final class ViewCells {
  private ViewCells() {}

  /// The value of a cell of a view.
  ///
  /// @param timestamp microseconds, of the cell of the table
  public static byte[] value(long timestamp, byte[] value) {
    return ByteBuffer.allocate(Long.BYTES + value.length).putLong(timestamp).put(value).array();
  }

  /// Takes the timestamp off a value, which begins after it then.
  static long timestamp(ByteBuffer value) {
    return value.getLong();
  }
}
