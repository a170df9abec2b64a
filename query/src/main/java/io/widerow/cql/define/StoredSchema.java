package io.widerow.cql.define;

import io.widerow.cql.key.TableKeys;
import io.widerow.cql.parse.Definition;
import io.widerow.cql.parse.Parser;
import io.widerow.cql.schema.Asker;
import io.widerow.cql.schema.Column;
import io.widerow.cql.schema.Column.Kind;
import io.widerow.cql.schema.CreateText;
import io.widerow.cql.schema.KeyLimits;
import io.widerow.cql.schema.Keyspace;
import io.widerow.cql.schema.Row;
import io.widerow.cql.schema.RowCursor;
import io.widerow.cql.schema.RowScan;
import io.widerow.cql.schema.Schema;
import io.widerow.cql.schema.Table;
import io.widerow.cql.schema.TableOptions;
import io.widerow.cql.schema.Written;
import io.widerow.cql.table.RowReader;
import io.widerow.cql.table.TableRow;
import io.widerow.cql.table.TableSource;
import io.widerow.cql.type.CqlType;
import io.widerow.cql.type.NativeType;
import io.widerow.cql.type.Wire;
import io.widerow.table.Mutations;
import io.widerow.table.TableStore;
import io.widerow.table.TableView;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/// The schema as rows of table number 0: for each keyspace, type, table and materialized view the
/// statement that makes it, and for a table or a view its numbers.
///
/// ```
///   keyspace | kind | name  ->  definition, number, id, columns (name -> number), next
///   -        | tables |      ->  next: the number of the next table, columns: DroppedNumbers
///   -        | views |       ->  next: its own time is later than all of what views have
/// ```
///
/// A view is a row of the kind of tables: a program that knows no views cannot read it, and so
/// changes no table without its views.
final class StoredSchema {
  private static final String KEYSPACE = "keyspace";
  private static final String TABLE = "table";
  private static final String TYPE = "type";
  private static final String NUMBERS = "tables";
  private static final String VIEW_TIME = "views";
  private static final String NOWHERE = "-";
  private static final CqlType PLACES = new CqlType.MapOf(NativeType.TEXT, NativeType.INT, true);

  private static final Table ROWS =
      new Table(
          "system",
          "definitions",
          List.of(
              new Column("keyspace", NativeType.TEXT, Kind.PARTITION_KEY, 0, false, 1),
              new Column("kind", NativeType.TEXT, Kind.CLUSTERING, 0, false, 2),
              new Column("name", NativeType.TEXT, Kind.CLUSTERING, 1, false, 3),
              new Column("definition", NativeType.TEXT, Kind.REGULAR, -1, false, 4),
              new Column("number", NativeType.INT, Kind.REGULAR, -1, false, 5),
              new Column("id", NativeType.UUID, Kind.REGULAR, -1, false, 6),
              new Column("columns", PLACES, Kind.REGULAR, -1, false, 7),
              new Column("next", NativeType.INT, Kind.REGULAR, -1, false, 8)),
          TableOptions.NONE,
          new Table.Stored(0, new UUID(0, 0), 9));
  private static final TableKeys KEYS = TableKeys.of(ROWS);
  private static final Asker NOBODY =
      new Asker(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), _ -> {}, _ -> {});

  private StoredSchema() {}

  /// What is kept.
  ///
  /// @param timestamp of the last change, in microseconds
  /// @param viewTime later than what is written to views, in microseconds
  record Kept(
      Schema schema, int nextTable, DroppedNumbers dropped, long timestamp, long viewTime) {}

  /// One row.
  private record Entry(
      String keyspace,
      String kind,
      String name,
      @Nullable String definition,
      @Nullable Integer number,
      @Nullable UUID id,
      @Nullable Map<?, ?> columns,
      @Nullable Integer next) {
    static Entry of(Row row) {
      return new Entry(
          (String) Objects.requireNonNull(row.value(0)),
          (String) Objects.requireNonNull(row.value(1)),
          (String) Objects.requireNonNull(row.value(2)),
          (String) row.value(3),
          (Integer) row.value(4),
          (UUID) row.value(5),
          (Map<?, ?>) row.value(6),
          (Integer) row.value(7));
    }
  }

  static Kept read(TableStore store) {
    List<Entry> entries = new ArrayList<>();
    long timestamp = 0;
    long viewTime = 0;
    RowScan all = new RowScan(List.of(), KeyLimits.NONE, List.of(), false, null);
    try (RowCursor rows = new TableSource(ROWS, store, InstantSource.system()).open(all, NOBODY)) {
      while (rows.next()) {
        Entry entry = Entry.of(rows.row());
        long written = written(rows.row());
        if (entry.kind.equals(VIEW_TIME)) {
          viewTime = written;
        } else {
          timestamp = Math.max(timestamp, written);
          entries.add(entry);
        }
      }
    }
    int nextTable = 1;
    DroppedNumbers dropped = DroppedNumbers.NONE;
    Schema schema = new Schema(List.of());
    for (Entry entry : entries) {
      if (entry.kind.equals(NUMBERS)) {
        nextTable = Objects.requireNonNull(entry.next);
        dropped = entry.columns == null ? dropped : DroppedNumbers.of(entry.columns);
      } else if (entry.kind.equals(KEYSPACE)) {
        schema = schema.with(keyspace(entry, entries));
      }
    }
    return new Kept(schema, nextTable, dropped, timestamp, viewTime);
  }

  private static Definition definition(Entry entry) {
    return (Definition) Parser.parse(Objects.requireNonNull(entry.definition));
  }

  private static Keyspace keyspace(Entry of, List<Entry> entries) {
    SchemaEditor empty = new SchemaEditor(new Schema(List.of()), null, 1);
    SchemaEditor.Edit made = Objects.requireNonNull(empty.apply(definition(of)));
    Schema schema = made.schema();
    List<Entry> types = own(of, TYPE, entries);
    int place = 0;
    while (!types.isEmpty()) { // each after those that it has fields of
      int index = place;
      Entry next =
          types.stream()
              .filter(each -> Objects.equals(each.next, index))
              .findFirst()
              .orElseThrow(() -> new IllegalStateException("types of " + of.keyspace));
      SchemaEditor editor = new SchemaEditor(schema, null, 1);
      schema = Objects.requireNonNull(editor.apply(definition(next))).schema();
      types.remove(next);
      place++;
    }
    Keyspace keyspace = schema.keyspace(of.keyspace);
    List<Entry> tables = own(of, TABLE, entries);
    for (Entry entry : tables) {
      if (definition(entry) instanceof Definition.CreateTable) {
        keyspace = keyspace.with(table(entry, keyspace));
      }
    }
    for (Entry entry : tables) {
      if (definition(entry) instanceof Definition.CreateView create) {
        Table base = Objects.requireNonNull(keyspace.find(create.base().table()));
        keyspace = keyspace.with(ViewRules.kept(create, base, stored(entry)));
      }
    }
    return keyspace;
  }

  private static Table.Stored stored(Entry entry) {
    return new Table.Stored(
        Objects.requireNonNull(entry.number),
        Objects.requireNonNull(entry.id),
        Objects.requireNonNull(entry.next));
  }

  private static List<Entry> own(Entry of, String kind, List<Entry> entries) {
    return new ArrayList<>(
        entries.stream()
            .filter(each -> each.kind.equals(kind) && each.keyspace.equals(of.keyspace))
            .toList());
  }

  private static Table table(Entry entry, Keyspace keyspace) {
    Map<?, ?> places = Objects.requireNonNull(entry.columns);
    SchemaEditor editor = new SchemaEditor(new Schema(List.of(keyspace)), null, 1);
    return TableRules.table(
        (Definition.CreateTable) definition(entry),
        keyspace.name(),
        editor.users(keyspace),
        name -> (Integer) Objects.requireNonNull(places.get(name)),
        stored(entry));
  }

  /// Writes a keyspace as it is now.
  ///
  /// @param keyspace null when it was dropped
  static void write(
      String name,
      @Nullable Keyspace keyspace,
      int nextTable,
      DroppedNumbers dropped,
      Mutations out,
      long timestamp) {
    byte[] partition = KEYS.partition(List.of(name));
    var _ = out.row(TableKeys.header(partition), partition.length).deletePartition(timestamp - 1);
    if (keyspace != null) {
      row(name, KEYSPACE, "", out, timestamp);
      cell("definition", CreateText.of(keyspace), out, timestamp);
      for (int i = 0; i < keyspace.types().size(); i++) {
        CqlType.UserType type = keyspace.types().get(i);
        row(name, TYPE, type.name(), out, timestamp);
        cell("definition", CreateText.of(type), out, timestamp);
        cell("next", i, out, timestamp);
      }
      for (Table table : keyspace.tables()) {
        row(name, TABLE, table.name(), out, timestamp);
        write(table, out, timestamp);
      }
    }
    writeNumbers(nextTable, dropped, out, timestamp);
  }

  /// Writes the number of the next table, and those that no table has any more.
  static void writeNumbers(int nextTable, DroppedNumbers dropped, Mutations out, long timestamp) {
    row(NOWHERE, NUMBERS, "", out, timestamp);
    cell("next", nextTable, out, timestamp);
    List<Object> first = new ArrayList<>();
    dropped.runs().keySet().forEach(number -> first.add(Integer.toString(number)));
    List<Object> last = new ArrayList<>(dropped.runs().values());
    cell("columns", Wire.sorted(NativeType.TEXT, first, last), out, timestamp);
  }

  /// Writes a time that is later than all of what views have.
  static void writeViewTime(Mutations out, long micros) {
    row(NOWHERE, VIEW_TIME, "", out, micros);
    cell("next", 0, out, micros);
  }

  /// The time that was written so before; 0 for none.
  static long viewTime(TableView view) {
    byte[] partition = KEYS.partition(List.of(NOWHERE));
    RowReader rows = new RowReader(ROWS, view, 0);
    TableRow row = rows.find(partition, KEYS.row(partition, List.of(VIEW_TIME, "")));
    return row == null ? 0 : written(row);
  }

  /// When a row was written, in microseconds; 0 for one without a `next`.
  private static long written(Row row) {
    List<@Nullable Written> written = row.written(ROWS.find("next"));
    return written.isEmpty() ? 0 : Objects.requireNonNull(written.getFirst()).micros();
  }

  private static void write(Table table, Mutations out, long timestamp) {
    Table.Stored stored = Objects.requireNonNull(table.stored());
    List<Object> names = new ArrayList<>();
    List<Object> numbers = new ArrayList<>();
    for (Column column : table.columns()) {
      names.add(column.name());
      numbers.add(column.number());
    }
    cell("definition", CreateText.of(table), out, timestamp);
    cell("number", stored.number(), out, timestamp);
    cell("id", stored.id(), out, timestamp);
    cell("columns", Wire.sorted(NativeType.TEXT, names, numbers), out, timestamp);
    cell("next", stored.nextColumn(), out, timestamp);
  }

  private static void row(String keyspace, String kind, String name, Mutations out, long time) {
    byte[] partition = KEYS.partition(List.of(keyspace));
    byte[] key = KEYS.row(partition, List.of(kind, name));
    var _ = out.row(key, partition.length).live(time, 0, Long.MAX_VALUE);
  }

  private static void cell(String column, Object value, Mutations out, long timestamp) {
    Column of = ROWS.columns().get(ROWS.find(column));
    ByteBuffer bytes = Wire.encode(of.type(), value);
    var _ = out.cell(of.number(), null, Wire.bytes(bytes), timestamp, 0, Long.MAX_VALUE);
  }
}
