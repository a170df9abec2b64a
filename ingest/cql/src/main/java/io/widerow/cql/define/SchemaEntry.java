package io.widerow.cql.define;

import io.widerow.cql.CqlException;
import io.widerow.cql.schema.CqlKeyspace;
import io.widerow.cql.schema.CreateText;
import io.widerow.cql.schema.Row;
import io.widerow.cql.schema.SecondaryIndex;
import io.widerow.cql.schema.Table;
import io.widerow.cql.schema.UnreadableStatement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/// One row of the stored schema: the statement that makes a keyspace, a type, a table, a view or an
/// index.
///
/// @param kind of the object that it creates
/// @param name empty for a keyspace
/// @param number of a table, a view or an index in all keys
/// @param id of a table or a view that clients see
/// @param columns of a table or a view, and their numbers
/// @param next the number of the next column
/// @param dropped columns that a table had, each as text
/// @param fault why its cells cannot be read; null when they can
record SchemaEntry(
    String keyspace,
    String kind,
    String name,
    @Nullable String definition,
    @Nullable Integer number,
    @Nullable UUID id,
    @Nullable Map<String, Integer> columns,
    @Nullable Integer next,
    @Nullable Map<String, String> dropped,
    @Nullable String fault) {
  static final String INDEX = "index";
  static final String KEYSPACE = "keyspace";
  static final String TABLE = "table";
  static final String TYPE = "type";

  /// An entry without numbers.
  SchemaEntry(String keyspace, String kind, String name, String definition) {
    this(keyspace, kind, name, definition, null, null, null, null, null, null);
  }

  /// The entry of a row, also when only its key can be read.
  static SchemaEntry of(Row row) {
    String keyspace = (String) Objects.requireNonNull(row.value(0));
    String kind = (String) Objects.requireNonNull(row.value(1));
    String name = (String) Objects.requireNonNull(row.value(2));
    try {
      return new SchemaEntry(
          keyspace,
          kind,
          name,
          (String) row.value(3),
          (Integer) row.value(4),
          (UUID) row.value(5),
          columns((Map<?, ?>) row.value(6)),
          (Integer) row.value(7),
          dropped((Map<?, ?>) row.value(8)),
          null);
    } catch (CqlException unreadable) {
      return new SchemaEntry(
          keyspace, kind, name, null, null, null, null, null, null, unreadable.sentence());
    }
  }

  private static @Nullable Map<String, Integer> columns(@Nullable Map<?, ?> stored) {
    if (stored == null) {
      return null;
    }
    Map<String, Integer> columns = new TreeMap<>();
    stored.forEach((name, number) -> columns.put((String) name, (Integer) number));
    return columns;
  }

  private static @Nullable Map<String, String> dropped(@Nullable Map<?, ?> stored) {
    if (stored == null) {
      return null;
    }
    Map<String, String> dropped = new TreeMap<>();
    stored.forEach((name, column) -> dropped.put((String) name, (String) column));
    return dropped;
  }

  /// All entries of a keyspace as it is.
  static List<SchemaEntry> of(CqlKeyspace keyspace) {
    String in = keyspace.name();
    List<SchemaEntry> entries = new ArrayList<>();
    entries.add(new SchemaEntry(in, KEYSPACE, "", CreateText.of(keyspace)));
    keyspace
        .types()
        .forEach(type -> entries.add(new SchemaEntry(in, TYPE, type.name(), CreateText.of(type))));
    for (Table table : keyspace.tables()) {
      entries.add(of(table));
      table.indexes().forEach(index -> entries.add(of(table, index)));
    }
    return entries;
  }

  private static SchemaEntry of(Table table) {
    Table.Stored stored = Objects.requireNonNull(table.stored());
    Map<String, Integer> columns = new TreeMap<>();
    table.columns().forEach(column -> columns.put(column.name(), column.number()));
    Map<String, String> dropped = new TreeMap<>();
    stored.dropped().forEach(column -> dropped.put(column.name(), column.stored()));
    return new SchemaEntry(
        table.keyspace(),
        TABLE,
        table.name(),
        CreateText.of(table),
        stored.number(),
        stored.id(),
        columns,
        stored.nextColumn(),
        dropped,
        null);
  }

  private static SchemaEntry of(Table table, SecondaryIndex index) {
    return new SchemaEntry(
        table.keyspace(),
        INDEX,
        index.name(),
        CreateText.of(table, index),
        index.number(),
        null,
        null,
        null,
        null,
        null);
  }

  /// The same with another statement. That of a table needs its other cells, too.
  SchemaEntry withDefinition(String text) {
    String left = kind.equals(TABLE) ? fault : null;
    return new SchemaEntry(keyspace, kind, name, text, number, id, columns, next, dropped, left);
  }

  /// The same with another number.
  SchemaEntry withNumber(int other) {
    return new SchemaEntry(
        keyspace, kind, name, definition, other, id, columns, next, dropped, fault);
  }

  boolean makes(String inKeyspace, String ofKind, String ofName) {
    return keyspace.equals(inKeyspace) && kind.equals(ofKind) && name.equals(ofName);
  }

  boolean makes(UnreadableStatement statement) {
    return makes(statement.keyspace(), statement.kind(), statement.name());
  }

  UnreadableStatement unreadable(String error) {
    return new UnreadableStatement(
        keyspace, kind, name, definition == null ? "" : definition, error);
  }
}
