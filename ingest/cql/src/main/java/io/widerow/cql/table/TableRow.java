package io.widerow.cql.table;

import io.widerow.cql.function.Elements;
import io.widerow.cql.key.TableKeys;
import io.widerow.cql.schema.Column;
import io.widerow.cql.schema.Row;
import io.widerow.cql.schema.Table;
import io.widerow.cql.schema.Written;
import io.widerow.cql.type.CellBuffer;
import io.widerow.cql.type.CqlType;
import io.widerow.cql.type.ValueOrder;
import io.widerow.cql.type.WireCodec;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// A row of a table as it was read, or a partition that has only static columns.
///
/// - Threads: one at a time.
///
/// @param cells of each column of the table; the array belongs to the row from now on
@SuppressWarnings("ArrayRecordComponent") // never compared
public record TableRow(Table table, TableKeys.Parts key, @Nullable List<Cell>[] cells)
    implements Row {
  /// A cell that is live: its path (null for a column that has one value), its value, when it was
  /// written in microseconds, its ttl in seconds (0 for no expiry) and the seconds that are left.
  @SuppressWarnings("ArrayRecordComponent") // never compared
  public record Cell(byte @Nullable [] path, byte[] value, long timestamp, int ttl, int left) {}

  /// True for a partition that has only static columns.
  public boolean isHeader() {
    return key.clustering() == null;
  }

  /// The cells of a column; empty when it has none.
  public List<Cell> cells(int column) {
    List<Cell> found = cells[column];
    return found == null ? List.of() : found;
  }

  @Override
  public @Nullable Object value(int column) {
    Column of = table.columns().get(column);
    return switch (of.kind()) {
      case PARTITION_KEY, CLUSTERING -> key.value(of);
      case STATIC, REGULAR -> value(of.type(), cells(column));
    };
  }

  private static @Nullable Object value(CqlType type, List<Cell> found) {
    if (found.isEmpty()) {
      return null;
    }
    if (!type.isMultiCell()) {
      return decode(type, found.getFirst().value);
    }
    return switch (type) {
      case CqlType.ListOf(CqlType element, _) ->
          found.stream().map(cell -> require(element, cell.value)).toList();
      case CqlType.SetOf(CqlType element, _) ->
          WireCodec.sorted(
              element, found.stream().map(cell -> require(element, path(cell))).toList());
      case CqlType.MapOf(CqlType key, CqlType value, _) ->
          WireCodec.sorted(
              key,
              found.stream().map(cell -> require(key, path(cell))).toList(),
              found.stream().map(cell -> require(value, cell.value)).toList());
      case CqlType.UserType user -> fields(user, found);
      default -> throw new IllegalStateException("one cell: " + type);
    };
  }

  private static byte[] path(Cell cell) {
    return Objects.requireNonNull(cell.path);
  }

  private static Object require(CqlType type, byte[] bytes) {
    return Objects.requireNonNull(decode(type, bytes));
  }

  private static @Nullable Object decode(CqlType type, byte[] bytes) {
    return WireCodec.decode(type, ByteBuffer.wrap(bytes));
  }

  private static int field(Cell cell) {
    return ByteBuffer.wrap(path(cell)).getShort();
  }

  private static Object fields(CqlType.UserType user, List<Cell> found) {
    @Nullable Object[] values = new Object[user.fields().size()];
    for (Cell cell : found) {
      int field = field(cell);
      values[field] = decode(user.fields().get(field).type(), cell.value);
    }
    return Arrays.asList(values);
  }

  @Override
  public @Nullable Object element(int column, Object wanted) {
    return value(column) instanceof Map<?, ?> map ? map.get(wanted) : null;
  }

  @Override
  public void put(int column, CellBuffer out) {
    Column of = table.columns().get(column);
    if (of.isKey() || of.type().isMultiCell()) {
      WireCodec.putCell(of.type(), value(column), out);
      return;
    }
    List<Cell> found = cells(column);
    if (found.isEmpty()) {
      out.putNull();
    } else {
      byte[] value = found.getFirst().value;
      out.putInt(value.length);
      out.put(value);
    }
  }

  @Override
  public List<@Nullable Written> written(int column) {
    List<Cell> found = new ArrayList<>(cells(column));
    CqlType type = table.columns().get(column).type();
    if (found.isEmpty() || !type.isMultiCell()) {
      return found.stream().<@Nullable Written>map(TableRow::written).toList();
    }
    if (type instanceof CqlType.UserType user) {
      @Nullable Written[] fields = new Written[user.fields().size()];
      found.forEach(cell -> fields[field(cell)] = written(cell));
      return Arrays.asList(fields);
    }
    CqlType key = Elements.keyType(type);
    if (key != null) {
      found.sort((one, other) ->
          ValueOrder.compare(key, require(key, path(one)), require(key, path(other))));
    }
    return found.stream().<@Nullable Written>map(TableRow::written).toList();
  }

  private static Written written(Cell cell) {
    return new Written(cell.timestamp, cell.ttl == 0 ? null : cell.left);
  }

  @Override
  public String toString() {
    List<@Nullable Object> values = new ArrayList<>();
    for (int i = 0; i < cells.length; i++) {
      values.add(value(i));
    }
    return values.toString();
  }
}
