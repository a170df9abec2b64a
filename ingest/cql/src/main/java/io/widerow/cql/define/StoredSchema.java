package io.widerow.cql.define;

import io.widerow.cql.CqlException;
import io.widerow.cql.CqlException.Code;
import io.widerow.cql.key.TableKeys;
import io.widerow.cql.schema.Column;
import io.widerow.cql.schema.Column.Kind;
import io.widerow.cql.schema.CqlKeyspace;
import io.widerow.cql.schema.KeyLimits;
import io.widerow.cql.schema.RequestPrincipal;
import io.widerow.cql.schema.Row;
import io.widerow.cql.schema.RowCursor;
import io.widerow.cql.schema.RowScan;
import io.widerow.cql.schema.Schema;
import io.widerow.cql.schema.Table;
import io.widerow.cql.schema.TableOptions;
import io.widerow.cql.schema.UnreadableStatement;
import io.widerow.cql.schema.Written;
import io.widerow.cql.store.Mutations;
import io.widerow.cql.store.TableCursor;
import io.widerow.cql.store.TableStore;
import io.widerow.cql.store.TableView;
import io.widerow.cql.table.RowReader;
import io.widerow.cql.table.TableRow;
import io.widerow.cql.table.TableSource;
import io.widerow.cql.type.CqlType;
import io.widerow.cql.type.NativeType;
import io.widerow.cql.type.WireCodec;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/// The schema as rows of table number 0: for each keyspace, type, table, index and materialized
/// view the statement that makes it, and for a table, an index or a view its numbers.
///
/// ```
///   keyspace | kind | name  ->  definition, number, id, columns (name -> number), next, dropped
///   -        | tables |      ->  next: the number of the next table, columns: DroppedNumbers
///   -        | views |       ->  next: its own time is later than all times in views and indexes
///   -        | build | number ->  position: the key from which the build of an index continues
/// ```
///
/// A view is a row of the kind of tables: a program that knows no views cannot read it, and so
/// changes no table without its views. A statement that cannot be read makes its keyspace unusable,
/// and no other one.
final class StoredSchema {
  private static final String NUMBERS = "tables";
  private static final String VIEW_TIME = "views";
  private static final String BUILD = "build";
  private static final String NOWHERE = "-";
  private static final CqlType DROPPED = new CqlType.MapOf(NativeType.TEXT, NativeType.TEXT, true);
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
              new Column("next", NativeType.INT, Kind.REGULAR, -1, false, 8),
              new Column("dropped", DROPPED, Kind.REGULAR, -1, false, 9),
              new Column("position", NativeType.BLOB, Kind.REGULAR, -1, false, 10)),
          TableOptions.NONE,
          new Table.Stored(0, new UUID(0, 0), 11));
  private static final int POSITION = ROWS.find("position");
  private static final TableKeys KEYS = TableKeys.of(ROWS);
  private static final RequestPrincipal NOBODY =
      new RequestPrincipal(
          new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), _ -> {}, _ -> {});

  private StoredSchema() {}

  /// The schema with its numbers and times.
  ///
  /// @param timestamp of the last change, in microseconds
  /// @param viewTime later than all writes to views and indexes, in microseconds
  /// @param builds of indexes that are not built: their numbers and positions
  record Kept(
      Schema schema,
      int nextTable,
      DroppedNumbers dropped,
      long timestamp,
      long viewTime,
      Map<Integer, byte[]> builds) {}

  /// Everything that is stored.
  ///
  /// @param entries of keyspaces, types and tables
  record Stored(
      List<SchemaEntry> entries,
      int nextTable,
      DroppedNumbers dropped,
      long timestamp,
      long viewTime,
      Map<Integer, byte[]> builds) {
    Stored {
      entries = List.copyOf(entries);
    }

    /// The entries of each keyspace.
    Map<String, List<SchemaEntry>> byKeyspace() {
      Map<String, List<SchemaEntry>> all = new TreeMap<>();
      entries.forEach(
          entry -> all.computeIfAbsent(entry.keyspace(), _ -> new ArrayList<>()).add(entry));
      return all;
    }
  }

  static Stored stored(TableStore store) {
    List<SchemaEntry> entries = new ArrayList<>();
    long timestamp = 0;
    long viewTime = 0;
    int nextTable = 1;
    boolean numbered = false;
    DroppedNumbers dropped = DroppedNumbers.NONE;
    Map<Integer, byte[]> builds = new HashMap<>();
    RowScan all = new RowScan(List.of(), KeyLimits.NONE, List.of(), false, null);
    try (RowCursor rows = new TableSource(ROWS, store, InstantSource.system()).open(all, NOBODY)) {
      while (rows.next()) {
        SchemaEntry entry = SchemaEntry.of(rows.row());
        long written = written(rows.row());
        if (entry.kind().equals(VIEW_TIME)) {
          viewTime = written;
          continue;
        }
        timestamp = Math.max(timestamp, written);
        if (entry.kind().equals(BUILD)) {
          builds.put(Integer.valueOf(entry.name()), position(rows.row()));
        } else if (entry.kind().equals(NUMBERS)) {
          if (entry.next() == null) {
            throw CqlException.invalid("the number of the next table is not stored");
          }
          numbered = true;
          nextTable = Math.max(nextTable, entry.next());
          dropped = entry.columns() == null ? dropped : DroppedNumbers.of(entry.columns());
        } else {
          Integer number = entry.number();
          nextTable = number == null ? nextTable : Math.max(nextTable, number + 1);
          entries.add(entry);
        }
      }
    }
    if (!numbered) { // none was made, or a repair has lost the row: rows of tables are there yet
      nextTable = Math.max(nextTable, greatestNumber(store) + 1);
    }
    return new Stored(entries, nextTable, dropped, timestamp, viewTime, builds);
  }

  /// The greatest number of a table that has rows; 0 for none.
  private static int greatestNumber(TableStore store) {
    byte[] from = ByteBuffer.allocate(Integer.BYTES).putInt(1).array();
    byte[] until = ByteBuffer.allocate(Integer.BYTES).putInt(Integer.MAX_VALUE).array(); // requests
    try (TableView view = store.view();
        TableCursor rows = view.scan(from, until, true, 0)) {
      return rows.next() ? rows.key().getInt() : 0;
    }
  }

  /// @throws RuntimeException when no statement can be read, as of damaged data
  static Kept read(TableStore store) {
    Stored stored = stored(store);
    List<CqlKeyspace> keyspaces = new ArrayList<>();
    List<UnreadableStatement> unreadable = new ArrayList<>();
    stored
        .byKeyspace()
        .forEach((name, entries) -> {
          KeyspaceReader reader = new KeyspaceReader(name, entries);
          CqlKeyspace keyspace = reader.read();
          if (keyspace != null) {
            keyspaces.add(keyspace);
          }
          unreadable.addAll(reader.unreadable());
        });
    return new Kept(
        new Schema(keyspaces, unreadable),
        stored.nextTable,
        stored.dropped,
        stored.timestamp,
        stored.viewTime,
        stored.builds);
  }

  /// The same; a schema without keyspaces, in which none can be made, when no statement can be
  /// read.
  static Kept readable(TableStore store) {
    try {
      return read(store);
    } catch (RuntimeException damaged) { // events are served all the same
      String why = String.valueOf(damaged.getMessage());
      UnreadableStatement all = new UnreadableStatement("", "", "", "", why);
      return new Kept(new Schema(List.of(), List.of(all)), 1, DroppedNumbers.NONE, 0, 0, Map.of());
    }
  }

  /// Reads a keyspace before it is stored, as the next start does.
  ///
  /// @throws CqlException when that gives another keyspace
  static void requireReadable(CqlKeyspace keyspace) {
    KeyspaceReader reader = new KeyspaceReader(keyspace.name(), SchemaEntry.of(keyspace));
    CqlKeyspace found = reader.read();
    if (!keyspace.equals(found)) {
      String why =
          reader.unreadable().isEmpty()
              ? "keyspace %s would be another one".formatted(keyspace.name())
              : reader.unreadable().getFirst().sentence();
      throw new CqlException(Code.SERVER, "nothing was changed, for after a restart " + why);
    }
  }

  /// Writes a keyspace as it is now.
  ///
  /// @param keyspace null when it was dropped
  static void write(
      String name,
      @Nullable CqlKeyspace keyspace,
      int nextTable,
      DroppedNumbers dropped,
      Mutations out,
      long timestamp) {
    byte[] partition = KEYS.partition(List.of(name));
    var _ = out.row(TableKeys.header(partition), partition.length).deletePartition(timestamp - 1);
    if (keyspace != null) {
      SchemaEntry.of(keyspace).forEach(entry -> write(entry, out, timestamp));
    }
    writeNumbers(nextTable, dropped, out, timestamp);
  }

  /// Writes an entry.
  static void write(SchemaEntry entry, Mutations out, long timestamp) {
    row(entry.keyspace(), entry.kind(), entry.name(), out, timestamp);
    cell("definition", entry.definition(), out, timestamp);
    cell("number", entry.number(), out, timestamp);
    cell("id", entry.id(), out, timestamp);
    Map<String, Integer> columns = entry.columns();
    if (columns != null) {
      List<Object> names = List.copyOf(columns.keySet());
      List<Object> numbers = List.copyOf(columns.values());
      cell("columns", WireCodec.sorted(NativeType.TEXT, names, numbers), out, timestamp);
    }
    cell("next", entry.next(), out, timestamp);
    Map<String, String> dropped = entry.dropped();
    if (dropped != null && !dropped.isEmpty()) {
      List<Object> names = List.copyOf(dropped.keySet());
      List<Object> types = List.copyOf(dropped.values());
      cell("dropped", WireCodec.sorted(NativeType.TEXT, names, types), out, timestamp);
    }
  }

  /// Deletes an entry.
  static void delete(SchemaEntry entry, Mutations out, long timestamp) {
    byte[] partition = KEYS.partition(List.of(entry.keyspace()));
    byte[] key = KEYS.row(partition, List.of(entry.kind(), entry.name()));
    var _ = out.row(key, partition.length).deleteRow(timestamp);
  }

  /// Writes the number of the next table, and the numbers of dropped tables.
  static void writeNumbers(int nextTable, DroppedNumbers dropped, Mutations out, long timestamp) {
    row(NOWHERE, NUMBERS, "", out, timestamp);
    cell("next", nextTable, out, timestamp);
    List<Object> first = new ArrayList<>();
    dropped.runs().keySet().forEach(number -> first.add(Integer.toString(number)));
    List<Object> last = new ArrayList<>(dropped.runs().values());
    cell("columns", WireCodec.sorted(NativeType.TEXT, first, last), out, timestamp);
  }

  /// Writes a time that is later than all of what views have.
  static void writeViewTime(Mutations out, long micros) {
    row(NOWHERE, VIEW_TIME, "", out, micros);
    cell("next", 0, out, micros);
  }

  private static byte[] position(Row row) {
    return row.value(POSITION) instanceof ByteBuffer bytes ? WireCodec.bytes(bytes) : new byte[0];
  }

  /// Writes how far an index is built.
  ///
  /// @param position the key from which its build continues; empty for the first one
  static void writeBuild(int number, byte[] position, Mutations out, long timestamp) {
    row(NOWHERE, BUILD, Integer.toString(number), out, timestamp);
    cell("next", 0, out, timestamp);
    cell("position", ByteBuffer.wrap(position), out, timestamp);
  }

  /// Writes that an index is built, or gone.
  static void deleteBuild(int number, Mutations out, long timestamp) {
    byte[] partition = KEYS.partition(List.of(NOWHERE));
    byte[] key = KEYS.row(partition, List.of(BUILD, Integer.toString(number)));
    var _ = out.row(key, partition.length).deleteRow(timestamp);
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

  private static void row(String keyspace, String kind, String name, Mutations out, long time) {
    byte[] partition = KEYS.partition(List.of(keyspace));
    byte[] key = KEYS.row(partition, List.of(kind, name));
    var _ = out.row(key, partition.length).live(time, 0, Long.MAX_VALUE);
  }

  private static void cell(String column, @Nullable Object value, Mutations out, long timestamp) {
    if (value == null) {
      return;
    }
    Column of = ROWS.columns().get(ROWS.find(column));
    ByteBuffer bytes = WireCodec.encode(of.type(), value);
    var _ = out.cell(of.number(), null, WireCodec.bytes(bytes), timestamp, 0, Long.MAX_VALUE);
  }
}
