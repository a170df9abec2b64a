package io.widerow.cql.table;

import io.widerow.cql.key.TableKeys;
import io.widerow.cql.schema.Column;
import io.widerow.cql.schema.Column.Kind;
import io.widerow.cql.schema.CqlKeyspace;
import io.widerow.cql.schema.Schema;
import io.widerow.cql.schema.Table;
import io.widerow.cql.store.TableCursor;
import io.widerow.cql.store.TableView;
import io.widerow.cql.type.CqlType;
import io.widerow.cql.type.NativeType;
import io.widerow.cql.type.WireCodec;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Checks that the rows of tables can be read by their schema: each key and each cell, including
/// expired cells. It does not repair them: `DELETE` of the partition does.
///
/// - Threads: one.
public final class RowCheck {
  /// The number of findings that are kept; further ones are counted.
  private static final int KEPT = 100;

  private static final int LIST_PATH_BYTES = 2 * Long.BYTES;

  private final List<String> found = new ArrayList<>();
  private long rows;
  private long bad;

  /// One cell as it is stored. Never compared.
  @SuppressWarnings("ArrayRecordComponent")
  private record Cell(int column, byte @Nullable [] path, byte[] value) {}

  /// Reads all tables and views of a schema.
  public void check(Schema schema, TableView view) {
    for (CqlKeyspace keyspace : schema.keyspaces()) {
      for (Table table : keyspace.tables()) {
        check(table, view);
      }
    }
  }

  private void check(Table table, TableView view) {
    TableKeys keys = TableKeys.of(table);
    Map<Integer, Column> columns = new HashMap<>();
    table.columns().forEach(column -> columns.put(column.number(), column));
    byte[] from = keys.fromToken(Long.MIN_VALUE);
    try (TableCursor cursor = view.scan(from, keys.end(), false, Long.MIN_VALUE)) {
      while (cursor.next()) {
        byte[] key = WireCodec.bytes(cursor.key());
        List<Cell> cells = new ArrayList<>();
        while (cursor.nextCell()) {
          ByteBuffer path = cursor.path();
          byte[] element = path == null ? null : WireCodec.bytes(path);
          cells.add(new Cell(cursor.column(), element, WireCodec.bytes(cursor.value())));
        }
        rows++;
        String wrong = wrong(table, keys, key, columns, cells);
        if (wrong != null) {
          bad++;
          if (found.size() < KEPT) {
            found.add(
                "%s: row with the key %s: %s"
                    .formatted(table.qualified(), HexFormat.of().formatHex(key), wrong));
          }
        }
      }
    }
  }

  /// The unreadable part of a row; null when all of it can be read.
  private static @Nullable String wrong(
      Table table, TableKeys keys, byte[] key, Map<Integer, Column> columns, List<Cell> cells) {
    TableKeys.Parts parts;
    try {
      parts = keys.read(ByteBuffer.wrap(key));
      if (!Arrays.equals(key, written(keys, parts))) {
        return "the key is not the one that its values have";
      }
    } catch (RuntimeException unreadable) {
      return "the key cannot be read: " + unreadable;
    }
    Kind kind = parts.clustering() == null ? Kind.STATIC : Kind.REGULAR;
    for (Cell cell : cells) {
      Column column = columns.get(cell.column);
      if (column == null) {
        continue; // it was dropped
      }
      try {
        String wrong =
            column.kind() == kind
                ? wrong(column.type(), cell, table.view() != null)
                : "a cell in a row of another kind";
        if (wrong != null) {
          return "column %s: %s".formatted(column.name(), wrong);
        }
      } catch (RuntimeException unreadable) {
        return "column %s cannot be read: %s".formatted(column.name(), unreadable);
      }
    }
    return null;
  }

  private static byte[] written(TableKeys keys, TableKeys.Parts parts) {
    byte[] partition = keys.partition(parts.partition());
    List<Object> clustering = parts.clustering();
    return clustering == null ? TableKeys.header(partition) : keys.row(partition, clustering);
  }

  private static @Nullable String wrong(CqlType type, Cell cell, boolean ofView) {
    ByteBuffer value = ByteBuffer.wrap(cell.value);
    if (ofView) {
      long _ = ViewCells.timestamp(value);
    }
    byte[] path = cell.path;
    if (!type.isMultiCell()) {
      return path != null ? "a path in a column of one value" : decoded(type, value);
    }
    if (path == null) {
      return "no path in a column of many cells";
    }
    ByteBuffer element = ByteBuffer.wrap(path);
    return switch (type) {
      case CqlType.ListOf(CqlType of, _) ->
          path.length == LIST_PATH_BYTES ? decoded(of, value) : "a list position of another length";
      case CqlType.SetOf(CqlType of, _) ->
          value.hasRemaining() ? "an element with a value" : decoded(of, element);
      case CqlType.MapOf(CqlType of, CqlType to, _) -> {
        String wrong = decoded(of, element);
        yield wrong == null ? decoded(to, value) : wrong;
      }
      case CqlType.UserType user -> {
        int field = path.length == Short.BYTES ? element.getShort() : -1;
        yield field >= 0 && field < user.fields().size()
            ? decoded(user.fields().get(field).type(), value)
            : "a field that %s has not".formatted(user.name());
      }
      case NativeType _, CqlType.TupleOf _, CqlType.VectorOf _ -> "many cells of one value";
    };
  }

  private static @Nullable String decoded(CqlType type, ByteBuffer bytes) {
    return WireCodec.decode(type, bytes) == null ? "%s without bytes".formatted(type.cql()) : null;
  }

  /// The findings, a sentence a row; at most 100.
  public List<String> found() {
    return List.copyOf(found);
  }

  /// Rows that cannot be read.
  public long bad() {
    return bad;
  }

  /// Rows that were read.
  public long rows() {
    return rows;
  }
}
