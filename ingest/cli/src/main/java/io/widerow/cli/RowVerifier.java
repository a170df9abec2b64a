package io.widerow.cli;

import io.widerow.cql.define.IndexFindings;
import io.widerow.cql.define.UserTables;
import io.widerow.cql.schema.Schema;
import io.widerow.cql.store.TableStore;
import io.widerow.cql.store.TableView;
import io.widerow.cql.table.RowCheck;
import io.widerow.storage.Damage;
import io.widerow.storage.StorageException;
import io.widerow.storage.embedded.EmbeddedStore;
import io.widerow.storage.repair.StoreVerifier;
import io.widerow.storage.repair.StoreVerifier.Verification;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;

/// Verifier of a stopped store that reads the rows of its tables by their schema, after every byte
/// was checked: bytes that were written as they are may still be no row.
final class RowVerifier {
  private RowVerifier() {}

  /// @throws StorageException when the directory is not a store, in use, or of a newer format
  static Verification verify(Path directory) {
    Verification bytes = StoreVerifier.verify(directory);
    if (!StoreVerifier.hasTables(directory)) {
      return bytes;
    }
    List<Damage> damage = new ArrayList<>(bytes.damage());
    List<String> remarks = new ArrayList<>(bytes.remarks());
    Path tables = StoreVerifier.tables(directory);
    RowCheck rows = new RowCheck();
    IndexFindings indexes = new IndexFindings(List.of(), 0, 0);
    try (EmbeddedStore store = EmbeddedStore.openForReading(directory)) {
      UserTables users = new UserTables(store.extension(TableStore.class), InstantSource.system());
      Schema schema = users.schema();
      damage.addAll(StoppedSchema.damage(schema.unreadable()));
      check(rows, schema, store.extension(TableStore.class));
      if (rows.bad() == 0) { // else values cannot be compared
        indexes = users.checkIndexes();
      }
    } catch (StorageException.Corrupt unreadable) { // and is damage already
      remarks.add("the rows of tables were not all read: " + unreadable.getMessage());
    }
    rows.found().forEach(found -> damage.add(damage(tables, found)));
    long more = rows.bad() - rows.found().size();
    if (more > 0) {
      damage.add(damage(tables, more + " more rows cannot be read"));
    }
    for (String each : indexes.found()) {
      damage.add(damage(tables, each));
    }
    if (indexes.bad() > indexes.found().size()) {
      long others = indexes.bad() - indexes.found().size();
      damage.add(damage(tables, others + " more entries of indexes are wrong"));
    }
    if (indexes.entries() > 0) {
      remarks.add("%d entries of indexes were compared with rows".formatted(indexes.entries()));
    }
    remarks.add("%d rows of tables with a readable schema were read".formatted(rows.rows()));
    return new Verification(
        bytes.segments(), bytes.blocks(), bytes.events(), bytes.bytes(), damage, remarks);
  }

  private static void check(RowCheck rows, Schema schema, TableStore tables) {
    try (TableView view = tables.view()) {
      rows.check(schema, view);
    }
  }

  private static Damage damage(Path tables, String found) {
    return new Damage(Damage.Kind.ROW, tables, 0, found, List.of());
  }
}
