package io.widerow.cql.define;

import io.widerow.cql.store.TableStore;
import java.util.function.UnaryOperator;

/// For tests: changes the stored schema, as a fault would.
public final class BrokenSchema {
  private BrokenSchema() {}

  /// Gives a stored statement another text.
  ///
  /// @param kind `keyspace`, `type` or `table`
  /// @param name empty for a keyspace
  public static void write(
      TableStore store, String keyspace, String kind, String name, String text) {
    change(store, keyspace, kind, name, entry -> entry.withDefinition(text));
  }

  /// Deletes a row of the stored schema.
  static void delete(TableStore store, String keyspace, String kind, String name) {
    StoredSchema.Stored stored = StoredSchema.stored(store);
    SchemaEntry entry = find(stored, keyspace, kind, name);
    var _ =
        store
            .write((_, out) -> {
              StoredSchema.delete(entry, out, stored.timestamp() + 1);
              return true;
            })
            .join();
  }

  /// Deletes the numbers of tables.
  static void deleteNumbers(TableStore store) {
    long timestamp = StoredSchema.stored(store).timestamp() + 1;
    var _ =
        store
            .write((_, out) -> {
              StoredSchema.delete(new SchemaEntry("-", "tables", "", ""), out, timestamp);
              return true;
            })
            .join();
  }

  private static void change(
      TableStore store,
      String keyspace,
      String kind,
      String name,
      UnaryOperator<SchemaEntry> change) {
    StoredSchema.Stored stored = StoredSchema.stored(store);
    SchemaEntry entry = change.apply(find(stored, keyspace, kind, name));
    var _ =
        store
            .write((_, out) -> {
              StoredSchema.write(entry, out, stored.timestamp() + 1);
              return true;
            })
            .join();
  }

  private static SchemaEntry find(
      StoredSchema.Stored stored, String keyspace, String kind, String name) {
    return stored.entries().stream()
        .filter(entry -> entry.makes(keyspace, kind, name))
        .findFirst()
        .orElseThrow();
  }
}
