package io.widerow.cql.table;

import io.widerow.cql.store.CursorAround;
import io.widerow.cql.store.TableCursor;

/// The live rows of a materialized view. A row expires with the cells that its key is made of, also
/// when its other cells last longer.
///
/// - Threads: one.
final class ViewRows extends CursorAround {
  private final TableCursor all;

  /// @param all which it closes
  ViewRows(TableCursor all) {
    this.all = all;
  }

  @Override
  protected TableCursor row() {
    return all;
  }

  @Override
  public boolean next() {
    while (all.next()) {
      if (all.isLive()) {
        return true;
      }
    }
    return false;
  }

  @Override
  public void close() {
    all.close();
  }
}
