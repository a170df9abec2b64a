package io.widerow.cql.change;

import io.widerow.cql.CqlException;
import io.widerow.cql.schema.Column;
import io.widerow.cql.schema.Column.Kind;
import io.widerow.cql.schema.Table;
import io.widerow.cql.store.Mutations;
import io.widerow.cql.table.RowReader;
import io.widerow.cql.table.TableRow;
import io.widerow.cql.table.TableRow.Cell;
import io.widerow.cql.type.CqlType;
import io.widerow.cql.type.WireCodec;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// Writes the cells of one group.
///
/// An element of a list has as path the time of its write, turned over for one that comes before
/// all others, and its place in that write, which falls from prepend to prepend: so adding to a
/// list reads nothing, and the last prepend of a group comes first.
///
/// - Threads: one.
final class CellWriter {
  private static final byte[] NOTHING = {};
  private static final int PATH_BYTES = 2 * Long.BYTES;

  private final Mutations out;
  private final long nowSeconds;
  private final long micros; // of the group, later than all before it
  private final Map<Counted, Sum> sums = new HashMap<>();

  /// Lists that several changes of a row write, as they are so far: by number of the column, then
  /// by path.
  private final Map<Integer, NavigableMap<byte[], Cell>> lists = new HashMap<>();

  private long appended; // elements of lists, by the group
  private long prepended;

  /// A counter that the group has counted.
  private record Counted(ByteBuffer key, int column) {}

  /// Its current count, and the time of that write.
  private record Sum(long value, long timestamp) {}

  CellWriter(Mutations out, long nowSeconds, long micros) {
    this.out = out;
    this.nowSeconds = nowSeconds;
    this.micros = micros;
  }

  /// The row that is written, which has been begun.
  @SuppressWarnings("ArrayRecordComponent") // never compared
  record Target(Table table, byte[] partition, byte[] key, long timestamp, int ttl) {}

  long expiry(int ttl) {
    return ttl == 0 ? Long.MAX_VALUE : nowSeconds + ttl;
  }

  /// Writes what one statement changes of a row. What it does to a list sees what it did before.
  void write(List<CellChange> changes, Target target, RowReader before) {
    for (CellChange change : changes) {
      Column column = change.column();
      boolean again =
          column.type() instanceof CqlType.ListOf
              && changes.stream().filter(each -> each.column().equals(column)).count() > 1;
      if (again && !lists.containsKey(column.number())) {
        NavigableMap<byte[], Cell> list = new TreeMap<>(Arrays::compareUnsigned);
        cells(column, target, before)
            .forEach(cell -> list.put(Objects.requireNonNull(cell.path()), cell));
        lists.put(column.number(), list);
      }
      write(change, target, before);
    }
    lists.clear();
  }

  private void write(CellChange change, Target target, RowReader before) {
    switch (change) {
      case CellChange.Put(Column column, Object value) -> put(column, value, target);
      case CellChange.Delete(Column column) -> {
        var _ =
            column.type().isMultiCell()
                ? out.deleteCells(column.number(), target.timestamp)
                : out.deleteCell(column.number(), null, target.timestamp);
      }
      case CellChange.Add(Column column, Object value) -> add(column, value, target);
      case CellChange.Prepend(Column column, List<?> values) -> {
        CqlType element = ((CqlType.ListOf) column.type()).element();
        for (Object value : values.reversed()) {
          cell(column, path(-micros, Long.MAX_VALUE - prepended++), bytes(element, value), target);
        }
      }
      case CellChange.Remove(Column column, Iterable<?> values) ->
          remove(column, values, target, before);
      case CellChange.PutElement(Column column, Object key, Object value) ->
          putElement(column, key, value, target, before);
      case CellChange.PutField(Column column, int field, Object value) -> {
        CqlType type = ((CqlType.UserType) column.type()).fields().get(field).type();
        putOrDelete(column, fieldPath(field), type, value, target);
      }
      case CellChange.Count(Column column, long by) -> count(column, by, target, before);
    }
  }

  private static byte[] bytes(CqlType type, Object value) {
    return WireCodec.bytes(WireCodec.encode(type, value));
  }

  private void cell(Column column, byte @Nullable [] path, byte[] value, Target target) {
    var _ =
        out.cell(column.number(), path, value, target.timestamp, target.ttl, expiry(target.ttl));
    NavigableMap<byte[], Cell> list = lists.get(column.number());
    if (list != null && path != null) {
      list.put(path, new Cell(path, value, target.timestamp, target.ttl, target.ttl));
    }
  }

  private void deleteCell(Column column, byte @Nullable [] path, Target target) {
    var _ = out.deleteCell(column.number(), path, target.timestamp);
    NavigableMap<byte[], Cell> list = lists.get(column.number());
    if (list != null && path != null) {
      list.remove(path);
    }
  }

  private void putOrDelete(
      Column column, byte @Nullable [] path, CqlType type, @Nullable Object value, Target target) {
    if (value == null) {
      deleteCell(column, path, target);
    } else {
      cell(column, path, bytes(type, value), target);
    }
  }

  private void put(Column column, @Nullable Object value, Target target) {
    if (!column.type().isMultiCell()) {
      putOrDelete(column, null, column.type(), value, target);
    } else { // the old cells are deleted one microsecond earlier
      var _ = out.deleteCells(column.number(), target.timestamp - 1);
      if (value != null) {
        add(column, value, target);
      }
    }
  }

  private void add(Column column, Object value, Target target) {
    switch (column.type()) {
      case CqlType.ListOf(CqlType element, _) -> {
        for (Object each : (List<?>) value) {
          cell(column, path(micros, appended++), bytes(element, each), target);
        }
      }
      case CqlType.SetOf(CqlType element, _) -> {
        for (Object each : (Iterable<?>) value) {
          cell(column, bytes(element, each), NOTHING, target);
        }
      }
      case CqlType.MapOf(CqlType key, CqlType of, _) ->
          ((Map<?, ?>) value).forEach((k, v) -> cell(column, bytes(key, k), bytes(of, v), target));
      case CqlType.UserType user -> {
        List<?> fields = (List<?>) value;
        for (int i = 0; i < fields.size(); i++) {
          Object field = fields.get(i);
          if (field != null) {
            cell(column, fieldPath(i), bytes(user.fields().get(i).type(), field), target);
          }
        }
      }
      default -> throw new IllegalStateException("one cell: " + column);
    }
  }

  private static byte[] path(long time, long place) {
    return ByteBuffer.allocate(PATH_BYTES).putLong(time ^ Long.MIN_VALUE).putLong(place).array();
  }

  private static byte[] fieldPath(int field) {
    return ByteBuffer.allocate(Short.BYTES).putShort((short) field).array();
  }

  private List<Cell> cells(Column column, Target target, RowReader before) {
    NavigableMap<byte[], Cell> list = lists.get(column.number());
    if (list != null) {
      return List.copyOf(list.values());
    }
    TableRow row =
        column.kind() == Kind.STATIC
            ? before.header(target.partition)
            : before.find(target.partition, target.key);
    return row == null ? List.of() : row.cells(target.table.find(column.name()));
  }

  private void remove(Column column, Iterable<?> values, Target target, RowReader before) {
    if (column.type() instanceof CqlType.ListOf(CqlType element, _)) {
      List<Cell> cells = cells(column, target, before);
      for (Object value : values) {
        byte[] wanted = bytes(element, value);
        for (Cell cell : cells) {
          if (Arrays.equals(cell.value(), wanted)) {
            deleteCell(column, cell.path(), target);
          }
        }
      }
      return;
    }
    CqlType key = column.type().parts().getFirst();
    for (Object value : values) {
      var _ = out.deleteCell(column.number(), bytes(key, value), target.timestamp);
    }
  }

  private void putElement(
      Column column, Object key, @Nullable Object value, Target target, RowReader before) {
    switch (column.type()) {
      case CqlType.MapOf(CqlType keys, CqlType of, _) ->
          putOrDelete(column, bytes(keys, key), of, value, target);
      case CqlType.ListOf(CqlType element, _) -> {
        List<Cell> cells = cells(column, target, before);
        int index = (Integer) key;
        if (cells.isEmpty()) {
          throw CqlException.invalid(
              "Attempted to %s a list which is null"
                  .formatted(value == null ? "delete an element from" : "set an element on"));
        }
        if (index < 0 || index >= cells.size()) {
          throw CqlException.invalid(
              "List index %d out of bound, list has size %d".formatted(index, cells.size()));
        }
        putOrDelete(
            column, Objects.requireNonNull(cells.get(index).path()), element, value, target);
      }
      case CqlType.SetOf(CqlType element, _) -> {
        if (value != null) {
          throw new IllegalStateException("an element of a set has no value");
        }
        var _ = out.deleteCell(column.number(), bytes(element, key), target.timestamp);
      }
      default -> throw new IllegalStateException("no elements: " + column);
    }
  }

  /// Writes the sum, so that a repeated write counts nothing again.
  private void count(Column column, long by, Target target, RowReader before) {
    Counted counter = new Counted(ByteBuffer.wrap(target.key), column.number());
    Sum sum = sums.get(counter);
    if (sum == null) {
      List<Cell> cells = cells(column, target, before);
      sum =
          cells.isEmpty()
              ? new Sum(0, target.timestamp - 1)
              : new Sum(
                  ByteBuffer.wrap(cells.getFirst().value()).getLong(),
                  cells.getFirst().timestamp());
    }
    Sum now = new Sum(sum.value + by, Math.max(target.timestamp, sum.timestamp + 1));
    sums.put(counter, now);
    byte[] value = ByteBuffer.allocate(Long.BYTES).putLong(now.value).array();
    var _ = out.cell(column.number(), null, value, now.timestamp, 0, Long.MAX_VALUE);
  }
}
