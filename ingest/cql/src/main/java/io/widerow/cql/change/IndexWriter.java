package io.widerow.cql.change;

import io.widerow.cql.CqlException;
import io.widerow.cql.change.StoredRow.Cell;
import io.widerow.cql.key.IndexKeys;
import io.widerow.cql.key.TableKeys;
import io.widerow.cql.schema.Column;
import io.widerow.cql.schema.Column.Kind;
import io.widerow.cql.schema.SecondaryIndex;
import io.widerow.cql.schema.Table;
import io.widerow.cql.store.Mutations;
import io.widerow.cql.type.CqlType;
import io.widerow.cql.type.WireCodec;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// Writes to an index what a change of a row of its table means.
///
/// A row has an entry for each indexed value. The entry is live as long as the value is in the row:
/// the time of its expiry is that of the cell. It has the time of its write, so the last write
/// counts, whatever the times of the cells of the table are.
///
/// - Threads: any; immutable.
public final class IndexWriter implements RowDerivation {
  private static final int VALUE_BYTES_MAX = 0xffff;

  private final Table table;
  private final SecondaryIndex index;
  private final Column column;
  private final TableKeys baseKeys;
  private final IndexKeys keys;

  public IndexWriter(Table table, SecondaryIndex index) {
    this.table = table;
    this.index = index;
    this.column = table.columns().get(table.find(index.column()));
    this.baseKeys = TableKeys.of(table);
    this.keys = IndexKeys.of(table, index);
  }

  /// Static columns lie in headers; and a partition that has nothing but them has a key, too. The
  /// table that has the index.
  Table table() {
    return table;
  }

  @Override
  public boolean takesHeaders() {
    return column.kind() == Kind.STATIC || column.kind() == Kind.PARTITION_KEY;
  }

  @Override
  public void write(
      @Nullable StoredRow before, @Nullable StoredRow after, Mutations out, long time) {
    SortedMap<byte[], Entry> was = entries(before);
    SortedMap<byte[], Entry> is = entries(after);
    was.forEach((key, _) -> {
      if (!is.containsKey(key)) {
        var _ = out.row(key, IndexKeys.partitionBytes(key)).deleteRow(time);
      }
    });
    is.forEach((key, entry) -> {
      Entry old = was.get(key);
      if (old == null) {
        requireShort(key, entry);
      }
      if (old == null || old.expiry != entry.expiry) {
        put(key, entry, out, time);
      }
    });
  }

  /// The keys of all entries of a row, and when each expires.
  SortedMap<byte[], Long> expiries(StoredRow row) {
    SortedMap<byte[], Long> expiries = new TreeMap<>(Arrays::compareUnsigned);
    entries(row).forEach((key, entry) -> expiries.put(key, entry.expiry));
    return expiries;
  }

  /// Writes the entries of a row that was there before the index. A long value does not keep the
  /// index from being built.
  void fill(StoredRow row, Mutations out, long time) {
    entries(row).forEach((key, entry) -> put(key, entry, out, time));
  }

  private static void put(byte[] key, Entry entry, Mutations out, long time) {
    int ttl = entry.expiry == Long.MAX_VALUE ? 0 : 1;
    var _ = out.row(key, IndexKeys.partitionBytes(key)).live(time, ttl, entry.expiry);
  }

  /// An entry.
  ///
  /// @param expiry Unix time in seconds; the greatest number for one that stays
  /// @param valueBytes of the indexed value
  private record Entry(long expiry, int valueBytes) {
    /// Of one value that a row has twice, as a list may.
    Entry or(Entry other) {
      return new Entry(Math.max(expiry, other.expiry), valueBytes);
    }
  }

  private SortedMap<byte[], Entry> entries(@Nullable StoredRow row) {
    SortedMap<byte[], Entry> entries = new TreeMap<>(Arrays::compareUnsigned);
    if (row == null) {
      return entries;
    }
    if (column.isKey()) {
      Object value = baseKeys.read(ByteBuffer.wrap(row.key())).value(column);
      if (value != null && row.expiry() != StoredRow.NEVER_LIVE) {
        entries.put(keys.entry(List.of(value), row.key()), new Entry(row.expiry(), 0));
      }
      return entries;
    }
    for (Cell cell : row.cells()) {
      if (cell.column == column.number()) {
        entries.merge(
            keys.entry(values(cell), row.key()), new Entry(cell.expiry, bytes(cell)), Entry::or);
      }
    }
    return entries;
  }

  /// The indexed values of a cell.
  private List<Object> values(Cell cell) {
    List<CqlType> parts = column.type().parts();
    byte[] path = cell.path;
    boolean ofPath = column.type() instanceof CqlType.SetOf;
    return switch (index.target()) {
      case SIMPLE, FULL -> List.of(decode(column.type(), cell.value));
      case KEYS -> List.of(decode(parts.getFirst(), Objects.requireNonNull(path)));
      case ENTRIES ->
          List.of(
              decode(parts.getFirst(), Objects.requireNonNull(path)),
              decode(parts.getLast(), cell.value));
      case VALUES ->
          List.of(decode(parts.getLast(), ofPath ? Objects.requireNonNull(path) : cell.value));
    };
  }

  /// The bytes of the longest indexed part of a cell.
  private int bytes(Cell cell) {
    int ofPath = cell.path == null ? 0 : cell.path.length;
    return switch (index.target()) {
      case SIMPLE, FULL -> cell.value.length;
      case KEYS -> ofPath;
      case ENTRIES -> Math.max(ofPath, cell.value.length);
      case VALUES -> column.type() instanceof CqlType.SetOf ? ofPath : cell.value.length;
    };
  }

  private static Object decode(CqlType type, byte[] bytes) {
    return Objects.requireNonNull(WireCodec.decode(type, ByteBuffer.wrap(bytes)));
  }

  private void requireShort(byte[] key, Entry entry) {
    if (entry.valueBytes > VALUE_BYTES_MAX) {
      throw CqlException.invalid(
          "Cannot index value of size %d for index %s on %s(%s) (maximum allowed size=%d)"
              .formatted(
                  entry.valueBytes,
                  index.name(),
                  table.qualified(),
                  column.name(),
                  VALUE_BYTES_MAX));
    }
    if (key.length > Mutations.MAX_KEY) {
      throw CqlException.invalid(
          "index %s: a value and the key of its row have %d bytes; at most %d are allowed"
              .formatted(index.name(), key.length, Mutations.MAX_KEY));
    }
  }
}
