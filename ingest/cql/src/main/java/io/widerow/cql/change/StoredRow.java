package io.widerow.cql.change;

import io.widerow.cql.key.TableKeys;
import io.widerow.cql.schema.Table;
import io.widerow.cql.store.TableCursor;
import io.widerow.cql.store.TableView;
import io.widerow.cql.table.VisibleCells;
import io.widerow.cql.type.WireCodec;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// A row as it is stored, with expired data that is not dropped yet: its contents do not depend on
/// when it is read.
///
/// - Threads: one.
///
/// @param key its key, as it is stored; not copied
/// @param liveExpiry as [TableCursor#liveExpiry]; [#NEVER_LIVE] for a row that is not live itself
/// @param cells the cells, in the order in which they are stored
@SuppressWarnings("ArrayRecordComponent") // never compared
record StoredRow(byte[] key, long liveExpiry, List<Cell> cells) {
  static final long NOTHING_EXPIRED = Long.MIN_VALUE;
  static final long NEVER_LIVE = Long.MIN_VALUE;

  /// One cell.
  static final class Cell {
    final int column;
    final byte @Nullable [] path;
    final byte[] value;
    final long timestamp;
    final int ttl;
    final long expiry; // the greatest number for one that stays

    private Cell(TableCursor cursor) {
      ByteBuffer element = cursor.path();
      column = cursor.column();
      path = element == null ? null : WireCodec.bytes(element);
      value = WireCodec.bytes(cursor.value());
      timestamp = cursor.timestamp();
      ttl = cursor.ttl();
      expiry = cursor.expiry();
    }

    /// Orders cells as they are stored.
    int compare(Cell other) {
      if (column != other.column) {
        return Integer.compare(column, other.column);
      }
      byte[] mine = path;
      byte[] its = other.path;
      if (mine == null || its == null) {
        return Boolean.compare(mine != null, its != null);
      }
      return Arrays.compareUnsigned(mine, its);
    }

    boolean isSame(Cell other) {
      return compare(other) == 0
          && timestamp == other.timestamp
          && ttl == other.ttl
          && expiry == other.expiry
          && Arrays.equals(value, other.value);
    }

    int bytes() {
      byte[] element = path;
      return value.length + (element == null ? 0 : element.length);
    }
  }

  /// The row of a key; null when there is nothing of it.
  static @Nullable StoredRow find(Table table, TableView view, byte[] key) {
    TableCursor rows = view.scan(key, TableKeys.next(key), false, NOTHING_EXPIRED);
    try (TableCursor cursor = VisibleCells.of(table, rows)) {
      return cursor.next() ? of(cursor) : null;
    }
  }

  /// The row at which a cursor stands that shows expired data, too.
  static StoredRow of(TableCursor cursor) {
    byte[] key = WireCodec.bytes(cursor.key());
    long liveExpiry = cursor.isLive() ? cursor.liveExpiry() : NEVER_LIVE;
    List<Cell> cells = new ArrayList<>();
    while (cursor.nextCell()) {
      cells.add(new Cell(cursor));
    }
    return new StoredRow(key, liveExpiry, cells);
  }

  /// When nothing of it is left; the greatest number when something stays.
  long expiry() {
    long last = liveExpiry;
    for (Cell cell : cells) {
      last = Math.max(last, cell.expiry);
    }
    return last;
  }

  /// When nothing of a column is left; [#NEVER_LIVE] when it has no cell.
  long expiry(int column) {
    long last = NEVER_LIVE;
    for (Cell cell : cells) {
      last = cell.column == column ? Math.max(last, cell.expiry) : last;
    }
    return last;
  }

  /// The only cell of a column.
  Cell cell(int column) {
    for (Cell cell : cells) {
      if (cell.column == column) {
        return cell;
      }
    }
    throw new IllegalStateException("no cell of column " + column);
  }

  boolean isSame(StoredRow other) {
    boolean same = liveExpiry == other.liveExpiry && cells.size() == other.cells.size();
    for (int i = 0; same && i < cells.size(); i++) {
      same = cells.get(i).isSame(other.cells.get(i));
    }
    return same;
  }
}
