package io.widerow.cql.table;

import io.widerow.cql.schema.Column;
import io.widerow.cql.schema.DroppedColumn;
import io.widerow.cql.schema.Table;
import io.widerow.cql.store.CursorAround;
import io.widerow.cql.store.TableCursor;
import java.util.HashMap;
import java.util.Map;

/// The rows of a table without the cells of its dropped columns. A row that has only such cells is
/// left out, unless it was inserted itself.
///
/// - Threads: one.
public final class VisibleCells extends CursorAround {
  private final TableCursor all; // which it closes
  private final Map<Integer, Long> hidden; // by the numbers of columns: times of hidden cells
  private boolean found; // a visible cell that was not asked for yet

  private VisibleCells(TableCursor all, Map<Integer, Long> hidden) {
    this.all = all;
    this.hidden = hidden;
  }

  /// The rows as they are for a table without dropped columns.
  public static TableCursor of(Table table, TableCursor rows) {
    Table.Stored stored = table.stored();
    if (stored == null || stored.dropped().isEmpty()) {
      return rows;
    }
    Map<Integer, Long> hidden = new HashMap<>();
    for (Column column : table.columns()) {
      if (!column.isKey()) {
        hidden.put(column.number(), Long.MIN_VALUE);
      }
    }
    for (DroppedColumn column : stored.dropped()) {
      hidden.computeIfPresent(column.number(), (_, _) -> column.time());
    }
    return new VisibleCells(rows, hidden);
  }

  @Override
  protected TableCursor row() {
    return all;
  }

  @Override
  public boolean next() {
    found = false;
    while (all.next()) {
      found = !all.isLive() && visibleCell();
      if (all.isLive() || found) {
        return true;
      }
    }
    return false;
  }

  private boolean visibleCell() {
    while (all.nextCell()) {
      Long until = hidden.get(all.column());
      if (until != null && (until == Long.MIN_VALUE || all.timestamp() > until)) {
        return true;
      }
    }
    return false;
  }

  @Override
  public boolean nextCell() {
    if (found) {
      found = false;
      return true;
    }
    return visibleCell();
  }

  @Override
  public void close() {
    all.close();
  }
}
