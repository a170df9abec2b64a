package io.widerow.cli;

import io.widerow.cql.CqlException;
import io.widerow.cql.define.SchemaRepair;
import io.widerow.cql.schema.UnreadableStatement;
import io.widerow.cql.store.TableStore;
import io.widerow.query.QueryException;
import io.widerow.storage.Damage;
import io.widerow.storage.StorageException;
import io.widerow.storage.StoreConfig;
import io.widerow.storage.embedded.EmbeddedStore;
import io.widerow.storage.repair.StoreVerifier;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/// The schema of tables of a stopped store: which of its statements cannot be read, and other
/// statements in their place.
///
/// - Threads: one.
final class StoppedSchema {
  private final Path directory;
  private final List<String> done = new ArrayList<>();
  private List<UnreadableStatement> unreadable = List.of();

  private StoppedSchema(Path directory) {
    this.directory = directory;
  }

  /// Reads the schema of a store, unless damage keeps it from being opened.
  ///
  /// @param damage of the store
  static StoppedSchema of(Path directory, List<Damage> damage) {
    StoppedSchema schema = new StoppedSchema(directory);
    boolean opens =
        damage.stream()
            .map(Damage::kind)
            .noneMatch(kind -> kind == Damage.Kind.FORMAT || kind == Damage.Kind.MANIFEST);
    if (opens && StoreVerifier.hasTables(directory)) {
      try (EmbeddedStore store = EmbeddedStore.openForReading(directory)) {
        schema.unreadable = SchemaRepair.unreadable(store.extension(TableStore.class));
      } catch (StorageException.Corrupt _) {
        // It is among the damage already.
      }
    }
    return schema;
  }

  /// Replaces statements that cannot be read, and drops tables.
  void repair(List<String> statements, List<String> dropped) {
    if (statements.isEmpty() && dropped.isEmpty()) {
      return;
    }
    try (EmbeddedStore store = EmbeddedStore.open(StoreConfig.at(directory), Runnable::run)) {
      SchemaRepair repair = new SchemaRepair(store.extension(TableStore.class));
      dropped.forEach(repair::drop);
      statements.forEach(repair::replace);
      unreadable = repair.finish();
      done.addAll(repair.done());
    } catch (CqlException refused) {
      throw new QueryException.Refused("schema", refused.sentence());
    }
  }

  List<UnreadableStatement> unreadable() {
    return unreadable;
  }

  /// The repairs, a sentence each.
  List<String> done() {
    return List.copyOf(done);
  }

  /// The statements that cannot be read, as damage of the store.
  List<Damage> damage() {
    return damage(unreadable);
  }

  /// Statements that cannot be read, as damage of their store.
  static List<Damage> damage(List<UnreadableStatement> statements) {
    return statements.stream()
        .map(each -> new Damage(Damage.Kind.SCHEMA, each.place(), 0, each.error(), List.of()))
        .toList();
  }
}
