package io.widerow.cql.define;

import io.widerow.cql.CqlException;
import io.widerow.cql.change.TableWriter;
import io.widerow.cql.parse.Definition;
import io.widerow.cql.parse.Parser;
import io.widerow.cql.parse.Statement;
import io.widerow.cql.parse.Statement.TableName;
import io.widerow.cql.schema.UnreadableStatement;
import io.widerow.cql.store.TableStore;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/// Repairs the stored schema of a store that no other process uses: another statement replaces one
/// that cannot be read, or its table is dropped. Nothing else of the schema changes, and no row.
///
/// - Threads: one.
public final class SchemaRepair {
  private final TableStore store;
  private final List<SchemaEntry> entries;
  private final StoredSchema.Stored stored;
  private final List<SchemaEntry> written = new ArrayList<>();
  private final List<SchemaEntry> deleted = new ArrayList<>();
  private final List<String> done = new ArrayList<>();
  private final List<Integer> unused = new ArrayList<>(); // numbers of rows that are not kept
  private int nextTable;

  /// Reads the schema.
  public SchemaRepair(TableStore store) {
    this.store = store;
    this.stored = StoredSchema.stored(store);
    this.entries = new ArrayList<>(stored.entries());
    this.nextTable = stored.nextTable();
  }

  /// The statements of a store that cannot be read.
  public static List<UnreadableStatement> unreadable(TableStore store) {
    return StoredSchema.readable(store).schema().unreadable();
  }

  /// The repairs that were made, a sentence each.
  public List<String> done() {
    return List.copyOf(done);
  }

  /// Replaces a stored statement.
  ///
  /// @param text CREATE KEYSPACE, TYPE, TABLE, INDEX or MATERIALIZED VIEW, with the keyspace in its
  ///   name
  /// @throws CqlException when it is none, or the stored one can be read
  public void replace(String text) {
    SchemaEntry made = made(text);
    UnreadableStatement old = required(made);
    SchemaEntry before = find(made);
    if (before != null) {
      boolean _ = entries.remove(before);
      made = before.withDefinition(text);
    }
    if (made.kind().equals(SchemaEntry.INDEX)) {
      Integer number = made.number();
      if (number != null) {
        unused.add(number);
      }
      made = made.withNumber(nextTable++); // it is built again, since it may index something else
    }
    entries.add(made);
    written.add(made);
    done.add("%s: has another statement".formatted(old.place()));
  }

  private static SchemaEntry made(String text) {
    Statement statement = Parser.parseStored(text);
    return switch (statement) {
      case Definition.CreateKeyspace create ->
          new SchemaEntry(create.name(), SchemaEntry.KEYSPACE, "", text);
      case Definition.CreateType create -> named(create.type(), SchemaEntry.TYPE, text);
      case Definition.CreateTable create -> named(create.table(), SchemaEntry.TABLE, text);
      case Definition.CreateView create -> named(create.view(), SchemaEntry.TABLE, text);
      case Definition.CreateIndex create when create.index() != null ->
          named(new TableName(create.table().keyspace(), create.index()), SchemaEntry.INDEX, text);
      default ->
          throw CqlException.invalid(
              "statement: CREATE KEYSPACE, TYPE, TABLE, INDEX with a name, or MATERIALIZED VIEW"
                  + " replaces a stored one, got %s".formatted(text));
    };
  }

  private static SchemaEntry named(TableName name, String kind, String text) {
    String keyspace = name.keyspace();
    if (keyspace == null) {
      throw CqlException.invalid(
          "statement: %s has no keyspace; write keyspace.name".formatted(name.table()));
    }
    return new SchemaEntry(keyspace, kind, name.table(), text);
  }

  private @Nullable SchemaEntry find(SchemaEntry like) {
    for (SchemaEntry entry : entries) {
      if (entry.makes(like.keyspace(), like.kind(), like.name())) {
        return entry;
      }
    }
    return null;
  }

  /// The statement that cannot be read, of an entry.
  private UnreadableStatement required(SchemaEntry entry) {
    List<UnreadableStatement> all = unreadable(entry.keyspace());
    for (UnreadableStatement each : all) {
      if (entry.makes(each)) {
        return each;
      }
    }
    throw CqlException.invalid(
        "%s %s.%s: not a stored statement that cannot be read; keyspace %s has %s"
            .formatted(
                entry.kind(),
                entry.keyspace(),
                entry.name(),
                entry.keyspace(),
                all.stream().map(UnreadableStatement::place).toList()));
  }

  private List<UnreadableStatement> unreadable(String keyspace) {
    List<SchemaEntry> own =
        entries.stream().filter(entry -> entry.keyspace().equals(keyspace)).toList();
    KeyspaceReader reader = new KeyspaceReader(keyspace, own);
    if (!own.isEmpty()) {
      var _ = reader.read();
    }
    return reader.unreadable();
  }

  /// Drops a table or a view with its rows, or an index.
  ///
  /// @param name `keyspace.table` or `keyspace.index`, in quotes where CQL wants them
  /// @throws CqlException when its stored statement can be read
  public void drop(String name) {
    if (!(Parser.parse("DROP TABLE " + name) instanceof Definition.DropTable drop)) {
      throw CqlException.invalid("drop-table: is keyspace.table, got %s".formatted(name));
    }
    SchemaEntry index = named(drop.table(), SchemaEntry.INDEX, "");
    SchemaEntry table = named(drop.table(), SchemaEntry.TABLE, "");
    boolean ofIndex = find(table) == null && find(index) != null;
    SchemaEntry wanted = ofIndex ? index : table;
    UnreadableStatement old = required(wanted);
    SchemaEntry entry = find(wanted);
    if (entry != null) {
      boolean _ = entries.remove(entry);
      deleted.add(entry);
    }
    if (!ofIndex) {
      dropIndexes(wanted);
    }
    boolean knowsRows = entry == null || entry.number() != null;
    done.add(
        "%s: dropped%s"
            .formatted(
                old.place(),
                knowsRows ? ", with its rows" : "; its number is not stored, so its rows stay"));
  }

  /// Drops the indexes of a table that is dropped.
  private void dropIndexes(SchemaEntry table) {
    for (SchemaEntry entry : List.copyOf(entries)) {
      if (entry.keyspace().equals(table.keyspace()) && isIndexOf(entry, table.name())) {
        boolean _ = entries.remove(entry);
        deleted.add(entry);
      }
    }
  }

  private static boolean isIndexOf(SchemaEntry entry, String table) {
    String text = entry.definition();
    if (!entry.kind().equals(SchemaEntry.INDEX) || text == null) {
      return false;
    }
    try {
      return Parser.parseStored(text) instanceof Definition.CreateIndex create
          && create.table().table().equals(table);
    } catch (CqlException unreadable) {
      return false; // it is reported, and dropped by its name
    }
  }

  /// Writes it, durable when it returns.
  ///
  /// @return the statements that still cannot be read
  /// @throws CqlException when a statement that was given is among them; then nothing was written
  public List<UnreadableStatement> finish() {
    List<UnreadableStatement> left = new ArrayList<>();
    Set<String> keyspaces = new TreeSet<>();
    entries.forEach(entry -> keyspaces.add(entry.keyspace()));
    keyspaces.forEach(keyspace -> left.addAll(unreadable(keyspace)));
    for (UnreadableStatement each : left) {
      if (written.stream().anyMatch(entry -> entry.makes(each))) {
        throw CqlException.invalid("statement: nothing was changed, for " + each.sentence());
      }
    }
    if (written.isEmpty() && deleted.isEmpty()) {
      return left;
    }
    TableWriter writer = new TableWriter(store, InstantSource.system());
    writer.startAfter(stored.timestamp());
    List<Integer> numbers = new ArrayList<>(unused);
    deleted.forEach(entry -> {
      if (entry.number() != null) {
        numbers.add(entry.number());
      }
    });
    boolean _ =
        writer.write((_, out) -> {
          long timestamp = writer.timestamp();
          for (SchemaEntry entry : written) {
            StoredSchema.write(entry, out, timestamp);
            if (entry.kind().equals(SchemaEntry.INDEX)) {
              int number = Objects.requireNonNull(entry.number());
              StoredSchema.writeBuild(number, new byte[0], out, timestamp);
            }
          }
          deleted.forEach(entry -> StoredSchema.delete(entry, out, timestamp));
          StoredSchema.writeNumbers(nextTable, stored.dropped().with(numbers), out, timestamp);
          return true;
        });
    return left;
  }
}
