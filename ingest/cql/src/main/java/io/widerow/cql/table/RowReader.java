package io.widerow.cql.table;

import io.widerow.cql.key.TableKeys;
import io.widerow.cql.schema.Column.Kind;
import io.widerow.cql.schema.Table;
import io.widerow.cql.store.TableCursor;
import io.widerow.cql.store.TableView;
import io.widerow.cql.type.WireCodec;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Reads rows of one table out of a view, each with the static columns of its partition.
///
/// - Threads: one.
public final class RowReader {
  private final Table table;
  private final TableKeys keys;
  private final TableView view;
  private final long nowSeconds;
  private final Map<Integer, Integer> indexes = new HashMap<>(); // of columns, by their numbers
  private byte[] partition = new byte[0]; // whose header was read last
  private @Nullable TableRow header; // with its static columns; null when it has none
  private IndexChoice.@Nullable Part part; // by which rows are found; null for all of a range
  private Runnable check = () -> {};

  public RowReader(Table table, TableView view, long nowSeconds) {
    this.table = table;
    this.keys = TableKeys.of(table);
    this.view = view;
    this.nowSeconds = nowSeconds;
    for (int i = 0; i < table.columns().size(); i++) {
      if (!table.columns().get(i).isKey()) {
        indexes.put(table.columns().get(i).number(), i);
      }
    }
  }

  public TableKeys keys() {
    return keys;
  }

  /// Reads the rows of ranges by an index from now on.
  ///
  /// @param whileReading ends the reading of a query that was cancelled, by throwing
  void readBy(IndexChoice.Part index, Runnable whileReading) {
    part = index;
    check = whileReading;
  }

  /// True when the rows of ranges are read by an index.
  boolean isByIndex() {
    return part != null;
  }

  /// The rows of a range that may be wanted, with their headers: all of them, or the ones that an
  /// index has.
  ///
  /// @param begun the partition that was shown in part before the range; null for none
  TableCursor rows(byte[] from, byte[] until, boolean descending, byte @Nullable [] begun) {
    IndexChoice.Part index = part;
    return index == null
        ? scan(from, until, descending)
        : VisibleCells.of(
            table,
            new IndexedRows(
                view, index, new KeySpans.Span(from, until), descending, nowSeconds, begun, check));
  }

  private TableCursor scan(byte[] from, byte[] until, boolean descending) {
    TableCursor rows = VisibleCells.of(table, view.scan(from, until, descending, nowSeconds));
    return table.view() == null ? rows : new ViewRows(rows);
  }

  /// The static columns of a partition; null when it has none that are live.
  public @Nullable TableRow header(byte[] wanted) {
    if (!table.hasStatics()) {
      return null;
    }
    if (!Arrays.equals(partition, wanted)) {
      byte[] key = TableKeys.header(wanted);
      partition = wanted;
      header = null;
      try (TableCursor cursor = scan(key, TableKeys.next(key), false)) {
        if (cursor.next()) {
          header = row(cursor, null);
        }
      }
    }
    return header;
  }

  /// The row of a key; null when nothing of it is live. Static columns do not make a row.
  public @Nullable TableRow find(byte[] wantedPartition, byte[] key) {
    TableRow statics = header(wantedPartition);
    try (TableCursor cursor = scan(key, TableKeys.next(key), false)) {
      return cursor.next() ? row(cursor, statics) : null;
    }
  }

  /// The key of the first row of a partition that is live, with the static columns; null when there
  /// is no row.
  public @Nullable TableRow first(byte[] wantedPartition) {
    TableRow statics = header(wantedPartition);
    byte[] from = TableKeys.next(TableKeys.header(wantedPartition));
    try (TableCursor cursor = scan(from, TableKeys.behind(wantedPartition), false)) {
      return cursor.next() ? row(keys.read(cursor.key()), statics) : null;
    }
  }

  /// The row at which a cursor stands.
  ///
  /// @param statics of its partition; null for none
  TableRow row(TableCursor cursor, @Nullable TableRow statics) {
    @SuppressWarnings({"unchecked", "rawtypes"})
    @Nullable List<TableRow.Cell>[] cells = new List[table.columns().size()];
    TableKeys.Parts parts = keys.read(cursor.key());
    while (cursor.nextCell()) {
      Integer index = indexes.get(cursor.column());
      if (index != null) { // else of a column that was dropped
        List<TableRow.Cell> found = cells[index];
        if (found == null) {
          found = new ArrayList<>(1);
          cells[index] = found;
        }
        found.add(cell(cursor));
      }
    }
    return row(parts, cells, statics);
  }

  private TableRow row(TableKeys.Parts parts, @Nullable TableRow statics) {
    @SuppressWarnings({"unchecked", "rawtypes"})
    @Nullable List<TableRow.Cell>[] cells = new List[table.columns().size()];
    return row(parts, cells, statics);
  }

  private TableRow row(
      TableKeys.Parts parts, @Nullable List<TableRow.Cell>[] cells, @Nullable TableRow statics) {
    if (statics != null) {
      for (int i = 0; i < cells.length; i++) {
        if (table.columns().get(i).kind() == Kind.STATIC) {
          cells[i] = statics.cells(i);
        }
      }
    }
    return new TableRow(table, parts, cells);
  }

  private TableRow.Cell cell(TableCursor cursor) {
    ByteBuffer path = cursor.path();
    int ttl = cursor.ttl();
    long left = ttl == 0 ? 0 : cursor.expiry() - nowSeconds;
    ByteBuffer value = cursor.value();
    long timestamp = table.view() == null ? cursor.timestamp() : ViewCells.timestamp(value);
    return new TableRow.Cell(
        path == null ? null : WireCodec.bytes(path),
        WireCodec.bytes(value),
        timestamp,
        ttl,
        Math.clamp(left, 0, Integer.MAX_VALUE));
  }
}
