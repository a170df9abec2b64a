package io.widerow.cql.change;

import io.widerow.cql.change.StoredRow.Cell;
import io.widerow.cql.key.TableKeys;
import io.widerow.cql.schema.Column;
import io.widerow.cql.schema.Column.Kind;
import io.widerow.cql.schema.Row;
import io.widerow.cql.schema.Table;
import io.widerow.cql.schema.ViewConditions;
import io.widerow.cql.store.Mutations;
import io.widerow.cql.table.ViewCells;
import io.widerow.cql.type.CellBuffer;
import io.widerow.cql.type.WireCodec;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// Writes to a materialized view what a change of a row of its table means.
///
/// The key of the table is in that of the view, so a row of the view is that of one row of the
/// table. It is live itself as long as the row of the table is in the view, and readers see it only
/// as long; its cells are those of the table, with their expiry.
///
/// - Threads: any; immutable.
public final class ViewWriter implements RowDerivation {
  private static final int PART_BYTES = 1 << 18; // of one record

  private final TableKeys baseKeys;
  private final TableKeys keys;
  private final List<Column> partition; // as columns of the table
  private final List<Column> clustering;
  private final ViewConditions conditions;
  private final List<Column> columns; // of the table
  private final Set<Integer> shown = new HashSet<>(); // columns whose cells it has

  public ViewWriter(Table base, Table view) {
    this.baseKeys = TableKeys.of(base);
    this.keys = TableKeys.of(view);
    this.partition = columns(base, view.of(Kind.PARTITION_KEY));
    this.clustering = columns(base, view.of(Kind.CLUSTERING));
    this.columns = base.columns();
    this.conditions = ViewConditions.of(base, Objects.requireNonNull(view.view()).where());
    view.of(Kind.REGULAR).forEach(column -> shown.add(column.number()));
  }

  /// The columns of the table with the numbers of those of the view.
  private static List<Column> columns(Table base, List<Column> ofView) {
    List<Column> columns = new ArrayList<>();
    for (Column each : ofView) {
      for (Column column : base.columns()) {
        if (column.number() == each.number()) {
          columns.add(column);
        }
      }
    }
    return columns;
  }

  /// The key of a row of the table.
  private record KeyRow(List<Column> columns, TableKeys.Parts parts) implements Row {
    @Override
    public @Nullable Object value(int column) {
      return parts.value(columns.get(column));
    }

    @Override
    public @Nullable Object element(int column, Object key) {
      return value(column) instanceof Map<?, ?> map ? map.get(key) : null;
    }

    @Override
    public void put(int column, CellBuffer out) {
      WireCodec.putCell(columns.get(column).type(), value(column), out);
    }
  }

  /// A row of the view.
  private static final class Entry {
    private final byte[] key;
    private final int partition; // number of bytes of the key
    private final long expiry;
    private final List<Cell> cells;

    Entry(byte[] key, int partition, long expiry, List<Cell> cells) {
      this.key = key;
      this.partition = partition;
      this.expiry = expiry;
      this.cells = cells;
    }
  }

  /// The row of the view that a row of the table has; null for none.
  private @Nullable Entry entry(@Nullable StoredRow row) {
    if (row == null) {
      return null;
    }
    long expiry = row.expiry();
    for (Column column : conditions.required()) {
      expiry = Math.min(expiry, row.expiry(column.number()));
    }
    if (expiry == StoredRow.NEVER_LIVE) {
      return null;
    }
    TableKeys.Parts parts = baseKeys.read(ByteBuffer.wrap(row.key()));
    if (!conditions.test(new KeyRow(columns, parts))) {
      return null;
    }
    List<Object> first = values(partition, parts, row);
    List<Object> rest = values(clustering, parts, row);
    if (first == null || rest == null) {
      return null;
    }
    byte[] prefix = keys.partition(first);
    List<Cell> cells = row.cells().stream().filter(cell -> shown.contains(cell.column)).toList();
    return new Entry(keys.row(prefix, rest), prefix.length, expiry, cells);
  }

  /// Values of columns of a row; null when one of them has none.
  private static @Nullable List<Object> values(
      List<Column> columns, TableKeys.Parts parts, StoredRow row) {
    List<Object> values = new ArrayList<>();
    for (Column column : columns) {
      Object value =
          switch (column.kind()) {
            case PARTITION_KEY, CLUSTERING -> parts.value(column);
            case STATIC, REGULAR ->
                WireCodec.decode(column.type(), ByteBuffer.wrap(row.cell(column.number()).value));
          };
      if (value == null) {
        return null;
      }
      values.add(value);
    }
    return values;
  }

  @Override
  public boolean takesHeaders() {
    return false;
  }

  @Override
  public void write(
      @Nullable StoredRow before, @Nullable StoredRow after, Mutations out, long time) {
    if (isHeader(before) || isHeader(after)) {
      return;
    }
    Entry was = entry(before);
    Entry is = entry(after);
    boolean stays = was != null && is != null && Arrays.equals(was.key, is.key);
    if (was != null && !stays) {
      var _ = out.row(was.key, was.partition).deleteRow(time);
    }
    if (is != null) {
      if (stays) {
        update(Objects.requireNonNull(was), is, out, time);
      } else {
        insert(is, out, time);
      }
    }
  }

  private boolean isHeader(@Nullable StoredRow row) {
    return row != null && baseKeys.read(ByteBuffer.wrap(row.key())).clustering() == null;
  }

  /// Whatever the view has of the row goes a moment before: it may be of a time when the row had
  /// expired.
  private static void insert(Entry row, Mutations out, long time) {
    var _ = out.row(row.key, row.partition).deleteRow(time - 1);
    live(row, out, time);
    cells(row, row.cells, out, time);
  }

  private static void live(Entry row, Mutations out, long time) {
    var _ = out.live(time, row.expiry == Long.MAX_VALUE ? 0 : 1, row.expiry);
  }

  private static void cells(Entry row, List<Cell> cells, Mutations out, long time) {
    int bytes = 0;
    for (Cell cell : cells) {
      if (bytes > PART_BYTES) {
        var _ = out.row(row.key, row.partition);
        bytes = 0;
      }
      byte[] value = ViewCells.value(cell.timestamp, cell.value);
      var _ = out.cell(cell.column, cell.path, value, time, cell.ttl, cell.expiry);
      bytes += cell.bytes();
    }
  }

  private static void update(Entry was, Entry is, Mutations out, long time) {
    List<Cell> gone = new ArrayList<>();
    List<Cell> written = new ArrayList<>();
    int next = 0;
    for (Cell cell : is.cells) {
      while (next < was.cells.size() && was.cells.get(next).compare(cell) < 0) {
        gone.add(was.cells.get(next));
        next++;
      }
      boolean had = next < was.cells.size() && was.cells.get(next).compare(cell) == 0;
      if (!had || !was.cells.get(next).isSame(cell)) {
        written.add(cell);
      }
      next += had ? 1 : 0;
    }
    gone.addAll(was.cells.subList(next, was.cells.size()));
    if (gone.isEmpty() && written.isEmpty() && was.expiry == is.expiry) {
      return;
    }
    var _ = out.row(is.key, is.partition);
    if (was.expiry != is.expiry) {
      live(is, out, time);
    }
    gone.forEach(cell -> out.deleteCell(cell.column, cell.path, time));
    cells(is, written, out, time);
  }
}
