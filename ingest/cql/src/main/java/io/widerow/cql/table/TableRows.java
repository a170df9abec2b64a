package io.widerow.cql.table;

import io.widerow.cql.key.TableKeys;
import io.widerow.cql.schema.Row;
import io.widerow.cql.schema.RowCursor;
import io.widerow.cql.store.TableCursor;
import io.widerow.cql.store.TableView;
import io.widerow.cql.table.KeySpans.Span;
import io.widerow.cql.table.TableSource.Position;
import io.widerow.cql.type.WireCodec;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// The rows of all partitions of a table, in the order of their keys.
///
/// - Threads: one.
/// - Memory: holds its view until it is closed.
final class TableRows implements RowCursor {
  private final TableView view;
  private final RowReader reader;
  private final RowFilter filter;
  private final byte[] until;
  private TableCursor cursor;
  private byte[] partition = {}; // of the row that was read last
  private int count; // of its rows that were shown
  private @Nullable TableRow alone; // a partition's static columns, until a row of it is found
  private @Nullable TableRow held; // a row that was found behind such a partition
  private byte[] aloneKey = {};
  private byte[] heldKey = {};
  private @Nullable TableRow current;
  private byte[] currentKey = {};

  TableRows(
      TableView view, RowReader reader, Span range, RowFilter filter, @Nullable Position after) {
    this.view = view;
    this.reader = reader;
    this.filter = filter;
    this.until = range.until();
    byte[] from = range.from();
    if (after != null) {
      from = TableKeys.next(after.key());
      TableKeys.Parts parts = reader.keys().read(ByteBuffer.wrap(after.key()));
      partition = Arrays.copyOf(after.key(), parts.prefix());
      count = parts.clustering() == null ? 1 : after.count();
      if (count >= filter.rowsOfPartition()) {
        from = TableKeys.behind(partition);
      }
    }
    cursor = scan(from);
  }

  private TableCursor scan(byte[] from) {
    byte[] first = Arrays.compareUnsigned(from, until) < 0 ? from : until;
    boolean begun = partition.length > 0 && isIn(first, partition);
    return reader.rows(first, until, false, begun ? partition : null);
  }

  private static boolean isIn(byte[] key, byte[] prefix) {
    return key.length > prefix.length && Arrays.mismatch(key, prefix) == prefix.length;
  }

  @Override
  public boolean next() {
    while (true) {
      TableRow behind = held;
      if (behind != null) {
        held = null;
        if (show(behind, heldKey)) {
          return true;
        }
        continue;
      }
      if (!cursor.next()) {
        TableRow last = alone;
        alone = null;
        return last != null && show(last, aloneKey);
      }
      byte[] key = WireCodec.bytes(cursor.key());
      if (found(key)) {
        return true;
      }
    }
  }

  /// Takes the row at which the cursor stands. True when one is to be shown.
  private boolean found(byte[] key) {
    TableKeys.Parts parts = reader.keys().read(ByteBuffer.wrap(key));
    byte[] of = Arrays.copyOf(key, parts.prefix());
    TableRow before = alone;
    boolean another = !Arrays.equals(of, partition);
    alone = null;
    if (another) {
      partition = of;
      count = 0;
    }
    if (!another && count >= filter.rowsOfPartition()) {
      return false; // an index still has rows of the partition
    }
    if (parts.clustering() == null) {
      alone = reader.row(cursor, null);
      byte[] beforeKey = aloneKey;
      aloneKey = key;
      return before != null && show(before, beforeKey);
    }
    TableRow row = reader.row(cursor, reader.header(of));
    if (before != null && another) {
      held = row;
      heldKey = key;
      return show(before, aloneKey);
    }
    return show(row, key);
  }

  private boolean show(TableRow row, byte[] key) {
    if (!filter.test(row)) {
      return false;
    }
    current = row;
    currentKey = key;
    // Without clustering it is the only row of its partition, which may be the one before.
    if (row.key().clustering() != null) {
      count++;
      if (count >= filter.rowsOfPartition()) {
        skipPartition();
      }
    }
    return true;
  }

  /// Continues with the next partition.
  private void skipPartition() {
    if (reader.isByIndex()) {
      return; // its position is not given up: rows are passed over one by one
    }
    cursor.close();
    cursor = scan(TableKeys.behind(partition));
  }

  @Override
  public Row row() {
    return Objects.requireNonNull(current);
  }

  @Override
  public ByteBuffer position() {
    return Position.write(currentKey, count);
  }

  @Override
  public void close() {
    cursor.close();
    filter.end(view);
    view.close();
  }
}
