package io.widerow.cql.change;

import io.widerow.cql.CqlException;
import io.widerow.cql.CqlException.Code;
import io.widerow.cql.key.TableKeys;
import io.widerow.cql.schema.Table;
import io.widerow.cql.store.Mutations;
import io.widerow.cql.store.TableView;
import java.util.List;
import java.util.function.BooleanSupplier;

/// Fills a new materialized view with the rows that its table has. Keys are searched while other
/// writes run. Each write takes some of the keys and writes their current rows to the view. Other
/// writes in between update the view themselves.
///
/// - Threads: one, which waits for the writes.
public final class ViewFill {
  private final TableWriter writer;
  private final WrittenSchema schema;
  private final Table base;
  private final TableKeys keys;
  private final FillPages pages;
  private final ViewWriter view;

  /// @param view that the writes know by now
  public ViewFill(TableWriter writer, WrittenSchema schema, Table base, ViewWriter view) {
    this.writer = writer;
    this.schema = schema;
    this.base = base;
    this.keys = TableKeys.of(base);
    this.pages = new FillPages(writer, keys, false);
    this.view = view;
  }

  /// Returns when all rows are in the view. That is durable.
  ///
  /// @param cancelled whether no client waits for it any more
  /// @throws CqlException then
  public void run(BooleanSupplier cancelled) {
    byte[] from = keys.fromToken(Long.MIN_VALUE);
    while (true) {
      List<byte[]> page = pages.page(from);
      if (page.isEmpty()) {
        return;
      }
      if (cancelled.getAsBoolean()) {
        throw new CqlException(Code.OVERLOADED, "the client has left");
      }
      boolean _ = writer.write((before, out) -> write(page, before, out));
      from = TableKeys.next(page.getLast());
    }
  }

  private boolean write(List<byte[]> page, TableView before, Mutations out) {
    long time = schema.viewTime(before, out);
    for (byte[] key : page) {
      view.write(null, StoredRow.find(base, before, key), out, time);
    }
    return true;
  }
}
