package io.widerow.cql.schema;

import io.widerow.cql.CqlException;
import java.nio.ByteBuffer;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// A cursor over rows that are all there. Its positions are their numbers.
///
/// - Threads: one.
public final class RowList implements RowCursor {
  private final List<Row> rows;
  private int next;

  /// @param after the position after which it continues; null for the start
  public RowList(List<Row> rows, @Nullable ByteBuffer after) {
    this.rows = List.copyOf(rows);
    this.next = after == null ? 0 : number(after);
  }

  /// @throws CqlException when it is not a position of such a cursor
  public static int number(ByteBuffer position) {
    int number = position.remaining() == Integer.BYTES ? position.duplicate().getInt() : -1;
    if (number < 0) {
      throw CqlException.protocol("Invalid value for the paging state");
    }
    return number;
  }

  /// The position after so many rows.
  public static ByteBuffer position(int number) {
    return ByteBuffer.allocate(Integer.BYTES).putInt(number).flip();
  }

  @Override
  public boolean next() {
    boolean more = next < rows.size();
    next++;
    return more;
  }

  @Override
  public Row row() {
    return rows.get(next - 1);
  }

  @Override
  public ByteBuffer position() {
    return position(next);
  }

  @Override
  public void close() {}
}
