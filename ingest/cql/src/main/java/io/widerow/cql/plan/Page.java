package io.widerow.cql.plan;

import io.widerow.cql.CqlException;
import io.widerow.cql.schema.RowList;
import io.widerow.cql.type.CellBuffer;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/// The rows of one page while they are written, and where the next page begins.
///
/// ```
///   position   | rows left 8 | position of the table or of groups |
/// ```
///
/// - Threads: one.
/// - Memory: the cells, which the asker counts before they grow.
final class Page {
  /// A page ends when it has so many bytes, whatever its size in rows.
  private static final int BYTES = 4 << 20;

  /// The most bytes of a result without pages.
  private static final int BYTES_MAX = 64 << 20;

  private final int rowsMax;
  private final @Nullable ByteBuffer after;
  private final CellBuffer cells;
  private long left;
  private int count;

  /// @param limit of all pages together
  Page(StatementExecution execution, long limit) {
    this.rowsMax = execution.pageSize() == 0 ? Integer.MAX_VALUE : execution.pageSize();
    this.cells = new CellBuffer(4 << 10, execution.asker().memory());
    ByteBuffer given = execution.position();
    if (given == null) {
      left = limit;
      after = null;
    } else {
      if (given.remaining() < Long.BYTES) {
        throw CqlException.protocol("Invalid value for the paging state");
      }
      ByteBuffer rest = given.duplicate();
      left = rest.getLong();
      after = rest.slice();
    }
  }

  /// The position after which it continues; null at the start.
  @Nullable ByteBuffer after() {
    return after;
  }

  /// The same where a position is a number, from 0.
  int afterNumber() {
    ByteBuffer given = after;
    if (given == null) {
      return 0;
    }
    return RowList.number(given);
  }

  /// Whether a further row is wanted.
  boolean hasRoom() {
    return count < rowsMax && left > 0 && (rowsMax == Integer.MAX_VALUE || cells.length() < BYTES);
  }

  /// Whether rows are wanted after this page.
  boolean goesOn() {
    return left > 0;
  }

  CellBuffer cells() {
    return cells;
  }

  /// A row is written.
  void added() {
    count++;
    left--;
    if (cells.length() > BYTES_MAX) {
      throw CqlException.invalid(
          "the result has more than %d bytes; use a page size or a LIMIT".formatted(BYTES_MAX));
    }
  }

  int count() {
    return count;
  }

  /// The position of the next page where a position is a number; null when that is the end.
  @Nullable ByteBuffer position(int next, int end) {
    return next < end && goesOn() ? position(RowList.position(next)) : null;
  }

  /// The position of the next page, after the last row of this one.
  ByteBuffer position(ByteBuffer of) {
    return ByteBuffer.allocate(Long.BYTES + of.remaining())
        .putLong(left)
        .put(of.duplicate())
        .flip();
  }
}
